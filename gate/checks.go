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
type checks struct{ g *Gate }

// Checks returns the checks that wait for the log on disk.
func (g *Gate) Checks() Checks { return checks{g} }

func (c checks) Waiting() int { return len(c.g.admitter.pending.waiting) }

func (c checks) Take() []uint64 { return c.g.admitter.pending.ask() }

func (c checks) Answer(found []bool) { c.g.admitter.pending.answered(found, c.answer) }

func (c checks) Open(yield func(dedup.Pending) bool) { c.g.admitter.pending.open(yield) }

// answer decides a check. The guard learns a page when the last of its links is decided.
func (c checks) answer(p *pendingCheck, found bool) {
	isNew := c.g.admitter.answer(p, found)
	if l := p.page; l != nil {
		l.links[p.link].known = !isNew
		if l.waiting--; l.waiting == 0 {
			c.g.traps.learned(l)
			c.learn(l)
		}
	}
}

// learn teaches the guard a page, and queues again what patterns had refused that prove honest.
func (c checks) learn(l *lesson) {
	for _, pattern := range c.g.traps.learn(l) {
		c.g.requeue(c.g.admitter.deferred.takePattern(pattern))
	}
}
