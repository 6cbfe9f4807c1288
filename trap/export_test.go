package trap

import (
	"fmt"
	"maps"
	"strings"
)

// Forgotten returns how many of n hashes a memory of n has forgotten.
func Forgotten(n uint64) (lost int) {
	var m memory
	for i := range n {
		m.meet(mix(i, 1), 0, mostTexts)
	}
	for i := range n {
		if !m.has(mix(i, 1)) {
			lost++
		}
	}
	return lost
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
var Rules = []string{"order", "leases", "lists", "growth", "wide", "forms", "endless", "selections", "last look", "unread", "aspects", "texts", "turns", "moves", "breeds", "span"}

// Without switches the i-th of Rules off.
func (g *Guard) Without(i int) *Guard {
	g.off = 1 << i
	return g
}
