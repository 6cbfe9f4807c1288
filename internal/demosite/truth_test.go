package demosite

import (
	"encoding/xml"
	"maps"
	"math"
	"net/http"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
)

// truths are those of the seeds 0, 1 and 2, each computed once for the tests that only read
// them.
var truths = [...]func() Truth{sync.OnceValue(truthOf(0)), sync.OnceValue(truthOf(1)), sync.OnceValue(truthOf(2))}

func truthOf(seed uint64) func() Truth {
	return func() Truth { return New(seed).Truth() }
}

// TestTruthAgainstWalk holds everything the truth says against what an
// independent walk finds. (It was run with 30 seeds when written; now with one.)
func TestTruthAgainstWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	w := New(1)
	truth, k := truths[1](), walkAll(t, w)
	t.Run("fetched", func(t *testing.T) {
		same(t, slices.Collect(maps.Keys(k.seen)), append(truth.Of(Linked), truth.Of(Tracked)...))
	})
	t.Run("forbidden", func(t *testing.T) { same(t, slices.Collect(maps.Keys(k.forbidden)), truth.Of(Forbidden)) })
	t.Run("outside", func(t *testing.T) { same(t, slices.Collect(maps.Keys(k.outside)), truth.Of(Outside)) })
	t.Run("assets", func(t *testing.T) { same(t, slices.Collect(maps.Keys(k.assets)), truth.Of(Asset)) })
	t.Run("nofollow", func(t *testing.T) {
		maps.DeleteFunc(k.nofollow, func(u string, _ bool) bool { return k.seen[u] != nil })
		same(t, slices.Collect(maps.Keys(k.nofollow)), truth.Of(NoFollow))
	})
	t.Run("pages", func(t *testing.T) {
		for u, p := range k.seen {
			checkPage(t, truth.Pages[u], p)
		}
	})
	t.Run("log", func(t *testing.T) { checkLog(t, w.Log(), truth) })
	t.Run("exact", func(t *testing.T) { checkExact(t, truth, k.seen) })
	if !testing.Short() { // it compares all pairs of pages, in one goroutine
		t.Run("near", func(t *testing.T) { checkNear(t, truth, k.seen) })
	}
}

// same fails with the differences of two sets of URLs.
func same(t *testing.T, got, want []string) {
	t.Helper()
	sort.Strings(got)
	sort.Strings(want)
	if len(want) == 0 {
		t.Error("the truth has none")
	}
	for _, u := range got {
		if !slices.Contains(want, u) {
			t.Errorf("found %s, unknown to the truth", u)
		}
	}
	for _, u := range want {
		if !slices.Contains(got, u) {
			t.Errorf("%s was not found", u)
		}
	}
}

func checkPage(t *testing.T, want Page, got *walked) {
	t.Helper()
	if got.status != want.Status || got.answers != want.Answers || got.mime != want.Type ||
		got.location != want.Location || got.noindex != want.NoIndex {
		t.Errorf("%s: got status %d after %d answers, type %q, location %q, noindex %v; want %d after %d, %q, %q, %v", want.URL,
			got.status, got.answers, got.mime, got.location, got.noindex,
			want.Status, want.Answers, want.Type, want.Location, want.NoIndex)
	}
	if !slices.Equal(got.words, want.Words) {
		t.Errorf("%s: words differ: got %d, want %d", want.URL, len(got.words), len(want.Words))
	}
	if !slices.Equal(got.joined, want.Words) {
		t.Errorf("%s: words depend on which tags are taken for boundaries", want.URL)
	}
}

// checkLog wants one request for each page, and no other but for robots.txt.
func checkLog(t *testing.T, log []Hit, truth Truth) {
	t.Helper()
	hits, last := map[string]int{}, map[string]int{}
	for _, h := range log {
		u := "http://" + h.Host + h.Path
		hits[u]++
		last[u] = h.Status
	}
	for u, n := range hits {
		p := truth.Pages[u]
		switch {
		case strings.HasSuffix(u, "/robots.txt"):
		case last[u] != p.Status:
			t.Errorf("%s: logged status %d, want %d", u, last[u], p.Status)
		case p.Status == 0: // net/http itself repeats a GET on a connection that was kept alive
		case n != p.Answers:
			t.Errorf("%s: %d requests logged, want %d", u, n, p.Answers)
		}
	}
	if len(hits) < len(truth.Of(Linked)) {
		t.Errorf("%d URLs logged, want %d at least", len(hits), len(truth.Of(Linked)))
	}
}

