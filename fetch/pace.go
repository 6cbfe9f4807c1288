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

// pace ends a fetch whose body, on the wire, comes more slowly than a rate, averaged
// since the header. It looks when the body would be too slow if no more came: a
// timer of its own, since the reader may be waiting for the next byte for ever. A
// nil pace does nothing.
type pace struct {
	rate    int64 // bytes a second
	began   time.Time
	cancel  context.CancelFunc // ends the fetch
	timer   *time.Timer        // the first look's; owned by who made the pace
	bytes   atomic.Int64       // read so far
	slow    atomic.Bool        // the fetch was ended
	stopped atomic.Bool
}

// newPace begins to watch; stop ends it.
func newPace(rate int64, cancel context.CancelFunc) *pace {
	if rate <= 0 {
		return nil
	}
	p := &pace{rate: rate, began: time.Now(), cancel: cancel}
	p.timer = time.AfterFunc(paceGrace, p.look)
	return p
}

func (p *pace) look() {
	if p.stopped.Load() {
		return
	}
	took := time.Since(p.began)
	covered := time.Duration(float64(p.bytes.Load()) / float64(p.rate) * float64(time.Second))
	if covered <= took {
		p.slow.Store(true)
		p.cancel()
		return
	}
	time.AfterFunc(min(max(covered-took, paceCheck), paceGrace), p.look)
}

// read counts n bytes.
func (p *pace) read(n int) {
	if p != nil {
		p.bytes.Add(int64(n))
	}
}

// stop ends the watch. A look that is due within the next seconds finds it ended.
func (p *pace) stop() {
	if p != nil {
		p.stopped.Store(true)
		p.timer.Stop()
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
