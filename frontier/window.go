package frontier

import (
	"math"
	"time"
)

// window is how many requests to one address may be in flight, and how long the least gap between
// two of them is, found from how soon the address answers.
//
// Requests that a server cannot take on yet wait for each other there, and then all answers take
// longer. Whether they do is seen in rounds of some answers each, by the mean of their times'
// logarithms, which pages of different cost do not upset. At first the window doubles
// each round, until answers get slower. Then, and whenever they do later, a round at half of it
// tells whether they are slow from the crawl: if the address answers those sooner, the window
// shrinks. It is always compared with rounds just before, since what an idle server would take is
// not known, and changes with its pages. An address that was slow from the crawl rests at half the
// window three rounds of four, until it was not slower in several full ones.
type window struct {
	size     float64 // requests in flight in a full round
	least    float64
	most     float64 // Config.PerIP
	gap      time.Duration
	leastGap time.Duration // Config.IPDelay

	growing   bool    // twofold, since it never was too large
	resting   int     // rounds at half the window that are to come
	calm      int     // full rounds in a row that were not slower, up to calmRounds
	reference float64 // mean that the next full round is compared with, in log2 of ns; 0 for none
	suspect   float64 // of a full round that was slower, until one at half was seen; 0 for none
	doubts    int     // 1 if a round at half was sooner than a full one, the last time

	// The present round, of requests that began since it is settled: the window is full, or had
	// the time to be.
	began   time.Time // of the requests that count, or since when it settles
	settled bool
	answers int
	bad     int     // of these, answers that the host cannot now, or none
	waited  int     // requests that had to wait for the window or the gap
	sum     float64 // of the log2 of the answers' times, unfelt added to each
	last    float64 // mean of the round before
}

const (
	// firstSize and firstGap are what is asked of an address that nothing is known of: 40
	// requests a second.
	firstSize = 16
	firstGap  = 25 * time.Millisecond
	// leastSize is the smallest window, one request at half of it.
	leastSize = 2
	// growth is how many times larger a window gets each round at first, and gapGrowth how many
	// times shorter the gap.
	growth    = 2
	gapGrowth = 4
	// slower is how much longer answers must take to count as slower, as a log2: half as long
	// again. The mean of 16 answers that differ tenfold is that far off once in eight times.
	slower = 0.585
	// far is the same of a window whose half is too large, too.
	far = 0.9
	// restRounds is how many rounds at half the window precede each full one.
	restRounds = 3
	// calmRounds is how many full rounds in a row must not be slower for the rests to end.
	calmRounds = 4
	// A round has at least half as many answers as the window has requests, within these bounds;
	// the first one half as many as the least, lest those that come while the queue grows hide it.
	leastRound = 16
	mostRound  = 64
	// unfelt is how much longer answers may take without being felt: a server that answers in a
	// millisecond is not busy when it takes three, and a machine that is, the crawler's own
	// included, makes all answers some milliseconds late.
	unfelt = 50 * time.Millisecond
	// roundTime is how long a round takes at least: a machine that was busy for a moment, this one
	// included, makes all answers of that moment late.
	roundTime = 250 * time.Millisecond
)

func newWindow(cfg *Config) window {
	most := float64(cfg.PerIP)
	w := window{
		most: most, least: min(max(leastSize, float64(cfg.PerHost)), most), growing: true, settled: true,
		gap: max(min(firstGap, cfg.Delay), cfg.IPDelay), leastGap: cfg.IPDelay,
	}
	w.size = min(max(firstSize, w.least), most)
	return w
}

// limit returns how many requests may be in flight now.
func (w *window) limit() int {
	switch {
	case w.most == 0:
		return math.MaxInt
	case w.resting > 0:
		return max(1, int(w.size/2))
	}
	return int(w.size)
}

// entered counts a request, with which so many are in flight.
func (w *window) entered(flying int, now time.Time, waited bool) {
	if !w.settled && flying >= w.limit() {
		w.begin(now, true)
	}
	if waited {
		w.waited++
	}
}

func (w *window) begin(now time.Time, settled bool) {
	w.began, w.settled, w.answers, w.bad, w.waited, w.sum = now, settled, 0, 0, 0, 0
}

