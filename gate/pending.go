package gate

import (
	"crawler/dedup"
	"crawler/frontier"
)

// admission is what to do with a URL once it is known whether it was admitted before.
type admission struct {
	frontier.Item
	refusal Reason // why it is refused unless it was admitted before; "" to admit it
	source  *Skip  // of a redirect's target: the redirecting URL's refusal if this is not admitted
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
	waiting  []pendingCheck // not sent to the log yet
	checking []pendingCheck // sent to the log
	fps      []uint64       // the fingerprints of checking
	// links has the fingerprints of both, without redirects' targets; true to admit the URL.
	links map[uint64]bool
}

func (p *pendingChecks) len() int { return len(p.waiting) + len(p.checking) }

// add makes a wait. Of several links to one URL the first asks for admission, the others
// need not; and whether a URL is refused matters only if no other link asks for its
// admission. A redirect decides about the redirecting URL alone, so it replaces no link.
func (p *pendingChecks) add(open dedup.Pending, a admission) {
	if a.source == nil && !p.asks(open.Fingerprint(), a.refusal == "") {
		return
	}
	p.waiting = append(p.waiting, pendingCheck{admission: a, open: open})
}

// asks notes a link to a URL, and reports whether its question is new.
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
