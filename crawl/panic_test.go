package crawl_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"crawler/crawl"
	"crawler/internal/memweb"
	"crawler/parse"
)

// parseErrors is a Recorder of what was wrong with pages.
type parseErrors struct {
	notes
	errs []string
}

func (p *parseErrors) Page(v *crawl.Visit) error {
	if v.ParseErr != nil {
		p.errs = append(p.errs, v.ParseErr.Error())
	}
	return p.notes.Page(v)
}

// A page that makes the parser panic is recorded with that as its error, and the crawl
// goes on with the others.
func TestPanicInParsingIsThePagesError(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {html: "<p>one"}, "a.example/b": {html: "<p>two"}, "a.example/c": {header: plainText, html: "three"}})
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(s.hosts())
		defer w.Close()
		n := &parseErrors{}
		cfg := config(t, w, &n.notes, "http://a.example/", "http://a.example/b", "http://a.example/c")
		cfg.Recorder, cfg.Workers = n, 1
		cfg.Parse.Rules = []parse.Rule{{Name: "of no selector"}}
		res, err := crawl.Run(t.Context(), cfg)
		if err != nil || res.EndedBy != crawl.Done || len(n.pages) != 3 || len(n.errs) != 2 || !strings.HasPrefix(n.errs[0], "parsing panicked: ") {
			t.Errorf("error %v, ended by %s, pages %v, errors %q; want 3 pages, 2 of them with a panic", err, res.EndedBy, n.pages, n.errs)
		}
	})
}
