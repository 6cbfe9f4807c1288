package frontier

import (
	"math/rand/v2"
	"slices"
	"testing"

	"crawler/weburl"
)

// shardedDepths are several Depths of one crawl, each for its own URLs, and what is on its way
// between them.
type shardedDepths struct {
	t        *testing.T
	links    [][]link
	shards   []*Depths
	ready    []int // pages that were admitted and are not fetched yet
	admitted map[int]int
	posts    []Item // to their owners, in any sequence
}

func (s *shardedDepths) owner(u weburl.URL) int { return number(s.t, u) % len(s.shards) }

// take admits what is owned by the shard that has found it, and posts the rest.
func (s *shardedDepths) take(shard int, items []Item) {
	for _, it := range items {
		if s.owner(it.URL) != shard {
			s.posts = append(s.posts, it)
			continue
		}
		id := number(s.t, it.URL)
		s.admitted[id]++
		s.ready = append(s.ready, id)
	}
}

// fetch reports the links of a page to its owner's Depths.
func (s *shardedDepths) fetch(p int) {
	u := page(s.t, p)
	shard := s.owner(u)
	for _, l := range s.links[p] {
		s.take(shard, s.shards[shard].Link(u, page(s.t, l.to), l.length))
	}
}

// deliver brings a post to its owner, which keeps its Depths over a restart now and then.
func (s *shardedDepths) deliver(it Item) {
	shard := s.owner(it.URL)
	via, err := weburl.Parse(it.Via)
	if err != nil {
		s.t.Fatal(err)
	}
	s.take(shard, s.shards[shard].Arrive(it.URL, via, it.Depth))
}

// Depths that tell each other what comes nearer admit the URLs within the limit, each once by its
// owner, with the true depths, in whatever sequence pages complete and posts arrive, some twice.
func TestDepthsOfSeveralShards(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 17))
		n, limit := 2+rng.IntN(40), rng.IntN(6)
		s := &shardedDepths{t: t, links: randomGraph(rng, n), shards: make([]*Depths, 2+rng.IntN(3)), admitted: map[int]int{}}
		journals := make([][]byte, len(s.shards))
		fresh := func(i int) *Depths {
			d := NewDepths(limit)
			d.Foreign = func(u weburl.URL) bool { return s.owner(u) != i }
			return d
		}
		for i := range s.shards {
			s.shards[i] = fresh(i)
			s.shards[i].KeepEvents()
		}
		s.take(0, s.shards[0].Seed(page(t, 0)))
		for len(s.ready)+len(s.posts) > 0 {
			switch i := rng.IntN(len(s.ready) + len(s.posts)); {
			case i < len(s.ready):
				p := s.ready[i]
				s.ready = slices.Delete(s.ready, i, i+1)
				s.fetch(p)
			default:
				i -= len(s.ready)
				it := s.posts[i]
				if rng.IntN(5) > 0 { // else it comes once more
					s.posts = slices.Delete(s.posts, i, i+1)
				}
				s.deliver(it)
			}
			if i := rng.IntN(len(s.shards)); rng.IntN(10) == 0 { // it begins again
				journals[i] = append(journals[i], s.shards[i].TakeEvents()...)
				s.shards[i] = fresh(i)
				if err := s.shards[i].Replay(journals[i]); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				s.shards[i].KeepEvents()
			}
		}
		s.check(seed, trueDepths(s.links, limit))
	}
}

func (s *shardedDepths) check(seed uint64, want map[int]int) {
	for id := range s.links {
		u := page(s.t, id)
		depth, reachable := want[id]
		if s.admitted[id] > 1 || (s.admitted[id] == 1) != reachable {
			s.t.Fatalf("seed %d: page %d admitted %d times; within the limit: %v", seed, id, s.admitted[id], reachable)
		}
		if d := s.shards[s.owner(u)]; reachable && d.Depth(u) != depth {
			s.t.Fatalf("seed %d: page %d at depth %d, want %d", seed, id, d.Depth(u), depth)
		}
	}
	for i, d := range s.shards {
		d.TooDeep(func(it Item) {
			if _, reachable := want[number(s.t, it.URL)]; reachable || s.owner(it.URL) != i || it.Via == "" {
				s.t.Fatalf("seed %d: shard %d says that %+v is too deep", seed, i, it)
			}
		})
	}
}
