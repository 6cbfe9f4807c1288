package parse

import (
	"bytes"
	"slices"

	"crawler/weburl"
)

// The limits of a parse. Anything beyond them is cut, and the Page has a flag
// for it where its user could be misled.
const (
	// DefaultMaxLinks is the number of links kept of one page.
	DefaultMaxLinks = 100_000
	// MaxTitleRunes is the length of the longest title; the rest is cut.
	MaxTitleRunes = 512
	// MaxLangBytes is the length of the longest language tag believed.
	MaxLangBytes = 35
	// MaxSitemapBytes is how much a compressed sitemap may unpack to: the
	// sitemap protocol's own limit.
	MaxSitemapBytes = 50 << 20
)

// Options configures a Parser. The zero value parses links and words.
type Options struct {
	Assets   bool           // also yield images, scripts, style sheets, media
	Anchors  bool           // keep the text and the rel of links, see Page.Anchor
	Rules    []Rule         // values to extract by CSS selector, see ParseRule
	MaxLinks int            // links kept of a page; 0 means DefaultMaxLinks
	Robot    string         // the meta name and X-Robots-Tag prefix that mean us; "" for "crawler"
	URL      weburl.Options // how links are made canonical

	// OnWord, when set, is called with every word, lower-cased. The slice is
	// valid during the call. Meant for tests and for looking at the words.
	OnWord func(word []byte)
}

// Input is one fetched document.
type Input struct {
	URL         weburl.URL // where it was found: the base of its links
	ContentType string     // the Content-Type header's value
	RobotsTag   []string   // the X-Robots-Tag headers' values
	Link        []string   // the Link headers' values (RFC 8288)
	Body        []byte     // not modified; referred to until the next Parse at the latest
	Sitemap     bool       // it was requested as a sitemap: plain text is a list of URLs
}

// Page is the content of a document. Parse fills it and reuses its slices.
type Page struct {
	Kind    Kind
	Charset string // the encoding the text was read in, by its WHATWG name
	Title   string // white space collapsed, no control characters
	Lang    string // a language tag such as "en-GB", or ""

	Links    []Link // in document order, those of Link headers first
	notes    string // their texts and rels, for Anchor
	LinksCut bool   // there were more than MaxLinks, or the sitemap was too big
	BadLinks int    // links that are not http or https, or no URL at all

	Base      weburl.URL // what links were resolved against
	Canonical weburl.URL // the first link[rel=canonical], or zero
	NoIndex   bool       // the page asks not to be indexed
	NoFollow  bool       // the page asks that no link be followed

	Words      []uint64 // HashWord of each word, in document order
	Numerals   []int32  // where in Words those that begin with an ASCII digit stand, ascending
	LinkText   []int32  // where in Words the texts of links to elsewhere begin and end, in pairs
	Joined     int      // words more, roughly, also of Instead, if all scripts had spaces
	Pictures   uint64   // a hash of the <img>s that it shows, see picture; 0 for none
	Instead    []uint64 // HashWord of what images and fields have in place of text
	titleWords int      // of them, in titles
	scripts    int      // <script> elements

	Fields     map[string][]string // what Options.Rules found, by rule name
	ExtractErr error               // why Fields is empty although there are rules
}

// How much memory a Page and a Parser keep for the next document; more, after
// an unusually big one, is freed. (A word is 8 bytes, a link 32.)
const (
	maxKeptWords = 1 << 17
	maxKeptLinks = 1 << 14
	maxKeptBytes = 1 << 20
)

// shellWords are the most words, beside a title, of a page that a script is to fill: "Loading ...".
const shellWords = 3

// NeedsScript reports whether the page looks like one that JavaScript would fill, which is not run:
// it has scripts, no word or almost none, and no link. Those in <noscript> do not count: there are
// frames that measure visits, and addresses of pages on how to turn scripts on.
func (p *Page) NeedsScript() bool {
	if p.scripts == 0 || len(p.Words)-p.titleWords > shellWords {
		return false
	}
	return !slices.ContainsFunc(p.Links, func(l Link) bool {
		return !l.noscript && (l.Kind == Anchor || l.Kind == Area || l.Kind == Frame || l.Kind == Refresh)
	})
}

