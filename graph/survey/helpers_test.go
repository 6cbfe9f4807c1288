package survey

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/sheet"
	"crawler/parse"
	"crawler/report"
	"crawler/store"
	"crawler/weburl"
)

// recorded is a crawl directory that a test writes as a crawl would.
type recorded struct {
	t   testing.TB
	dir string
	st  *store.Dir
	rec *report.Recorder
}

func newRecorded(t testing.TB) *recorded {
	t.Helper()
	r := &recorded{t: t, dir: t.TempDir()}
	var err, err2 error
	r.st, err = store.Create(store.Disk(), r.dir, store.Meta{}, false)
	if err == nil {
		r.rec, err2 = report.NewRecorder(report.Config{Dir: r.st})
	}
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return r
}

func link(t testing.TB, url string) parse.Link {
	t.Helper()
	u, err := weburl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return parse.Link{URL: u}
}

// page records a page with anchors to the targets.
func (r *recorded) page(url string, status int, to ...string) *crawl.Visit {
	v := &crawl.Visit{Task: gate.Task{Item: frontier.Item{URL: link(r.t, url).URL, Depth: 1, Via: "http://h/"}}, Status: status, MediaType: "text/html"}
	for _, target := range to {
		v.Page.Links = append(v.Page.Links, link(r.t, target))
	}
	return v
}

func (r *recorded) add(visits ...*crawl.Visit) {
	r.t.Helper()
	for _, v := range visits {
		if err := r.rec.Page(v); err != nil {
			r.t.Fatal(err)
		}
	}
}

// redirect records one to a page that is crawled separately.
func (r *recorded) redirect(from, to string) {
	r.skip(gate.Skip{URL: from, Reason: gate.RedirectSeen, Target: to})
}

// skip records a refusal of what a page links to.
func (r *recorded) skip(s gate.Skip) {
	r.t.Helper()
	s.Via = "http://h/"
	if err := r.rec.Skip(s); err != nil {
		r.t.Fatal(err)
	}
}

// end ends the crawl.
func (r *recorded) end() string {
	r.t.Helper()
	if err := errors.Join(r.rec.Flush(), r.st.Close()); err != nil {
		r.t.Fatal(err)
	}
	return r.dir
}

// built builds the graph of a crawl and opens it.
func built(t testing.TB, c Config) *Survey {
	t.Helper()
	if _, err := Build(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s, err := Open(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// small is a site with one of each thing that Clicks looks for.
func small(t testing.TB) string {
	r := newRecorded(t)
	home := r.page("http://h/", 200, "http://h/a", "http://h/old", "http://h/gone", "http://h/", "http://h/a", "http://x.example/")
	home.Via, home.Depth = "", 0
	home.Page.Links = append(home.Page.Links,
		parse.Link{URL: link(t, "http://h/hidden").URL, NoFollow: true},
		parse.Link{URL: link(t, "http://h/canon").URL, Kind: parse.Canonical})
	pdf := r.page("http://h/deep/file.pdf", 200)
	pdf.MediaType = "application/pdf"
	moved := r.page("http://h/moved-to", 200, "http://h/")
	moved.From = "http://h/moved"
	r.add(home,
		r.page("http://h/a", 200, "http://h/b", "http://h/r1", "http://h/loop", "http://h/moved", "http://h/gone"),
		r.page("http://h/b", 200, "http://h/c", "http://h/down", "http://h/deep/file.pdf"),
		r.page("http://h/c", 200, "http://h/d"),
		r.page("http://h/d", 200),
		r.page("http://h/new", 200, "http://h/", "http://h/e"),
		r.page("http://h/e", 200, "http://h/a"),
		r.page("http://h/orphan", 200, "http://h/orphan", "http://h/d"),
		r.page("http://h/gone", 404),
		pdf, moved)
	r.redirect("http://h/old", "http://h/new")
	r.redirect("http://h/r1", "http://h/r2")
	r.redirect("http://h/r2", "http://h/e")
	r.skip(gate.Skip{URL: "http://h/loop", Reason: gate.RedirectLoop, Target: "http://h/loop"})
	r.skip(gate.Skip{URL: "http://h/down", Reason: "timeout"})
	r.skip(gate.Skip{URL: "http://x.example/", Reason: gate.OutOfScope})
	r.skip(gate.Skip{URL: "http://h/hidden", Reason: gate.Nofollow})
	return r.end()
}

// table returns the rows of a section, with the columns of the keys.
func table(t testing.TB, sh *sheet.Sheet, title string, columns ...int) (rows [][]any) {
	t.Helper()
	i := slices.IndexFunc(sh.Sections, func(s sheet.Section) bool { return s.Title == title })
	if i < 0 {
		t.Fatalf("there is no section %q", title)
	}
	for _, row := range sh.Sections[i].Table.Rows {
		var out []any
		for _, c := range columns {
			if c < len(row) {
				out = append(out, row[c])
			}
		}
		rows = append(rows, out)
	}
	return rows
}

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
