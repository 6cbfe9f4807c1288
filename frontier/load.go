package frontier

import (
	"cmp"
	"slices"
	"time"
)

// Busiest returns the n hosts with most queued URLs, most first. Cost: O(hosts * n).
func (f *Frontier) Busiest(n int) []HostLoad {
	var top []HostLoad
	for _, h := range f.hosts {
		l := HostLoad{Host: h.name, Queued: h.queued(), Spacing: h.spacing()}
		i := len(top)
		for i > 0 && l.before(top[i-1]) {
			i--
		}
		if l.Queued == 0 || i == n {
			continue
		}
		top = append(top, HostLoad{})
		copy(top[i+1:], top[i:])
		top[i] = l
		top = top[:min(len(top), n)]
	}
	return top
}

// HostLoad is a host's part of the queue.
type HostLoad struct {
	Host    string
	Queued  int
	Spacing time.Duration // present time between two requests, back-off included
}

func (l HostLoad) before(o HostLoad) bool {
	return l.Queued > o.Queued || l.Queued == o.Queued && l.Host < o.Host
}

// Waiting is what a crawl waits for: the network, hosts and pages in trouble.
type Waiting struct {
	Hosts   int           // in trouble, with something queued
	Longest []HostTrouble // of these, those in trouble for longest
	Pages   int           // that failed, and have another attempt
	Next    time.Time     // the first of these attempts
	Last    time.Time     // none of them comes later

	Outage              bool // no host answers
	Since, Probe, Until time.Time
}

// HostTrouble is a host that is waited for.
type HostTrouble struct {
	Host               string
	Why                string // Outcome.Why of its last failure
	Since, Next, Until time.Time
	Answered           bool // ever; if not it is given up sooner, unless this machine is offline
}

// Waiting returns what the crawl waits for, with n of the hosts. Cost: O(hosts * n).
func (f *Frontier) Waiting(n int) Waiting {
	w := Waiting{}
	w.Since, w.Probe, w.Outage = f.Outage()
	w.Until = w.Since.Add(f.cfg.Patience)
	for _, h := range f.hosts {
		t := h.trouble
		if t == nil || h.closed || h.queued()+int(h.leased) == 0 {
			continue
		}
		for i := range t.delayed {
			w.Last = later(w.Last, f.since(&t.delayed[i].Item).Add(f.cfg.Patience))
		}
		if w.Pages += len(t.delayed); len(t.delayed) > 0 && (w.Next.IsZero() || t.delayed[0].due.Before(w.Next)) {
			w.Next = t.delayed[0].due
		}
		if h.well() && h.answered || t.failures == 0 && t.backoff == 0 {
			continue
		}
		w.Hosts++
		w.Longest = append(w.Longest, HostTrouble{h.name, t.why, t.since, h.due(), t.since.Add(f.cfg.Patience), h.answered})
		slices.SortFunc(w.Longest, func(a, b HostTrouble) int {
			return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Host, b.Host))
		})
		w.Longest = w.Longest[:min(len(w.Longest), n)]
	}
	return w
}