// Reset empties the page and keeps its memory, unless that is a lot.
func (p *Page) Reset() {
	clear(p.Fields)
	*p = Page{
		Links: kept(p.Links, maxKeptLinks), Words: kept(p.Words, maxKeptWords), Fields: p.Fields,
		Numerals: kept(p.Numerals, maxKeptWords), Instead: p.Instead[:0], LinkText: kept(p.LinkText, 2*maxKeptLinks),
	}
}

// kept returns s, empty, or nil if it has room for more than limit.
func kept[T any](s []T, limit int) []T {
	if cap(s) > limit {
		return nil
	}
	return s[:0]
}

// Kind is what a document was read as.
type Kind uint8

// The kinds of document. Only what is named here yields anything.
const (
	KindOther        Kind = iota // not looked into
	KindHTML                     // links and words
	KindXHTML                    // the same, by the rules of XML
	KindText                     // words only
	KindSitemap                  // a sitemap's urlset
	KindSitemapIndex             // a list of sitemaps
	KindURLList                  // one URL a line
	KindFeed                     // RSS or Atom
	kindCount
)

var kindNames = [kindCount]string{"other", "html", "xhtml", "text", "sitemap", "sitemapindex", "urllist", "feed"}

func (k Kind) String() string { return nameOf(kindNames[:], int(k)) }

// Link is one link of a page.
type Link struct {
	URL      weburl.URL
	Kind     LinkKind
	NoFollow bool   // rel=nofollow on the link, or the whole page says so
	Declined bool   // never set by Parse: a filter marks links that must not be followed
	noscript bool   // it stands in a <noscript>
	note     uint32 // where its note's text begins in the page's notes; 0 if it has none
}

// LinkKind is the kind of place where a link was found.
type LinkKind uint8

// The kinds of link.
const (
	Anchor    LinkKind = iota // <a href>, in SVG too
	Area                      // <area href>
	Frame                     // <frame src>, <iframe src>
	Canonical                 // <link rel=canonical>
	Next                      // <link rel=next>
	Prev                      // <link rel=prev>
	Alternate                 // <link rel=alternate>, not of style sheets
	Refresh                   // <meta http-equiv=refresh>
	Asset                     // images, scripts, style sheets, media
	Entry                     // a page listed by a sitemap, URL list or feed
	Sitemap                   // a sitemap listed by a sitemap index
	linkKindCount
)

var linkKindNames = [linkKindCount]string{"anchor", "area", "frame", "canonical", "next", "prev", "alternate", "refresh", "asset", "entry", "sitemap"}

func (k LinkKind) String() string { return nameOf(linkKindNames[:], int(k)) }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "unknown"
}

// Parser parses documents one after another with buffers of its own. It is not
// safe for concurrent use: give each worker one.
type Parser struct {
	opt   Options
	res   *weburl.Resolver
	runes *runeTable
	page  *Page
	dec   transcoder

	word   []byte     // the word being read, lower-cased
	folded textWindow // the block of text being read, lower-cased
	value  []byte     // the attribute value being decoded
	title  []byte     // the title, undecoded or (XHTML) piece by piece

	tag          tag
	open         []openElement // foreign elements and what is inside them
	overflow     int           // elements open beyond maxForeign
	templates    int           // open <template> elements
	marks        [maxTemplates]int32
	noscript     int      // 1 + the templates around the open <noscript>; 0 if none is open
	noscriptMark int      // of open, what is around it
	hidden       int      // open elements whose text is no words
	mode         textMode // how text is read here
	cdataOK      bool     // whether <![CDATA[ is one
	titled       bool     // the title was seen
	inTitle      bool     // XHTML: inside it
	based        bool     // a base href was seen
	again        bool     // it came after links: parse again with it
	metaLang     string
	before       mark
	links        linkCache
	anchor       anchor // Options.Anchors: the <a> being read
	area         line   // the text of an <area>
	notes        []byte // of the links so far
}

// mark is what was known before the body was looked at.
type mark struct {
	links, bad int
	canonical  weburl.URL
}

// New returns a Parser.
func New(opt Options) *Parser {
	if opt.MaxLinks <= 0 {
		opt.MaxLinks = DefaultMaxLinks
	}
	if opt.Robot == "" {
		opt.Robot = "crawler"
	}
	return &Parser{
		opt:   opt,
		res:   weburl.NewResolver(opt.URL),
		runes: wordRunes,
		word:  make([]byte, 0, (MaxWordRunes+1)*4),
		open:  make([]openElement, 0, maxForeign),
	}
}

