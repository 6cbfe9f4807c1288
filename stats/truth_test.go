package stats

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"unicode"

	"crawler/internal/splitmix"
)

// What the tests hold the estimators against, and the streams they do it on.
// STATS_LONG=1 (make truth) runs them on 200 to 2,000 seeds and up to 10^7 words;
// STATS_TEXT=PATH takes a real text instead of a generated one, a file or all
// files of a directory.

// seeds returns the number of seeds to try. Every band below is a multiple of the deviation
// that chance has over that many: with 100 a bias of 0.4 deviations of one estimate is seen,
// and an error of 1.25 times what theory gives.
func seeds() uint64 {
	switch {
	case testing.Short():
		return 20
	case os.Getenv("STATS_LONG") != "":
		return 2000
	}
	return 100
}

// tableSeeds is seeds for the tables, whose cells are many: 200 at most.
func tableSeeds() uint64 { return min(seeds(), 200) }

// fewSeeds is seeds where each takes long: 20, or 200 in make truth.
func fewSeeds() uint64 {
	if os.Getenv("STATS_LONG") == "" {
		return 20
	}
	return tableSeeds()
}

// upTo returns the sizes 1, 10, 100 and so on that a test should try.
func upTo() []int {
	sizes := []int{1, 10, 100, 1000, 10_000, 100_000}
	if os.Getenv("STATS_LONG") != "" && !testing.Short() {
		return append(sizes, 1_000_000, 10_000_000)
	}
	return sizes
}

// different returns n different hashes.
func different(n int) []uint64 {
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = splitmix.Finish(uint64(i) + 1)
	}
	return hashes
}

// language draws words as a language does, by the law of Zipf and Mandelbrot:
// word r has weight (r + 5)^-1.2 up to rank 2,000 and falls faster beyond. So
// 10,000 words hold about 2,100 different ones, a million 22,000, and the
// repeat rate is 0.009, much as in the documentation of a program. Drawing is
// by Walker's alias method.
type language struct {
	alias []int32
	share []float64
}

var english = sync.OnceValue(func() *language {
	weights := make([]float64, 400_000)
	for i := range weights {
		r := float64(i + 1)
		weights[i] = math.Pow(r+5, -1.2)
		if r > 2000 {
			weights[i] *= math.Pow(r/2000, -0.8)
		}
	}
	return newLanguage(weights)
})

func newLanguage(weights []float64) *language {
	var total float64
	for _, w := range weights {
		total += w
	}
	l := &language{make([]int32, len(weights)), make([]float64, len(weights))}
	var small, large []int32
	for i, w := range weights {
		l.share[i] = w / total * float64(len(weights))
		if l.share[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, g := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		l.alias[s] = g
		if l.share[g] -= 1 - l.share[s]; l.share[g] < 1 {
			large = large[:len(large)-1]
			small = append(small, g)
		}
	}
	for _, i := range append(small, large...) {
		l.share[i] = 1
	}
	return l
}

// text returns the hashes of n words.
func (l *language) text(n int, seed uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, 1))
	hashes := make([]uint64, n)
	for i := range hashes {
		w := int32(r.IntN(len(l.share)))
		if r.Float64() >= l.share[w] {
			w = l.alias[w]
		}
		hashes[i] = splitmix.Finish(uint64(w) + 1)
	}
	return hashes
}

// realText returns the hashes of the words of the file STATS_TEXT names, or of
// all files of the directory, if any.
func realText(t testing.TB) []uint64 {
	name := os.Getenv("STATS_TEXT")
	if name == "" {
		return nil
	}
	var hashes []uint64
	err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		hashes = append(hashes, wordsOf(string(data))...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hashes
}

// longText returns the real text, or n words of a generated one, fewer
// when there is little time and a million when there is much.
func longText(t *testing.T, words int) (name string, text []uint64) {
	if text := realText(t); text != nil {
		return "real text", text
	}
	if testing.Short() {
		words /= 10
	} else if os.Getenv("STATS_LONG") != "" {
		words = max(words, 1_000_000)
	}
	return "generated text", english().text(words, 1)
}

// wordsOf returns the hashes of the words of a text, maximal runs of letters,
// marks and digits.
func wordsOf(text string) (hashes []uint64) {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h, inside := uint64(offset), false
	for _, r := range text + " " {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) {
			h, inside = (h^uint64(unicode.ToLower(r)))*prime, true
		} else if inside {
			hashes = append(hashes, splitmix.Finish(h))
			h, inside = offset, false
		}
	}
	return hashes
}

// exactCounts counts a stream.
func exactCounts(hashes []uint64) *Exact {
	var e Exact
	e.AddAll(hashes)
	return &e
}

// sizesOf returns the lengths of a text at which to look at the estimates.
func sizesOf(text []uint64) (sizes []int) {
	for n := 3000; n < len(text); n = n * 10 / 3 {
		sizes = append(sizes, n)
	}
	return append(sizes, len(text))
}

// truthsOf returns the true figures of the beginnings of a text.
func truthsOf(text []uint64, sizes []int) (truths []Figures) {
	var e Exact
	for _, size := range sizes {
		e.AddAll(text[e.Total():size])
		truths = append(truths, Figures{float64(size), float64(e.Distinct()), e.Surprise()})
	}
	return truths
}

// tally gathers how an estimator does over many seeds.
type tally struct{ n, bias, square, covered float64 }

func (a *tally) add(i Interval, truth float64) {
	e := i.Estimate/truth - 1
	a.n++
	a.bias += e
	a.square += e * e
	if i.Contains(truth) {
		a.covered++
	}
}

func (a *tally) merge(b tally) {
	a.n += b.n
	a.bias += b.bias
	a.square += b.square
	a.covered += b.covered
}

func (a tally) meanError() float64 { return a.bias / a.n }
func (a tally) rms() float64       { return math.Sqrt(a.square / a.n) }
func (a tally) coverage() float64  { return a.covered / a.n }

func (a *tally) String() string {
	return fmt.Sprintf("%6.2f %6.2f %6.1f", 100*a.meanError(), 100*a.rms(), 100*a.coverage())
}

// checkCoverage demands that 95 % intervals cover 92 to 98 %, give or take
// what chance does once in a thousand cells.
func (a tally) checkCoverage(t *testing.T, what string) {
	t.Helper()
	a.checkCoverageOf(t, what, 0.92, 0.98)
}

// checkCoverageOf demands a coverage between low and high, by the binomial test.
func (a tally) checkCoverageOf(t *testing.T, what string, low, high float64) {
	t.Helper()
	if atMost(a.covered, a.n, low) < 1e-3 || high < 1 && atMost(a.n-a.covered, a.n, 1-high) < 1e-3 {
		t.Errorf("%s: intervals cover %.0f of %.0f, want %.0f to %.0f %%", what, a.covered, a.n, 100*low, 100*high)
	}
}

// checkRMS demands a relative error of at most limit, give or take chance.
func (a tally) checkRMS(t *testing.T, what string, limit float64) {
	t.Helper()
	if r := a.rms(); r > limit*(1+2/math.Sqrt(2*a.n)) {
		t.Errorf("%s: rms error %.2f %%, want at most %.2f", what, 100*r, 100*limit)
	}
}

// checkBias demands that the mean error is within four standard errors of 0, or
// below 0.1 %.
func (a tally) checkBias(t *testing.T, what string) {
	t.Helper()
	if b := a.meanError(); math.Abs(b) > 0.001+4*a.rms()/math.Sqrt(a.n) {
		t.Errorf("%s: bias %.2f %%", what, 100*b)
	}
}
