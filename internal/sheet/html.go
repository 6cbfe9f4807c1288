package sheet

import (
	"fmt"
	"html"
	"io"
	"strings"
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
	for i := range s.Sections {
		if err := p.section(&s.Sections[i]); err != nil {
			return err
		}
	}
	p.raw("</body>\n</html>\n")
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("sheet: %w", err)
	}
	return nil
}

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
th, td { padding: 0.2rem 0.8rem 0.2rem 0; text-align: left; vertical-align: bottom; overflow-wrap: anywhere; }
th { border-bottom: 1px solid var(--ink); }
th small { display: block; font-weight: normal; color: var(--faint); }
td { border-bottom: 1px solid var(--grid); }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
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

func (p *page) section(s *Section) error {
	p.raw("<section>\n")
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
	image, note, err := plot.svg()
	if err != nil {
		return err
	}
	p.raw("<figure>\n")
	p.element("figcaption", "", plot.Title)
	p.raw(image)
	p.raw(`<ul class="legend">` + "\n")
	for i, line := range plot.Lines {
		mark, err := sample(line.style(i))
		if err != nil {
			return err
		}
		p.raw("<li>" + mark + escape(line.Name) + "</li>\n")
	}
	p.raw("</ul>\n")
	if note != "" {
		p.element("p", "note", note)
	}
	p.raw("</figure>\n")
	return nil
}

func (p *page) table(t *Table) {
	class := make([]string, len(t.Columns))
	for i, is := range t.numeric() {
		if is {
			class[i] = ` class="n"`
		}
	}
	p.raw(`<div class="scroll"><table>` + "\n<thead><tr>")
	for i, c := range t.Columns {
		unit := ""
		if c.Unit != "" {
			unit = " <small>" + escape(c.Unit) + "</small>"
		}
		p.raw("<th" + class[i] + ">" + escape(c.Name) + unit + "</th>")
	}
	p.raw("</tr></thead>\n<tbody>\n")
	for _, row := range t.Rows {
		p.raw("<tr>")
		for i := range t.Columns {
			p.raw("<td" + class[i] + ">" + escape(t.cell(row, i)) + "</td>")
		}
		p.raw("</tr>\n")
	}
	p.raw("</tbody></table></div>\n")
}
