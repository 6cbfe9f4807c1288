package stats

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
)

// TestDistinctTruthTable prints how the three estimators of Distinct do at the
// default size, over 100 seeds and sizes a factor of about three apart, up to
// 10^5, and with STATS_LONG=1 over 200 and up to 10^7, and holds them against theory.
func TestDistinctTruthTable(t *testing.T) {
	sizes := halfDecades()
	words := different(sizes[len(sizes)-1])
	rows := make([]distinctRow, len(sizes))
	trials := tableSeeds()
	for seed := range trials {
		d, n := NewDistinct(0, 1000+seed), 0
		for i, size := range sizes {
			d.AddAll(words[n:size])
			n = size
			rows[i].add(d, float64(n))
		}
	}
	t.Logf("K = %d, %d seeds; bias, rms error and coverage of the 95 %% interval in %%", DefaultRegisters, trials)
	t.Logf("%10s | %20s | %20s | %14s", "different", "maximum likelihood", "martingale", "group median/c")
	var all distinctRow
	for i, r := range rows {
		t.Logf("%10d | %s | %s | %6.2f %6.2f", sizes[i], &r.ml, &r.martingale, 100*r.group.meanError(), 100*r.group.rms())
		r.check(t, sizes[i])
		if sizes[i] > DefaultRegisters/2 {
			all.merge(r)
		}
	}
	t.Logf("%10s | %s | %s | %6.2f %6.2f", "registers", &all.ml, &all.martingale, 100*all.group.meanError(), 100*all.group.rms())
	all.ml.checkPool(t, "maximum likelihood", 0.018, trials)
	all.martingale.checkPool(t, "martingale", 0.014, trials)
}

// halfDecades returns 1, 3, 10, 30 and so on.
func halfDecades() (sizes []int) {
	most := 100_000
	if os.Getenv("STATS_LONG") != "" {
		most = 10_000_000
	}
	for n := 1; n < most; n *= 10 {
		sizes = append(sizes, n, 3*n)
	}
	return append(sizes, most)
}

// distinctRow is how the estimators of Distinct do at one size.
type distinctRow struct{ ml, martingale, group tally }

func (r *distinctRow) add(d *Distinct, truth float64) {
	r.ml.add(d.MaximumLikelihood(), truth)
	m, _ := d.Martingale()
	r.martingale.add(m, truth)
	r.group.add(exactly(d.GroupMedian()/GroupBias), truth)
}

func (r *distinctRow) merge(o distinctRow) {
	r.ml.merge(o.ml)
	r.martingale.merge(o.martingale)
	r.group.merge(o.group)
}

// check holds a row against theory: the information in K registers, the
// martingale's 0.82/√K, and 3.5/√K for the source's combination.
func (r *distinctRow) check(t *testing.T, n int) {
	const k = DefaultRegisters
	what := fmt.Sprintf("n=%d", n)
	r.ml.checkCell(t, what+", maximum likelihood", likelihoodError(n, k))
	if n <= k/2 {
		if r.martingale.rms() != 0 || r.martingale.coverage() != 1 {
			t.Errorf("%s: not exact", what)
		}
		return
	}
	r.martingale.checkCell(t, what+", martingale", 0.82/math.Sqrt(k))
	limit := 3.5 / math.Sqrt(k) // the median wobbles with n by 1 %, as values are powers of two
	if rms := r.group.rms(); rms > 0.01+limit*(1+4/math.Sqrt(2*r.group.n)) || rms < limit/2 {
		t.Errorf("%s: rms error of the group median %.2f %%, want %.2f", what, 100*rms, 100*limit)
	}
}

// likelihoodError returns the relative standard error that no unbiased estimate
// from k registers can beat, by Cramér and Rao: with F(i) = P(R <= i) =
// (1 - 2^-(i+1))^n the information of one register is the sum over i of
// (dF(i)/dn - dF(i-1)/dn)²/(F(i) - F(i-1)).
func likelihoodError(n, k int) float64 {
	var information, before, slopeBefore float64
	for i := 1; i <= maxRun; i++ {
		log := math.Log1p(-math.Ldexp(1, -i))
		f := math.Exp(float64(n) * log)
		slope := f * log
		if p := f - before; p > 1e-300 {
			information += (slope - slopeBefore) * (slope - slopeBefore) / p
		}
		before, slopeBefore = f, slope
	}
	return 1 / (float64(n) * math.Sqrt(float64(k)*information))
}

// TestSurpriseTruthTable prints how Surprise does with its default head and
// rows, at the lengths of a growing text, and of one with so many words that
// the tail matters.
func TestSurpriseTruthTable(t *testing.T) {
	name, text := longText(t, 100_000)
	surpriseTable(t, name, text)
	pages := 30 // of 1,000 words
	if os.Getenv("STATS_LONG") != "" {
		pages = 300
	}
	surpriseTable(t, "100,000 words by 1/√r", slices.Concat(zipfText(pages, 0.5, 1)...))
}

