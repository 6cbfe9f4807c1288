package gate

import "crawler/dedup"

// Checks are the questions to the log on disk: the part of a Gate that the owner of the log
// uses.
type Checks interface {
	// Waiting returns how many checks wait to be taken.
	Waiting() int
	// Take returns the fingerprints to look up, in the sequence of asking. The slice
	// belongs to the log until Answer.
	Take() []uint64
	// Answer decides the checks that were taken: found says for each whether the log has it.
	Answer(found []bool)
	// Open yields the checks that a new filter must leave open when it takes over.
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
