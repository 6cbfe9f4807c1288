package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"crawler/crawl"
	"crawler/store"
)

// EdgesCSVFile is the file of a crawl directory with one row a link, with
// Config.EdgesCSV: RFC 4180, but with the line ends of Unix. Its columns are the URL of
// the page, the URL it links to, the kind of link (as parse.LinkKind names it, or redirect)
// and whether it is nofollow, true or false; then, if the pages were parsed with Anchors,
// the link's text and its rel. Later versions may append columns.
//
// Text and rel are the sites' words, as Printable has them. If a spreadsheet would take one
// for a formula, because it begins with =, +, -, @ or one of these in full width, an
// apostrophe stands in front; no other first byte of a formula, tab and line ends, gets
// here. All other fields begin with http or are words of ours.
const EdgesCSVFile = "edges.csv"

const (
	rowHeader    = "source,target,kind,nofollow,text,rel\n"
	kindRedirect = "redirect"
)

// openRows opens edges.csv; one that is empty, as nothing of it was committed, gets its
// header.
func openRows(dir *store.Dir) (*store.Lines, error) {
	l, err := dir.Lines(EdgesCSVFile)
	if err != nil {
		return nil, err
	}
	info, err := dir.FS().Stat(dir.FS().PathJoin(dir.Path(), EdgesCSVFile))
	if err != nil {
		return nil, fmt.Errorf("the length of %s: %w", EdgesCSVFile, err)
	}
	if info.Size() > 0 {
		return l, nil
	}
	return l, l.AppendLine(func(b []byte) []byte { return append(b, rowHeader...) })
}

// appendRows appends the rows of a page, the first of which is the redirect by which it
// was found. A page without links has none.
func appendRows(b []byte, v *crawl.Visit) []byte {
	source := v.URL.String()
	if v.From != "" {
		b = appendRow(b, v.From, source, kindRedirect, false)
	}
	for i := range v.Page.Links {
		l := &v.Page.Links[i]
		text, rel := v.Page.Anchor(l)
		b = append(appendColumns(b, source, l.URL.String(), l.Kind.String(), l.NoFollow), ',')
		b = append(appendForeign(b, text), ',')
		b = append(appendForeign(b, rel), '\n')
	}
	return b
}

// appendRow appends the row of a link without text and rel.
func appendRow(b []byte, source, target, kind string, nofollow bool) []byte {
	return append(appendColumns(b, source, target, kind, nofollow), ",,\n"...)
}

// appendColumns appends the columns of a row but text and rel.
func appendColumns(b []byte, source, target, kind string, nofollow bool) []byte {
	b = append(appendField(b, source), ',')
	b = append(appendField(b, target), ',')
	b = append(append(b, kind...), ',')
	return strconv.AppendBool(b, nofollow)
}

// appendForeign appends a field of the site's words.
func appendForeign(b []byte, s string) []byte {
	s = Printable(s)
	if first, _ := utf8.DecodeRuneInString(s); strings.ContainsRune("=+-@＝＋－＠", first) {
		s = "'" + s
	}
	return appendField(b, s)
}

// appendField appends a field without line ends, in quotes if it needs them.
func appendField(b []byte, s string) []byte {
	if !strings.ContainsAny(s, ",\"") {
		return append(b, s...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(s, `"`, `""`)...)
	return append(b, '"')
}
