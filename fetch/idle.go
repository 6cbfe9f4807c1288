package fetch

import (
	"container/list"
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// idleConns are the connections that wait for the next request to their origin, and the places
// for all that are open. One timer serves them all. It is safe for concurrent use.
type idleConns struct {
	most, perHost int
	places        *semaphore.Weighted // nil: no limit

	mu      sync.Mutex
	hosts   map[string][]*conn // guarded by mu; the latest last
	used    list.List          // guarded by mu; of *conn, the latest first
	timer   *time.Timer        // guarded by mu; nil while there are none
	waiting int                // guarded by mu; for a place
	closed  bool               // guarded by mu
}

// reserve takes a place for a connection. If there is none, the connection that has been idle
// for longest makes room, or the first that would become idle.
func (p *idleConns) reserve(ctx context.Context) error {
	if p.places == nil || p.places.TryAcquire(1) {
		return nil
	}
	if out := p.await(1); out != nil {
		p.end(out)
	}
	defer p.await(-1)
	if err := p.places.Acquire(ctx, 1); err != nil {
		return err
	}
	if until, ok := ctx.Deadline(); ok && !time.Now().Before(until) { // too late to be of use
		p.release()
		return context.DeadlineExceeded
	}
	return nil
}

// await counts who waits for a place, and returns the connection that makes room for one more.
func (p *idleConns) await(more int) (out *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting += more
	if more > 0 && p.used.Len() > 0 {
		out = p.used.Back().Value.(*conn)
		p.remove(out)
	}
	return out
}

// release gives the place of a connection back.
func (p *idleConns) release() {
	if p.places != nil {
		p.places.Release(1)
	}
}

// end closes a connection that was idle.
func (p *idleConns) end(c *conn) {
	c.Close()
	p.release()
}

// drop closes a connection that is no good any more, without the farewell of TLS, which may wait
// for the server.
func (p *idleConns) drop(c *conn) {
	c.socket.Close()
	p.release()
}

// take returns the connection to an origin that was used last, and nil if there is none. It may
// have been closed by the server meanwhile.
func (p *idleConns) take(key string) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.hosts[key]
	if len(list) == 0 {
		return nil
	}
	c := list[len(list)-1]
	p.remove(c)
	return c
}

// put keeps c, unless there are enough to its host or somebody waits for its place; then c is
// closed. If there are too many in all, the one that has waited longest is.
func (p *idleConns) put(c *conn) {
	if out := p.keep(c); out != nil {
		p.end(out)
	}
}

// keep returns the connection that there is no room for.
func (p *idleConns) keep(c *conn) (out *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.waiting > 0 || len(p.hosts[c.key]) >= p.perHost {
		return c
	}
	if p.used.Len() >= p.most {
		out = p.used.Back().Value.(*conn)
		p.remove(out)
	}
	if p.hosts == nil {
		p.hosts = make(map[string][]*conn)
	}
	p.hosts[c.key] = append(p.hosts[c.key], c)
	c.whenLastUse, c.idleSince = p.used.PushFront(c), time.Now()
	if p.timer == nil {
		p.timer = time.AfterFunc(idleTimeout, p.expire)
	}
	return out
}

func (p *idleConns) remove(c *conn) {
	p.used.Remove(c.whenLastUse)
	c.whenLastUse = nil
	list := p.hosts[c.key]
	i := slices.Index(list, c)
	if list = slices.Delete(list, i, i+1); len(list) > 0 {
		p.hosts[c.key] = list
	} else {
		delete(p.hosts, c.key)
	}
}

// expire closes the connections that have been idle for too long.
func (p *idleConns) expire() {
	for _, c := range p.expired(time.Now()) {
		p.end(c)
	}
}

// expired removes them, and sets the timer for the next.
func (p *idleConns) expired(now time.Time) (old []*conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.used.Len() > 0 {
		c := p.used.Back().Value.(*conn)
		if left := idleTimeout - now.Sub(c.idleSince); left > 0 {
			p.timer.Reset(left)
			return old
		}
		p.remove(c)
		old = append(old, c)
	}
	p.timer = nil
	return old
}

// spare closes the half of the idle connections that was not used for longest.
func (p *idleConns) spare() {
	p.mu.Lock()
	var out []*conn
	for n := (p.used.Len() + 1) / 2; len(out) < n; {
		c := p.used.Back().Value.(*conn)
		p.remove(c)
		out = append(out, c)
	}
	p.mu.Unlock()
	for _, c := range out {
		p.end(c)
	}
}

// close closes the idle connections, and those that are put from now on.
func (p *idleConns) close() {
	p.mu.Lock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	var all []*conn
	for p.used.Len() > 0 {
		c := p.used.Back().Value.(*conn)
		p.remove(c)
		all = append(all, c)
	}
	p.mu.Unlock()
	for _, c := range all {
		p.end(c)
	}
}
