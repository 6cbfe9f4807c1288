package gate

// Permits is how many permissions wait for their pages.
func (g *Gate) Permits() int { return len(g.queue.permits) }

// GuardForm is the full form of the guard against traps.
func (g *Gate) GuardForm() ([]byte, error) { return g.traps.guard.MarshalBinary() }

// FormPieces has commits contain at most so many bytes of that, and one begin when there are as
// many bytes of events, and least at least.
func (c *Config) FormPieces(most, least int) {
	c.form = formPolicy{piece: most, every: 1, least: least}
}
