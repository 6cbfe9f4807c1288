package report

import (
	"unicode"
	"unicode/utf8"

	"crawler/crawl"
	"crawler/parse"
)

// EdgeRecord is one line of edges.jsonl: a page and its links, in document order,
// followed or not.
type EdgeRecord struct {
	URL      string `json:"url"`                 // as it was found, before redirects
	FinalURL string `json:"final_url,omitempty"` // the URL that answered, if it is another
	Links    []Edge `json:"links"`
}

// Edge is one link of a page.
type Edge struct {
	URL      string `json:"url"`
	Kind     string `json:"kind,omitempty"` // as parse.LinkKind names it; empty for an anchor
	NoFollow bool   `json:"nofollow,omitempty"`
	Text     string `json:"text,omitempty"` // as parse.Page.Anchor says
	Rel      string `json:"rel,omitempty"`  // likewise
}

// appendEdges appends the EdgeRecord of a page, without reflection: a page has a hundred
// links.
func appendEdges(b []byte, v *crawl.Visit) []byte {
	b = append(b, `{"url":`...)
	if v.From != "" {
		b = appendQuoted(b, v.From)
		b = append(b, `,"final_url":`...)
	}
	b = appendQuoted(b, v.URL.String())
	b = append(b, `,"links":[`...)
	for i := range v.Page.Links {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendEdge(b, &v.Page, &v.Page.Links[i])
	}
	return append(b, "]}\n"...)
}

func appendEdge(b []byte, page *parse.Page, l *parse.Link) []byte {
	b = append(b, `{"url":`...)
	b = appendQuoted(b, l.URL.String())
	if l.Kind != parse.Anchor {
		b = append(b, `,"kind":"`...)
		b = append(b, l.Kind.String()...)
		b = append(b, '"')
	}
	if l.NoFollow {
		b = append(b, `,"nofollow":true`...)
	}
	text, rel := page.Anchor(l)
	if text != "" {
		b = appendSaid(append(b, `,"text":`...), text)
	}
	b = appendOptional(b, `,"rel":`, rel)
	return append(b, '}')
}

// appendSaid is appendQuoted for texts in any language: what needs no escape is not
// looked at twice.
func appendSaid(b []byte, s string) []byte {
	for _, r := range s {
		if r == '"' || r == '\\' || r == utf8.RuneError || !unicode.IsPrint(r) && r != '\u3000' {
			return appendQuoted(b, s)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
