package gate

import "slices"

// maxBacklog is how many refusals may wait for the recorder before URLs are refused in
// numbers: a closed host's queue, a trap's URLs.
const maxBacklog = 1 << 10

// refusals are the refusals that are final.
type refusals struct {
	journal  Journal
	backlog  []Skip // not yet given to the recorder
	afterCut []Skip // given to it after the request for its part of a commit
	cutting  bool   // that request was sent
	skipped  map[Reason]int
	errors   map[Reason]int
	rebuild  *Rebuilding // nil but while the state is made again from the records
	seeds    int         // that were refused, unless another URL takes their place
}

// add records a final refusal.
func (r *refusals) add(s Skip) {
	r.backlog = append(r.backlog, s)
	r.count(s)
}

// count counts a final refusal.
func (r *refusals) count(s Skip) {
	if s.Via == "" && s.From == "" && s.Reason != NoHTTPS && s.Reason != LinksOnly {
		r.seeds++
	}
	if s.Reason.Decision() {
		r.skipped[s.Reason]++
	} else {
		r.errors[s.Reason]++
	}
	r.journal.Changed(0)
}

// take notes that the backlog was given to the recorder, and with it, if cut, the request
// for its part of a commit.
func (r *refusals) take(cut bool) {
	if r.cutting {
		r.afterCut = append(r.afterCut, r.backlog...)
	}
	if cut {
		r.cutting, r.afterCut = true, nil
	}
	r.backlog = nil
}

// unrecorded returns the refusals that are not in the recorder's part of a commit. The
// commit's other parts follow, so cutting ends.
func (r *refusals) unrecorded() []Skip {
	list := slices.Concat(r.afterCut, r.backlog)
	r.cutting, r.afterCut = false, nil
	return list
}