func surpriseTable(t *testing.T, name string, text []uint64) {
	sizes := sizesOf(text)
	rows := make([]surpriseRow, len(sizes))
	for i, size := range sizes {
		rows[i].exact = exactCounts(text[:size])
		rows[i].truth = rows[i].exact.Surprise()
	}
	for seed := range tableSeeds() {
		s, n := NewSurprise(DefaultHead, DefaultTail, 1000+seed), 0
		for i, size := range sizes {
			s.AddAll(text[n:size])
			n = size
			rows[i].add(s)
			if s.Bytes() > 128<<10 {
				t.Fatalf("%d bytes after %d words", s.Bytes(), n)
			}
		}
	}
	var all tally
	t.Logf("%s; bias, rms error and coverage of the 95 %% interval in %%; rms error by theory", name)
	for i, r := range rows {
		theory := math.Sqrt(r.variance / r.n)
		t.Logf("%10d words, %8d different | %s | %6.2f", sizes[i], r.exact.Distinct(), &r.tally, 100*theory)
		r.checkTheory(t, fmt.Sprintf("%s, n=%d", name, sizes[i]), theory)
		if r.rms() > 0 { // else it is exact
			all.merge(r.tally)
		}
	}
	if all.n > 0 {
		t.Logf("%10s %30s | %s", "all", "", &all)
		all.checkCoverage(t, name)
	}
}

// surpriseRow is how Surprise does at one length, and the sum of the variances
// that theory gives.
type surpriseRow struct {
	tally
	variance float64
	exact    *Exact
	truth    float64 // exact.Surprise()
}

// add also adds the variance of the mean of the rows: 2(F2² - F4) of the tail's words over the
// number of counters.
func (r *surpriseRow) add(s *Surprise) {
	r.tally.add(s.Estimate(), r.truth)
	var second, fourth float64
	for h, count := range r.exact.counts {
		v, m := mix(h, s.key)&s.known, float64(count)
		_, inFront := s.front.find(v)
		if _, inBack := s.back.look(v); !inFront && !inBack {
			second += m * m
			fourth += m * m * m * m
		}
	}
	r.variance += 2 * (second*second - fourth) / float64(tailRows*s.tail.width) / (r.truth * r.truth)
}

// checkCell demands of one size's trials the rms error of theory and 92 to 98 %
// coverage, give or take what chance does once in a thousand cells.
func (a *tally) checkCell(t *testing.T, what string, theory float64) {
	t.Helper()
	a.checkTheory(t, what, theory)
	a.checkCoverage(t, what)
}

// checkTheory demands no bias and the rms error of theory.
func (a *tally) checkTheory(t *testing.T, what string, theory float64) {
	t.Helper()
	const seldom = 3.3 // standard deviations
	if limit := theory * (1.01 + seldom/math.Sqrt(2*a.n)); a.rms() > limit {
		t.Errorf("%s: rms error %.2f %%, theory says %.2f, limit %.2f", what, 100*a.rms(), 100*theory, 100*limit)
	}
	if bias := math.Abs(a.meanError()); bias > 0.001+seldom*theory/math.Sqrt(a.n) {
		t.Errorf("%s: bias %.2f %%", what, 100*a.meanError())
	}
}

// checkPool demands an rms error of at most limit and 92 to 98 % coverage over
// all sizes. With all 200 seeds it leaves nothing to chance; with fewer, what
// they do, as the sizes of one seed belong together.
func (a *tally) checkPool(t *testing.T, what string, limit float64, trials uint64) {
	t.Helper()
	slack, chance := 1.0, 0.0
	if trials < 200 {
		slack, chance = 1+2/math.Sqrt(2*float64(trials)), 3*math.Sqrt(0.95*0.05/float64(trials))
	}
	if a.rms() > limit*slack {
		t.Errorf("%s: rms error %.2f %% of all, want at most %.2f", what, 100*a.rms(), 100*limit)
	}
	if c := a.coverage(); c < 0.92-chance || c > 0.98+chance {
		t.Errorf("%s: intervals cover %.1f %% of all, want 92 to 98", what, 100*c)
	}
}

// atMost returns the probability of at most k successes in n trials of chance
// p.
func atMost(k, n, p float64) (sum float64) {
	all, _ := math.Lgamma(n + 1)
	for i := 0.0; i <= k; i++ {
		chosen, _ := math.Lgamma(i + 1)
		left, _ := math.Lgamma(n - i + 1)
		sum += math.Exp(all - chosen - left + i*math.Log(p) + (n-i)*math.Log1p(-p))
	}
	return sum
}
