package gate

import (
	"crawler/dedup"
	"crawler/weburl"
)

// pendingCheck is an offer that waits for the exact log, because the filter says "perhaps".
type pendingCheck struct {
	offer
	refusal Reason // why it is refused unless it was admitted before; "" to admit it
	open    dedup.Pending
	page    *lesson // that the guard learns when its links are known; nil if it need not wait
	link    int     // of that page
}

// maxPending is how many checks may wait for the log before pages have to wait. The links
// of one page may go beyond.
const maxPending = 16 << 10

// pendingChecks are the offers that wait.
type pendingChecks struct {
	waiting  []pendingCheck  // for the log to be asked
	checking []pendingCheck  // the log is being asked about them
	fps      []uint64        // of those
	links    map[uint64]bool // the fingerprints of both; true if one asks for admission
}

func (p *pendingChecks) len() int { return len(p.waiting) + len(p.checking) }

// add lets c wait. Of several offers of one URL the first asks for admission, the others need
// not; and whether a URL is refused matters only if no other offer asks for its admission. It
// reports whether c waits.
func (p *pendingChecks) add(c pendingCheck) bool {
	asks := p.asks(c.open.Fingerprint(), c.refusal == "")
	if asks {
		p.waiting = append(p.waiting, c)
	}
	return asks
}

// of returns the latest check of a URL that waits. It is among the last few.
func (p *pendingChecks) of(u weburl.URL) *pendingCheck {
	i := len(p.waiting) - 1
	for p.waiting[i].URL != u {
		i--
	}
	return &p.waiting[i]
}

// asks notes an offer of a URL, and reports whether it asks what none has asked before.
func (p *pendingChecks) asks(fp uint64, admission bool) bool {
	admits, known := p.links[fp]
	if known && (admits || !admission) {
		return false
	}
	if p.links == nil {
		p.links = make(map[uint64]bool)
	}
	p.links[fp] = admission
	return true
}

// ask returns the fingerprints of all checks that wait, to look up in the log.
func (p *pendingChecks) ask() []uint64 {
	p.checking, p.waiting, p.fps = p.waiting, p.checking[:0], p.fps[:0]
	for i := range p.checking {
		p.fps = append(p.fps, p.checking[i].open.Fingerprint())
	}
	return p.fps
}

// answered calls decide for the checks that the log has answered, in the sequence of asking.
func (p *pendingChecks) answered(found []bool, decide func(c *pendingCheck, found bool)) {
	for i := range p.checking {
		delete(p.links, p.fps[i])
		decide(&p.checking[i], found[i])
	}
	clear(p.checking) // drop their texts
	p.checking = p.checking[:0]
}

// open yields the admissions that wait. A filter that takes over must leave them open even
// if it knows the answer, so that every false positive is counted.
func (p *pendingChecks) open(yield func(dedup.Pending) bool) {
	for i := range p.waiting {
		if c := &p.waiting[i]; c.refusal == "" && !yield(c.open) {
			return
		}
	}
}
