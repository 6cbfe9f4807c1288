package mazes

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// The ways in which the pages of a plan are found. Units are its groups, or its leaves if it
// has none.
const (
	chained = "chained" // each unit on the one before
	listed  = "listed"  // on list pages of perList units
	tree    = "tree"    // at the ends of a tree of sections
	linked  = "linked"  // on each other, from the first leaf on
)

const (
	perList    = 40
	perSection = 12
)

// plan is a kind of honest site: leaves with something to say, and what leads to them.
type plan struct {
	name  string
	ways  []string
	leaf  address
	title func(p *leaf) string // three words of its own, if nil
	says  func(p *leaf)
	words int // of the template; 0 draws them

	group address              // of the pages that list leaves, if the site has some
	heads func(p *leaf)        // says more on a group's page; may be nil
	each  int                  // leaves of a group
	span  func(g int) int      // the first leaf of a group, in place of each
	inRow bool                 // a group leads to its first leaf only, each leaf to the next
	label func(p *leaf) string // of a group and of the links to it; its number if nil
}

// leaf is a page in the making, number i of its kind. Its generator is the page's own.
type leaf struct {
	*Site
	*doc
	*rand.Rand
	*layout
	i int
}

// write says n words, of the first few of the vocabulary.
func (p *leaf) write(n, few int) { p.say("<p>%s</p>", p.prose(p.Rand, n, few)) }

// some is prose of the page, or of another one if it is named.
func (p *leaf) some(n, few int) string { return p.prose(p.Rand, n, few) }

// see links another leaf, if there is one of this number.
func (p *leaf) see(j int) {
	if j >= 0 && j < p.leaves && j != p.i {
		p.link(p.leaf.at(p.Site, j), p.titleOf(p.Site, j))
	}
}

// layout is a plan with a way and a size.
type layout struct {
	*plan
	way    string
	leaves int
	groups int
	levels []int // of a tree: sections of each level, from the leaves on
}

// sites makes the sites of plans, each of size pages at most.
func (p *plan) sites(size int) (all []*Site) {
	for _, way := range p.ways {
		l := layout{}
		for n := size; l.pages() == 0 || l.pages() > size; n-- {
			l = p.lay(way, n)
		}
		all = append(all, l.site())
	}
	return all
}

// exactly makes the sites of a plan with so many leaves.
func (p *plan) exactly(leaves int) (all []*Site) {
	for _, way := range p.ways {
		l := p.lay(way, leaves)
		all = append(all, l.site())
	}
	return all
}

func (l *layout) site() *Site {
	return &Site{Name: l.name + " " + l.way, Shape: l.name, Pages: l.pages(), Template: l.words, page: l.page}
}

func (p *plan) lay(way string, leaves int) layout {
	l := layout{plan: p, way: way, leaves: leaves}
	if p.span != nil {
		for p.span(l.groups) < leaves {
			l.groups++
		}
	} else if p.each > 0 {
		l.groups = (leaves + p.each - 1) / p.each
	}
	if way == tree {
		for n := l.units(); n > perSection; {
			n = (n + perSection - 1) / perSection
			l.levels = append(l.levels, n)
		}
	}
	return l
}

func (l *layout) units() int {
	if l.groups > 0 {
		return l.groups
	}
	return l.leaves
}

func (l *layout) lists() int { return max(1, (l.units()+perList-1)/perList) }

// pages counts all pages of the site.
func (l *layout) pages() int {
	if l.plan == nil {
		return 0
	}
	n := 1 + l.leaves + l.groups
	if l.way == listed {
		n += l.lists() - 1
	}
	for _, sections := range l.levels {
		n += sections
	}
	return n
}

// first is the first leaf of a group.
func (l *layout) first(group int) int {
	if l.span != nil {
		return min(l.span(group), l.leaves)
	}
	return min(group*l.each, l.leaves)
}

func (l *layout) groupOf(leaf int) int {
	if l.span == nil {
		return leaf / l.each
	}
	g := 0
	for l.first(g+1) <= leaf {
		g++
	}
	return g
}

func (l *layout) page(s *Site, _, uri string) Answer {
	if uri == "/" {
		return l.home(s)
	}
	if i := l.leaf.index(s, uri); i >= 0 && i < l.leaves {
		return l.leafPage(s, i)
	}
	if g := l.group.index(s, uri); g >= 0 && g < l.groups {
		return l.groupPage(s, g)
	}
	if n := l.listAddress(s).index(s, uri); l.way == listed && n >= 1 && n < l.lists() {
		return l.listPage(s, n)
	}
	for level, n := range l.levels {
		if k := section(level).index(s, uri); k >= 0 && k < n {
			return l.sectionPage(s, level, k)
		}
	}
	return gone()
}

