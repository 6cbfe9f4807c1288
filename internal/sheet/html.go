package sheet

import (
	"html"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// HTML writes the sheet as one page that needs nothing else: the style sheet and
// the plots (SVG) are in it, there is no script, and a content security policy
// forbids the browser any request. It follows the reader's choice of a light or
// dark page.
//
// Text in plots names the font Liberation Sans, by which it was measured, and
// falls back to Arial and Helvetica, whose letters have the same widths.
func (s *Sheet) HTML(w io.Writer) error {
	p := &page{}
	p.raw(pageHead)
	p.element("title", "", s.Title)
	p.raw("<style>" + pageStyle + "</style>\n</head>\n<body>\n")
	p.element("h1", "", s.Title)
	for _, text := range s.Intro {
		p.element("p", "", text)
	}
	if len(s.Config) > 0 {
		p.table(s.settings())
	}
	ids := s.ids()
	if len(ids) > contentsFrom {
		p.contents(s, ids)
	}
	for i := range s.Sections {
		if err := p.section(&s.Sections[i], ids[i]); err != nil {
			return err
		}
	}
	p.raw("</body>\n</html>\n")
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

// pageStyle sets the plots' fonts and their two neutral colours (see ink and
// grid) over what vgsvg writes at each element.
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
.legend { list-style: none; margin: 0.5rem 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; font-size: 0.9rem; }
.legend svg { vertical-align: middle; margin-right: 0.5rem; }
svg text { font-family: "Liberation Sans", Arial, Helvetica, sans-serif !important; }
svg [style*="fill:#222222"] { fill: var(--ink) !important; }
svg [style*="stroke:#222222"] { stroke: var(--ink) !important; }
svg [style*="stroke:#DDDDDD"] { stroke: var(--grid) !important; }
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
	p.raw("<nav>\n<ul>\n")
	for i, id := range ids {
		p.raw(`<li><a href="#` + id + `">` + escape(s.Sections[i].Title) + "</a></li>\n")
	}
	p.raw("</ul>\n</nav>\n")
}

// section writes a section. Its ID is of letters, digits and _ alone.
func (p *page) section(s *Section, id string) error {
	p.raw(`<section id="` + id + `">` + "\n")
	p.element("h2", "", s.Title)
	for _, text := range s.Notes {
		p.element("p", "", text)
	}
	for i := range s.Plots {
		if err := p.figure(&s.Plots[i]); err != nil {
			return err
		}
	}
	if s.Table != nil {
		p.table(s.Table)
	}
	p.raw("</section>\n")
	return nil
}

// figure writes a plot with its legend below, where no line can run into it.
func (p *page) figure(plot *Plot) error {
	d, err := plot.svg()
	if err != nil {
		return err
	}
	p.raw("<figure>\n")
	p.element("figcaption", "", plot.Title)
	p.raw(d.image)
	if err := p.legend(plot, d.shown); err != nil {
		return err
	}
	if len(d.notes) > 0 {
		p.element("p", "note", strings.Join(d.notes, " "))
	}
	p.raw("</figure>\n")
	return nil
}

// legend names the lines that are in the picture.
func (p *page) legend(plot *Plot, shown []bool) error {
	if !slices.Contains(shown, true) {
		return nil
	}
	p.raw(`<ul class="legend">` + "\n")
	for i, line := range plot.Lines {
		if !shown[i] {
			continue
		}
		mark, err := sample(line.style(i))
		if err != nil {
			return err
		}
		p.raw("<li>" + mark + escape(line.Name) + "</li>\n")
	}
	p.raw("</ul>\n")
	return nil
}

func (p *page) table(t *Table) {
	numeric := t.numeric()
	p.raw(`<div class="scroll"><table>` + "\n<thead><tr>")
	for i, c := range t.Columns {
		class, unit := "", ""
		if numeric[i] {
			class = ` class="n"`
		}
		if c.Unit != "" {
			unit = " <small>" + escape(c.Unit) + "</small>"
		}
		p.raw("<th" + class + ">" + escape(c.Name) + unit + "</th>")
	}
	p.raw("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		p.raw("<tr>")
		for i := range t.Columns {
			text := t.cell(row, i)
			p.raw("<td" + cellClass(text, numeric[i]) + ">" + escape(text) + "</td>")
		}
		p.raw("</tr>\n")
	}
	p.raw("</tbody></table></div>\n")
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