// checkExact groups the linked pages by their bytes.
func checkExact(t *testing.T, truth Truth, seen map[string]*walked) {
	t.Helper()
	byBody := map[string][]string{}
	for u, p := range seen {
		if truth.Pages[u].Text() {
			byBody[string(p.body)] = append(byBody[string(p.body)], u)
		}
	}
	var got []string
	for _, group := range byBody {
		if len(group) > 1 {
			sort.Strings(group)
			got = append(got, strings.Join(group, " "))
		}
	}
	same(t, got, joined(truth.Exact))
}

func joined(groups [][]string) []string {
	var lines []string
	for _, g := range groups {
		g = slices.Sorted(slices.Values(g))
		lines = append(lines, strings.Join(g, " "))
	}
	return lines
}

// checkNear compares all pages with each other by their runs of three words: the
// declared pairs have much in common, all others little, with a gap between.
func checkNear(t *testing.T, truth Truth, seen map[string]*walked) {
	t.Helper()
	declared := map[[2]string]bool{}
	for _, group := range slices.Concat(truth.Near, truth.Exact) {
		for _, a := range group {
			for _, b := range group {
				declared[[2]string{a, b}] = a != b
			}
		}
	}
	lowest, highest := 1.0, 0.0
	for pair, j := range resemblances(truth, seen) {
		if declared[pair] {
			lowest = min(lowest, j)
			delete(declared, pair)
		} else if j > highest {
			highest = j
			t.Logf("not declared, %.2f alike: %v", j, pair)
		}
	}
	if lowest < 0.8 || highest > 0.6 {
		t.Errorf("near-duplicates are %.2f alike or more, want 0.8; others up to %.2f, want 0.6", lowest, highest)
	}
	for pair, real := range declared {
		if real && pair[0] < pair[1] {
			t.Errorf("have nothing in common: %v", pair)
		}
	}
}

// resemblances returns the Jaccard coefficient of all pairs with anything in common.
func resemblances(truth Truth, seen map[string]*walked) map[[2]string]float64 {
	size, holders := map[string]int{}, map[[3]string][]string{}
	for _, u := range slices.Sorted(maps.Keys(seen)) {
		if !truth.Pages[u].Text() {
			continue
		}
		runs := map[[3]string]bool{}
		for w := seen[u].words; len(w) >= 3; w = w[1:] {
			runs[[3]string(w)] = true
		}
		size[u] = len(runs)
		for run := range runs {
			holders[run] = append(holders[run], u)
		}
	}
	common := map[[2]string]float64{}
	for _, urls := range holders {
		for i, a := range urls {
			for _, b := range urls[i+1:] {
				common[[2]string{a, b}]++
			}
		}
	}
	for pair, c := range common {
		common[pair] = c / (float64(size[pair[0]]+size[pair[1]]) - c)
	}
	return common
}

func TestSitemap(t *testing.T) {
	truth, client := truths[1](), serve(t, web())
	robots := get(t, client, "http://docs.demo.example/robots.txt")
	_, at, ok := strings.Cut(robots, "Sitemap: ")
	if !ok {
		t.Fatalf("no sitemap in %q", robots)
	}
	at = strings.TrimSpace(at)
	if truth.Pages[at].Class != Sitemap {
		t.Errorf("%s: class %q, want %q", at, truth.Pages[at].Class, Sitemap)
	}
	var set struct {
		URL []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal([]byte(get(t, client, at)), &set); err != nil {
		t.Fatal(err)
	}
	if len(set.URL) < 100 {
		t.Errorf("%d URLs in the sitemap, want 100 at least", len(set.URL))
	}
	var unlinked []string
	for _, u := range set.URL {
		switch p := truth.Pages[u.Loc]; p.Class {
		case InSitemap:
			unlinked = append(unlinked, u.Loc)
		case Linked:
		default:
			t.Errorf("%s in the sitemap has class %q", u.Loc, p.Class)
		}
	}
	same(t, unlinked, truth.Of(InSitemap))
}

// TestTruthLaws checks what the comments of the classes promise.
func TestTruthLaws(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	truth := truths[1]()
	for u, p := range truth.Pages {
		if p.URL != u || p.Class == "" {
			t.Errorf("%s is filed as %q with class %q", u, p.URL, p.Class)
		}
		if p.Class == Tracked && truth.Pages[p.Plain].Class != Linked {
			t.Errorf("%s: %s behind it is not linked", u, p.Plain)
		}
		if next := truth.Pages[p.Location]; p.Location != "" && next.Class == "" {
			t.Errorf("%s: leads to %s, unknown to the truth", u, p.Location)
		}
	}
	for _, c := range []Class{Trap, Outside, Forbidden, Tracked, Linked, NoFollow, InSitemap, Sitemap, Asset} {
		if len(truth.Of(c)) == 0 {
			t.Errorf("nothing of class %q", c)
		}
	}
}

// TestFitsTheDemo computes how long a polite crawl takes: each host is asked one
// request at a time, so the slowest host counts. A refusal costs the second that
// it asks for and as much again until the crawler has found back to its pace.
func TestFitsTheDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	const delay, limit = 50 * time.Millisecond, 12 * time.Second
	for seed, once := range truths {
		truth := once()
		total, took := 0, map[string]time.Duration{}
		for u, p := range truth.Pages {
			if p.Class != Linked && p.Class != Tracked {
				continue
			}
			host := mustParse(u).Host
			total++
			took[host] += time.Duration(p.Answers)*delay + time.Duration(p.Answers-1)*2*time.Second
			if host == calendarHost {
				took[host] += 100*time.Millisecond - delay
			}
		}
		if total < 600 || total > 800 {
			t.Errorf("seed %d: %d pages, want 600 to 800", seed, total)
		}
		for host, d := range took {
			if d > limit {
				t.Errorf("seed %d: %s takes %v, want %v at most", seed, host, d, limit)
			}
		}
	}
}