func (l *layout) begin(s *Site, kind string, i int, title string) *leaf {
	return &leaf{Site: s, doc: s.begin(title), Rand: s.random(l.name + kind + strconv.Itoa(i)), layout: l, i: i}
}

func (l *layout) titleOf(s *Site, i int) string {
	r := s.random("title" + strconv.Itoa(i))
	if l.title == nil {
		return s.prose(r, 3, vocabularySize)
	}
	return l.title(&leaf{Site: s, Rand: r, layout: l, i: i})
}

func (l *layout) home(s *Site) Answer {
	switch l.way {
	case listed:
		return l.listPage(s, 0)
	case tree:
		return l.sectionPage(s, len(l.levels), 0)
	}
	d := s.begin(s.text("home "+s.Name, 2))
	d.say("<p>%s</p>", s.text("welcome "+s.Name, 12))
	l.unit(s, d, 0)
	return d.answer()
}

func (l *layout) leafPage(s *Site, i int) Answer {
	p := l.begin(s, "leaf", i, l.titleOf(s, i))
	l.says(p)
	switch {
	case l.inRow && i+1 < l.leaves && l.groupOf(i+1) == l.groupOf(i):
		p.link(l.leaf.at(s, i+1), "next")
	case l.groups == 0 && l.way == chained:
		l.neighbours(s, p.doc, i)
	}
	switch s.vary("way back", 0, 2) {
	case 1:
		p.link("/", "Home")
	case 2:
		p.link("/", "Home")
		if l.groups > 0 {
			l.unit(s, p.doc, l.groupOf(i))
		} else if n := i / perList; l.way == listed && n > 0 {
			p.link(l.listAddress(s).at(s, n), "List")
		}
	}
	return p.answer()
}

// neighbours links the next unit and, on most sites, the one before.
func (l *layout) neighbours(s *Site, d *doc, u int) {
	if u > 0 && s.vary("before", 0, 3) > 0 {
		l.unit(s, d, u-1)
	}
	if u+1 < l.units() {
		l.unit(s, d, u+1)
	}
}

// unit links a group or a leaf.
func (l *layout) unit(s *Site, d *doc, u int) {
	switch {
	case l.groups == 0:
		d.link(l.leaf.at(s, u), l.titleOf(s, u))
	default:
		d.link(l.group.at(s, u), l.labelOf(s, u))
	}
}

func (l *layout) labelOf(s *Site, g int) string {
	if l.label == nil {
		return strconv.Itoa(g + 1)
	}
	return l.label(&leaf{Site: s, Rand: s.random("label" + strconv.Itoa(g)), layout: l, i: g})
}

func (l *layout) groupPage(s *Site, g int) Answer {
	p := l.begin(s, "group", g, l.labelOf(s, g))
	if l.heads != nil {
		l.heads(p)
	}
	for i := l.first(g); i < l.first(g+1); i++ {
		p.link(l.leaf.at(s, i), l.titleOf(s, i))
		if l.inRow {
			break
		}
	}
	if l.way == chained {
		l.neighbours(s, p.doc, g)
	}
	return p.answer()
}

// listAddress is that of the lists behind the first.
func (l *layout) listAddress(s *Site) address {
	patterns := []string{"/list/{}", "/browse?page={}", "/index{}.html"}
	return named(patterns[s.vary("lists", 0, len(patterns)-1)], from(1, 0))
}

func (l *layout) listPage(s *Site, n int) Answer {
	d := s.begin(s.text("list", 2))
	for u := n * perList; u < min((n+1)*perList, l.units()); u++ {
		l.unit(s, d, u)
	}
	for m := max(0, n-1); m <= min(n+2, l.lists()-1); m++ {
		if m == 0 {
			d.link("/", "1")
		} else if m != n {
			d.link(l.listAddress(s).at(s, m), strconv.Itoa(m+1))
		}
	}
	return d.answer()
}

// section is the address of the sections of a level, the lowest of which leads to units.
func section(level int) address {
	return named([]string{"/topics/{}/", "/area/{}/", "/field/{}/", "/branch/{}/"}[level], from(1, 0))
}

func (l *layout) sectionPage(s *Site, level, k int) Answer {
	d := s.begin(s.text(fmt.Sprint("section", level, k), 2))
	below := l.units()
	if level > 0 {
		below = l.levels[level-1]
	}
	for c := k * perSection; c < min((k+1)*perSection, below); c++ {
		if level == 0 {
			l.unit(s, d, c)
		} else {
			d.link(section(level-1).at(s, c), s.text(fmt.Sprint("section", level-1, c), 2))
		}
	}
	if level < len(l.levels) && s.vary("way up", 0, 1) == 1 {
		d.link("/", "Home")
	}
	return d.answer()
}
