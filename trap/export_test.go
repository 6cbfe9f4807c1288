package trap

import (
	"fmt"
	"maps"
	"strings"

	"crawler/internal/binform"
	"crawler/weburl"
)

// Texts returns a table that has met the given number of different hashes, 256 on each page.
func Texts(hashes int) *cuckoo {
	c := new(cuckoo)
	for i := range hashes {
		c.meet(mix(uint64(i), 1), uint16(i>>8))
	}
	return c
}

// Forgotten returns how many of the hashes from one on to another it has forgotten, and Load how
// full it is.
func (c *cuckoo) Forgotten(from, to int) (lost int) {
	for i := from; i < to; i++ {
		if !c.has(mix(uint64(i), 1)) {
			lost++
		}
	}
	return lost
}

func (c *cuckoo) Load() float64 { return float64(c.filled) / float64(ways*len(c.sets)) }

// Restored is what its binary form says.
func (c *cuckoo) Restored() (*cuckoo, error) {
	e := binform.Begin(nil, kindTrap, version)
	c.encode(e)
	d, v, err := binform.Open(e.Close(), kindTrap, version)
	if err != nil {
		return nil, err
	}
	again := new(cuckoo)
	again.decode(d, v)
	return again, d.Close()
}

// Dump describes the patterns of so many pages at least: what they owe, and their sums by the page.
func (g *Guard) Dump(least uint32) string {
	var b strings.Builder
	for _, p := range g.sorted() {
		if p.pages < least {
			continue
		}
		pages, texts, links := max(p.weight, 1), max(p.texts, 1), max(p.links, 1)
		fmt.Fprintf(&b, "%s wide=%t pages=%d owes=%.0f closed=%q news=%.2f: ", p.name, p.wide, p.pages, p.owes, p.closed, p.news/max(p.asked, 1))
		fmt.Fprintf(&b, "share=%.3f copies=%.2f again=%.2f dated=%.2f combined=%.2f, ", p.share/texts, p.copies/pages, p.again/pages, p.dated/pages, p.combined/pages)
		fmt.Fprintf(&b, "own=%.2f grown=%.2f born=%.2f leaf=%.2f back=%.2f\n", p.own/links, p.grown/links, p.born/links, p.leaf/links, p.back/links)
	}
	return b.String()
}

// BroodsAdd reports whether the broods of hosts are those of the patterns that are known, and of
// how many hosts they are.
func (g *Guard) BroodsAdd() (ok bool, hosts int) {
	all := map[uint64]brood{}
	for _, p := range g.patterns {
		if p.host != 0 && p.brood.pages > 0 {
			all[p.host] = all[p.host].plus(p.brood)
		}
	}
	return maps.Equal(all, g.broods), len(all)
}

// MostRank is the highest rank that a Verdict can have.
const MostRank = mostRank + 1

// Rules are the names of those that Without switches off.
var Rules = []string{"order", "leases", "lists", "growth", "wide", "forms", "endless", "selections", "last look", "unread", "aspects", "texts", "turns", "moves", "breeds", "span", "services", "spelling", "near", "own address", "canonical", "kin", "noise", "sections", "twins", "surplus"}

// Without switches some of Rules off.
func (g *Guard) Without(of ...int) *Guard {
	for _, i := range of {
		g.off |= 1 << i
	}
	return g
}

// ForgetSpellings leaves what a Guard has that never knew how a URL is spelt.
func (g *Guard) ForgetSpellings() {
	clear(g.spellings)
	for _, p := range g.patterns {
		p.spellings, p.wellSpelt = 0, 0
	}
}

// Spelt tells how a URL is spelt.
func Spelt(u weburl.URL, fine uint64) uint64 {
	s := newShapes(leastPatterns)
	return s.spelt(u, fine, false)
}

// Spellings returns how many are known.
func (g *Guard) Spellings() int { return len(g.spellings) }

// SpeltOwes returns what is owed by how a URL is spelt.
func (g *Guard) SpeltOwes(u weburl.URL) float32 {
	if s := g.spellings[g.shapes.spelt(u, g.shapes.at(u).fine, false)]; s != nil {
		return s.owes
	}
	return 0
}

// Kin returns how many patterns have kin, and how many kin there are, and reports whether these are
// those of the patterns.
func (g *Guard) Kin() (patterns, all int, ok bool) {
	of := map[*kin]uint32{}
	for _, p := range g.patterns {
		if p.kin != nil {
			of[p.kin]++
			patterns++
		}
	}
	ok = len(of) == len(g.kin)
	for k, n := range of {
		ok = ok && g.kin[k.id] == k && k.patterns == n
	}
	return patterns, len(g.kin), ok
}

// SectionID returns the section of a URL.
func (g *Guard) SectionID(u weburl.URL) uint64 { return g.shapes.at(u).section }

// Begins returns how likely a new directory of a URL's section begins well.
func (g *Guard) Begins(u weburl.URL) (chance float32, known bool) {
	return g.begins(g.shapes.at(u), 0)
}

// SpeltLike returns how a URL is spelt, by the words that are known.
func (g *Guard) SpeltLike(u weburl.URL) uint64 {
	return g.shapes.spelt(u, g.shapes.at(u).fine, false)
}

// FillNames leaves no room for names.
func (g *Guard) FillNames() { g.shapes.most = len(g.shapes.kept) }

// WellSpelt returns how many spellings of a URL's pattern were worth something.
func (g *Guard) WellSpelt(u weburl.URL) (well float32, of uint32) {
	p := g.patterns[g.shapes.at(u).fine]
	return p.wellSpelt, p.spellings
}

// MostChoices is how many words a parameter may have that each make a spelling.
const MostChoices = mostChoices

// KinID returns of what kin a URL is, 0 for none.
func (g *Guard) KinID(u weburl.URL) uint64 { return g.shapes.at(u).kin }

// Version and JournalVersion are those of the binary form and of events.
const (
	Version        = version
	JournalVersion = journalVersion
)

// Noise is how much copies of a URL's domain tell on average.
func (g *Guard) Noise(u weburl.URL) float32 { return g.noise(g.shapes.at(u).domain) }

// HighChance is the chance above which the rank is 0.
const HighChance = highChance

func Rank(chance float32) uint8 { return rank(chance) }

// IsTwin reports whether a page is a twin of an earlier one. words and had are the numbers of words
// of the page and of the earlier one; shared are those of the page's words that the earlier one was
// the last to say, and others are those that a third page was.
func IsTwin(words, had, shared, others int) bool {
	const earlier, third, later = 1, 2, 3
	g, by := New(Config{}), origins{}
	g.texts.put(saidBy(earlier), earlier, uint8(had))
	g.page = later
	for range shared {
		by.note(sight{page: earlier, times: 1}, sight{})
	}
	for range others {
		by.note(sight{page: third, times: 1}, sight{})
	}
	_, ok := g.twinOf(words, &by)
	return ok
}