// TestSpamStandsOut checks the two figures by which a report finds the spam
// site, and that they find no other.
func TestSpamStandsOut(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	hosts := web().Hosts()
	for seed, once := range truths {
		truth := once()
		counts := map[string]WordCount{}
		for _, host := range hosts {
			counts[host] = truth.Count(func(p Page) bool { return p.Text() && strings.HasPrefix(p.URL, "http://"+host+"/") })
		}
		a, b := heaps(counts)
		typical := surpriseShare(counts)
		for host, c := range counts {
			expected := math.Exp(a + b*math.Log(float64(c.Words)))
			fewer := expected / float64(c.Distinct)
			surprise := c.share() / typical
			t.Logf("seed %d: %-22s %+v: distinct %.1f times too few, surprise %.1f times typical", seed, host, c, fewer, surprise)
			if host == spamHost && (fewer < 10 || surprise < 5) {
				t.Errorf("seed %d: spam does not stand out", seed)
			}
			if host != spamHost && (fewer > 1.5 || fewer < 1/1.5 || surprise > 2 || surprise < 0.5) {
				t.Errorf("seed %d: %s stands out", seed, host)
			}
		}
	}
}

// share is the chance that two random words of a text are the same.
func (c WordCount) share() float64 { return float64(c.Surprise) / float64(c.Words) / float64(c.Words) }

// heaps fits log(distinct) = a + b*log(words) over the honest hosts.
func heaps(counts map[string]WordCount) (a, b float64) {
	var n, sx, sy, sxx, sxy float64
	for host, c := range counts {
		if host != spamHost {
			x, y := math.Log(float64(c.Words)), math.Log(float64(c.Distinct))
			n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
		}
	}
	b = (n*sxy - sx*sy) / (n*sxx - sx*sx)
	return (sy - b*sx) / n, b
}

func surpriseShare(counts map[string]WordCount) float64 {
	var shares []float64
	for _, c := range counts {
		shares = append(shares, c.share())
	}
	sort.Float64s(shares)
	return shares[len(shares)/2]
}

// TestZipf checks that the most frequent nouns lead as Zipf's law has it: the
// tenth word about a tenth, the hundredth about a hundredth of the first.
func TestZipf(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	truth := truths[1]()
	times := map[string]int{}
	for _, p := range truth.Pages {
		if p.Text() && !strings.Contains(p.URL, spamHost) {
			for _, word := range p.Words {
				times[word]++
			}
		}
	}
	ranked := slices.Sorted(maps.Values(times))
	slices.Reverse(ranked)
	for _, rank := range []int{10, 100, 1000} {
		ratio := float64(ranked[0]) / float64(ranked[rank-1]) / float64(rank)
		t.Logf("rank %d: %d of %d, %.2f of Zipf's law", rank, ranked[rank-1], ranked[0], ratio)
		if ratio < 0.3 || ratio > 2 {
			t.Errorf("word of rank %d occurs %d times, the first %d times: no Zipf's law", rank, ranked[rank-1], ranked[0])
		}
	}
}

func get(t testing.TB, client *http.Client, u string) string {
	t.Helper()
	resp, err := client.Get(u)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var b strings.Builder
	if err := resp.Write(&b); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(b.String(), "\r\n\r\n")
	return body
}
