// Package trap decides which URLs of a crawl wait, and which are not fetched at all, because a
// server makes up pages without end: calendars, session ids, every sorting of every filter,
// addresses that grow, one page under any name, and mazes of generated text.
//
// # The principle
//
// URLs that one program on the server is likely to answer are a pattern, and each pattern has an
// account. A page costs 1, and 2 if it is a known one under a new name that is no number. New words
// earn, for the page's own pattern and for the lists on which it was found. The chance that a URL
// brings something is estimated, by Laplace's rule of succession: of n pages k were worth
// something, so the next one is with (k+1)/(n+2). It decides the order: a URL waits behind
// everything else of its host that is likelier (Rank).
// Three questions are multiplied: do pages of the pattern bring something new to the site? Do
// URLs of which a part is known bring other pages? If every page leads to more, does one end it?
// And one that is not learned: does the URL only name again the page on which it was found?
// What a pattern has spent since it last brought a text, or led to one, decides the end: once that
// is its Budget it is closed, but only if it will not end by itself, that is, if its pages bring
// new URLs as fast as they are fetched, or if they are known pages under new names. Suspicion alone
// refuses nothing. Before the crawl ends, each closed pattern gets a last look.
//
// # Terms
//
//	pattern    host, path with its variable parts abstracted (numbers and dates are #, keys
//	           and session ids are @, other words *), and the names of the parameters, which "&"
//	           or ";" separates. A directory keeps its name while its parent has few (16), unless
//	           it is the last. Of that only the kind of file is kept, such as .html, where it says
//	           what answers
//	kin        fine patterns of a host that differ only in the names of directories and programs.
//	           The first eight pages of one lead to more of it, as those of any section do;
//	           whether these have an end is judged by the older ones of its kin together. What
//	           breeds waits by how many pages of its kin did, and of a pattern with fewer than 32
//	           pages the older kin say whether it is a chain
//	wide       a pattern of all hosts of a registrable domain, without any names: it answers
//	           for patterns that are too young, since random names make a new one each time.
//	           URLs with one parameter and with several have different ones.
//	           A host of which 16 pages are known is a domain of its own. Addresses are one
//	           domain until then, since they can be made up, too
//	bounded    of a pattern of eight pages: it does not grow, its copies are not of known forms,
//	           it neither is found on pages of its kind nor leads to more, and it combines no
//	           parameters, or it is spanned. It will end, so what it owes is no evidence
//	           against others
//	spanned    of a pattern with parameters of which two things vary, at most, parameters or the
//	           path: all that they can be combined to is ten budgets, at most, and no page had a
//	           new value for twice as many as one of them has. It will end though it still grows
//	trial      the first eight pages of a pattern that does not lead on, though the wide one is
//	           closed: as long as those of all patterns come to no more than another budget
//	form       a URL's path and parameters without keys, in any sequence, and without the
//	           parameters that were found to make no difference. Of the path no more than its end
//	           (the last two segments, if both are names), its head, or what it is in lower case,
//	           if that was found to be enough
//	head       of a path: all but the last segment, or all of it if that is the head of others.
//	           Where it is a directory, of which three pages were no copies, it says nothing. It
//	           is tried, as is lower case, once three pages of the host were met again so
//	copy       a page with the words of another, in any sequence. One that says nothing of its own
//	           and shows other pictures is none: it may be a scan. It brings nothing either
//	steady     words: of a page whose URL has a key that may be a session's, with one word for the
//	           numbers that it begins and ends with: they tell the time (Sampler.Steady)
//	own text   the grams (four words in a row) of a page that are not its pattern's template,
//	           which is what nearly all of its latest pages had; without words of its URL, and
//	           what its links say, which is the name of another page or the next one's number
//	new        of a word: no recent page of the pattern had either of its grams, the one that it
//	           ends and the one that it begins. A page of 80 new words is wholly new. In scripts
//	           without spaces a clause counts as many words as it has pairs of characters, a
//	           number as one
//	text       of a page: 20 new words, of which the site has at least 16 nowhere else. It
//	           settles what its pattern owes, unless that combines parameters, and what the
//	           lists on which it was found have spent. After pages that say hardly anything 10
//	           new words of a short page are a text, too, unless it is one of days
//	owes       what the pages have cost less what they have earned, never below 0
//	spent      the same without the cost of pages from while the pattern seemed to end: what is
//	           owed for a list that ends is no evidence against what comes behind it
//	worth      of a page, for the order: how much of its own text the site has not said before,
//	           beyond noise, if it has earned something; a sixth of that where parameters are
//	           combined. What it earns is worth the same to its lists
//	noise      how much the first 255 pages of a domain whose text it has said already tell all
//	           the same, on average: a quotation or an advertisement that changes with each
//	           answer. What a page tells is counted from there, and less counts below 0, so that
//	           pages which say nothing else are worth nothing together. Up to four words are none
//	selection  a URL that combines parameters, or adds to the path that led to it: known things in
//	           new company. Pages that are found on their likes, of which each leads to one more,
//	           are none, unless they are days
//	chance     by the worth of the latest pages, and by what the pattern owes, as if that were
//	           so many pages without worth; 1/2 for a new pattern. Young patterns have at most
//	           that of the wide one, unless most of their pages were worth something; new ones
//	           at most that with which the first pages of others of the wide one were worth
//	           something
//	known      of a form, or a part of it: a page of the host had it, or of all of it: one of
//	           another host of the domain. The next one is no copy with a chance that is learned
//	           of each part; the first of a pattern is tried. What no copy speaks for is left
//	           out of the end of the path, and of the path of a program
//	aspect     a URL that names the page on which it was found once more, by its last segment or
//	           a value of its query, and no new number, nor a short one once more, but those that
//	           all URLs of its pattern have had: its history, its printed form. One without a
//	           query is of a tree, such as a file below its directory, if no URL was fetched that
//	           added the same segments to a page's, or if those that were lead to pages that are
//	           worth something, one for each two.
//	           What aspects show may be new text, so nothing is learned of that: their chance is
//	           a quarter, if pages like that on which they were found are worth something. That
//	           is no evidence against anything, and closes nothing
//	service    a URL one of whose segments, parameters or values is a name of what a site does for
//	           its visitors, or of another view of what stands elsewhere: login, reply, cart,
//	           search, print, diff; or a packed file. Its chance is a quarter, as that of an
//	           aspect
//	spelling   of a URL: what its segments and values are made of, words, numbers, and what
//	           stands between them; and its parameters' values themselves, where these are few
//	           short words, such as the history of action=history. Once the URLs of a pattern
//	           are spelt in two ways or more, each has its own chance: by the worth of its latest
//	           pages, as if two more had been worth what the pattern's are, and by what it owes.
//	           One of which there was no page yet has that with which the first pages of the
//	           others were worth something, or the pattern's if that is more; after twelve ways
//	           the less of both. To the others of its spelling a selection whose text is whole is
//	           worth as much as any page. Once four pages are, on average, it is no service, and
//	           that a part of its query is known says nothing
//	spared     by words among its values, of a pattern that refuses: a URL of whose spelling one
//	           in eight of the latest pages was worth something, and which owes less than 16; or
//	           of which there was none yet, if no page of the host had these words, the pattern
//	           was spelt in less than eight ways, and there were less than sixteen tries. What it
//	           brings opens the pattern for no other
//	section    the fine patterns that differ only in the last name that they keep, such as
//	           /de/news/* and /de/shop/*. Once eight of their first four pages each were worth
//	           something, or copies, these say how a new one begins, not the wide pattern; and
//	           if no more than half were copies, a young one is not refused with the wide one,
//	           and does not wait as that does. Of one that has no page yet four are tried
//	redirect   worth nothing if it leads to a known URL. URLs of a pattern of which eight in a row
//	           redirected have at most the chance of the pattern to which they lead
//	rank       how many times the chance is below 1/2 by the square root of two, and one more for
//	           what breeds, and one for each doubling of its pages that are spelt alike, from 64
//	           on, or from 512 on if it does not breed
//	breeds     of a pattern: a page of it has two new URLs of it on average, or more, aspects and
//	           other keys not counted, and a quarter more than those of other patterns of its
//	           host had of theirs; or it is a chain of 32 pages or more, of which nine in ten led
//	           to one more, and none to two, or a young one, if the wide pattern or its kin have
//	           had as many such pages. Others that are as likely come first, since they will end,
//	           if there are any; at one page in 64 they do not
//	lease      a URL on its way. Another waits for it, in its place, if it would have a rank were
//	           that a page that brings nothing. Where a pattern owes nothing as many leases as it
//	           had pages do not count: so of a new one one is asked for at first (Verdict.Wait).
//	           What has a chance of 1 in 32 or less waits only for what may be the same page,
//	           and a turn for another turn until the pattern owes a budget
//	growth     new URLs of the pattern a page, found on pages that bring nothing or are of the
//	           pattern themselves: what good pages list is finite, since somebody has listed it,
//	           and so is what directories list that are of the pattern, if most pages lead no
//	           further
//	turns      of a pattern that waits, and whose pages lead to more of it, the shallowest URLs
//	           come first, but every second time one of the deepest until it owes 16, every
//	           eighth then, and every second again once half of the budget is spent: a text may
//	           be some empty steps from where it is listed. If the deepest are of other patterns
//	           it is one of its very pattern that has its rank
//	variant    a known path under another query or key, unless the program has but one path. It
//	           is read whatever others of its pattern are, and counts as far as the site has not
//	           said it, the first that is read of a path not at all: what it says may be of a
//	           page that was not
//	near       of a page: the site has said seven eighths of its own text or more, once its
//	           pattern has shown what is its template; or three quarters of its words are known
//	           where its URL is a known one under another session; or it is a twin; or it names
//	           another URL of its domain as its own (link rel=canonical). For the order it says
//	           nothing, and is as good as a copy for what is tried; it closes nothing
//	twin       a page that says what one other page said, each with something besides: of the own
//	           words of both, as far as three pages at most had said them, two thirds are equal,
//	           and it has no more besides than the other, or one more. These are words that are
//	           sampled of all pages. A pattern's first eight pages are none, since what stands on
//	           all of them is not known yet
//	surplus    of a segment of a path: three pages, or more, were the one that was fetched without
//	           it. If that was done a URL brings another page with a chance that is learned of
//	           each segment, by the rule of succession
//	listed     a page that does not ask not to be indexed. The chance that the next one is of a
//	           pattern, or of a spelling, multiplies the others, by the rule of succession. Pages
//	           that ask wait, then, and that is no evidence against anything
//	own        address, of a page that was fetched with a query: a copy, but not counted as one,
//	           since there are no more of these than of the others
//	endless    every page leads to new ones and hardly any to a known one, or itself under
//	           another name, or all lead to URLs that are longer and longer: new text counts
//	           for nothing until a page ends it. A wide one says so of URLs found on its own
//	           pages only
//	closed     of a pattern: its URLs are refused; if its copies were of known forms, those of
//	           new forms are not
//	probe      one of the URLs, eight or all of 32 at most, that a closed pattern lets through
//	           before the crawl ends, the shallowest and the least common; each that earns more
//	           than it costs speaks for an eighth of the budget. If they are enough the pattern
//	           opens, and Reopened returns it
//
// A few URLs are refused on sight, as no honest site has them: more than MaxSegments segments, or
// more than MaxEqualKeys parameters of one name.
//
// # What it cannot see
//
// A chain of pages with fresh text, each of which leads to one more, is a diary to this package,
// for ever. A maze whose pages link back to random older ones is a wiki, and one that mimics a tree
// of directories is a tree. They end at the crawl's other limits (pages of a host, depth). On the
// other hand, thousands of pages in a chain that have no word of their own, and a tree that shows
// no leaf in 32 pages and the budget after them, are closed: see Config.Trust.
//
// # Costs and limits
//
// Judge is called for a URL that is about to be fetched, again if that was postponed, and takes
// some 0.5 µs. Watch and Learn take 10 µs, a Link 0.2 µs for pages that are watched: the first
// 64 of a pattern, those of one that owes 16, and one in 16 of all others. Of a pattern whose
// pages keep bringing new text 32 pages are read, 16 of each twice as many, and then one in 64; of
// a directory whose likes on the host did so 4, and 2 of each twice as many. The others are not
// (Lease.Unread): Skim takes 1 µs.
//
// A pattern takes 1 KiB at first and up to 36 KiB after many pages, a spelling or kin 0.1 KiB;
// there are at most Config.Patterns, as many kin, and four times as many spellings, and 8 MiB of
// texts and forms besides, and 0.1 MiB of what hosts and links were found to be last. Beyond that
// the half that learned nothing for longest is forgotten, closed patterns last. A forgotten trap is
// learned again.
//
// A Guard has one owner. The package is pure.
package trap
