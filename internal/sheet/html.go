package sheet

import (
	"html"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// HTML writes the sheet as one page that needs nothing else: the style sheet and
// the plots (SVG) are in it, there is no script, and a content security policy
// forbids the browser any request. It follows the reader's choice of a light or
// dark page.
//
// Text in plots is in Liberation Sans, Arial or Helvetica, whose letters have the same widths; for
// a browser that has none of them there is room for letters that are a fifth wider.
func (s *Sheet) HTML(w io.Writer) error {
	p := &page{}
	p.raw(pageHead)
	p.element("title", "", s.Title)
	p.raw("<style>" + pageStyle + "</style>\n</head>\n<body>\n<main>\n")
	p.element("h1", "", s.Title)
	for _, text := range s.Intro {
		p.element("p", "", text)
	}
	if len(s.Config) > 0 {
		p.table(s.settings(), "Settings")
	}
	ids := s.ids()
	if len(ids) > contentsFrom {
		p.contents(s, ids)
	}
	for i := range s.Sections {
		p.section(&s.Sections[i], ids[i])
	}
	p.raw("</main>\n</body>\n</html>\n")
	_, err := io.WriteString(w, p.String())
	return err
}

const (
	contentsFrom = 4  // sections; a page of more has a table of contents
	shortCell    = 25 // runes, from which on a cell is text that may be wrapped
	unbroken     = 40 // runes of a word from which on it may be broken
)

const pageHead = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
`

// pageStyle has the colours of axes and text in plots, too.
const pageStyle = `
:root { color-scheme: light dark; --ink: #222222; --ground: #ffffff; --faint: #666666; --grid: #dddddd; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --ground: #17191c; --faint: #a0a0a0; --grid: #3a3d42; }
}
body { font: 16px/1.5 system-ui, "Liberation Sans", Arial, Helvetica, sans-serif; color: var(--ink);
  background: var(--ground); max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--grid); }
p, li { max-width: 48rem; overflow-wrap: anywhere; }
.note { color: var(--faint); font-size: 0.9rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; margin: 1rem 0; }
th, td { padding: 0.2rem 0.8rem 0.2rem 0; text-align: left; vertical-align: bottom; }
th { border-bottom: 1px solid var(--ink); }
th small { display: block; font-weight: normal; color: var(--faint); }
td { border-bottom: 1px solid var(--grid); white-space: nowrap; vertical-align: top; }
.t { min-width: 12rem; white-space: normal; }
.u { min-width: 16rem; white-space: normal; overflow-wrap: anywhere; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
nav ul { columns: 22rem; padding-left: 1.2rem; font-size: 0.9rem; }
a { color: inherit; }
figure { margin: 1.5rem 0; }
figcaption { font-weight: bold; overflow-wrap: anywhere; }
figure > svg { display: block; width: 100%; max-width: 54rem; height: auto; }
.matrix > svg { max-width: 40rem; }
.legend { list-style: none; margin: 0.5rem 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; font-size: 0.9rem; }
.legend svg { vertical-align: middle; margin-right: 0.5rem; }
svg text { font-family: "Liberation Sans", Arial, Helvetica, sans-serif; fill: var(--ink); }
svg .axis { fill: none; stroke: var(--ink); stroke-width: 0.75; }
svg .grid { fill: none; stroke: var(--grid); stroke-width: 0.75; }
`

// page collects HTML. Only raw takes markup; all else is escaped.
type page struct{ strings.Builder }

func (p *page) raw(markup string) { p.WriteString(markup) }

func (p *page) element(name, class, text string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	p.raw("<" + name + class + ">" + escape(text) + "</" + name + ">\n")
}

func escape(text string) string { return html.EscapeString(printable(text)) }

// contents links to the sections.
func (p *page) contents(s *Sheet, ids []string) {
	p.raw("<nav aria-label=\"Sections\">\n<ul>\n")
	for i, id := range ids {
		p.raw(`<li><a href="#` + id + `">` + escape(s.Sections[i].Title) + "</a></li>\n")
	}
	p.raw("</ul>\n</nav>\n")
}

// section writes a section. Its ID is of letters, digits and _ alone.
func (p *page) section(s *Section, id string) {
	p.raw(`<section id="` + id + `">` + "\n")
	p.element("h2", "", s.Title)
	for _, text := range s.Notes {
		p.element("p", "", text)
	}
	for i := range s.Plots {
		p.figure(&s.Plots[i])
	}
	if s.Matrix != nil {
		p.matrix(s.Matrix)
	}
	if s.Table != nil {
		p.table(s.Table, "Table of "+id)
	}
	p.raw("</section>\n")
}

// figure writes a plot with its legend below, where no line can run into it.
func (p *page) figure(plot *Plot) {
	d := plot.svg()
	p.raw("<figure>\n")
	p.element("figcaption", "", plot.Title)
	p.raw(d.image)
	p.legend(plot, d.shown)
	if len(d.notes) > 0 {
		p.element("p", "note", strings.Join(d.notes, " "))
	}
	p.raw("</figure>\n")
}

// legend names the lines that are in the picture.
func (p *page) legend(plot *Plot, shown []bool) {
	if !slices.Contains(shown, true) {
		return
	}
	p.raw(`<ul class="legend">` + "\n")
	for i, line := range plot.Lines {
		if !shown[i] {
			continue
		}
		p.raw("<li>" + sample(line.style(i)) + escape(line.Name) + "</li>\n")
	}
	p.raw("</ul>\n")
}

// table writes a table in a region of its own, which keys can scroll, or says that it is empty. The
// label is different from those of other tables.
func (p *page) table(t *Table, label string) {
	if len(t.Rows) == 0 {
		p.element("p", "note", "None.")
		return
	}
	numeric := t.numeric()
	p.raw(`<div class="scroll" role="region" tabindex="0" aria-label="` + escape(label) + `"><table>` + "\n<thead><tr>")
	for i, c := range t.Columns {
		class, unit := "", ""
		if numeric[i] {
			class = ` class="n"`
		}
		if c.Unit != "" {
			unit = " <small>" + escape(c.Unit) + "</small>"
		}
		p.raw(`<th scope="col"` + class + ">" + escape(c.Name) + unit + "</th>")
	}
	p.raw("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		p.raw("<tr>")
		for i := range t.Columns {
			text := t.cell(row, i)
			p.raw("<td" + cellClass(text, numeric[i]) + ">" + linked(text) + "</td>")
		}
		p.raw("</tr>\n")
	}
	p.raw("</tbody></table></div>\n")
}

// linked is a cell's text, in which http and https URLs are links: whoever follows one leaves no
// trace of this page.
func linked(text string) string {
	if !strings.Contains(text, "://") {
		return escape(text)
	}
	words := strings.Split(text, " ")
	for i, w := range words {
		words[i] = escape(w)
		if u, err := url.Parse(w); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && printable(w) == w {
			words[i] = `<a href="` + words[i] + `" rel="noreferrer nofollow">` + words[i] + "</a>"
		}
	}
	return strings.Join(words, " ")
}

// cellClass says how a cell may be wrapped: figures and short texts not at all,
// texts between words, and what has a word as long as a URL anywhere.
func cellClass(text string, numeric bool) string {
	switch {
	case numeric:
		return ` class="n"`
	case longestWord(text) > unbroken:
		return ` class="u"`
	case utf8.RuneCountInString(text) >= shortCell:
		return ` class="t"`
	}
	return ""
}
