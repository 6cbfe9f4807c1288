package graph

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"crawler/parse"
	"crawler/weburl"
)

// TestTree builds the link graph of a tree of HTML files, as if crawled from a site, and
// holds its size against the goals: 3.4 bits a link with the default parameters, 2.7 with
// chains without limit, 2.7 for the transpose. GRAPH_TREE names the folder; with
// GRAPH_KEEP the graph stays there, with GRAPH_ASSETS style sheets, scripts and images are
// nodes, too, as with crawler crawl --assets.
func TestTree(t *testing.T) {
	dir := os.Getenv("GRAPH_TREE")
	if dir == "" {
		t.Skip("GRAPH_TREE names no folder")
	}
	base := filepath.Join(t.TempDir(), "tree")
	if keep := os.Getenv("GRAPH_KEEP"); keep != "" {
		base = keep
	}
	b, err := NewBuilder(BuildConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	pages := addTree(t, b, dir)
	s, err := b.Build(base)
	if err != nil {
		t.Fatal(err)
	}
	g := open(t, base)
	t.Logf("%d pages, %d nodes, %d links; URLs %.1f bytes a node", pages, s.Nodes, s.Arcs,
		float64(len(g.urls.data)+len(g.urls.starts))/float64(s.Nodes))
	goal(t, "default", s, 3.4)
	p := DefaultParams()
	p.MaxRefs = -1
	s, err = Write(base+"-unbounded", g.Nodes(), g.Scan(0, g.Nodes()), p)
	if err != nil {
		t.Fatal(err)
	}
	goal(t, "chains without limit", s, 2.7)
	s, err = Transpose(open(t, base+"-unbounded"), base+"-transpose", t.TempDir(), defaultMemory)
	if err != nil {
		t.Fatal(err)
	}
	goal(t, "transpose, chains without limit", s, 2.7)
	s, err = Transpose(g, base+"-transpose-default", t.TempDir(), defaultMemory)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("transpose, default: %.3f bits a link", s.BitsPerLink())
}

func goal(t *testing.T, what string, s Stats, bits float64) {
	t.Helper()
	t.Logf("%s: %.3f bits a link", what, s.BitsPerLink())
	if s.BitsPerLink() > bits {
		t.Errorf("%s: more than %.1f bits a link", what, bits)
	}
}

// addTree adds the HTML files below dir as pages of one site.
func addTree(t *testing.T, b *Builder, dir string) (pages int) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	parser, page := parse.New(parse.Options{Assets: os.Getenv("GRAPH_ASSETS") != ""}), &parse.Page{}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".html") {
			return err
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		from, err := weburl.Parse("https://docs.example.com/" + filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		page.Reset()
		if err := parser.Parse(parse.Input{URL: from, ContentType: "text/html; charset=utf-8", Body: body}, page); err != nil {
			return err
		}
		var to []string
		for _, link := range page.Links {
			to = append(to, link.URL.String())
		}
		pages++
		return b.AddPage(from.String(), to)
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// TestScale builds, transposes and scans generated graphs of as many million links as
// GRAPH_SCALE says, separated by commas, and prints the cost of each link and the most
// memory the process took. Ten million are to fit in 512 MiB.
func TestScale(t *testing.T) {
	sizes := os.Getenv("GRAPH_SCALE")
	if sizes == "" {
		t.Skip("GRAPH_SCALE names no number of links")
	}
	for word := range strings.SplitSeq(sizes, ",") {
		millions, err := strconv.ParseFloat(word, 64)
		if err != nil {
			t.Fatal(err)
		}
		scale(t, int(millions*1e6))
	}
}

func scale(t *testing.T, links int) {
	dir := t.TempDir()
	b, err := NewBuilder(BuildConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	generate(t, b, links)
	added := time.Since(start)
	start = time.Now()
	s, err := b.Build(filepath.Join(dir, "g"))
	if err != nil {
		t.Fatal(err)
	}
	built := time.Since(start)
	g := open(t, filepath.Join(dir, "g"))
	start = time.Now()
	if _, err := Transpose(g, filepath.Join(dir, "t"), dir, defaultMemory/2); err != nil {
		t.Fatal(err)
	}
	turned := time.Since(start)
	start = time.Now()
	scan := g.Scan(0, g.Nodes())
	for _, ok := scan.Next(); ok; _, ok = scan.Next() {
	}
	if scan.Err() != nil {
		t.Fatal(scan.Err())
	}
	scanned := time.Since(start)
	peak := peakMemory(t)
	per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(s.Arcs) }
	t.Logf("%d nodes, %d links, %.2f bits a link; ns a link: add %.0f, build %.0f, transpose %.0f, scan %.1f; at most %d MiB resident",
		s.Nodes, s.Arcs, s.BitsPerLink(), per(added), per(built), per(turned), per(scanned), peak>>20)
	if links <= 10_000_000 && peak > 512<<20 {
		t.Errorf("more than 512 MiB")
	}
}

// peakMemory returns the most memory the process has had resident, in bytes, 0 where
// /proc does not say.
func peakMemory(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	_, after, ok := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(after)
	if err != nil || !ok || len(fields) == 0 {
		t.Fatalf("/proc/self/status: %v", err)
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// generate adds a site of a tenth as many pages as links: pages of a folder link to each
// other, and share links to a few of the rest.
func generate(t *testing.T, b *Builder, links int) {
	t.Helper()
	r, pages := rnd(14), links/10
	name := func(i int) string {
		return "https://www.example.com/section-" + strconv.Itoa(i%97) + "/folder-" + strconv.Itoa(i/40) + "/page-" + strconv.Itoa(i) + ".html"
	}
	var to []string
	for i := range pages {
		to = to[:0]
		for range 8 {
			to = append(to, name(min(i/40*40+r.IntN(40), pages-1)))
		}
		for range 2 {
			to = append(to, name(r.IntN(pages)))
		}
		if err := b.AddPage(name(i), to); err != nil {
			t.Fatal(err)
		}
	}
}
