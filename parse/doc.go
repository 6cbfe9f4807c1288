// Package parse reads web documents: from bytes to links, words and what a
// page says about itself, in one pass and without building a tree.
//
// # Terms
//
// A link is a reference to another document that a crawler may follow: <a> and
// <area href>, frames, <link rel=canonical|next|prev|alternate>, a meta
// refresh, the entries of sitemaps, URL lists and feeds. It is resolved against
// the page's base (its own URL, or the first <base href>) and canonical as
// package weburl says. Assets (images, scripts, style sheets, media) are links
// on request, and so are a link's text and rel (Page.Anchor).
//
// A word is a maximal run of Unicode letters, marks and decimal digits, lower
// cased rune by rune, of 1 to 64 runes; longer runs are no words. Words come
// from the text of a document, the title included, but not from script, style,
// template and noscript. (Links in the last two count.) Any tag or comment ends a
// word; character references are decoded first. So "Caf&eacute;s don't
// <b>st</b>op" has the words cafés, don, t, st and op. A Page has its words as
// 64-bit hashes (HashWord), which sketches and near-duplicate detection take.
//
// # How HTML is read
//
// An HTML parser has two stages. The tokenizer cuts the bytes into text, tags
// and comments; the tree builder nests them, which includes closing, moving,
// repeating and dropping elements that authors got wrong. Links and words need
// the first stage only, and the second is where the time goes. So this package
// has a tokenizer of its own, which follows the standard (WHATWG HTML, 13.2.5)
// wherever it decides what is markup and what is text: comments and the many
// things treated as comments, quoted and bare attribute values, the first of
// two equal attributes, character references in text and in values, text that
// is no markup (script with its escaped states, style, title, textarea, xmp,
// iframe, noembed, noframes, plaintext), NULs, invalid UTF-8. Of the second
// stage it keeps little: how many templates are open, whether a noscript is, and
// a short stack of what is open inside <svg> and <math>, where other rules hold
// (CDATA sections, self-closing tags, no raw text). Scripting counts as off:
// there are tags in noscript. But it reaches to its end tag, as if it were on,
// since what readers see behind it are words.
//
// docs/parse.md lists each case in which the outcome differs from a tree built
// by goquery, and why. On well-formed documents there are none; tests hold that
// on thousands of real pages and on random ones.
//
// Bytes become text by the encoding that a byte order mark, the Content-Type
// header or a <meta> names, else Windows-1252, as golang.org/x/net/html/charset
// decides. Documents in UTF-8 or ASCII are read where they lie.
//
// The Content-Type header decides how a document is read and, if it says nothing, the first
// bytes do. They also decide that it is not read: a body that begins like an image, an
// archive, a program or another format that is no text is KindOther, whatever the header
// calls it, and so is text/plain with control bytes that no text has. A header that says "no
// text" is believed.
//
// # Costs and limits
//
// Time is linear in the bytes, whatever they are; there is no recursion, and
// nesting has no limit. The common case runs at several hundred MB a second and
// core: eight bytes are classified at a time, and words of up to 16 letters are
// hashed out of two registers. Nothing is allocated per word; links cost a share of
// an allocation. A <base href> after links needs a second pass. Only Rules
// build a tree, by goquery, at ten times the cost and with its limit of 512
// open elements (ErrTooDeep).
//
// Everything that grows has a visible limit: MaxLinks, MaxAnchorBytes, MaxRelBytes,
// MaxTitleRunes, MaxLangBytes, MaxWordRunes, MaxSitemapBytes, MaxFieldValues, MaxFieldBytes.
// The number of words is bounded by the body, which the fetcher bounds.
//
// The package is pure: it starts no goroutine, takes no lock, reads no clock.
package parse
