// Package trap decides which URLs a crawler should not visit because a server makes up
// pages without end: calendars, session ids, every sorting of every filter, addresses that
// grow, one page under any name, and mazes of generated text.
//
// # Terms
//
// A pattern is a set of URLs that one program on the server is likely to answer: the
// host, the path with its variable parts abstracted (numbers and dates are #, keys and
// session ids are @, other words *), and the names of the query's parameters. A
// directory keeps its name while its parent has few (16). A wide pattern is the same for
// all hosts of a registrable domain, without any names: it decides for the patterns that
// are too young to be judged by themselves, since random names make a new one each time. An
// IP address is a domain of its own.
//
// The form of a URL is its path and query without keys, its parameters in any sequence. A
// copy is a page with the same words as another of its pattern, in any sequence. Words of
// the page's own URL do not count anywhere, since a page that repeats its address says
// nothing new. All other text is judged by its pairs of neighbouring words:
//
//	fresh      none of the pattern's latest pages had the pair
//	recurring  some had it
//	template   nearly all had it
//
// # What is refused
//
// A few URLs are refused on sight, as no honest site has them: one sequence of segments four
// times in a row, more than MaxSegments segments, or more than MaxEqualKeys parameters of
// one name. All other traps are learned from the pages that were fetched. A pattern is
// closed when
//
//   - its pages are copies, many times over, that lead to new URLs without end (Copies;
//     Calendar if its URLs have dates);
//   - URLs of a known form bring such copies (Session if they differ in keys, Subdomains if
//     in hosts, Facets if in the sequence of parameters): forms not yet fetched are let
//     through;
//   - its URLs are found on its own pages, whose text is known and which lead to new URLs
//     without end (Pattern; Calendar if the URLs have dates, Facets if they have two
//     parameters or more);
//   - its URLs are found on its own pages, and each is longer than the last (Growing);
//   - its URLs are found on its own pages, each of which leads to new ones, and hardly any
//     to a known one, except for the navigation and the directory above (Maze).
//
// Where its URLs are found separates a shop's products from a calendar's days: products are
// listed elsewhere. A pattern whose URLs are listed elsewhere is closed for copies only.
//
// # Wrong verdicts heal
//
// Of the URLs that a closed pattern refuses, the 8th, the 24th, the 56th and so on are let
// through as probes. If those pages are as new as an open pattern's, it opens, and Reopened
// returns it: the crawler offers again the URLs that it deferred.
//
// # What it cannot see
//
// A chain of pages with fresh text, each of which leads to one more, is a diary to this
// package, for ever. A maze whose pages link back to random older ones is a wiki, and one
// that mimics a tree of directories is a tree. They end at the crawl's other limits (pages
// of a host, depth). On the other hand, a tree of over 30 pages before the first leaf
// without any link across or back, and a gallery whose pages have no word of their own,
// are taken for traps: see Config.Trust.
//
// # Costs and limits
//
// Judge is called once for a URL that is about to be fetched and takes some 250 ns, Watch
// and Learn 2 µs, a Link 250 ns for pages that are watched: the first 64 of a pattern,
// those of closed ones, and one in 16 after that. A pattern takes 2 KiB at first, 14 KiB
// after some dozen pages, 44 KiB if it is wide or keyed and has thousands of forms; there
// are at most Config.Patterns. Beyond that the half that learned nothing for longest is
// forgotten, closed ones last. A forgotten trap is learned again.
//
// A Guard has one owner. The package is pure.
package trap
