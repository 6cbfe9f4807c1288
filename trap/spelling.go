package trap

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"crawler/internal/binform"
	"crawler/weburl"
)

// spelling is what is known of the URLs of a fine pattern that are spelt alike. It counts for the
// order only: /record=b1001 and /record=b1001~S2, or page=3 and page=0,0,3, may be of one pattern,
// but those who made them up have had different things in mind.
type spelling struct {
	tally
	of     uint64 // the pattern
	used   uint32 // the Guard's page at which it learned last
	parent uint64 // the spelling on whose pages it was found last, if that is another one
}

// spell counts a page of a pattern for how its URL is spelt. What it has cost and earned is known
// of all its pages, what it was worth only of those that were read: the others are taken to be like
// these.
func (g *Guard) spell(e *event, p *pattern, n news, cost, earn, worth float32) {
	if e.spelt == 0 || g.patterns[p.id] != p { // the wide one was new, and has put it out
		return
	}
	s := g.spellings[e.spelt]
	if n.guessed() && s != nil && s.tries > 0 {
		worth = s.hits / s.tries
	}
	if s == nil {
		if len(g.spellings) >= g.mostSpellings() {
			g.forgetSpellings()
		}
		s = &spelling{of: p.id}
		g.spellings[e.spelt] = s
		p.spellings++
		p.wellSpelt += max(0, worth)
	}
	s.used = g.page
	s.charge(cost, earn)
	s.try(worth)
}

// spared reports whether a URL is not refused with the others of its pattern, because those that
// are spelt like it are worth something; or because there was none yet, few ways to spell one were
// tried, and no page of the host had its words together. Then it returns what Lease counts as a
// try, so that what fails each time is not tried for ever.
func (g *Guard) spared(a asked) (try uint64, ok bool) {
	chosen := a.chosen()
	if a.spelt == 0 || chosen == 0 || a.own.moved >= settled {
		return 0, false
	}
	if s := g.spellings[a.spelt]; s != nil {
		return 0, s.tells()
	}
	if int(a.own.spellings) < min(mostTried, g.cfg.Budget/mostTried) && !g.texts.has(chosen) {
		try = g.nextTry(mix(a.fine, 35), 2*mostTried)
	}
	return try, try != 0
}

// tells reports whether pages that are spelt so are worth something, if not all of the latest.
func (s *spelling) tells() bool { return 8*s.hits >= s.tries && s.owes < suspect }

// mostTried is in how many ways a URL of a pattern may be spelt until others are refused with it.
const mostTried = 8

// nextTry returns under what the next try of something is remembered, 0 if there were most of them.
func (g *Guard) nextTry(of uint64, most int) uint64 {
	for n := range most {
		if try := mix(of, uint64(n)); !g.texts.has(try) {
			return try
		}
	}
	return 0
}

// tried counts a try.
func (g *Guard) tried(try uint64) {
	g.remember(try)
	g.journal.tried(try)
}

// chosen is by what a URL's values that are words are remembered, 0 if it has none.
func (s *shape) chosen() uint64 {
	all := uint64(0)
	for _, v := range s.values() {
		if v.class == word {
			all += mix(v.name, v.value)
		}
	}
	if all == 0 {
		return 0
	}
	return mix(mix(s.host, all), 33)
}

// isApart reports whether a page of a closed pattern was spared, so that it says nothing of what
// the pattern refuses.
func (g *Guard) isApart(e *event, fine *pattern) bool {
	if !g.isSpelt(fine) || fine.closed == "" || e.shape.chosen() == 0 {
		return false
	}
	s := g.spellings[e.spelt]
	return s == nil || s.tells()
}

// isSpeltWell reports whether several pages that are spelt like a URL were worth something, most of
// them. Then it is no service, whatever its names say, and that a part of its query is known says
// nothing.
func (g *Guard) isSpeltWell(a asked) bool {
	if a.spelt == 0 || a.own.moved >= settled {
		return false
	}
	s := g.spellings[a.spelt]
	return s != nil && s.pages >= firstSpelt && 2*s.hits >= s.tries && s.owes < postponed
}

