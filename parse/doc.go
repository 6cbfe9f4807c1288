// Package parse reads a fetched document once, from its first byte to its last, and
// yields what a crawler needs of it: links, words, title, language, and what the page
// asks of robots.
//
// A browser builds a tree; that costs ten times as much as everything else a crawler
// does. This package scans instead: it follows the states of the WHATWG tokenizer that
// decide where a tag, a comment, an attribute value or raw text begins and ends, and
// keeps of the tree only what links and words depend on (is this inside a script, a
// template, foreign content). Tests hold it against a real tree, goquery's, page by
// page: the same links in the same order, the same words. Where they differ the reason
// stands in docs/parse.md.
//
// A link is a URL a browser would follow: a, area, iframe, frame, link[rel=canonical,
// next, prev, alternate], meta refresh, and with Options.Assets what a page embeds; it is
// resolved against the base element, if there is one, and made canonical by package
// weburl. A word is a maximal run of Unicode letters, marks and decimal digits in one
// piece of text, lower-cased, 1 to 64 runes; words come as their 64-bit hashes, which is
// all the sketches want. Text inside script, style, template and noscript has no words.
//
// Characters are decoded as the byte order mark, the Content-Type or a meta element says.
// Sitemaps, feeds and lists of URLs are read too. CSS selectors (Rule) are the one thing
// that needs a tree, and the tree is built only when there are rules.
//
// The package is pure. A Parser keeps its buffers from page to page and belongs to one
// goroutine; a word costs no allocation, a link a small share of one. Time is linear in
// the length of the body whatever stands in it.
package parse
