package report

import (
	"crawler/gate"
	"crawler/trap"
)

// traps lists what was taken for a trap, and how to fetch it anyway.
func (r *Report) traps(p *page) {
	if len(r.Traps) == 0 {
		return
	}
	p.head("Traps")
	for i, t := range r.Traps {
		if i == maxShownTraps {
			p.line("  and %d more%s", len(r.Traps)-maxShownTraps, p.in(JSONFile))
			break
		}
		p.line("  %s", shorten(t.named(), width-2))
		if t.Pattern == "" {
			p.line("      %s refused", counted(t.Refused, "URL"))
			continue
		}
		fetched := ""
		if t.Fetched > 0 { // else the guard has forgotten it
			fetched = counted(t.Fetched, "page") + " fetched, "
		}
		p.line("      %s, %s%s refused", t.Kind, fetched, counted(t.Refused, "URL"))
		if t.Why != "" {
			p.wrapped("      ", t.Why)
		}
		if t.Retry != "" {
			p.line("      %s", t.Retry) // in one piece, to be copied
		} else {
			p.line("      to fetch them all the same: --trap-trust '%s'", t.Pattern)
		}
	}
}

// Trapped is how many URLs were refused as traps'.
func (r *Report) Trapped() (n int) {
	for _, t := range r.Traps {
		n += t.Refused
	}
	return n
}

const maxShownTraps = 10

// named is the trap's pattern, or words where it has none.
func (t *Trap) named() string {
	switch {
	case t.Pattern != "":
		return t.Pattern
	case t.Kind != "":
		return meaning(string(gate.Trapped(trap.Kind(t.Kind))))
	}
	return "other patterns"
}
