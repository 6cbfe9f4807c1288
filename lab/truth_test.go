package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"crawler/parse"
	"crawler/stats"
)

// The estimates that a report prints, against exact counts of texts that nobody made for the
// purpose: LAB_CORPORA names a folder that bench/corpora.sh has filled (make truth). LAB_HALF=tuned
// tries the half that a change to an estimator may look at, LAB_SEEDS another number than 200.

// mostWords is how much of a corpus is read.
const mostWords = 1_000_000

func corpora(t *testing.T) []string {
	t.Helper()
	dir := os.Getenv("LAB_CORPORA")
	if dir == "" {
		t.Skip("needs texts: make truth")
	}
	found, err := filepath.Glob(filepath.Join(dir, "*", "*-*"))
	if half := os.Getenv("LAB_HALF"); half != "" {
		found, err = filepath.Glob(filepath.Join(dir, half, "*-*"))
	}
	if err != nil || len(found) == 0 {
		t.Fatalf("%s holds no corpora (%v): make truth fills it", dir, err)
	}
	return found
}

func corpusSeeds(t *testing.T) uint64 {
	t.Helper()
	if s := os.Getenv("LAB_SEEDS"); s != "" {
		n, err := strconv.ParseUint(s, 10, 32)
		if err != nil || n == 0 {
			t.Fatalf("LAB_SEEDS=%s is no number of seeds", s)
		}
		return n
	}
	return 200
}

