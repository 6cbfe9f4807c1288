// Package survey makes the link graph of a crawl directory and answers questions about it.
//
// [Build] reads links.bin, pages.jsonl and skipped.jsonl and writes the folder [Folder] into
// the crawl's directory: the graph and its transpose in WebGraph's files, the URLs, and what
// became of each of them. [Open] opens that, and the methods of Survey return sheets with
// figures: Stats, Neighbours, Reach, Rank and Clicks. Export writes the graph for other
// programs. Nothing is printed, and after Build the crawl's own files are not touched.
//
// # Nodes and links
//
// A node is every URL the crawl has a record of, and every URL that a counted link leads to.
// [Kinds] says which links count: those a reader clicks or is sent along, and that crawlers
// may follow. A page links to a page once, however often it does.
//
// A redirect is a node with one link, to its target; so links to an old URL stay visible
// and no URL of the crawl is lost. Clicks counts no click for it.
//
// # Costs
//
// Building takes Config.Memory and 8 bytes a node; a Survey holds 8 bytes a node and its
// two graphs, about 1 byte a node each beside the mapped files. What a method needs in
// addition is in its comment; docs/graph.md has figures.
package survey
