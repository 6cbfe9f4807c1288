package trap

import (
	"fmt"
	"math"
)

// tally is what decides the order of URLs that are alike.
type tally struct {
	pages       uint32  // fetched
	owes        float32 // never below 0: good pages are no reserve for bad ones
	tries, hits float32 // pages, and what they were worth, at most 1: they decay by sumDecay
}

// charge records a page, and what it has cost and earned.
func (t *tally) charge(cost, earn float32) {
	t.pages++
	t.owes = max(0, t.owes+cost-earn)
}

// try records how much a page was worth, at most 1, and below 0 if it said less than noise.
func (t *tally) try(worth float32) {
	t.tries = t.tries*sumDecay + 1
	t.hits = max(0, t.hits*sumDecay+worth)
}

// credit records what a page has earned that was found on one of these: that is as good as one more
// of them.
func (t *tally) credit(earn float32) {
	t.owes = max(0, t.owes-earn)
	t.hits = min(t.tries, t.hits+min(1, earn))
}

// chance is how likely the next page brings something while some are on their way, by the rule of
// succession: as if two pages more had been worth prior, and by what is owed, as if that were so
// many without worth.
func (t *tally) chance(prior float32, leased int) float32 {
	if t.owes < postponed && 2*t.hits >= t.tries {
		leased = max(0, leased-int(t.pages))
	}
	n := float32(leased)
	return min((t.hits+2*prior)/(t.tries+n+2), 1/(t.owes+n+2))
}

// account is what a pattern's pages have cost and brought. Each page costs 1, and earns its new
// words' share of manyWords, divided by leastNew: a pattern breaks even whose pages have two new
// words on average, or of which one in 40 is wholly new. What it owes decides when its URLs are
// fetched, and whether.
type account struct {
	tally
	kinds     uint32  // of a wide pattern: fine ones that had a page
	spent     float32 // the same, without the cost of pages from while it seemed to end
	news      float32 // its new URLs: a sum that decays by growthDecay with each of its pages
	asked     float32 // the same of its pages
	spellings uint32  // of a fine pattern: of which it had a page
	wellSpelt float32 // what the first of these were worth
	closed    Kind
	probed    bool  // its last look before the end was taken since it closed
	granted   uint8 // URLs that are let through for that
	probing   uint8 // of those, on their way: no part of the state
	turning   int32 // deeper URLs out of turn that are on their way: no part of the state either
}

const (
	// A page costs 1, a copy of which the URL's form was known twice that, unless a program has
	// numbered its pages, and one that is another version of a page next to nothing. It earns by
	// leastNew, or by leastCombined where it selects by parameters or path, since every selection
	// of known things has new neighbours among its words.
	barrenCost    = 1
	copyCost      = 2
	versionCost   = 1. / 16
	leastNew      = 0.025
	leastCombined = 0.16
	growthDecay   = 31. / 32
	leastGrowth   = 0.5 // new URLs a page: a pattern with fewer comes to its end by itself
	settled       = 8   // pages after which a pattern is judged by itself
	postponed     = 2   // owed by a pattern from which on its URLs wait
	suspect       = 16  // owed by a pattern that does not answer for itself, or the budget
	openAt        = 0.5 // of the budget: a closed pattern that owes less opens
	richEarns     = 2   // times what it costs, a page on average of a pattern of which few are read
)

// charge records a page, what it has cost and earned, and whether its links were looked at.
func (a *account) charge(cost, earn float32, read, noEnd bool) {
	a.tally.charge(cost, earn)
	if read {
		a.news *= growthDecay
		a.asked = a.asked*growthDecay + 1
	}
	if !noEnd {
		cost = 0
	}
	a.spent = max(0, a.spent+cost-earn)
}

// credit records what a page has earned that was found on a page of the pattern.
func (a *account) credit(earn float32) {
	a.tally.credit(earn)
	a.spent = max(0, a.spent-earn)
}

// chance is how likely the next page of a pattern brings something while some are on their way. One
// of which nothing is known has a chance of a half.
func (p *pattern) chance(leased int) float32 {
	if p == nil {
		return 1 / float32(leased+2)
	}
	return p.tally.chance(0.5, leased)
}

// kindsChance is how likely a new pattern begins with a page that is worth something, whatever the
// others of the wide pattern owe.
func (a *account) kindsChance(leased int) float32 {
	return (a.hits + 1) / (a.tries + float32(leased) + 2)
}

// ends is twice the chance that a page is a leaf or leads back, at most 1, if such pages lead to
// more and more of them.
func (l *linked) ends() float32 {
	if !l.ownFound() || l.born < mazeBirths*l.links || l.rooted >= mazeRooted*l.links {
		return 1
	}
	return min(1, 2*(l.leaf+l.back+1)/(l.links+2))
}

// rank is the queue in which URLs wait that bring something with a chance. That of a new pattern is
// a half, and its rank 0; two ranks are a halving. From unlikely on every second rank is left out:
// with each that a pattern rises its URLs are judged anew.
func rank(chance float32) uint8 {
	if chance > highChance {
		return 0
	}
	// Twice the chance is fraction * 2^exponent. A logarithm takes a tenth of a verdict.
	fraction, exponent := math.Frexp(float64(2 * chance))
	r := -2 * exponent
	switch {
	case fraction == 0:
		r = mostRank
	case fraction > math.Sqrt2/2:
	case fraction > 0.5:
		r++
	default:
		r += 2
	}
	r = min(mostRank, max(0, r))
	if r > unlikely {
		r += r & 1
	}
	return uint8(r)
}

// highChance is a little more than a half by the square root of two. Above it the rank is 0, as for
// most URLs.
const highChance = 0.3536

// unlikely is the rank of what brings something with a chance of 1 in 32 or less.
const unlikely = 8

const mostRank = 62 // of which the number of pages would be 2^30

// grows reports whether the pattern brings new URLs as fast as they are fetched.
func (a *account) grows() bool { return a.news >= leastGrowth*a.asked }

// why says in words what the latest pages were like.
func (p *pattern) why() string {
	if p.moved >= settled {
		return fmt.Sprintf("the last %d URLs redirected to known pages, or to such as are refused", p.moved)
	}
	why := fmt.Sprintf("of the latest pages %.0f %% were copies; each had %.1f new words", 100*p.copies/max(p.weight, 1), manyWords*p.share/max(p.texts, 1))
	if p.links >= 1 {
		why += fmt.Sprintf("; each led to %.1f new URLs of the kind", p.born/p.links)
	}
	return why
}
