package crawlcmd

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"

	"crawler/crawl"
	"crawler/internal/demosite"
	"crawler/internal/memweb"
	"crawler/report"
)

// kept is a report.Recorder that remembers which URLs it saw.
type kept struct {
	*report.Recorder
	pages map[string]int // status by URL
}

func (k *kept) Page(v *crawl.Visit) error {
	k.pages[v.URL.String()] = v.Status
	return k.Recorder.Page(v)
}

// The demo's crawl, in virtual time, against what the generated web says of itself:
// every page that it must fetch once and nothing else, the words exactly, and the spam
// site alone flagged.
func TestDemoFindsTheTruth(t *testing.T) {
	web := demosite.New(demoSeed)
	truth := web.Truth()
	rec, err := report.NewRecorder(report.Config{Exact: true, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	k := &kept{Recorder: rec, pages: map[string]int{}}
	var rep *report.Report
	synctest.Test(t, func(t *testing.T) {
		net := memweb.New(memweb.Everywhere(web, web.Hosts()))
		defer net.Close()
		cfg, err := demoOptions().Engine(web.Seeds())
		if err != nil {
			t.Fatal(err)
		}
		cfg.Fetch.DialContext, cfg.Gate.Dedup.Seed, cfg.Recorder = net.DialContext, 5, k
		res, err := crawl.Run(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if took := res.Finished.Sub(res.Started).Seconds(); took > 18 {
			t.Errorf("the demo takes %.1f s, want under 20 with a margin", took)
		}
		rep = report.New("test", res, k.Recorder, report.Usage{})
	})

	want := map[string]int{}
	for _, u := range slices.Concat(truth.Of(demosite.Linked), truth.Of(demosite.InSitemap), truth.Of(demosite.Sitemap)) {
		if p := truth.Pages[u]; p.Location == "" && p.Status != 0 {
			want[u] = p.Status
		}
	}
	for u, status := range want {
		if k.pages[u] != status {
			t.Errorf("%s: recorded %d, want %d", u, k.pages[u], status)
		}
	}
	for u := range k.pages {
		if want[u] == 0 {
			t.Errorf("%s (%s) must not be fetched", u, truth.Pages[u].Class)
		}
	}
	count := truth.Count(func(p demosite.Page) bool {
		return p.Text() && !p.NoIndex || p.Class == demosite.InSitemap
	})
	if w := rep.Words; w.Total != int64(count.Words) || *w.Distinct.Exact != float64(count.Distinct) || *w.Surprise.Exact != float64(count.Surprise) {
		t.Errorf("words %d, distinct %v, surprise %v; the web has %+v", w.Total, *w.Distinct.Exact, *w.Surprise.Exact, count)
	}
	for _, s := range rep.Sites {
		if (s.Site == "spam.demo.example") != (len(s.Flags) == 2) {
			t.Errorf("%s: flags %q", s.Site, s.Flags)
		}
	}
	if want := map[string]int{"reset": 1}; !maps.Equal(rep.Errors, want) {
		t.Errorf("errors %v, want %v", rep.Errors, want)
	}
	for _, f := range []report.Figure{rep.Words.Distinct, rep.Words.Surprise} {
		if wide := f.High - f.Low; *f.Exact < f.Low-wide || *f.Exact > f.High+wide {
			t.Errorf("%+v: the exact value is far outside the 95 %% interval", f)
		}
	}
}
