package report

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"crawler/crawl"
)

// Two hosts of a sample of a half, with 1 and 3 pages of two words each, one of them common: 4
// hosts and 8 pages in all, 2 pages and 4 words a host, 2 and 4 different words: 3 a host.
func TestHostSampleByHand(t *testing.T) {
	r := filled(t, Config{HostShare: 0.5},
		visit(t, "http://a.example/", 200, "x", "a"),
		visit(t, "http://b.example/", 200, "x", "b"), visit(t, "http://b.example/2", 200, "x", "c"), visit(t, "http://b.example/3", 404, "x", "d"))
	s := r.HostSample
	if s == nil || s.Share != 0.5 || s.Hosts != 2 {
		t.Fatalf("%+v", s)
	}
	words, distinct := 0.0, 0.0
	for _, site := range r.Sites {
		words += float64(site.Words) / 2
		distinct += site.Distinct.Estimate / 2
	}
	for name, c := range map[string]struct {
		f    Figure
		want float64
	}{"hosts": {s.TotalHosts, 4}, "pages": {*s.TotalPages, 8}, "pages a host": {*s.MeanPages, 2}, "words": {*s.MeanWords, words}, "distinct": {*s.MeanDistinct, distinct}} {
		if math.Abs(c.f.Estimate-c.want) > 1e-9 || c.f.Low > c.want || c.f.High < c.want || c.f.Low == c.f.High {
			t.Errorf("%s: %+v, want %v", name, c.f, c.want)
		}
	}
	if s.TotalHosts.Low < 2 || s.TotalPages.Low < 4 {
		t.Errorf("less than what was seen: %+v, %+v", s.TotalHosts, s.TotalPages)
	}
	r.Frontier.Left = 0
	text := r.Text()
	for _, want := range []string{"Sample of hosts\n", "50 % of all hosts", "  hosts                    ~4.0 (", "  pages                    ~8.0 (", "pages a host             ~2.0 ("} {
		if !strings.Contains(text, want) {
			t.Errorf("the text has no %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "too low") {
		t.Errorf("a complete crawl is called incomplete:\n%s", text)
	}
	r.Frontier.Left = 3
	if text = r.Text(); !strings.Contains(text, "3 URLs left: these figures") {
		t.Errorf("pages that are left are not named:\n%s", text)
	}
	for line := range strings.Lines(text) {
		if len([]rune(line)) > width+1 {
			t.Errorf("too wide: %q", line)
		}
	}
}

// What cannot be known is not said: of no host, of one, of hosts that share one line; a crawl of
// all hosts says nothing at all.
func TestHostSampleOfTooLittle(t *testing.T) {
	for _, c := range []struct {
		name   string
		cfg    Config
		visits int
		means  bool
		low    float64
	}{
		{"none", Config{HostShare: 0.1}, 0, false, 0},
		{"one", Config{HostShare: 0.1}, 1, true, 1},
		{"more than sites", Config{HostShare: 0.1, MaxSites: 2}, 5, false, 5},
	} {
		var visits []*crawl.Visit
		for i := range c.visits {
			visits = append(visits, visit(t, fmt.Sprintf("http://h%d.example/", i), 200, "x"))
		}
		r := filled(t, c.cfg, visits...)
		s := r.HostSample
		if s.Hosts != c.visits || math.Abs(s.TotalHosts.Estimate-float64(c.visits)/s.Share) > 1e-9 || s.TotalHosts.Low < c.low || s.TotalHosts.High < 10 {
			t.Errorf("%s: %+v", c.name, s)
		}
		if (s.MeanPages != nil) != c.means || (s.TotalPages != nil) != c.means {
			t.Errorf("%s: means %+v", c.name, s)
		}
		if got := strings.Contains(strings.Join(strings.Fields(r.Text()), " "), "--max-sites 5 or more"); got != (c.visits == 5) {
			t.Errorf("%s: a hint at --max-sites %v:\n%s", c.name, got, r.Text())
		}
		if _, err := r.JSON(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, share := range []float64{0, 1} {
		r := filled(t, Config{HostShare: share}, visit(t, "http://a.example/", 200, "x"))
		if data, _ := json.Marshal(r); r.HostSample != nil || strings.Contains(string(data), "host_sample") || strings.Contains(r.Text(), "Sample of hosts") {
			t.Errorf("share %v: %+v", share, r.HostSample)
		}
	}
}
