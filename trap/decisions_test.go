package trap_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/cespare/xxhash/v2"

	"crawler/internal/mazes"
	"crawler/parse"
	"crawler/trap"
	"crawler/weburl"
)

var decisions = flag.Bool("decisions", false, "print the hashes of what the guard decides and learns")

// TestDecisions prints a hash of all that a guard decides, learns and keeps in crawls of the
// judged and the labelled sites: whoever makes it cheaper compares them before and after. The
// events have every page in the sequence in which it was fetched, the form all that is known in
// the end. One guard has all sites of a seed by turns, a few pages of each, so that it goes from
// host to host, and few patterns, so that it forgets some.
//
//	go test ./trap -run TestDecisions -v -args -decisions -seeds 2 -size 400
func TestDecisions(t *testing.T) {
	if !*decisions {
		t.Skip("-decisions is not set")
	}
	for seed := *first; seed < *first+uint64(*seeds); seed++ {
		alone, all := xxhash.New(), append(mazes.Judged(seed, *size), mazes.All(seed, *size)...)
		for _, s := range all {
			l := decided(s, trap.New(trap.Config{}))
			for i := 1; l.until(alone, 100*i) && i < 30; i++ {
			}
			keep(t, alone, l.guard)
		}
		for i, cfg := range []trap.Config{{}, {Patterns: 64}} {
			shared, together := xxhash.New(), trap.New(cfg)
			together.KeepEvents()
			walks := make([]*decider, len(all))
			for i, s := range all {
				walks[i] = decided(s, together)
			}
			for turn := 1; turn <= 60; turn++ {
				for _, l := range walks {
					l.until(shared, 8*turn)
				}
			}
			keep(t, shared, together)
			t.Logf("seed %d: each site %016x, together %d %016x", seed, alone.Sum64(), i, shared.Sum64())
		}
	}
}

// decider is a crawl whose verdicts are hashed.
type decider struct {
	labelled
	fetched, told int
}

func decided(s *mazes.Site, g *trap.Guard) *decider {
	d := &decider{labelled: walkLabelled(s, g)}
	g.KeepEvents()
	d.stays = func(u weburl.URL) bool { return s.Serves(u.Host()) }
	get := d.get
	d.get = func(u weburl.URL) (in parse.Input, status int, ok bool) {
		d.fetched++
		return get(u)
	}
	return d
}

// until crawls until so many pages were fetched, and reports whether there may be more.
func (d *decider) until(h *xxhash.Digest, most int) bool {
	d.run(func() bool { return d.fetched >= most })
	h.Write(d.guard.TakeEvents())
	for _, v := range d.verdicts[d.told:] {
		fmt.Fprintf(h, "%+v", v)
	}
	d.told = len(d.verdicts)
	return d.fetched >= most
}

// keep adds all that the guard knows.
func keep(t *testing.T, h *xxhash.Digest, g *trap.Guard) {
	h.Write(marshal(t, g))
	fmt.Fprint(h, g.Closed())
}
