// Package room shares out a bounded amount of memory among pages that are fetched at the same time
// and do not know beforehand how much they will need.
//
// A page asks for more as it grows, while it holds some, so all could wait for each other.
// Therefore one page, the owner, may take more than there is: the one that has waited for longest.
// When it is done, the next one is the owner. So some page always goes on, and never is more than
// one page's memory taken beyond the limit.
package room

import (
	"context"
	"slices"
	"sync"
)

// Room is the memory that pages under way may take together, beyond what each may have anyway.
// It is safe for concurrent use.
type Room struct {
	Most int64 // bytes; 0 and below for no limit

	mu      sync.Mutex
	used    int64   // guarded by mu
	owner   *Stay   // guarded by mu
	waiting []*Stay // guarded by mu; first come, first served
}

// Stay is what a page holds of the room. Its other fields are guarded by the room's mu.
type Stay struct {
	// Waits, if not nil, is called before the page waits, each time. It must not ask for more.
	Waits func()

	asked bool // for more than is free
	held  int64
	wants int64         // more, while it waits
	turn  chan struct{} // closed when it has that
}

// Free is what a page may have of its own: one that needs less does not ask.
const Free = 256 << 10

// Grow waits until s may hold so many bytes in all. The error is that of ctx.
func (r *Room) Grow(ctx context.Context, s *Stay, total int64) error {
	r.mu.Lock()
	n := total - s.held
	if r.Most <= 0 || total <= Free || n <= 0 {
		r.mu.Unlock()
		return nil
	}
	s.asked = true
	if r.fits(s, n) {
		r.take(s, n)
		r.mu.Unlock()
		return nil
	}
	s.wants, s.turn = n, make(chan struct{})
	r.waiting = append(r.waiting, s)
	r.wake()
	turn := s.turn
	r.mu.Unlock()
	if s.Waits != nil {
		s.Waits()
	}
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.Index(r.waiting, s); i >= 0 {
		r.waiting = slices.Delete(r.waiting, i, i+1)
		r.wake()
	}
	return ctx.Err()
}

// fits reports whether s may have n bytes more at once.
func (r *Room) fits(s *Stay, n int64) bool { return s == r.owner || r.used+n <= r.Most }

func (r *Room) take(s *Stay, n int64) {
	s.held += n
	r.used += n
}

// Shrink lets s hold no more than so many bytes.
func (r *Room) Shrink(s *Stay, total int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := s.held - total; n > 0 {
		r.take(s, -n)
	}
	if s.held == 0 && s == r.owner {
		r.owner = nil
	}
	r.wake()
}

// wake gives those that wait what they want, in order, as far as it is there; the first of them
// becomes the owner if there is none.
func (r *Room) wake() {
	for len(r.waiting) > 0 {
		s := r.waiting[0]
		if !r.fits(s, s.wants) {
			if r.owner != nil {
				return
			}
			r.owner = s
		}
		r.waiting = slices.Delete(r.waiting, 0, 1)
		r.take(s, s.wants)
		close(s.turn)
	}
}

// Asked reports whether s has ever wanted more than Free. Only its page may ask.
func (s *Stay) Asked() bool { return s.asked }