// creditSpelt gives what a page has earned also to the spelling on whose page it was found, and so
// on, as inherit does.
func (g *Guard) creditSpelt(e *event, earn float32) {
	s := g.spellings[e.spelt]
	if s == nil {
		return
	}
	if e.fromSpelt != 0 && e.fromSpelt != e.spelt {
		s.parent = e.fromSpelt
	}
	if earn == 0 || g.off&ruleLists != 0 {
		return
	}
	first := s
	for range maxAncestors {
		parent := g.spellings[s.parent]
		if parent == nil || parent == s || parent == first {
			return
		}
		if parent.of == s.of { // no list of the others
			s = parent
			continue
		}
		before := parent.hits
		parent.credit(earn)
		if p := g.patterns[parent.of]; parent.pages == 1 { // a list is worth what it leads to
			p.wellSpelt = min(float32(p.spellings), p.wellSpelt+parent.hits-before)
		}
		s = parent
	}
}

// mostSpellings is how many are known at most.
func (g *Guard) mostSpellings() int { return min(g.shapes.most, mostStored) }

// forgetSpellings drops the half that was unused for longest.
func (g *Guard) forgetSpellings() {
	all := slices.Collect(maps.Keys(g.spellings))
	slices.SortFunc(all, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(g.spellings[a].used, g.spellings[b].used), cmp.Compare(a, b))
	})
	for _, id := range all[:len(all)/2] {
		p := g.patterns[g.spellings[id].of]
		p.wellSpelt *= float32(p.spellings-1) / float32(p.spellings)
		p.spellings--
		delete(g.spellings, id)
	}
}

// spelt returns how a URL of a fine pattern is spelt, hashed: the kinds of its segments, of which
// those that alternate count twice, and its parameters, each with its value, if that is one of a
// few words, or with the kind of it.
func (s *shapes) spelt(u weburl.URL, fine uint64, keeps bool) uint64 {
	h := fine
	var last, before uint64
	for segment := range strings.SplitSeq(u.Path()[1:], "/") {
		kind := spellingOf(segment)
		if kind == last {
			continue
		}
		if kind != before {
			h = mix(h, kind)
		}
		before, last = last, kind
	}
	if !u.HasQuery() {
		return h
	}
	var met [2 * maxParams]uint64
	n, sum := 0, uint64(0)
	for pair := range paramsOf(u.Query()) {
		if n == len(met) {
			break
		}
		name, value, _ := strings.Cut(pair, "=")
		param := xxhash.Sum64String(unindexed(name))
		if choice := choiceOf(value); choice != 0 && s.chooses(mix(mix(fine, param), markChoice), choice, keeps) {
			param = mix(param, choice)
		} else {
			param = mix(param, spellingOf(value))
		}
		if !slices.Contains(met[:n], param) {
			met[n] = param
			n++
			sum += param
		}
	}
	return mix(h, sum)
}

// choiceOf returns the hash of a value that may be one of a few words between which a program has
// its users choose, such as history in action=history; 0 if it is none.
func choiceOf(value string) uint64 {
	if len(value) == 0 || len(value) > longestChoice {
		return 0
	}
	for i := range len(value) {
		if c := value[i]; byteIs[c]&isLetter == 0 && c != '-' && c != '_' {
			return 0
		}
	}
	return xxhash.Sum64String(value)
}

// chooses reports whether a parameter has so few words for values that each makes another spelling.
func (s *shapes) chooses(param, choice uint64, keeps bool) bool {
	known, h := s.children[param], mix(param, choice)
	switch {
	case known > mostChoices:
		return false
	case s.isKept(h):
		return true
	case len(s.kept) >= s.most:
		return false
	case keeps:
		s.keepName(param, h)
		s.journal.keepName(param, h)
	}
	return known < mostChoices
}

