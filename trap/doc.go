// Package trap tells a crawler which URLs are worth no visit because a server makes up
// pages for ever: calendars, session ids, every order of every filter, addresses that
// grow, one page under any name, and mazes of generated text.
//
// # Terms
//
// A pattern is a set of URLs that one program on the server is likely to answer: the
// host, the path with its variable parts abstracted (numbers and dates are #, keys and
// session ids are @, other words *), and the names of the query's parameters. A
// directory keeps its name while its parent has few (16). A wide pattern is the same for
// all hosts of a registrable domain, without any names: it speaks for the patterns that
// are too young to be judged by themselves, as random names make a new one each time. An
// IP address is a domain of its own.
//
// The form of a URL is its path and query without keys, and with parameters in
// whatever order. A copy is a page with the same words as another of its pattern, in
// whatever order. Words that stand in the page's own URL do not count anywhere: what an
// address says is not new. Of all other text, pairs of neighbouring words are fresh if the
// pattern's latest pages had none like it, recurring if some had, and template if nearly all
// have.
//
// # What is refused
//
// A few URLs on sight, which no honest site has: one sequence of segments four times in a
// row, or more than MaxSegments segments, or MaxEqualKeys parameters of one name. All
// else is learned from the pages that come home. A pattern is closed when
//
//   - its pages are copies, many times over, that lead to ever new URLs (Copies; Calendar if
//     its URLs have dates);
//   - URLs of a known form bring such copies (Session if keys tell them apart, Subdomains if
//     hosts, Facets if the order of parameters): forms not yet fetched are let through;
//   - its URLs are found on its own pages, whose text is known and which lead to ever new
//     URLs (Pattern; Calendar if the URLs have dates, Facets if two parameters and more);
//   - its URLs are found on its own pages, and grow with each (Growing);
//   - its URLs are found on its own pages, each of which leads to new ones, and hardly
//     any to one that was known but the navigation and the directory above (Maze).
//
// Where URLs come from is what separates products from a calendar: the first are listed
// elsewhere. A pattern that lists lead to is closed for copies only.
//
// # Wrong verdicts heal
//
// Of the URLs that a closed pattern refuses, the 8th, the 24th, the 56th and so on is let
// through. If those pages are as new as an open pattern's, it opens, and Reopened names
// it: the crawler offers again what it held.
//
// # What it cannot see
//
// A chain of pages with fresh text, of which each leads to one more, is a diary to this
// package, for ever. A maze whose pages link back to random older ones is a wiki, and one
// that mimics a tree of directories is a tree. They end at the crawl's other limits (pages
// of a host, depth). On the other side, a tree of over 30 pages before the first leaf
// without any link across or back, and a gallery whose pages have no word of their own,
// are taken for traps: see Config.Trust.
//
// # Costs and limits
//
// Judge is asked once for a URL that is about to be fetched and takes some 250 ns, Watch
// and Learn 2 µs, a Link 250 ns for pages that are watched: the first 64 of a pattern,
// those of closed ones, and one in 16 after that. A pattern takes 2 KiB at first, 14 KiB
// after some dozen pages, 44 KiB if it is wide or keyed and has thousands of forms; there
// are at most Config.Patterns. Beyond that the half that learned nothing for longest is
// forgotten, closed ones last. A forgotten trap is learned again.
//
// A Guard has one owner. The package is pure.
package trap
