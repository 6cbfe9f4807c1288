package stats

import (
	"math"
	"math/bits"

	"crawler/internal/splitmix"
)

// registers are the K maxima of Flajolet and Martin.
type registers struct {
	run  []uint8            // the longest run of zeros at each register
	many [maxRun + 1]uint32 // many[r] registers hold r
	log  uint               // K = 2^log
	used bool               // a word was added

	// least is the smallest register and pass the largest mixed hash whose
	// first arrival may still raise one.
	least int
	pass  uint64

	// chance is the sum of -ln(1 - 2^-(R+1)) over the registers, with 48 bits
	// after the point: a new word leaves all of them alone with probability
	// e^-chance.
	chance uint64
}

// maxRun is the longest run of zeros a register can hold. A run of 60 needs
// about 10^18 different words.
const maxRun = 60

func newRegisters(k int) *registers {
	r := &registers{run: make([]uint8, k), log: uint(bits.Len(uint(k)) - 1)}
	r.many[0] = uint32(k)
	r.chance = uint64(k) * tail(1)
	r.lift()
	return r
}

// registersOf returns registers that hold the given runs, each at most maxRun.
func registersOf(run []uint8) *registers {
	r := newRegisters(len(run))
	copy(r.run, run)
	r.many, r.chance, r.used = [maxRun + 1]uint32{}, 0, true
	for _, i := range run {
		r.many[i]++
		r.chance += tail(int(i) + 1)
	}
	r.lift()
	return r
}

// tail returns -ln(1 - 2^-i) with 48 bits after the point.
func tail(i int) uint64 { return tails[i] >> 16 }

// reach returns K times -ln(1 - 2^-i) with 48 bits after the point: the hashes
// of arrivals up to there end in i zeros.
func (r *registers) reach(i int) uint64 { return tails[i] >> (16 - r.log) }

// scatter draws the arrivals of one word up to limit, as far as they matter,
// and reports whether they raised a register. It is deterministic: the same
// word always arrives at the same times and registers.
func (r *registers) scatter(v, limit uint64) (changed bool) {
	limit = min(limit, r.reach(r.least+1))
	state := v
	for at := exponential(v); at <= limit; at += exponentialGap(v) {
		if j := v * splitmix.Golden >> (64 - r.log); at <= r.reach(int(r.run[j])+1) && r.raise(int(j), r.runOf(at)) {
			limit = min(limit, r.reach(r.least+1))
			changed = true
		}
		state += splitmix.Golden
		v = splitmix.Finish(state)
	}
	r.used = true
	return changed
}

// noLimit lets scatter go as far as any register can be raised.
const noLimit = math.MaxUint64

// scatterAll adds many words to empty registers. When enough words come
// together, no arrival counts that stands for a run shorter than a certain
// length, as longer ones will reach every register; so the words are scattered
// that far first, and again without limit in the unlikely case that it was not
// enough.
func (r *registers) scatterAll(words []uint64) {
	enough := float64(r.log)*math.Ln2 + 3 // e^-enough·K = 5 % of these cases
	run := 0
	for ; float64(len(words)) >= math.Ldexp(enough, run+1); run++ {
	}
	if run > 0 {
		for _, v := range words {
			r.scatter(v, r.reach(run))
		}
	}
	if run > 0 && r.least >= run-1 {
		return
	}
	for _, v := range words {
		r.scatter(v, noLimit)
	}
}

// runOf returns the run of zeros an arrival stands for.
func (r *registers) runOf(at uint64) uint8 {
	i := min(48+int(r.log)-bits.Len64(at), maxRun)
	if i < maxRun && at <= r.reach(i+1) {
		i++
	}
	return uint8(i)
}

// raise sets register j to run, if that is longer than what it holds.
func (r *registers) raise(j int, run uint8) bool {
	old := r.run[j]
	if run <= old {
		return false
	}
	r.run[j] = run
	r.many[old]--
	r.many[run]++
	r.chance -= tail(int(old)+1) - tail(int(run)+1)
	if r.many[r.least] == 0 {
		r.lift()
	}
	return true
}

// lift brings least and pass up to date.
func (r *registers) lift() {
	for r.many[r.least] == 0 {
		r.least++
	}
	limit := r.reach(r.least + 1)
	r.pass = 0
	for bit := uint64(1) << 63; bit > 0; bit >>= 1 {
		if exponential(r.pass|bit) <= limit {
			r.pass |= bit
		}
	}
}

// merge takes the maximum of each pair of registers.
func (r *registers) merge(o *registers) {
	r.used = r.used || o.used
	for j, run := range o.run {
		r.raise(j, run)
	}
}

// likelihood returns the maximum-likelihood estimate and its interval.
func (r *registers) likelihood() Interval {
	switch {
	case !r.used:
		return exactly(0)
	case r.many[0] == uint32(len(r.run)): // one word does that, hardly ever two
		return exactly(1)
	}
	n := r.mostLikely()
	_, information := r.score(n)
	return logInterval(n, 1/math.Sqrt(information))
}

// mostLikely solves score(n) = 0 by Newton's method. The score is a convex
// falling function of n, so steps from below the root never pass it; a step
// from above may, and is cut to half of n.
func (r *registers) mostLikely() float64 {
	n := 0.5 * float64(len(r.run)) / math.Ldexp(float64(max(r.chance, 1)), -48)
	for range 100 {
		score, information := r.score(n)
		step := score / information
		n = max(n+step, n/2)
		if math.Abs(step) <= 1e-9*n {
			break
		}
	}
	return n
}

// score returns the first derivative of the log-likelihood at n and the
// negative second one, the observed information. A register holding R
// contributes ln(e^(-n·t) - e^(-n·(t+d))), where t = -ln(1 - 2^-(R+1)) and
// t+d = -ln(1 - 2^-R), which is infinite for R = 0.
func (r *registers) score(n float64) (score, information float64) {
	for run, many := range r.many {
		if many == 0 {
			continue
		}
		t := math.Ldexp(float64(tails[run+1]), -64)
		score -= float64(many) * t
		if run == 0 {
			continue
		}
		d := math.Ldexp(float64(tails[run]-tails[run+1]), -64)
		rest := math.Expm1(n * d)
		score += float64(many) * d / rest
		information += float64(many) * d * d / rest * (1 + 1/rest)
	}
	return score, information
}

// martingale adds up the inverse chances of change.
type martingale struct {
	count    float64
	variance float64 // an unbiased estimate of the count's variance
	over     bool    // registers were merged in, which it has not seen change
}

// step records that the registers changed, when a new word would have left
// them alone with probability e^-chance.
func (m *martingale) step(chance uint64) {
	p := -math.Expm1(-math.Ldexp(float64(max(chance, 1)), -48))
	m.count += 1 / p
	m.variance += (1 - p) / (p * p)
}

func (m *martingale) interval() Interval { return logInterval(m.count, math.Sqrt(m.variance)) }