const (
	mostChoices   = 12
	longestChoice = 16
)

// spellingOf returns what a segment or a value is made of, hashed: words, numbers, names of both,
// such as US5100137B2, and what stands between them, of which what repeats itself counts once. What
// hyphens, underscores, plus signs and spaces join is one: a number, as of a date, if there are no
// letters, else a word, as of a title. A key counts as a word, too.
func spellingOf(s string) uint64 {
	h, last := uint64(1), uint64(0)
	between, begin, part := uint64(0), 0, made{}
	for i := 0; i <= len(s); i++ {
		c := byte(0)
		if i < len(s) {
			c = s[i]
		}
		at := i
		if c == '%' && i+2 < len(s) {
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
		}
		if at < len(s) && part.add(c) {
			continue
		}
		if next := between<<20 | part.of(s[begin:at]); next != last && next != 0 {
			h, last = mix(h, next), next
		}
		between, begin, part = uint64(c), i+1, made{}
	}
	return h
}

// made is what a part of a segment or a value is made of.
type made struct {
	runs   uint64 // of digits and of letters, in their sequence, the last one lowest
	joined bool
	any    bool
}

// A run is a digit of runs, to the base of 1<<bitsRun.
const (
	digitRun  = 1
	letterRun = 2
	bitsRun   = 4
	mostRuns  = 4 // a name with more of them counts as a word
)

// add adds a character, if it is one of a part.
func (m *made) add(c byte) bool {
	run := uint64(digitRun)
	switch is := byteIs[c]; {
	case is&isLetter != 0:
		run = letterRun
	case is&isDigit != 0:
	case c == '-' || c == '_' || c == '+' || c == ' ':
		m.joined, m.any = true, true
		return true
	default:
		return false
	}
	m.any = true
	if m.runs&(1<<bitsRun-1) != run {
		m.runs = m.runs<<bitsRun | run
	}
	return true
}

// of returns what the part s is, below 1<<20; 0 if it is empty.
func (m *made) of(s string) uint64 {
	switch {
	case !m.any:
		return 0
	case m.runs <= digitRun:
		return digitRun
	case m.joined || m.runs >= 1<<(mostRuns*bitsRun) || m.runs > letterRun && len(s) >= leastHex && classify(s) == key:
		return letterRun
	}
	return m.runs
}

func (g *Guard) encodeSpellings(e *binform.Encoder) {
	e.Uint32(uint32(len(g.spellings)))
	for _, id := range slices.Sorted(maps.Keys(g.spellings)) {
		s := g.spellings[id]
		e.Uint64(id)
		e.Uint64(s.of)
		e.Uint64(s.parent)
		e.Uint32(s.pages)
		e.Uint32(s.used)
		for _, sum := range []float32{s.owes, s.tries, s.hits} {
			e.Uint32(math.Float32bits(sum))
		}
	}
}

func (g *Guard) decodeSpellings(d *binform.Decoder) {
	n := d.Uint32()
	d.Check(n <= mostStored, "%d spellings, the most is %d", n, mostStored)
	last, of := uint64(0), map[*pattern]uint32{}
	for i := uint32(0); i < n && d.OK(); i++ {
		id := d.Uint64()
		d.Check(i == 0 || id > last, "spellings out of order")
		last = id
		s := &spelling{of: d.Uint64(), parent: d.Uint64()}
		s.pages, s.used = d.Uint32(), d.Uint32()
		for _, sum := range []*float32{&s.owes, &s.tries, &s.hits} {
			*sum = decodeSum(d)
		}
		g.spellings[id] = s
		of[g.patterns[s.of]]++
	}
	d.Check(of[nil] == 0, "a spelling of no pattern")
	for _, p := range g.patterns {
		d.Check(of[p] == p.spellings, "%d spellings of a pattern of %d", of[p], p.spellings)
	}
	for d.OK() && len(g.spellings) > g.mostSpellings() {
		g.forgetSpellings()
	}
}
