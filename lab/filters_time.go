package lab

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"crawler/weburl"
)

const (
	batchQuestions = 2000                  // of one kind, a round and structure
	batchInserts   = 500                   // a round and structure
	clockEvery     = 16                    // operations between looks at the clock
	batchTime      = 20 * time.Millisecond // after which a batch ends early
)

// time fills the structures and times them. A round asks each structure in turn, so
// that what slows the machine down for a while slows all of them. Insertions are those
// of the last URLs, spread over the rounds: the cost when nearly all are in.
func (c *comparison) time(ctx context.Context, list []*contender, urls []weburl.URL, results []contenderResult) error {
	inserts := min(batchInserts, (len(urls)+1)/2/c.cfg.Rounds)
	ready := len(urls) - inserts*c.cfg.Rounds
	for _, x := range list {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !x.skip {
			fill(x.set, urls[:ready])
		}
	}
	samples := make([][3][]float64, len(list))
	for round := range c.cfg.Rounds {
		for j, x := range list {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !x.skip {
				c.round(x.set, round, urls[:ready], urls[ready+round*inserts:][:inserts], &samples[j])
			}
		}
	}
	for j := range list {
		results[j].insert, results[j].known, results[j].fresh = median(samples[j][0]), median(samples[j][1]), median(samples[j][2])
	}
	return nil
}

// fill adds URLs in whatever way is fastest.
func fill(set remembers, urls []weburl.URL) {
	if s, ok := set.(interface{ AddAll([]weburl.URL) }); ok {
		s.AddAll(urls)
		return
	}
	for _, u := range urls {
		set.Add(u)
	}
}

// round times one batch of each kind: insertions, questions about URLs that are in, and
// about such that are not.
func (c *comparison) round(set remembers, round int, in, insert []weburl.URL, samples *[3][]float64) {
	insert = c.sample(insert, 0, len(insert))
	done, ns := c.batch(len(insert), func(i int) { set.Add(insert[i]) })
	for _, u := range insert[done:] {
		set.Add(u)
	}
	if len(insert) > 0 {
		samples[0] = append(samples[0], ns)
	}
	for i, urls := range [][]weburl.URL{in, c.cfg.Corpus.HeldOut} {
		urls = c.sample(urls, round, batchQuestions)
		_, ns := c.batch(len(urls), func(i int) { c.sink = set.Has(urls[i]) })
		samples[1+i] = append(samples[1+i], ns)
	}
}

// sample returns up to n of the URLs, spread over all of them, other ones each round,
// in random order: a batch may end early, and linear search finds the first ones soon.
// They are copies, as a URL is that was just found on a page: in the processor's
// caches, and not the very string that a structure holds.
func (c *comparison) sample(urls []weburl.URL, round, n int) []weburl.URL {
	n = min(n, len(urls))
	list := make([]weburl.URL, n)
	for i := range list {
		list[i] = urls[(i*len(urls)+round*len(urls)/c.cfg.Rounds)/n%len(urls)].Clone()
	}
	rnd := rand.New(rand.NewPCG(c.cfg.Seed, uint64(round)))
	rnd.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// batch times up to n operations and returns how many there were and the nanoseconds of
// one.
func (c *comparison) batch(n int, op func(i int)) (done int, ns float64) {
	if n == 0 {
		return 0, 0
	}
	start := c.cfg.Now()
	took := time.Duration(0)
	for done < n && took < batchTime {
		for end := min(done+clockEvery, n); done < end; done++ {
			op(done)
		}
		took = c.cfg.Now().Sub(start)
	}
	return done, float64(took.Nanoseconds()) / float64(done)
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
