package fetch

import (
	"context"
	"time"
)

// freeBody is up to how many bytes a body may grow without asking for room: most pages never do.
const freeBody = maxPresize

// Room is asked before a body grows beyond 256 KiB: total is how many bytes its buffer will have,
// and that of Config.KeepWire.
// It waits until there is memory for that; the time that it waits does not count towards the
// page's. An error, which it has when ctx ends, ends the fetch.
type Room func(ctx context.Context, total int64) error

type roomKey struct{}

// WithRoom returns a context for calls of Get by one goroutine, whose bodies need that room.
func WithRoom(ctx context.Context, r Room) context.Context {
	return context.WithValue(ctx, roomKey{}, r)
}

// roomIn returns the room of a context, nil if it has none.
func roomIn(ctx context.Context) Room {
	r, _ := ctx.Value(roomKey{}).(Room)
	return r
}

// extender is a body whose time can be extended.
type extender interface{ extend(d time.Duration) }

// taper is a body that keeps what goes over the wire.
type taper interface{ taped() int64 }

// more waits for room for a buffer of so many bytes; plain says that as many come over the wire.
func (l *limits) more(total int64, plain bool) error {
	if l.room == nil || total <= freeBody {
		return nil
	}
	if t, ok := l.raw.(taper); ok {
		if n := t.taped(); n > 0 && plain {
			total += max(n, total)
		} else {
			total += n
		}
	}
	began := time.Now()
	if err := l.room(l.ctx, total); err != nil {
		return err
	}
	if waited := time.Since(began); waited >= time.Millisecond {
		l.pace.excuse(waited)
		if x, ok := l.raw.(extender); ok {
			x.extend(waited)
		}
	}
	return nil
}

// extend gives the exchange more time.
func (x *exchange) extend(d time.Duration) {
	x.deadline = x.deadline.Add(d)
	until := x.deadline
	if x.pace != nil {
		until = time.Now().Add(paceGrace) // patient looks on from there
	}
	if x.conn.socket.failFrom(x.deadline) != nil || x.readUntil(until) != nil {
		x.conn.interrupt()
	}
}
