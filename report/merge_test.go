package report

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"crawler/crawl"
	"crawler/gate"
)

// partOf is a part that has counted pages of words.
func partOf(t *testing.T, name string, cfg Config, hosts []string, words ...[]uint64) Part {
	t.Helper()
	r := recorder(t, cfg)
	for i, w := range words {
		v := visit(t, fmt.Sprintf("http://%s/%d", hosts[i%len(hosts)], i), 200)
		v.Page.Words = w
		v.Digest = uint64(i)
		if err := r.Page(v); err != nil {
			t.Fatal(err)
		}
	}
	return Part{Name: name, Recorder: r, Report: New("v", crawl.Result{Seeds: []string{"http://" + hosts[0] + "/"}, Audit: crawl.Audit{Mode: ModeExact}, EndedBy: crawl.Done, Runs: 1}, r, Usage{})}
}

func mergedParts(t *testing.T, parts ...Part) *Report {
	t.Helper()
	var m Merger
	for _, p := range parts {
		if err := m.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	r, err := m.Report("v")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Figures of words from the merged sketches of shards are unbiased over seeds, as precise as
// those of one crawl's, and their intervals hold the truth. A tenth of the words is private to a
// shard.
func TestMergedWordsAreUnbiased(t *testing.T) {
	if testing.Short() {
		t.Skip("what it does in goroutines TestKilledAndRestored does, too")
	}
	const seeds, shards, pages = 60, 4, 8
	var text [shards][][]uint64
	counts := map[uint64]float64{}
	rng := rand.New(rand.NewPCG(1, 1))
	zipf := rand.NewZipf(rng, 1.1, 3, 40_000)
	for s := range text {
		for range pages {
			words := make([]uint64, 2000)
			for i := range words {
				if words[i] = zipf.Uint64() + 1; i%10 == 0 {
					words[i] += uint64(s+1) << 32
				}
				words[i] *= 0x9e3779b97f4a7c15
				counts[words[i]]++
			}
			text[s] = append(text[s], words)
		}
	}
	surprise := 0.0
	for _, n := range counts {
		surprise += n * n
	}
	var distinctErr, surpriseErr, distinctSq, surpriseSq float64
	missed := 0
	for seed := range uint64(seeds) {
		var parts []Part
		for s := range text {
			name := fmt.Sprintf("h%d.example", s)
			parts = append(parts, partOf(t, name, Config{Seed: seed}, []string{name, "b." + name}, text[s]...))
		}
		w := mergedParts(t, parts...).Words
		d, f := w.Distinct.Estimate/float64(len(counts))-1, w.Surprise.Estimate/surprise-1
		distinctErr, distinctSq = distinctErr+d, distinctSq+d*d
		surpriseErr, surpriseSq = surpriseErr+f, surpriseSq+f*f
		for _, in := range []bool{w.Distinct.Low <= float64(len(counts)) && float64(len(counts)) <= w.Distinct.High, w.Surprise.Low <= surprise && surprise <= w.Surprise.High} {
			if !in {
				missed++
			}
		}
	}
	for what, e := range map[string][2]float64{"distinct": {distinctErr, distinctSq}, "surprise": {surpriseErr, surpriseSq}} {
		mean, rms := e[0]/seeds, math.Sqrt(e[1]/seeds)
		t.Logf("%s: mean error %.3f %%, rms %.3f %%", what, 100*mean, 100*rms)
		if math.Abs(mean) > 3.5*rms/math.Sqrt(seeds)+0.002 || rms > 0.03 {
			t.Errorf("%s: mean error %.3f %%, rms %.3f %%", what, 100*mean, 100*rms)
		}
	}
	// At 95 % six of 120 are expected; 16 or more come once in 2,500 times.
	if t.Logf("%d of %d intervals missed", missed, 2*seeds); missed >= 16 {
		t.Errorf("%d of %d intervals do not hold the truth", missed, 2*seeds)
	}
}

// Sites beyond a shard's limit share a row over all shards, whose words are merged.
func TestMergedOtherSites(t *testing.T) {
	words := func(n uint64) []uint64 { return []uint64{1 << 40, n << 20, n<<20 + 1<<50} }
	many := func(name string) Part {
		var hosts []string
		var text [][]uint64
		for i := range 5 {
			hosts = append(hosts, fmt.Sprintf("%s%d.example", name, i))
			text = append(text, words(uint64(i+1)))
		}
		return partOf(t, name, Config{Seed: 1, MaxSites: 3, Exact: true}, hosts, text...)
	}
	r := mergedParts(t, many("a"), many("b"))
	last := r.Sites[len(r.Sites)-1]
	if len(r.Sites) != 7 || last.Site != OtherSites || last.Pages != 4 || last.Words != 12 || r.OtherSites != 4 || last.Distinct.Estimate != 5 || *last.Distinct.Exact != 5 {
		t.Errorf("%d sites, %d others, the last is %+v", len(r.Sites), r.OtherSites, last)
	}
	if r.Pages.Unique != 5 || r.Words.Distinct.Estimate != 11 || r.Words.Surprise.Estimate != 100+10*4 {
		t.Errorf("%d texts, %+v", r.Pages.Unique, r.Words)
	}
}

// How shards ended, what refused them and which traps they met comes together.
func TestMergedEnds(t *testing.T) {
	a, b := partOf(t, "a", Config{}, []string{"a.example"}, []uint64{1}), partOf(t, "b", Config{}, []string{"b.example"}, []uint64{2})
	b.Report.EndedBy = string(crawl.ByMaxPages)
	b.Report.Runs = 3
	a.Report.Skipped = map[string]int{string(gate.OutOfScope): 2}
	b.Report.Skipped = map[string]int{string(gate.OutOfScope): 3, string(gate.TooDeep): 1}
	a.Report.Traps = []Trap{{Kind: "k", Refused: 4, Retry: "x"}, {Kind: "k", Pattern: "p", Refused: 1}}
	b.Report.Traps = []Trap{{Kind: "k", Refused: 5}, {Kind: "l", Pattern: "q", Refused: 7}}
	a.Report.Dedup.CollisionProbability, b.Report.Dedup.CollisionProbability = 1e-17, 2e-17
	a.Report.Refused = []Refused{{Site: OtherSites, ByStatus: map[string]int{"402": 1}}}
	b.Report.Refused = []Refused{{Site: OtherSites, ByStatus: map[string]int{"402": 2}}, {Site: "z", ByStatus: map[string]int{"451": 9}}}
	for i := range 4 {
		a.Report.Failures = append(a.Report.Failures, Failure{URL: fmt.Sprint(i)})
		b.Report.Failures = append(b.Report.Failures, Failure{URL: fmt.Sprint(i)})
	}
	r := mergedParts(t, a, b)
	if r.EndedBy != string(crawl.ByMaxPages) || r.Runs != 3 || r.SeedsDone.Given != 2 || r.Skipped[string(gate.OutOfScope)] != 5 || len(r.Failures) != firstFailures {
		t.Errorf("%+v", r)
	}
	if len(r.Traps) != 3 || r.Traps[0].Refused != 9 || r.Traps[0].Retry != "" || r.Traps[1].Refused != 7 {
		t.Errorf("%+v", r.Traps)
	}
	if len(r.Refused) != 2 || r.Refused[1].ByStatus["402"] != 3 || math.Abs(r.Dedup.CollisionProbability/3e-17-1) > 1e-9 {
		t.Errorf("%+v, %v", r.Refused, r.Dedup.CollisionProbability)
	}
	killed := partOf(t, "c", Config{}, []string{"c.example"}, []uint64{2})
	killed.Report.EndedBy = ""
	a.Report.EndedBy = string(crawl.Done)
	if r := mergedParts(t, a, killed); r.EndedBy != string(crawl.ByInterrupt) {
		t.Errorf("%q", r.EndedBy)
	}
}

// Parts of other crawls are refused.
func TestMergerRefuses(t *testing.T) {
	a := partOf(t, "a", Config{}, []string{"a.example"}, []uint64{1})
	for says, b := range map[string]Part{
		"--exact-stats":   partOf(t, "b", Config{Exact: true}, []string{"b.example"}, []uint64{1}),
		"--seed":          partOf(t, "b", Config{Seed: 1}, []string{"b.example"}, []uint64{1}),
		"twice the host":  partOf(t, "b", Config{}, []string{"b.example", "a.example"}, []uint64{1}, []uint64{2}),
		"of another mode": {Name: "b", Report: &Report{}, Recorder: recorder(t, Config{})},
	} {
		var m Merger
		if err := errors.Join(m.Add(a), m.Add(b)); !errors.Is(err, ErrParts) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := new(Merger).Report("v"); !errors.Is(err, ErrParts) {
		t.Errorf("%v", err)
	}
}