// answered takes in how an attempt ended that began at started: after so long, or badly. A round
// in which most requests did not have to wait says nothing about the window.
func (w *window) answered(started, now time.Time, latency time.Duration, bad bool) {
	if w.most == 0 || latency <= 0 && !bad {
		return
	}
	if !w.settled && now.Sub(w.began) > 2*time.Duration(math.Exp2(w.last)) {
		w.begin(now, true)
	}
	if !w.settled || started.Before(w.began) {
		return
	}
	if w.answers++; bad {
		w.bad++
	} else {
		w.sum += math.Log2(float64(latency + unfelt))
	}
	if refused := 2*w.bad >= w.round(); !refused && (w.answers < w.round() || now.Sub(w.began) < roundTime) {
		return
	}
	before := w.limit()
	if 2*w.waited >= w.answers {
		w.last = w.sum / float64(max(w.answers-w.bad, 1))
		w.judge(w.last, 2*w.bad >= w.answers)
		w.pace()
	}
	w.begin(now, w.limit() == before)
}

// round returns how many answers the present round has.
func (w *window) round() int {
	if w.reference == 0 {
		return leastRound / 2
	}
	return min(max(leastRound, w.limit()/2), mostRound)
}

// judge ends a round. bad says that the hosts could not answer half of the requests.
func (w *window) judge(mean float64, bad bool) {
	switch {
	case bad:
		w.shrink(2)
	case w.reference == 0:
		w.reference = mean
	case w.resting > 0:
		w.rested(mean)
	case !w.growing && w.calm < calmRounds:
		w.compare(mean)
	case mean > w.reference+slower:
		w.suspect, w.resting = mean, 1
	default:
		w.grow(mean)
	}
}

// grow makes the window larger, since the address is not slow from it.
func (w *window) grow(mean float64) {
	if w.doubts = 0; !w.growing {
		w.reference += (mean - w.reference) / 8
		w.scale(5.0 / 4)
		return
	}
	w.reference = mean
	w.gap = max(w.gap/gapGrowth, w.leastGap)
	if w.scale(growth); w.size >= w.most {
		w.growing, w.calm = false, calmRounds
	}
}

// rested ends a round at half the window.
func (w *window) rested(mean float64) {
	w.resting--
	if w.suspect == 0 {
		if w.resting < restRounds-1 { // the slowest counts, in case that something else was
			mean = max(mean, w.reference)
		}
		w.reference = mean
		return
	}
	longer := w.suspect - mean
	w.reference, w.suspect = w.suspect, 0
	switch {
	case longer <= slower: // it answers as slowly without us
		w.doubts = 0
	case w.growing:
		w.shrink(growth)
	case w.doubts == 0: // once may be chance
		w.doubts, w.reference = 1, mean
	default:
		w.shrinkBy(longer)
	}
}

// compare ends a full round after some at half the window.
func (w *window) compare(mean float64) {
	if longer := mean - w.reference; longer > slower {
		w.shrinkBy(longer)
		return
	}
	w.scale(5.0 / 4)
	if w.calm++; w.calm < calmRounds {
		w.resting = restRounds
	}
}

// shrinkBy is shrink by how much longer answers took at the full window.
func (w *window) shrinkBy(longer float64) {
	if longer > far {
		w.shrink(2)
	} else {
		w.shrink(4.0 / 3)
	}
}

// shrink makes the window smaller, since the address is slow from the crawl.
func (w *window) shrink(times float64) {
	w.scale(1 / times)
	w.growing, w.calm, w.resting, w.suspect, w.doubts = false, 0, restRounds, 0, 0
}

func (w *window) scale(factor float64) { w.size = min(max(w.size*factor, w.least), w.most) }

// pace spreads the requests that the window allows, so that they do not come at once: over half
// the time of an answer, and where the address was slow from the crawl over more than all of it.
// Then the server has some time for others even if one request at a time is all that it can do.
func (w *window) pace() {
	if w.growing || w.last <= 0 {
		return
	}
	gap := max(math.Exp2(w.last)-float64(unfelt), 0) / float64(w.limit())
	if w.calm < calmRounds {
		gap *= 1.25
	} else {
		gap /= 2
	}
	w.gap = max(time.Duration(gap), w.leastGap)
}
