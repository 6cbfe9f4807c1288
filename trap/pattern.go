package trap

// pattern is what the Guard knows of one pattern: decaying sums over its pages, in which
// the latest count most, and hashes of what those pages had.
type pattern struct {
	id     uint64
	name   string
	closed Kind
	pages  uint32 // learned
	used   uint32 // the Guard's page at which it learned last

	refused uint32 // since the last probe
	wait    uint32 // refusals before the next probe; doubles

	largest, longest uint32 // size and length of the latest URL
	wide             bool   // of a domain's hosts together
	hosts            uint8  // that had copies of another URL's page, at most 255

	text  text
	links links
	pairs memory // of words
	marks memory // text hashes of pages, and URLs that links led back to
	known memory // forms of URLs, and hosts
}

// text describes the words of the latest pages: sums that decay by textDecay with each page.
type text struct {
	weight                   float32 // pages
	keyed, dated, combined   float32 // whose URL has a key, a date, facetParams parameters
	forms, formCopies        float32 // whose form was new, and the copies among them
	olds, oldCopies          float32 // whose form was known, and the copies among them
	fresh, recurring, common float32 // pairs of words
}

// links says where the latest pages were found and what they link to: sums that decay by
// linkDecay with each page that was watched.
type links struct {
	weight  float32 // pages
	own     float32 // found on a page of the wide pattern
	grown   float32 // of those, pages with a longer address than that page
	rooted  float32 // that link back to where they were found, a directory above them
	fertile float32 // that link to new URLs of their wide pattern
	born    float32 // such URLs
	back    float32 // URLs of the wide pattern that were known before, each once

	// These decay by textDecay, with each page that had nothing new: a copy, or any page
	// while the text was stale.
	barren        float32 // such pages
	barrenFertile float32 // of those, pages that still link to new URLs of their wide pattern
}

const (
	textDecay = 7. / 8
	linkDecay = 15. / 16
	mostPairs = 1024
	mostMarks = 512
	fewForms  = 256
	mostForms = 4096
)

// address records the shape of a page's URL, and reports whether its form is new.
func (p *pattern) address(s shape) bool {
	p.text.weight = p.text.weight*textDecay + 1
	p.text.keyed = p.text.keyed*textDecay + one(s.keyed)
	p.text.dated = p.text.dated*textDecay + one(s.dated)
	p.text.combined = p.text.combined*textDecay + one(s.params >= facetParams)
	p.largest, p.longest = s.size, s.length
	return p.known.meet(s.form, uint16(p.pages), p.mostKnown()).times == 0
}

// mostKnown is how many forms are worth remembering: few if none comes twice.
func (p *pattern) mostKnown() int {
	if p.wide || p.mostly(p.text.keyed) {
		return mostForms
	}
	return fewForms
}

func one(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// mostly reports whether a decaying sum is over half of its pages.
func (p *pattern) mostly(sum float32) bool { return 2*sum > p.text.weight }

// read records a page's words and reports whether it is a copy.
func (p *pattern) read(page Page, host uint64, form bool) (copied bool) {
	at := uint16(p.pages)
	times := p.marks.meet(mix(page.TextHash, 5), at, mostMarks).times
	weight := p.copyWeight(times, form)
	if form {
		p.text.forms = p.text.forms*textDecay + 1
		p.text.formCopies = p.text.formCopies*textDecay + weight
	} else {
		p.text.olds = p.text.olds*textDecay + 1
		p.text.oldCopies = p.text.oldCopies*textDecay + weight
		if times > 0 && p.known.meet(mix(host, 7), at, p.mostKnown()).times == 0 {
			p.hosts = min(p.hosts, 254) + 1
		}
	}
	if times > 0 && times < manyCopies/2 && p.pages > 2 {
		return true // a manual's second version has nothing new, but it ends
	}
	p.text.fresh *= textDecay
	p.text.recurring *= textDecay
	p.text.common *= textDecay
	for _, pair := range page.Sample {
		switch s := p.pairs.meet(pair, at, mostPairs); {
		case s.again:
		case s.times == 0:
			p.text.fresh++
		case s.run >= 2:
			p.text.common++
		default:
			p.text.recurring++
		}
	}
	return times > 0
}

// copyWeight is the weight, 0 to 1, of a page that was met some times before. It is 1 from
// the first copy on if the addresses differ in a key, a date or a host alone; else a
// sixteenth for each copy, since manuals have versions.
func (p *pattern) copyWeight(times uint8, form bool) float32 {
	if times > 0 && (!form || p.mostly(p.text.dated)) {
		return 1
	}
	return float32(min(times, manyCopies)) / manyCopies
}

const (
	manyCopies = 16
	manyHosts  = 5 // mirrors are fewer
)

// readBarren records whether a page that had nothing new links to new URLs.
func (p *pattern) readBarren(fertile bool) {
	p.links.barren = p.links.barren*textDecay + 1
	p.links.barrenFertile = p.links.barrenFertile*textDecay + one(fertile)
}

// repeats reports whether there were such pages lately: whether they link to new URLs must
// be known before there are more.
func (p *pattern) repeats() bool {
	t := &p.text
	return t.formCopies > seldom*t.forms || t.oldCopies > seldom*t.olds || p.stale()
}

const seldom = 0.05

// found records where a page's URL was found, and what its links lead to.
func (p *pattern) found(k *ownLinks, longer, rooted bool) {
	p.links.weight = p.links.weight*linkDecay + 1
	p.links.own = p.links.own*linkDecay + one(k.own)
	p.links.grown = p.links.grown*linkDecay + one(k.own && longer)
	p.links.rooted = p.links.rooted*linkDecay + one(rooted)
	p.links.fertile = p.links.fertile*linkDecay + one(k.born > 0)
	p.links.born = p.links.born*linkDecay + float32(k.born)
	back := 0
	for _, h := range k.back[:k.backs] {
		if p.marks.meet(h, uint16(p.pages), mostMarks).times == 0 {
			back++
		}
	}
	if p.pages < warmPages {
		back = 0 // these are the site's navigation
	}
	p.links.back = p.links.back*linkDecay + float32(back)
}
