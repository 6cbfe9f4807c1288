package fetch

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// DefaultMinRate is a usual Config.MinRate, in bytes a second: a telephone line's of
// the nineties.
const DefaultMinRate = 1 << 10

const (
	// paceGrace is the time from the header during which a body may be slow.
	paceGrace = 10 * time.Second
	// paceCheck is the least time between two looks at a body.
	paceCheck = time.Second
)

// errSlow says that a body came too slowly.
var errSlow = errors.New("body comes too slowly")

// pace says whether a body comes, on the wire, more slowly than a rate, averaged since the
// header. A nil pace allows everything.
type pace struct {
	rate  int64 // bytes a second
	began time.Time
	bytes atomic.Int64 // read so far
	slow  atomic.Bool  // it was found too slow
	spent atomic.Int64 // nanoseconds for which nobody wanted to read
}

// newPace begins now; a rate of 0 allows everything.
func newPace(rate int64) *pace {
	if rate <= 0 {
		return nil
	}
	return &pace{rate: rate, began: time.Now()}
}

// look reports whether the body is too slow, and else when to look again: when it would be too
// slow if no more came.
func (p *pace) look() (again time.Duration, slow bool) {
	took := time.Since(p.began) - time.Duration(p.spent.Load())
	covered := time.Duration(float64(p.bytes.Load()) / float64(p.rate) * float64(time.Second))
	if covered <= took {
		p.slow.Store(true)
		return 0, true
	}
	return min(max(covered-took, paceCheck), paceGrace), false
}

// read counts n bytes.
func (p *pace) read(n int) {
	if p != nil {
		p.bytes.Add(int64(n))
	}
}

// excuse takes time out in which nobody wanted to read.
func (p *pace) excuse(d time.Duration) {
	if p != nil {
		p.spent.Add(int64(d))
	}
}

// cause returns why the fetch failed with err.
func (p *pace) cause(err error) error {
	if p == nil || !p.slow.Load() {
		return err
	}
	return fmt.Errorf("%w: %d bytes in %.0f s, and at least %d a second are wanted",
		errSlow, p.bytes.Load(), time.Since(p.began).Seconds(), p.rate)
}

// watch ends a fetch that is too slow. It has a timer of its own, since the reader may be waiting
// for the next byte for ever. A nil watch does nothing.
type watch struct {
	pace    *pace
	cancel  context.CancelFunc // ends the fetch
	timer   *time.Timer        // the first look's; owned by who made the watch
	stopped atomic.Bool
}

func newWatch(p *pace, cancel context.CancelFunc) *watch {
	w := &watch{pace: p, cancel: cancel}
	w.timer = time.AfterFunc(paceGrace, w.look)
	return w
}

func (w *watch) look() {
	if w.stopped.Load() {
		return
	}
	again, slow := w.pace.look()
	if slow {
		w.cancel()
		return
	}
	time.AfterFunc(again, w.look)
}

// stop ends the watch. A look that is due within the next seconds finds it ended.
func (w *watch) stop() {
	if w != nil {
		w.stopped.Store(true)
		w.timer.Stop()
	}
}