// Parse reads the document and fills page, whose old content is dropped. Any
// input gives a page. The error reports a document that could not be read as
// what it claims to be (a broken gzip stream), and page then has what was
// found before the fault. A failed extraction is reported in page.ExtractErr.
func (p *Parser) Parse(in Input, page *Page) error {
	page.Reset()
	p.page = page
	page.Base = in.URL
	p.robotsTags(in.RobotsTag)
	media, label := mediaType(in.ContentType)
	body, err := p.unpack(in, media)
	page.Kind = kindOf(media, label, in.Sitemap, body)
	p.rewind(in.URL)
	p.linkHeaders(in.Link)
	p.before = mark{len(page.Links), page.BadLinks, page.Canonical}
	switch page.Kind {
	case KindHTML:
		p.parseHTML(p.html(body, label))
	case KindXHTML:
		p.parseHTML(p.xml(body, label))
	case KindText:
		text := p.plain(body, label)
		p.words(text, 0, len(text), textRaw)
	case KindURLList:
		p.urlList(p.plain(body, label))
	case KindSitemap, KindSitemapIndex, KindFeed:
		p.listing(p.xml(body, label))
	}
	p.finish()
	if len(body) > maxKeptBytes/4 {
		p.links.reset() // it refers to the document
	}
	return err
}

// rewind prepares for a pass over a document whose links start from base.
func (p *Parser) rewind(base weburl.URL) {
	p.page.Base = base
	p.res.SetBase(base)
	p.links.reset()
	p.open, p.overflow, p.templates, p.noscript, p.hidden = p.open[:0], 0, 0, 0, 0
	p.mode, p.cdataOK = textData, false
	p.titled, p.inTitle, p.again = false, false, false
	p.title, p.metaLang = p.title[:0], ""
	p.anchor.open, p.notes = false, p.notes[:0]
}

// parseHTML makes the pass over an HTML or XHTML document, and a second one
// when a <base> turned up behind links that it governs.
func (p *Parser) parseHTML(text []byte) {
	p.based = false
	p.scan(text)
	if p.again { // the base is known now, so this happens once
		p.forget()
		p.rewind(p.page.Base)
		p.scan(text)
	}
	p.extract(text)
}

// scan makes one pass.
func (p *Parser) scan(text []byte) {
	if p.page.Kind == KindXHTML {
		p.scanXHTML(text)
	} else {
		p.scanHTML(text)
	}
}

// forget drops what a pass found, except what does not depend on the base.
func (p *Parser) forget() {
	page := p.page
	page.Links, page.BadLinks = page.Links[:p.before.links], p.before.bad
	page.Canonical = p.before.canonical
	page.Words, page.Numerals, page.LinkText = page.Words[:0], page.Numerals[:0], page.LinkText[:0]
	page.Instead = page.Instead[:0]
	page.LinksCut, page.Lang, page.Pictures, page.Joined = false, "", 0, 0
	page.titleWords, page.scripts = 0, 0
}

// finish fills in what is known only at the end.
func (p *Parser) finish() {
	page := p.page
	p.closeAnchor()
	p.endLinkText()
	page.notes = string(p.notes)
	page.Title = p.titleText()
	if page.Lang == "" {
		page.Lang = p.metaLang
	}
	if page.NoFollow {
		for i := range page.Links {
			page.Links[i].NoFollow = true
		}
	}
	p.page = nil
	p.value, p.dec.out, p.notes = kept(p.value, maxKeptBytes), kept(p.dec.out, maxKeptBytes), kept(p.notes, maxKeptBytes)
}

// trimSpace trims HTML's white space.
func trimSpace(s []byte) []byte {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// equalFold reports whether s is the ASCII string lower in any case.
func equalFold(s []byte, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i, c := range s {
		if lowerByte(c) != lower[i] {
			return false
		}
	}
	return true
}

// indexFrom is bytes.IndexByte from b[i] on, as an index into b; len(b) when
// there is none.
func indexFrom(b []byte, i int, c byte) int {
	if i >= len(b) {
		return len(b)
	}
	if k := bytes.IndexByte(b[i:], c); k >= 0 {
		return i + k
	}
	return len(b)
}
