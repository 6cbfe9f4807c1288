package frontier

import (
	"slices"
	"time"
)

// network is what all hosts together say about the network between them and this machine.
//
// When a host does not answer, either it or the network may be away. Hosts that have
// answered before are witnesses: if several of them in a row fail and none answers, for a
// while, it may be the network. Then one host at a time is asked, after pauses that grow, and no
// failure counts against host or page, until an answer comes. Each is asked for what it has
// answered before (Lease.Outage), since the last pages of a crawl may be some that never answer. If
// the first probe is answered, it was not the network. Hosts that never answered, of which a list
// of seeds has many, prove nothing.
type network struct {
	heard  time.Time // last answer of any host; zero if there was none
	silent []*host   // failed since, each once
	since  time.Time // the first of these failures
	proven int       // how many of silent have answered before
	busy   int       // hosts that have answered before and have something queued or leased

	down   bool
	other  *host         // to probe: one that is not silent, if there is one whose turn comes soon
	proved bool          // by a probe that failed, too
	pause  time.Duration // between the last two probes
	probe  time.Time     // nothing is asked before

	window int // leases at a time while hosts come back after an outage; 0 for no limit
}

const (
	// witnesses is how many hosts that have answered before must fail in a row, or all if
	// there are fewer.
	witnesses = 3
	// quiet is for how long no host must have answered: a crawl of a thousand pages a second
	// meets three failures in a row by chance.
	quiet = 2 * time.Second
	// minPause and maxPause bound the pauses between probes.
	minPause = time.Second
	maxPause = 16 * time.Second
	// maxDetour is how long after the next probe the turn of a host may come that is not silent.
	maxDetour = 2 * time.Minute
	// maxWindow is how many leases at a time count as no limit.
	maxWindow = 1 << 10
	// evidence is how recent an answer proves that the network is well, and for how long it was.
	evidence = time.Second
)

// answer notes that a host has answered, which ends an outage. The hosts come back one at a
// time: see widen.
func (f *Frontier) answer(h *host, now time.Time) {
	n := &f.network
	n.heard = later(n.heard, now)
	h.answered = true
	for i, s := range n.silent {
		s.silent = false
		if n.proved {
			f.excuse(s, now)
		}
		n.silent[i] = nil
	}
	n.silent, n.proven = n.silent[:0], 0
	if n.down {
		n.window = 1 // also after a pause that was too short to prove anything
	}
	n.down, n.proved, n.other = false, false, nil
}

// widen lets one more host be asked at a time, until that is no limit. Whatever ends widens,
// so that slow hosts do not keep the others waiting for longer than a few timeouts.
func (n *network) widen() {
	if n.window > 0 {
		n.window = (n.window + 1) % maxWindow
	}
}

// excuse takes back what an outage has counted against a host.
func (f *Frontier) excuse(h *host, now time.Time) {
	began, t := f.network.since, h.troubled()
	if !t.since.Before(began) {
		t.end()
		h.allow(now)
	}
	for i := range t.delayed {
		if d := &t.delayed[i]; !d.Since.Before(began) {
			d.Since, d.due = time.Time{}, now
		}
	}
	slices.SortStableFunc(t.delayed, byDue)
	f.changed(h)
}

// silence notes that a host did not answer.
func (f *Frontier) silence(h *host, now time.Time, o Outcome, probe bool) {
	n := &f.network
	if len(n.silent) == 0 {
		n.since = now
	}
	if !h.silent {
		h.silent = true
		n.silent = append(n.silent, h)
		if h.answered {
			n.proven++
		}
	}
	switch {
	case n.down:
		if probe {
			n.proved = n.proved || n.other == nil || h == n.other
			n.pause = min(2*n.pause, maxPause)
			n.probe = now.Add(n.pause)
			f.chooseOther()
		}
	case n.away(now, o.Offline):
		n.down, n.pause, n.window = true, minPause, 0
		n.probe = now.Add(minPause)
		f.chooseOther()
	}
}

// chooseOther chooses the host to probe that tells most: one that has answered before and is not
// silent. If it answers, only the silent ones are away; until it fails, nothing proves an outage.
// Cost: O(hosts), for each probe.
func (f *Frontier) chooseOther() {
	n := &f.network
	n.other = nil
	for _, h := range f.hosts {
		soon := !h.notBefore.After(n.probe.Add(maxDetour))
		if h.answered && !h.silent && soon && h.askable(f.cfg.PerHost) && (n.other == nil || before(h, n.other)) {
			n.other = h
		}
	}
}

// away reports whether the silence of all these hosts must be the network's. offline says
// that the last failure was this machine's own, which is heard from it before any host.
func (n *network) away(now time.Time, offline bool) bool {
	if n.heard.IsZero() && n.proven == 0 {
		return offline && len(n.silent) >= witnesses
	}
	return now.Sub(n.heard) >= quiet && (n.proven >= witnesses || n.proven >= 2 && n.proven >= n.busy)
}

// blames reports whether the failure of a host that never answered is its own: hosts that
// have answered before still do. If it is the last one that the host has, they must have answered
// for a while after the first: attempts that follow each other in a second may all meet the same
// outage.
func (n *network) blames(h *host, now time.Time, last bool) bool {
	switch {
	case n.down || n.heard.IsZero():
		return false
	case n.busy == 0: // nobody is left who could answer
		return n.proven == 0
	}
	first := now
	if t := h.trouble; t != nil && !t.since.IsZero() {
		first = t.since
		if last && n.heard.Before(first.Add(evidence)) {
			return false
		}
	}
	return now.Sub(n.heard) < evidence || n.heard.After(first)
}

// nextTurn returns the host to ask next and the moment for it; nil if there is none, or none
// until a lease ends.
func (f *Frontier) nextTurn() (*host, time.Time) {
	n := &f.network
	if f.err != nil || n.down && f.leased > 0 || n.window > 0 && f.leased >= n.window {
		return nil, time.Time{}
	}
	h := f.upNext()
	if n.down {
		if w := f.witness(); w != nil {
			h = w
		}
	}
	switch {
	case h == nil:
		return nil, time.Time{}
	case n.down:
		return h, later(n.probe, later(f.global, h.notBefore))
	}
	return h, later(f.global, h.opens())
}

// witness returns the host to ask whether the network is back: one that has answered before,
// nil if none of them has anything queued. One that is not silent comes first, unless its turn
// comes later.
func (f *Frontier) witness() (w *host) {
	n := &f.network
	for _, h := range n.silent {
		if h.answered && h.askable(f.cfg.PerHost) && (w == nil || before(h, w)) {
			w = h
		}
	}
	if o := n.other; o != nil && o.askable(f.cfg.PerHost) && (w == nil || !o.notBefore.After(later(n.probe, w.notBefore))) {
		return o
	}
	return w
}

// Outage reports since when no host has answered, if that is taken for an outage of the
// network and not of the hosts, since a probe has failed as well, and when the next host is asked.
func (f *Frontier) Outage() (since, probe time.Time, down bool) {
	return f.network.since, f.network.probe, f.network.proved
}
