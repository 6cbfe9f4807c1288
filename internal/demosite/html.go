package demosite

import (
	"bytes"
	"html"
	"net/url"
	"strings"
)

// style is the way a page's HTML is written.
type style int

const (
	modern style = iota
	old          // upper-case tags, bare attribute values, end tags left out
	xhtml        // well-formed XML
	refs         // like modern, with character references for all beyond ASCII
)

// doc writes one HTML document and remembers what a reader would find in it:
// the links, and the text outside tags. Every element is set off by white space,
// so the words do not depend on which tags a parser takes for word boundaries.
type doc struct {
	style style
	base  *url.URL
	out   bytes.Buffer
	text  strings.Builder
	links []link
}

// link is a reference that a crawler finds in a page, resolved.
type link struct {
	url      string // canonical, without fragment
	nofollow bool
}

// ref is a reference as written, with its text.
type ref struct{ href, text string }

func (d *doc) raw(s string) { d.out.WriteString(s) }

// say writes text that a reader sees.
func (d *doc) say(text string) {
	d.text.WriteString(text)
	escaped := html.EscapeString(text)
	if d.style == refs {
		escaped = references(escaped)
	}
	d.raw(escaped)
}

// open writes a start tag; attrs are names and values in turn.
func (d *doc) open(tag string, attrs ...string) { d.start(tag, attrs, ">") }

// void writes an element without content.
func (d *doc) void(tag string, attrs ...string) {
	if d.style == xhtml {
		d.start(tag, attrs, " />\n")
		return
	}
	d.start(tag, attrs, ">\n")
}

func (d *doc) start(tag string, attrs []string, end string) {
	d.raw("<" + d.name(tag))
	for i := 0; i+1 < len(attrs); i += 2 {
		d.raw(" " + d.name(attrs[i]) + "=" + d.value(attrs[i+1]))
	}
	d.raw(end)
}

func (d *doc) name(s string) string {
	if d.style == old {
		return strings.ToUpper(s)
	}
	return s
}

func (d *doc) value(s string) string {
	if d.style == old && s != "" && !strings.ContainsAny(s, " \"'=<>`&") {
		return s
	}
	return `"` + html.EscapeString(s) + `"`
}

// close writes an end tag, or nothing where old HTML left it out.
func (d *doc) close(tag string) {
	d.text.WriteByte('\n')
	if d.style == old && (tag == "p" || tag == "li" || tag == "td") {
		d.raw("\n")
		return
	}
	d.raw("</" + d.name(tag) + ">\n")
}

// block writes an element that holds nothing but text.
func (d *doc) block(tag, text string, attrs ...string) {
	d.open(tag, attrs...)
	d.say(text)
	d.close(tag)
}

// anchor writes a link; attrs may hold more attributes of it.
func (d *doc) anchor(href, text string, attrs ...string) {
	d.refer(href, strings.Contains(strings.ToLower(strings.Join(attrs, " ")), "nofollow"))
	d.open("a", append([]string{"href", href}, attrs...)...)
	d.say(text)
	d.raw("</" + d.name("a") + ">")
}

// refer remembers a reference if it leads to a page.
func (d *doc) refer(href string, nofollow bool) {
	if target, ok := resolve(d.base, href); ok {
		d.links = append(d.links, link{target, nofollow})
	}
}

// rel writes a link element of the head that leads to a page.
func (d *doc) rel(kind, href string) {
	d.refer(href, false)
	d.void("link", "rel", kind, "href", href)
}

// setBase writes a base element and resolves what follows against it.
func (d *doc) setBase(href string) {
	d.void("base", "href", href)
	if u, err := d.base.Parse(href); err == nil {
		d.base = u
	}
}

// list writes an unordered list of links.
func (d *doc) list(refs []ref) {
	d.open("ul")
	d.raw("\n")
	for _, r := range refs {
		d.open("li")
		d.anchor(r.href, r.text)
		d.close("li")
	}
	d.close("ul")
}

// table writes rows of cells, the first row as headings.
func (d *doc) table(rows [][]string) {
	d.open("table")
	d.raw("\n")
	d.open("tbody")
	d.raw("\n")
	for i, row := range rows {
		d.row(row, i == 0)
	}
	d.close("tbody")
	d.close("table")
}

func (d *doc) row(cells []string, heading bool) {
	tag := "td"
	if heading {
		tag = "th"
	}
	d.open("tr")
	d.raw("\n")
	for _, cell := range cells {
		d.block(tag, cell)
	}
	d.close("tr")
}

// paragraphs writes each text as a paragraph.
func (d *doc) paragraphs(texts ...string) {
	for _, t := range texts {
		d.block("p", t)
	}
}

// further writes a paragraph with links inside running text.
func (d *doc) further(lead string, refs ...ref) {
	d.open("p")
	d.say(lead)
	for _, r := range refs {
		d.say(" ")
		d.anchor(r.href, r.text)
		d.say(",")
	}
	d.say(" and that is all.")
	d.close("p")
}

// begin writes everything before the content.
func (d *doc) begin(dr draft) {
	d.prologue()
	d.open("head")
	d.raw("\n")
	d.charset(dr.meta)
	d.block("title", dr.title)
	d.void("link", "rel", "stylesheet", "href", "/style.css")
	if dr.head != nil {
		dr.head(d)
	}
	d.close("head")
	d.open("body")
	d.raw("\n")
	if len(dr.nav) > 0 {
		d.list(dr.nav)
	}
	d.block("h1", dr.title)
}

func (d *doc) prologue() {
	switch d.style {
	case old:
		d.raw("<HTML>\n")
	case xhtml:
		d.raw(`<?xml version="1.0" encoding="utf-8"?>` + "\n" +
			`<!DOCTYPE html>` + "\n" + `<html xmlns="http://www.w3.org/1999/xhtml" lang="en">` + "\n")
	default:
		d.raw("<!DOCTYPE html>\n" + `<html lang="en">` + "\n")
	}
}

func (d *doc) charset(name string) {
	if name != "" {
		d.void("meta", "charset", name)
	}
}

// end writes everything after the content.
func (d *doc) end(label string) {
	d.open("footer")
	d.raw("\n")
	d.open("p")
	d.say("© 2026 " + label + " – ")
	d.anchor("/", "home")
	d.close("p")
	d.close("footer")
	d.close("body")
	d.close("html")
}

// resolve makes a reference absolute and canonical: lower-case scheme and host,
// no default port, no fragment, a path at least. It reports false for what is
// not a web page's address.
func resolve(base *url.URL, href string) (string, bool) {
	u, err := base.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	u.Host = strings.TrimSuffix(strings.ToLower(u.Host), ":80")
	u.Fragment, u.RawFragment = "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String(), true
}
