package trap_test

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crawler/internal/bigsite"
	"crawler/parse"
	"crawler/trap"
	"crawler/weburl"
)

// BenchmarkShare is what the guard costs of parsing and guarding a page: of a generated site, of
// dense text (a page of 2,000 words by Zipf's law and ten links) on one host, and on 20 hosts of
// ten directories each, whose patterns stay young, and of real documentation, if TRAP_TREES names
// folders of HTML. A page is sampled, judged, leased, watched and learned as in
// a crawl, and its events are taken.
func BenchmarkShare(b *testing.B) {
	for name, pages := range map[string][]parse.Input{"generated": generated(b, 1500), "dense": dense(b, 1500, 1), "hosts": dense(b, 6000, 20), "tree": tree(b, 1500)} {
		if len(pages) == 0 {
			continue
		}
		b.Run(name, func(b *testing.B) {
			var cost costs
			for b.Loop() {
				cost.crawl(pages)
			}
			cost.report(b, b.N*len(pages))
		})
	}
}

// costs are what the parts of the work took.
type costs struct {
	parse, sample, judge, learn, events time.Duration
	read                                int // pages
}

func (c *costs) crawl(pages []parse.Input) {
	p, g, seen := parse.New(parse.Options{}), trap.New(trap.Config{}), map[weburl.URL]bool{}
	g.KeepEvents()
	var s trap.Sampler
	var page parse.Page
	for i, in := range pages {
		t := time.Now()
		if p.Parse(in, &page) != nil {
			continue
		}
		lap(&c.parse, t)
		links := make([]bool, len(page.Links))
		for i := range page.Links {
			links[i] = seen[page.Links[i].URL]
			seen[page.Links[i].URL.Clone()] = true
		}
		t = time.Now()
		lease := g.Lease(in.URL, g.Judge(in.URL, ""))
		t = lap(&c.judge, t)
		if lease.Unread {
			sample := s.Skim(200, page.Words, 0)
			t = lap(&c.sample, t)
			g.Skim(in.URL, sample)
			g.Ended(lease)
			lap(&c.learn, t)
			continue
		}
		c.read++
		sample := s.Page(in.URL, 200, page.Words, page.Numerals, page.LinkText, page.Joined, 0)
		t = lap(&c.sample, t)
		watched := g.Watch(in.URL, pages[i/2].URL)
		for i := range page.Links {
			if watched || !links[i] {
				g.Link(page.Links[i].URL, links[i])
			}
		}
		g.Learn(sample)
		g.Ended(lease)
		t = lap(&c.learn, t)
		if i%50 == 0 {
			g.TakeEvents()
		}
		lap(&c.events, t)
	}
}

func lap(sum *time.Duration, from time.Time) time.Time {
	now := time.Now()
	*sum += now.Sub(from)
	return now
}

func (c *costs) report(b *testing.B, pages int) {
	guard := c.sample + c.judge + c.learn + c.events
	for unit, part := range map[string]time.Duration{"parse-ns": c.parse, "sample-ns": c.sample, "judge-ns": c.judge, "learn-ns": c.learn} {
		b.ReportMetric(float64(part)/float64(pages), unit)
	}
	b.ReportMetric(100*float64(guard)/float64(guard+c.parse), "%guard")
	b.ReportMetric(100*float64(c.read)/float64(pages), "%read")
}

func generated(b *testing.B, n int) (pages []parse.Input) {
	site, err := bigsite.New(bigsite.Config{Seed: 3, Pages: n, Links: 20})
	if err != nil {
		b.Fatal(err)
	}
	for path := range site.All() {
		rec := httptest.NewRecorder()
		if answer(site, rec, mustParse(b, "http://big.test"+path)) && rec.Code == http.StatusOK {
			pages = append(pages, parse.Input{URL: mustParse(b, "http://big.test"+path), ContentType: "text/html; charset=utf-8", Body: rec.Body.Bytes()})
		}
	}
	return pages
}

// dense is text on one host, or on several with ten directories each.
func dense(b *testing.B, n, hosts int) (pages []parse.Input) {
	random := rand.New(rand.NewPCG(5, 6))
	at := func(i int) string {
		if hosts == 1 {
			return fmt.Sprintf("http://dense.test/text/%d", i)
		}
		return fmt.Sprintf("http://dense-%d.test/part-%s/%d", i%hosts, word(uint64(i/hosts%10)), i)
	}
	for i := range n {
		var body strings.Builder
		for range 2000 {
			fmt.Fprintf(&body, "%s ", word(uint64(math.Exp(random.Float64()*11))))
		}
		for range 10 {
			fmt.Fprintf(&body, "<a href=%s>%s</a>", at(random.IntN(n)), word(random.Uint64N(1000)))
		}
		u := mustParse(b, at(i))
		pages = append(pages, parse.Input{URL: u, ContentType: "text/html; charset=utf-8", Body: []byte(body.String())})
	}
	return pages
}

// word spells a number: short ones are common.
func word(n uint64) string {
	var w []byte
	for ; n > 0 || len(w) < 2; n /= 20 {
		w = append(w, "bcdfghjklmnpqrstvwxz"[n%20], "aeiou"[n%5])
	}
	return string(w)
}

func tree(b *testing.B, most int) (pages []parse.Input) {
	for _, dir := range filepath.SplitList(os.Getenv("TRAP_TREES")) {
		filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".html") || len(pages) == most {
				return err
			}
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(dir, path)
			u, err := weburl.Parse("http://docs.test/" + filepath.ToSlash(rel))
			if err == nil {
				pages = append(pages, parse.Input{URL: u, ContentType: "text/html; charset=utf-8", Body: body})
			}
			return nil
		})
	}
	return pages
}
