package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crawler/report"
	"crawler/weburl"
)

func writeCorpus(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func mustLoad(t *testing.T, path string, cfg CorpusConfig) *Corpus {
	t.Helper()
	c, err := LoadCorpus(context.Background(), path, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustGenerate(t testing.TB, n int, seed uint64) *Corpus {
	t.Helper()
	c, err := GenerateCorpus(context.Background(), CorpusConfig{MaxURLs: n, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// texts returns all URLs of a corpus in order.
func texts(c *Corpus) []string {
	var list []string
	for _, u := range slices.Concat(c.URLs, c.HeldOut) {
		list = append(list, u.String())
	}
	slices.Sort(list)
	return list
}

func TestLoadCorpusFile(t *testing.T) {
	name := writeCorpus(t, filepath.Join(t.TempDir(), "urls"), strings.Join([]string{
		"https://a.example/1", "  https://a.example/2\t\r", "", "HTTPS://A.example:443/1#again", "mailto:a@b.example",
		"https://a.example/" + strings.Repeat("x", maxCorpusLine), "no URL", "https://a.example/3", " ", "https://b.example",
	}, "\n"))
	c := mustLoad(t, name, CorpusConfig{})
	if c.Read != 5 || c.Repeated != 1 || c.Bad != 3 || c.Cut || len(c.HeldOut) != 1 || c.Source != "the file "+name {
		t.Errorf("corpus is %+v", c)
	}
	if got, want := texts(c), []string{"https://a.example/1", "https://a.example/2", "https://a.example/3", "https://b.example/"}; !slices.Equal(got, want) {
		t.Errorf("URLs are %v, want %v", got, want)
	}
}

func TestLoadCorpusCrawl(t *testing.T) {
	dir := t.TempDir()
	writeCorpus(t, filepath.Join(dir, report.PagesFile), `{"url":"https://a.example/1","status":200}
{"url":"https://a.example/2","title":"a \"title\" with \"url\":\"https://no.example/\""}
{"final_url":"https://a.example/9"}
{"url":"https://a.exam`)
	want := []string{"https://a.example/1", "https://a.example/2"}
	if c := mustLoad(t, dir, CorpusConfig{}); !slices.Equal(texts(c), want) || c.Bad != 2 {
		t.Errorf("without what was skipped: %v, %d bad", texts(c), c.Bad)
	}
	writeCorpus(t, filepath.Join(dir, report.SkippedFile), `{"url":"https://a.example/3","reason":"robots"}`+"\n"+`{"url":"https://a.example/1"}`+"\n")
	c := mustLoad(t, dir, CorpusConfig{})
	if want = append(want, "https://a.example/3"); !slices.Equal(texts(c), want) || c.Repeated != 1 {
		t.Errorf("with what was skipped: %v, %d repeated", texts(c), c.Repeated)
	}
}

func TestLoadCorpusCut(t *testing.T) {
	name := writeCorpus(t, filepath.Join(t.TempDir(), "urls"), "http://a.example/1\nhttp://a.example/2\nhttp://a.example/1\nhttp://a.example/3\nhttp://a.example/4\n")
	c := mustLoad(t, name, CorpusConfig{MaxURLs: 2})
	if want := []string{"http://a.example/1", "http://a.example/2"}; !slices.Equal(texts(c), want) || !c.Cut || c.Read != 3 || c.Repeated != 1 {
		t.Errorf("URLs are %v of %+v, want %v", texts(c), c, want)
	}
	if c := mustLoad(t, name, CorpusConfig{MaxURLs: 4}); c.Cut {
		t.Error("nothing was left out, and Cut is set")
	}
}

func TestLoadCorpusErrors(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	one := writeCorpus(t, filepath.Join(dir, "one"), "http://a.example/\nnone\n")
	if _, err := LoadCorpus(ctx, one, CorpusConfig{}); !errors.Is(err, ErrFewURLs) {
		t.Errorf("one URL: %v", err)
	}
	if _, err := LoadCorpus(ctx, filepath.Join(dir, "none"), CorpusConfig{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := LoadCorpus(done, one, CorpusConfig{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := GenerateCorpus(done, CorpusConfig{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, cfg := range []CorpusConfig{{MaxURLs: 1}, {MaxURLs: -1}, {MaxURLs: MaxCorpusURLs + 1}, {HoldOut: -0.1}, {HoldOut: 0.6}} {
		if _, err := GenerateCorpus(ctx, cfg); err == nil {
			t.Errorf("%+v was taken", cfg)
		}
	}
}

func TestGeneratedCorpus(t *testing.T) {
	const n = 20_000
	c := mustGenerate(t, n, 1)
	if len(c.URLs) != n*9/10 || len(c.HeldOut) != n/10 || c.Bad != 0 || c.Read != n+c.Repeated {
		t.Errorf("%d and %d URLs, %d bad, %d read, %d repeated", len(c.URLs), len(c.HeldOut), c.Bad, c.Read, c.Repeated)
	}
	if all := texts(c); len(slices.Compact(all)) != n {
		t.Error("URLs recur")
	}
	if !slices.Equal(texts(c), texts(mustGenerate(t, n, 1))) || slices.Equal(texts(c), texts(mustGenerate(t, n, 2))) {
		t.Error("the URLs do not depend on the seed, and on it alone")
	}
}

// The sites differ in size, and directories are shared, as in real crawls, where there
// are some 0.2 prefixes a URL.
func TestGeneratedCorpusIsSkewed(t *testing.T) {
	c := mustGenerate(t, 20_000, 1)
	hosts, prefixes := map[string]int{}, map[string]bool{}
	for _, u := range c.URLs {
		hosts[u.Host()]++
		text := u.Origin() + u.Path()
		for i := len(u.Origin()); i < len(text); i++ {
			if text[i] == '/' {
				prefixes[text[:i]] = true
			}
		}
	}
	var sizes []int
	for _, n := range hosts {
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	if most, mid := sizes[len(sizes)-1], sizes[len(sizes)/2]; most < 10*mid {
		t.Errorf("the largest of %d hosts has %d URLs, the median %d", len(sizes), most, mid)
	}
	if share := float64(len(prefixes)) / float64(len(c.URLs)); share < 0.1 || share > 0.4 {
		t.Errorf("%.2f prefixes a URL", share)
	}
}

func TestTermsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for n := range uint64(100_000) {
		s := term(n, 2)
		if seen[s] || len(s) < 4 {
			t.Fatalf("term(%d) is %q", n, s)
		}
		seen[s] = true
	}
}

// overlap counts URLs that are in both lists.
func overlap(a, b []weburl.URL) int {
	in, n := map[weburl.URL]bool{}, 0
	for _, u := range a {
		in[u] = true
	}
	for _, u := range b {
		if in[u] {
			n++
		}
	}
	return n
}

func TestHeldOutIsNotInserted(t *testing.T) {
	if c := mustGenerate(t, 5000, 3); overlap(c.URLs, c.HeldOut) != 0 {
		t.Error("URLs are both held out and inserted")
	}
}
