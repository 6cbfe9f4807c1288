package report

import (
	"fmt"
	"strings"

	"crawler/crawl"
	"crawler/store"
)

// EdgesCSVFile is the file of a crawl directory with one row a link, with
// Config.EdgesCSV: RFC 4180, but with the line ends of Unix. Its columns are the URL of
// the page, the URL it links to, the kind of link (as parse.LinkKind names it, or redirect)
// and whether it is nofollow, true or false. Columns to come will stand behind these.
//
// A field begins with http or is a word of ours, so no spreadsheet takes one for a formula.
const EdgesCSVFile = "edges.csv"

const (
	rowHeader    = "source,target,kind,nofollow\n"
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
		b = appendRow(b, source, l.URL.String(), l.Kind.String(), l.NoFollow)
	}
	return b
}

func appendRow(b []byte, source, target, kind string, nofollow bool) []byte {
	b = append(appendField(b, source), ',')
	b = append(appendField(b, target), ',')
	b = append(append(b, kind...), ',')
	if nofollow {
		return append(b, "true\n"...)
	}
	return append(b, "false\n"...)
}

// appendField appends a URL, in quotes if it needs them.
func appendField(b []byte, url string) []byte {
	if !strings.ContainsAny(url, ",\"") {
		return append(b, url...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(url, `"`, `""`)...)
	return append(b, '"')
}