// corpusWords are the words of a corpus as a crawl counts them.
func corpusWords(t *testing.T, dir string) (words []uint64) {
	t.Helper()
	files := documents{}
	err := files.each(t.Context(), dir, func(_ string, page *parse.Page) error {
		words = append(words, page.Words[:min(len(page.Words), mostWords-len(words))]...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return words
}

// tallied gathers how an estimator does over many seeds.
type tallied struct{ n, bias, square, covered, width float64 }

func (a *tallied) add(i stats.Interval, truth float64) {
	e := i.Estimate/truth - 1
	a.n++
	a.bias += e
	a.square += e * e
	a.width += (i.High - i.Low) / 2 / truth
	if i.Contains(truth) {
		a.covered++
	}
}

func (a *tallied) rms() float64 { return 100 * math.Sqrt(a.square/a.n) }

// coverage is that of the interval in percent.
func (a *tallied) coverage() float64 { return 100 * a.covered / a.n }

func (a *tallied) String() string { return fmt.Sprintf("%6.2f %5.1f", a.rms(), a.coverage()) }

// figuresOf are the estimates at one length of a text, with the truth.
type figuresOf struct {
	words            int
	distinct, square float64 // exactly
	once             float64
	estimates        []tallied
}

// estimators are what a report prints of words, and what a sample of keys says.
var estimators = []string{"crawl distinct", "crawl surprise", "site distinct", "site surprise", "sample unique", "sample total"}

const sampledKeys = 1024

func (f *figuresOf) add(crawl, site *stats.Words, sample *stats.Sample) {
	if f.estimates == nil {
		f.estimates = make([]tallied, len(estimators))
	}
	for i, e := range []struct {
		got   stats.Interval
		truth float64
	}{
		{crawl.Distinct(), f.distinct}, {crawl.Surprise(), f.square}, {site.Distinct(), f.distinct}, {site.Surprise(), f.square},
		{sample.Unique(), f.once}, {sample.Total(), float64(f.words)},
	} {
		f.estimates[i].add(e.got, e.truth)
	}
}

// lengths are those at which the estimates are looked at.
func lengths(text []uint64) (at []int) {
	for n := 1000; n < len(text); n *= 3 {
		at = append(at, n, n*3/2)
	}
	at = slices.DeleteFunc(at, func(n int) bool { return n >= len(text) })
	return append(at, len(text))
}

// exactly counts the beginnings of a text.
func exactFigures(text []uint64) (rows []figuresOf) {
	counts, square, once, from := map[uint64]float64{}, 0.0, 0.0, 0
	for _, n := range lengths(text) {
		for _, h := range text[from:n] {
			c := counts[h]
			counts[h]++
			square += 2*c + 1
			switch c {
			case 0:
				once++
			case 1:
				once--
			}
		}
		from = n
		rows = append(rows, figuresOf{words: n, distinct: float64(len(counts)), square: square, once: once / float64(len(counts))})
	}
	return rows
}

// The goal at each point, and what chance takes off it over 200 seeds: two standard errors.
const leastCoverage, ofChance = 92, 3.8

func TestTruthOfCorpora(t *testing.T) {
	least, worst := map[string]float64{}, map[string]float64{}
	mean := map[string]*tallied{}
	t.Logf("rms error and coverage of the 95 %% interval in %%: %v", estimators)
	for _, dir := range corpora(t) {
		text := corpusWords(t, dir)
		rows := exactFigures(text)
		for seed := range corpusSeeds(t) {
			crawl, site := stats.NewWords(stats.Config{Seed: 40_000 + seed}), stats.NewWords(stats.SiteConfig(40_000+seed))
			sample, from := stats.NewSample(sampledKeys, 1, 40_000+seed), 0
			var bag stats.Bag
			for i := range rows {
				part := text[from:rows[i].words]
				from = rows[i].words
				bag.AddAll(part, crawl, site)
				sample.AddAll(part)
				rows[i].add(crawl, site, sample)
			}
		}
		half := filepath.Base(filepath.Dir(dir))
		for _, r := range rows {
			line := ""
			for i := range r.estimates {
				a := &r.estimates[i]
				line += fmt.Sprintf(" | %s", a)
				key := half + " " + estimators[i]
				if c, seen := least[key]; !seen || a.coverage() < c {
					least[key] = a.coverage()
				}
				worst[key] = max(worst[key], a.rms())
				if mean[key] == nil {
					mean[key] = new(tallied)
				}
				mean[key].n++
				mean[key].covered += a.coverage() / 100
				if i < 4 && a.coverage() < leastCoverage-ofChance {
					t.Errorf("%s, %d words: the interval of %s holds in %.1f %%", filepath.Base(dir), r.words, estimators[i], a.coverage())
				}
			}
			t.Logf("%-6s %-10s %8d words, %7.0f different%s", half, filepath.Base(dir), r.words, r.distinct, line)
		}
	}
	for _, half := range []string{"tuned", "held"} {
		for _, name := range estimators {
			if m := mean[half+" "+name]; m != nil {
				t.Logf("%-6s %-15s coverage %.1f %% on average, %.1f at least; rms error %.2f %% at most", half, name, m.coverage(), least[half+" "+name], worst[half+" "+name])
			}
		}
	}
}

// A corpus that several machines have read in parts: sketches of 2 to 8 parts, merged in any
// order, say of the whole what holds within their intervals, and differ little from a sketch of
// the whole.
func TestTruthOfMerges(t *testing.T) {
	const longest = 300_000
	seeds := min(corpusSeeds(t), 100)
	least := 100.0
	for _, dir := range corpora(t) {
		text := corpusWords(t, dir)
		text = text[:min(len(text), longest)]
		rows := exactFigures(text)
		truth := rows[len(rows)-1]
		for _, site := range []bool{false, true} {
			var surprise, distinct, apart tallied
			for seed := range seeds {
				config := stats.Config{Seed: 50_000 + seed}
				if site {
					config = stats.SiteConfig(50_000 + seed)
				}
				whole := stats.NewWords(config)
				whole.AddAll(text)
				merged := mergedParts(t, text, config, rand.New(rand.NewPCG(seed, 3)))
				if merged.N() != whole.N() {
					t.Fatalf("%s: %d words of %d", dir, merged.N(), whole.N())
				}
				surprise.add(merged.Surprise(), truth.square)
				distinct.add(merged.Distinct(), truth.distinct)
				apart.add(merged.Surprise(), whole.Surprise().Estimate)
			}
			t.Logf("%-10s site %-5t surprise %s | distinct %s | from the whole's surprise %.2f %%", filepath.Base(dir), site, &surprise, &distinct, apart.rms())
			least = min(least, surprise.coverage(), distinct.coverage())
			for what, a := range map[string]*tallied{"surprise": &surprise, "distinct": &distinct} {
				if a.coverage() < leastCoverage-5.4 { // two standard errors of 100 seeds
					t.Errorf("%s, site %t: the merged interval of %s holds in %.0f %%", filepath.Base(dir), site, what, a.coverage())
				}
			}
		}
	}
	t.Logf("least coverage %.0f %%", least)
}

// mergedParts deals pages of 1,000 words out to 2 to 8 sketches, and merges them, any two at a
// time.
func mergedParts(t *testing.T, text []uint64, config stats.Config, r *rand.Rand) *stats.Words {
	t.Helper()
	parts := make([]*stats.Words, 2+r.IntN(7))
	for i := range parts {
		parts[i] = stats.NewWords(config)
	}
	var bag stats.Bag
	for page := range slices.Chunk(text, 1000) {
		bag.AddAll(page, parts[r.IntN(len(parts))])
	}
	for len(parts) > 1 {
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		if err := parts[0].Merge(parts[1]); err != nil {
			t.Fatal(err)
		}
		parts = append(parts[:1], parts[2:]...)
	}
	return parts[0]
}
