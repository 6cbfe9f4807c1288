package report

import (
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
}

// appendEdges appends the EdgeRecord of a page. A page has a hundred links, so it is
// not left to reflection.
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
		b = appendEdge(b, &v.Page.Links[i])
	}
	return append(b, "]}\n"...)
}

func appendEdge(b []byte, l *parse.Link) []byte {
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
	return append(b, '}')
}
