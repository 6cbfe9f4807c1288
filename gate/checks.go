package gate

import "crawler/dedup"

// Checks is what the log on disk is asked: the part of a Gate that whoever has the log
// speaks to.
type Checks interface {
	// Waiting returns how many checks wait to be taken.
	Waiting() int
	// Take returns the fingerprints to be looked up, in the order of asking. The slice
	// belongs to the log until Answer.
	Take() []uint64
	// Answer decides what was taken: found says of each whether the log has it.
	Answer(found []bool)
	// Open yields the questions that a filter which takes over must leave open.
	Open(yield func(dedup.Pending) bool)
}

// checks is the Gate as the log sees it.
type checks struct{ a *admitter }

// Checks returns the checks that wait for the log on disk.
func (g *Gate) Checks() Checks { return checks{&g.admitter} }

func (c checks) Waiting() int { return len(c.a.pending.waiting) }

func (c checks) Take() []uint64 { return c.a.pending.ask() }

func (c checks) Answer(found []bool) { c.a.pending.answered(found, c.a.answer) }

func (c checks) Open(yield func(dedup.Pending) bool) { c.a.pending.open(yield) }
