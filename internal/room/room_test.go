package room

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Pages that hold some and want more never wait for each other, no more than one of them takes
// what there is not, and small ones never wait.
func TestRoomIsBoundedAndNobodyStarves(t *testing.T) {
	const most, largest, pages, workers = 10 << 20, 8 << 20, 400, 64
	synctest.Test(t, func(t *testing.T) {
		r := &Room{Most: most}
		var peak, small atomic.Int64
		var ended sync.WaitGroup
		for w := range workers {
			ended.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(w), 1))
				for range pages / workers {
					var s Stay
					size := rng.Int64N(largest)
					if w%8 == 0 {
						size = rng.Int64N(Free)
					}
					began := time.Now()
					for total := int64(Free / 2); ; total *= 2 {
						if err := r.Grow(t.Context(), &s, min(total, size)); err != nil {
							t.Error(err)
						}
						r.mu.Lock()
						peak.Store(max(peak.Load(), r.used))
						r.mu.Unlock()
						time.Sleep(time.Duration(rng.IntN(3)) * time.Millisecond) // virtual
						if total >= size {
							break
						}
					}
					if size <= Free && time.Since(began) > 20*time.Millisecond {
						small.Add(1)
					}
					r.Shrink(&s, size/2)
					time.Sleep(time.Millisecond)
					r.Shrink(&s, 0)
				}
			})
		}
		ended.Wait()
		if r.used != 0 || r.owner != nil || len(r.waiting) > 0 {
			t.Errorf("in the end %d bytes are used, owner %v, %d wait", r.used, r.owner, len(r.waiting))
		}
		if p := peak.Load(); p < most/2 || p > most+largest {
			t.Errorf("at most %d bytes were used, want %d to %d", p, most/2, most+largest)
		}
		if small.Load() > 0 {
			t.Errorf("%d small pages had to wait", small.Load())
		}
	})
}

// All of the room is held by pages that never end: another one goes on all the same.
func TestRoomBesideStalledPages(t *testing.T) {
	r := &Room{Most: 4 << 20}
	var stalled [4]Stay
	for i := range stalled {
		if err := r.Grow(t.Context(), &stalled[i], 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		var s Stay
		if err := r.Grow(t.Context(), &s, 6<<20); err != nil {
			t.Fatal(err)
		}
		r.Shrink(&s, 0)
	}
}

// Who gives up waiting holds nobody up.
func TestRoomOfOneThatGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &Room{Most: 1 << 20}
		var owner, second, third Stay
		if err := r.Grow(t.Context(), &owner, 2<<20); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var got [2]error
		var ended sync.WaitGroup
		ended.Go(func() { got[0] = r.Grow(ctx, &second, 3<<20) })
		synctest.Wait()
		ended.Go(func() { got[1] = r.Grow(t.Context(), &third, 1<<19) })
		synctest.Wait()
		cancel()
		synctest.Wait()
		r.Shrink(&owner, 0)
		ended.Wait()
		if !errors.Is(got[0], context.Canceled) || got[1] != nil || r.used != 1<<19 {
			t.Errorf("%v, %v, %d bytes used", got[0], got[1], r.used)
		}
		r.Shrink(&third, 0)
		if r.used != 0 || r.owner != nil {
			t.Errorf("%d bytes used, owner %v", r.used, r.owner)
		}
	})
}
