package gate

import (
	"crawler/dedup"
	"crawler/frontier"
)

// admission is what must become of a URL, once it is known whether it was admitted before.
type admission struct {
	frontier.Item
	refusal Reason // for what it is refused, unless it was admitted another way; "" asks for its admission
	source  *Skip  // of a redirect's target: the refusal of the URL that redirects, if the target is not admitted by it
}

// pendingCheck is an admission that waits for the exact log, because the filter says
// "perhaps".
type pendingCheck struct {
	admission
	open dedup.Pending
}

// maxPending is how many checks may wait for the log before pages have to wait. The links
// of one page may go beyond.
const maxPending = 16 << 10

// pendingChecks are the admissions that wait.
type pendingChecks struct {
	waiting  []pendingCheck  // for the log to be asked
	checking []pendingCheck  // the log is being asked about them
	fps      []uint64        // of those
	links    map[uint64]bool // the fingerprints of both, redirects' targets aside; true if one asks for admission
}

func (p *pendingChecks) len() int { return len(p.waiting) + len(p.checking) }

// add lets a wait. Of several links to one URL the first asks for admission, the others
// need not; and whether a URL is refused matters only if no other link asks for its
// admission. A redirect speaks for the URL that redirects alone, so it stands for no link.
func (p *pendingChecks) add(open dedup.Pending, a admission) {
	if a.source == nil && !p.asks(open.Fingerprint(), a.refusal == "") {
		return
	}
	p.waiting = append(p.waiting, pendingCheck{admission: a, open: open})
}

// asks notes a link to a URL, and reports whether it asks what no link has asked before.
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

// ask returns the fingerprints of all that waits, to be looked up in the log.
func (p *pendingChecks) ask() []uint64 {
	p.checking, p.waiting, p.fps = p.waiting, p.checking[:0], p.fps[:0]
	for i := range p.checking {
		p.fps = append(p.fps, p.checking[i].open.Fingerprint())
	}
	return p.fps
}

// answered calls decide for the checks that the log has answered, in the order of asking.
func (p *pendingChecks) answered(found []bool, decide func(c *pendingCheck, found bool)) {
	for i := range p.checking {
		delete(p.links, p.fps[i])
		decide(&p.checking[i], found[i])
	}
	clear(p.checking) // let go of their texts
	p.checking = p.checking[:0]
}

// open yields what a filter that takes over must leave open, whatever it knows itself, so
// that every false positive is counted: the admissions asked for.
func (p *pendingChecks) open(yield func(dedup.Pending) bool) {
	for i := range p.waiting {
		if c := &p.waiting[i]; c.refusal == "" && !yield(c.open) {
			return
		}
	}
}
