package trap

// A section is the fine patterns that differ only in the last name that they keep, such as
// /de/hotels/* and /de/news/*: those of one directory. It says how a new one of them begins, where
// the wide pattern speaks of the whole site, whose other directories may be a trap's.

// begin counts one of the first pages of a fine pattern for its section, if it was worth something,
// or a copy. A list says neither.
func (g *Guard) begin(s *shape, p *pattern, worth float32, copied bool) {
	if s.section == 0 || p.pages > firstOfSection || 2*worth < 1 && !copied {
		return
	}
	if g.texts.times(s.begun(true)) < mostBegun && g.texts.times(s.begun(false)) < mostBegun {
		g.remember(s.begun(2*worth >= 1))
	}
}

// begun is by what the first pages of a section's patterns are counted: those that were worth
// something, and copies.
func (s *shape) begun(well bool) uint64 {
	if well {
		return mix(s.section, 31)
	}
	return mix(s.section, 32)
}

// begins returns how likely a new pattern of a URL's section begins with a page that is worth
// something, by the rule of succession, and whether enough of them are known to say so.
func (g *Guard) begins(s *shape, leased int) (chance float32, known bool) {
	if s.section == 0 || g.off&ruleSections != 0 {
		return 0, false
	}
	well, others := g.texts.times(s.begun(true)), g.texts.times(s.begun(false))
	return float32(well+1) / float32(well+others+leased+2), well+others >= leastBegun
}

// beginsInSection reports whether a pattern is so young that its section says whether to fetch its
// pages, and that says so. Of one that has had none only a few are tried.
func (g *Guard) beginsInSection(a asked) bool {
	if a.own != nil && a.own.pages >= settled || a.own == nil && g.nextTry(a.tries(), firstOfSection) == 0 {
		return false
	}
	chance, known := g.begins(a.shape, 0)
	return known && 2*chance >= 1
}

// tries is under what the tries of a new pattern are remembered.
func (s *shape) tries() uint64 { return mix(s.fine, 34) }

const (
	firstOfSection = 4   // pages of a pattern that say how it begins
	leastBegun     = 8   // pages that say how the next pattern does
	mostBegun      = 255 // as a counter has
)
