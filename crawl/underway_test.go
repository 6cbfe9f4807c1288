package crawl

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The visits that are long under way are those that were handed out a second ago and have not come
// back, whatever the order in which they do.
func TestUnderWay(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var u underWay
		now := time.Unix(1e9, 0)
		since, free := map[*Visit]time.Time{}, []*Visit{}
		for range 3000 {
			now = now.Add(time.Duration(rng.IntN(100)) * time.Millisecond)
			u.advance(now)
			want := 0
			for _, at := range since {
				if now.Sub(at) >= longUnderWay {
					want++
				}
			}
			if u.n != want {
				t.Fatalf("seed %d: %d are long under way, want %d", seed, u.n, want)
			}
			if len(since) < 40 && rng.IntN(2) == 0 {
				v := &Visit{}
				if n := len(free); n > 0 {
					v, free = free[n-1], free[:n-1]
					v.place = 0
				}
				u.begin(v, now)
				since[v] = now
				continue
			}
			for v := range since {
				if rng.IntN(3) == 0 {
					u.end(v)
					delete(since, v)
					free = append(free, v)
					break
				}
			}
		}
		if len(u.begun) > 1000 {
			t.Errorf("seed %d: %d entries are kept for %d visits", seed, len(u.begun), len(since))
		}
	}
	var u underWay
	u.end(&Visit{place: 5}) // one that was never handed out
}
