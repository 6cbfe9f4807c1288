package sheet

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	width     = 100 // columns at which paragraphs are wrapped
	cellWidth = 200 // runes of the longest cell
	gap       = 2   // between columns
	wordWidth = 30  // runes of a word that is not broken, if the table is too wide
	hanging   = 2   // spaces before the later lines of a cell
)

// Text writes the sheet for a terminal: paragraphs wrapped at 100 columns, tables
// too, inside their cells, unless figures alone take more; figures stand right in
// their columns. Plots are left out.
func (s *Sheet) Text(w io.Writer) error {
	b := &strings.Builder{}
	heading(b, s.Title, "=")
	paragraphs(b, s.Intro)
	if len(s.Config) > 0 {
		s.settings().text(b)
	}
	for i := range s.Sections {
		b.WriteByte('\n')
		heading(b, s.Sections[i].Title, "-")
		paragraphs(b, s.Sections[i].Notes)
		if t := s.Sections[i].Table; t != nil {
			t.text(b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func heading(b *strings.Builder, title, line string) {
	title = printable(title)
	fmt.Fprintf(b, "%s\n%s\n", title, strings.Repeat(line, utf8.RuneCountInString(title)))
}

func paragraphs(b *strings.Builder, list []string) {
	for _, text := range list {
		wrap(b, text)
		b.WriteByte('\n')
	}
}

// wrap writes a paragraph. A word longer than a line has one of its own.
func wrap(b *strings.Builder, text string) {
	used := 0
	for _, word := range strings.Fields(text) {
		word = printable(word)
		n := utf8.RuneCountInString(word)
		switch {
		case used == 0:
		case used+1+n > width:
			b.WriteByte('\n')
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	b.WriteByte('\n')
}

// text writes the head (names, then units if there are any), a rule and the rows.
func (t *Table) text(b *strings.Builder) {
	if len(t.Columns) == 0 {
		return
	}
	rows := t.head()
	head := len(rows)
	for _, row := range t.Rows {
		cells := make([]string, len(t.Columns))
		for i := range cells {
			cells[i] = shorten(t.cell(row, i), cellWidth)
		}
		rows = append(rows, cells)
	}
	right := t.numeric()
	widths := fitting(rows, head, right)
	for i, cells := range rows {
		if i == head {
			writeLine(b, rules(widths), widths, right)
		}
		writeRow(b, cells, widths, right)
	}
	if len(t.Rows) == 0 {
		writeLine(b, rules(widths), widths, right)
	}
}

func (t *Table) head() [][]string {
	names, units, any := make([]string, len(t.Columns)), make([]string, len(t.Columns)), false
	for i, c := range t.Columns {
		names[i] = shorten(printable(c.Name), cellWidth)
		if c.Unit != "" {
			units[i], any = shorten(printable(c.Unit), cellWidth), true
		}
	}
	if !any {
		return [][]string{names}
	}
	return [][]string{names, units}
}

func rules(widths []int) []string {
	line := make([]string, len(widths))
	for i, n := range widths {
		line[i] = strings.Repeat("-", n)
	}
	return line
}

// writeRow writes a row, on as many lines as its longest cell needs.
func writeRow(b *strings.Builder, cells []string, widths []int, right []bool) {
	parts, most := make([][]string, len(cells)), 1
	for i, s := range cells {
		parts[i] = pieces(s, widths[i])
		most = max(most, len(parts[i]))
	}
	for n := range most {
		line := make([]string, len(cells))
		for i, p := range parts {
			if n < len(p) {
				line[i] = p[n]
			}
		}
		writeLine(b, line, widths, right)
	}
}

// writeLine writes one line of a table, without spaces at its end.
func writeLine(b *strings.Builder, cells []string, widths []int, right []bool) {
	line := &strings.Builder{}
	for i, s := range cells {
		if i > 0 {
			line.WriteString(strings.Repeat(" ", gap))
		}
		pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(s))
		if right[i] {
			s, pad = pad, s
		}
		line.WriteString(s + pad)
	}
	b.WriteString(strings.TrimRight(line.String(), " "))
	b.WriteByte('\n')
}
