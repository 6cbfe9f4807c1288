package gate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/parse"
	"crawler/weburl"
)

// sampledURLs is what of the URLs is leased when all are links of one page, or seeds.
func sampledURLs(t *testing.T, share float64, seed uint64, urls []string, asSeeds bool) map[string]bool {
	t.Helper()
	g, err := gate.New(gate.Config{
		Scope: gate.Scope{Mode: gate.ScopeAny, HostShare: share}, FollowTraps: true,
		Dedup: dedup.Config{Seed: seed}, Frontier: frontier.Config{Delay: frontier.NoDelay},
	})
	if err != nil {
		t.Fatal(err)
	}
	var parsed []weburl.URL
	for _, s := range urls {
		u, err := weburl.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, u)
	}
	if asSeeds {
		g.Seeds(parsed)
	} else {
		g.Seeds(parsed[:1])
	}
	in, now := map[string]bool{}, time.Unix(0, 0)
	for {
		task, ok := g.Next(now)
		if !ok {
			break
		}
		in[task.URL.String()] = true
		p := gate.Page{Task: task, Status: 200}
		if !asSeeds && task.URL == parsed[0] {
			for _, u := range parsed {
				p.Links = append(p.Links, parse.Link{URL: u})
			}
		}
		g.Page(&p, now)
	}
	g.Finish(false)
	refused := map[string]bool{}
	for _, s := range g.Backlog() {
		if s.Reason != gate.NotSampled || in[s.URL] || refused[s.URL] {
			t.Errorf("share %v: %s is refused as %q, fetched: %v, before: %v", share, s.URL, s.Reason, in[s.URL], refused[s.URL])
		}
		refused[s.URL] = true
	}
	if asSeeds && len(in)+len(refused) != len(urls) {
		t.Errorf("share %v: of %d URLs %d are fetched and %d refused", share, len(urls), len(in), len(refused))
	}
	return in
}

// The source's table (slide 19) has tuples of departments, names and salaries, and the question
// needs all salaries of a department or none. Here hosts are departments, and pages tuples.
func TestSource000Slide19HostsAreSampledWhole(t *testing.T) {
	var urls []string
	sizes := map[string]int{}
	for d := range 200 {
		host := fmt.Sprintf("dept%d.test", d)
		for i := range 1 + d%7 {
			scheme := []string{"http://", "https://"}[i%2]
			urls = append(urls, fmt.Sprintf("%s%s/salary?n=%d", scheme, host, i))
			sizes[host]++
		}
	}
	for seed := range uint64(5) {
		larger := map[string]bool{}
		for _, share := range []float64{1, 0.5, 0.1, 0.01} { // it shrinks
			in := sampledURLs(t, share, seed+1, urls, true)
			groups := map[string]int{}
			for u := range in {
				if len(larger) > 0 && !larger[u] {
					t.Errorf("seed %d: %s is in the sample of %v, and not in a larger one", seed, u, share)
				}
				_, rest, _ := strings.Cut(u, "://")
				host, _, _ := strings.Cut(rest, "/")
				groups[host]++
			}
			for host, n := range groups {
				if n != sizes[host] {
					t.Errorf("seed %d, share %v: %d of %d pages of %s", seed, share, n, sizes[host], host)
				}
			}
			if n := len(groups); share == 1 && n != 200 || share == 0.5 && (n < 65 || n > 135) || share == 0.1 && (n < 4 || n > 40) {
				t.Errorf("seed %d: %d of 200 hosts for %v", seed, n, share)
			}
			larger = in
		}
	}
}

// Whether a host is in the sample depends on its name and the seed: not on how it is met.
func TestHostSampleByName(t *testing.T) {
	urls := []string{"http://first.test/"}
	for i := range 60 {
		urls = append(urls, fmt.Sprintf("http://h%d.test:8080/p", i), fmt.Sprintf("http://H%d.TEST:8080/q", i))
	}
	tried := 0
	for seed := uint64(1); seed < 9; seed++ {
		seeds := sampledURLs(t, 0.5, seed, urls, true)
		if !seeds["http://first.test/"] {
			continue
		}
		tried++
		links := sampledURLs(t, 0.5, seed, urls, false)
		for _, u := range urls {
			u = strings.ToLower(u)
			if seeds[u] != links[u] {
				t.Errorf("seed %d: %s as a seed %v, as a link %v", seed, u, seeds[u], links[u])
			}
		}
		if other := sampledURLs(t, 0.5, seed+100, urls, true); slices.Equal(keys(seeds), keys(other)) {
			t.Errorf("seeds %d and %d choose the same hosts", seed, seed+100)
		}
	}
	if tried == 0 {
		t.Error("the first host is in no sample")
	}
}

func keys(m map[string]bool) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}
