package stats

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"crawler/internal/splitmix"
)

func TestWordsExactWhileFew(t *testing.T) {
	for _, c := range []struct {
		config Config
		words  int
	}{
		{Config{}, 6000},
		{SiteConfig(0), 600},
		{Config{Registers: 16, Head: 1, Width: 16}, 9},
	} {
		w := NewWords(c.config)
		if w.Distinct() != exactly(0) || w.Surprise() != exactly(0) || w.N() != 0 {
			t.Errorf("%+v: an empty sketch says %v, %v, %d", c.config, w.Distinct(), w.Surprise(), w.N())
		}
		hashes := different(c.words)
		for i, h := range hashes {
			w.Add(h)
			if got := w.Distinct(); got != exactly(float64(i+1)) {
				t.Fatalf("%+v: %v after %d words", c.config, got, i+1)
			}
		}
		w.AddAll(hashes)
		if got := w.Distinct(); got != exactly(float64(c.words)) || w.N() != uint64(2*c.words) {
			t.Errorf("%+v: %v of %d words, want %d of %d", c.config, got, w.N(), c.words, 2*c.words)
		}
	}
}

func TestWordsAgainstTruth(t *testing.T) {
	name, text := longText(t, 300_000)
	for _, c := range []struct {
		name   string
		config Config
		limit  float64 // of the rms error of Distinct
	}{
		{"the crawl", Config{}, 0.014},
		{"a site", SiteConfig(0), 0.04},
	} {
		sizes := sizesOf(text)
		distinct, surprise := make([]tally, len(sizes)), make([]tally, len(sizes))
		truths := truthsOf(text, sizes)
		for seed := range seeds() {
			c.config.Seed = seed
			w, n := NewWords(c.config), 0
			for i, size := range sizes {
				w.AddAll(text[n:size])
				n = size
				distinct[i].add(w.Distinct(), truths[i].Distinct)
				surprise[i].add(w.Surprise(), truths[i].Surprise)
			}
		}
		t.Logf("%s, %s", name, c.name)
		t.Logf("%10s %10s | distinct: bias, rms, coverage | surprise", "n", "different")
		var covered tally
		for i, d := range distinct {
			s := surprise[i]
			t.Logf("%10d %10.0f | %6.2f %% %6.2f %% %5.1f %% | %6.2f %% %6.2f %% %5.1f %%", sizes[i], truths[i].Distinct,
				100*d.meanError(), 100*d.rms(), 100*d.coverage(), 100*s.meanError(), 100*s.rms(), 100*s.coverage())
			what := fmt.Sprintf("%s, %s, n=%d", name, c.name, sizes[i])
			d.checkRMS(t, what, c.limit)
			d.checkBias(t, what)
			s.checkRMS(t, what, 0.07)
			if d.rms() > 0 { // else it is exact
				covered.merge(d)
			}
		}
		if covered.n > 0 {
			covered.checkCoverage(t, name+", "+c.name)
		}
	}
}

// AddAll into several must be the same as into each, page by page or word by
// word.
func TestWordsAddAllTogether(t *testing.T) {
	text := english().text(80_000, 4)
	small := Config{Registers: 64, Head: 50, Width: 20, Seed: 1}
	otherSeed := SiteConfig(2)
	configs := []Config{{Seed: 1}, SiteConfig(1), small, otherSeed, {Seed: 2}}
	var together, apart []*Words
	for _, c := range configs {
		together, apart = append(together, NewWords(c)), append(apart, NewWords(c))
	}
	for page := range slices.Chunk(text, 900) {
		AddAll(page, together...)
	}
	for i, w := range apart {
		for _, h := range text {
			w.Add(h)
		}
		if w.Surprise() != together[i].Surprise() || w.N() != together[i].N() {
			t.Errorf("%+v: surprise together %v, apart %v", configs[i], together[i].Surprise(), w.Surprise())
		}
		if !bytes.Equal(marshaled(t, together[i]), marshaled(t, w)) {
			t.Errorf("%+v: different words together %v, apart %v", configs[i], together[i].Distinct(), w.Distinct())
		}
	}
}

func TestWordsMemory(t *testing.T) {
	text := english().text(300_000, 5)
	for _, c := range []struct {
		name   string
		config Config
		words  int
		limit  int
	}{
		{"a crawl", Config{}, len(text), 140 << 10},
		{"a site", SiteConfig(0), len(text), 16 << 10},
		{"a page's site", SiteConfig(0), 300, 6 << 10},
		{"a long page's site", SiteConfig(0), 600, 10 << 10},
		{"a new site", SiteConfig(0), 0, 2 << 10},
	} {
		w := NewWords(c.config)
		w.AddAll(text[:c.words])
		t.Logf("%s of %d words: %d bytes", c.name, c.words, w.Bytes())
		if w.Bytes() > c.limit {
			t.Errorf("%s of %d words takes %d bytes, want at most %d", c.name, c.words, w.Bytes(), c.limit)
		}
		if c.words < len(text) {
			continue
		}
		if n := testing.AllocsPerRun(3, func() { w.AddAll(text) }); n > 0 {
			t.Errorf("%s: %v allocations in %d words", c.name, n, len(text))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		NewWords(c.config).AddAll(text)
		runtime.ReadMemStats(&after)
		got := after.TotalAlloc - before.TotalAlloc
		if got > uint64(6*c.limit) {
			t.Errorf("%s allocates %d bytes on the way", c.name, got)
		}
	}
}

// The sketches see more of a stream than its words: they must not see its
// order, except in the sample. Every word in the head stays exact.
func TestWordsOfManySites(t *testing.T) {
	total := NewWords(Config{Seed: 3})
	var exact Exact
	for site := range uint64(30) {
		w := NewWords(SiteConfig(3))
		text := english().text(2000*int(site+1), site)
		for i := range text[:len(text)/10] { // words of the site's own
			text[10*i] = splitmix.Finish(text[10*i] ^ site<<60)
		}
		AddAll(text, total, w)
		exact.AddAll(text)
		truth := exactCounts(text)
		if d := w.Distinct(); d.Estimate < 0.85*float64(truth.Distinct()) || d.Estimate > 1.15*float64(truth.Distinct()) {
			t.Errorf("site %d: %v different words, truly %d", site, d, truth.Distinct())
		}
		if f := w.Surprise(); f.Estimate < 0.94*truth.Surprise() || f.Estimate > 1.06*truth.Surprise() {
			t.Errorf("site %d: surprise %v, truly %g", site, f, truth.Surprise())
		}
	}
	if d := total.Distinct(); d.Estimate < 0.95*float64(exact.Distinct()) || d.Estimate > 1.05*float64(exact.Distinct()) {
		t.Errorf("%v different words, truly %d", d, exact.Distinct())
	}
	if f := total.Surprise(); f.Estimate < 0.98*exact.Surprise() || f.Estimate > 1.02*exact.Surprise() {
		t.Errorf("surprise %v, truly %g", f, exact.Surprise())
	}
}
