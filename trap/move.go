package trap

import "crawler/weburl"

// move is a URL that redirected: its pattern, that of a new URL to which it led, or 0, and the
// first one's name if that is new.
type move struct {
	of, to uint64
	name   string
}

// Moved learns that u redirected to another URL, which nothing had led to before if isNew, and is
// going to be fetched.
//
// A redirect brings what it leads to. So URLs of a pattern that do nothing but redirect are as good
// as those of the pattern to which they lead. One that leads to a known URL has brought nothing.
// After a budget of redirects in a row that have brought nothing, or lead to what is refused, the
// pattern is closed if there is no end of it. It opens as others do: each redirect of the last look
// that leads to a new URL which is not refused speaks for an eighth of the budget.
func (g *Guard) Moved(u, to weburl.URL, isNew bool) {
	x := move{of: g.shapes.of(u).fine}
	if p := g.patterns[x.of]; p == nil || p.name == "" {
		x.name = g.shapes.nameOf(u)
	}
	if isNew {
		x.to = g.shapes.of(to).fine
	}
	g.applyMove(x)
	g.journal.move(x)
}

func (g *Guard) applyMove(x move) {
	p := g.pattern(x.of)
	if p.name == "" {
		p.name = x.name
	}
	p.used = g.page
	switch p.moved++; x.to {
	case 0:
		p.try(0)
	case p.leads:
	default:
		p.leads, p.moved = x.to, 1
	}
	if to := g.patterns[x.to]; p.closed != "" && x.to != 0 && (to == nil || to.closed == "") {
		p.credit(float32(g.cfg.Budget) / probes)
		g.update(p)
	}
	p.news *= growthDecay
	p.asked = p.asked*growthDecay + 1
	if p.closed == "" && p.moved >= uint32(g.cfg.Budget) && p.grows() && g.off&ruleMoves == 0 {
		g.closeMoves(p)
	}
}

// closeMoves closes a pattern whose URLs do nothing but redirect, unless they lead to pages that
// are fetched.
func (g *Guard) closeMoves(p *pattern) {
	kind := Pattern
	if p.leads != 0 {
		to := g.patterns[p.leads]
		if to == nil { // of which nothing was fetched yet
			return
		}
		kind = to.closed
	}
	if kind != "" {
		p.closed, p.probed, p.spent = kind, false, max(p.spent, float32(g.cfg.Budget))
	}
}

// redirects reports whether the pattern's URLs do nothing but redirect to those of another.
func (p *pattern) redirects() bool {
	return p != nil && p.moved >= settled && p.leads != 0 && p.leads != p.id
}
