package gate

// Permits is how many permissions wait for their pages.
func (g *Gate) Permits() int { return len(g.queue.permits) }
