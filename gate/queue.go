package gate

import (
	"net/netip"
	"slices"
	"time"

	"crawler/frontier"
	"crawler/weburl"
)

// queue is the frontier, with what is known about URLs that wait in it.
type queue struct {
	frontier *frontier.Frontier
	journal  Journal
	permits  permits
	closed   []string // hosts that were closed, with URLs queued
	credits  bool     // the Order scores URLs by links
}

// lease takes the next URL that may be fetched at the moment now.
func (q *queue) lease(now time.Time) (t Task, ok bool) {
	if t.Item, ok = q.frontier.Next(now); ok {
		t.Permission = q.permits.take(t.URL)
	}
	return t, ok
}

// giveBack ends a lease as if it had never been. A request that was sent nevertheless is
// charged from started, if that is not zero.
func (q *queue) giveBack(t *Task, started time.Time) {
	q.permits.put(t)
	if q.frontier.Return(t.Item, started) {
		q.close(t.URL)
	}
	q.journal.Changed(0)
}

// robotsRead ends a lease whose host has answered a request for robots.txt.
func (q *queue) robotsRead(t *Task, asked time.Time) {
	q.permits.put(t)
	if q.frontier.RobotsRead(t.Item, asked) {
		q.close(t.URL)
	}
	q.journal.Changed(0)
}

// prepared ends a lease whose host has answered during an outage, or was located.
func (q *queue) prepared(t *Task, at netip.Addr, asked, now time.Time) {
	q.permits.put(t)
	closed := false
	if t.Lease.Outage {
		closed = q.frontier.Heard(t.Item, asked, now)
	} else {
		closed = q.frontier.Located(t.Item, at)
	}
	if closed {
		q.close(t.URL)
	}
	q.journal.Changed(0)
}

// postpone ends a lease as if it had never been, and puts the URL to the end of its rank.
func (q *queue) postpone(t *Task) {
	q.permits.put(t)
	if q.frontier.Postpone(t.Item) {
		q.close(t.URL)
	}
	q.journal.Changed(0)
}

// hold ends a lease as if it had never been, and has the host wait for another one to end.
func (q *queue) hold(t *Task) {
	q.permits.put(t)
	if q.frontier.Hold(t.Item) {
		q.close(t.URL)
	}
	q.journal.Changed(0)
}

// look is a way in which the frontier looks for a URL to lease in the place of another.
type look uint8

const (
	asGood  look = iota // frontier.Instead
	deepest             // frontier.Deeper
	below               // frontier.Below
)

// instead leases another URL of the host that waits and is good, in the place of t, which goes back
// to its queue. It allocates nothing: a way is no function, through which good would escape.
func (q *queue) instead(way look, t *Task, now time.Time, good func(frontier.Item) bool) (other Task, ok bool) {
	if t.Permission != nil { // robots.txt was read for it
		return Task{}, false
	}
	switch way {
	case deepest:
		other.Item, ok = q.frontier.Deeper(t.Item, now, good)
	case below:
		other.Item, ok = q.frontier.Below(t.Item, now, good)
	default:
		other.Item, ok = q.frontier.Instead(t.Item, now, good)
	}
	if ok {
		other.Permission = q.permits.take(other.URL)
		q.journal.Changed(0)
	}
	return other, ok
}

// done ends a lease.
func (q *queue) done(t *Task, now time.Time, o frontier.Outcome) (again bool) {
	s := q.frontier.Done(t.Item, now, o)
	if s.Closed {
		q.close(t.URL)
	}
	return s.Again
}

// close has the URLs of a host drained.
func (q *queue) close(u weburl.URL) {
	delete(q.permits, u.Origin())
	q.closed = append(q.closed, u.Host())
}

// reopen opens all closed hosts, whose URLs are not drained any more.
func (q *queue) reopen() {
	q.frontier.Reopen()
	q.closed = nil
}

// drain takes out some URLs of a host that was closed, and reports whether there is one.
func (q *queue) drain(most int, refuse func(frontier.Item)) bool {
	if len(q.closed) == 0 {
		return false
	}
	if q.frontier.Drain(q.closed[0], most, refuse) == 0 {
		q.closed = q.closed[1:]
	}
	return true
}

// credit gives the links of a page their part in deciding what is fetched first.
func (q *queue) credit(p *Page, followAll bool) {
	if !q.credits {
		return
	}
	q.frontier.Credit(p.Item, func(yield func(weburl.URL) bool) {
		for i := range p.Links {
			l := &p.Links[i]
			if (!l.NoFollow || followAll) && !yield(l.URL) {
				return
			}
		}
	})
}

// creditTarget does so for a redirect, which is a page with one link.
func (q *queue) creditTarget(r *Redirect) {
	if q.credits {
		q.frontier.Credit(r.Item, slices.Values([]weburl.URL{r.Target}))
	}
}

// restore restores the last commit's state of the hosts.
func (q *queue) restore(s State) error {
	return s.Hosts(func(host string, state []byte) error {
		if err := q.frontier.Restore(host, state, s.Now); err != nil {
			return err
		}
		if q.frontier.HostClosed(host) {
			q.closed = append(q.closed, host)
		}
		return nil
	})
}
