package dedup

// Part is a part of the log on its way to disk. Nothing changes it, so any goroutine may
// read it.
type Part struct {
	exactLog
	owner *Logged
}

// URLs yields the fingerprints of the URLs in ascending order.
func (p *Part) URLs(yield func(uint64) bool) { p.urls.All(yield) }

// Prefixes returns a sequence of the fingerprints of the prefixes in a layer,
// counted from 0, in ascending order.
func (p *Part) Prefixes(layer int) func(yield func(uint64) bool) { return p.prefixes[layer].All }

// Len returns the number of URLs.
func (p *Part) Len() int { return p.urls.Len() }

// Written reports that the part is in the log on disk now. It belongs to the goroutine
// that owns the Logged, which keeps the part in memory until then. Further calls do
// nothing.
func (p *Part) Written() {
	l := p.owner
	if l.frozen != p {
		return
	}
	l.frozen = nil
	if l.next != nil {
		l.retired = p
	}
}

// What is below takes a nil Part for an empty one.

func (p *Part) has(fp uint64) bool { return p != nil && p.urls.Has(fp) }

func (p *Part) hasPrefix(layer int, fp uint64) bool {
	return p != nil && p.prefixes[layer].Has(fp)
}

func (p *Part) bytes() int64 {
	if p == nil {
		return 0
	}
	return p.exactLog.bytes()
}

func (p *Part) addTo(m *Multilayer) {
	if p != nil {
		p.exactLog.addTo(m)
	}
}

// newLists has the lists of what was admitted since TakeNew was last called, and those it
// returned then, whose memory is used again.
type newLists struct {
	kept       bool // otherwise nobody will ask for them
	now, taken newList
}

type newList struct {
	urls     []uint64
	prefixes [][]uint64
}

func keepLists(layers int) newLists {
	return newLists{kept: true, now: newList{prefixes: make([][]uint64, layers)}, taken: newList{prefixes: make([][]uint64, layers)}}
}

func (l *newLists) url(fp uint64) {
	if l.kept {
		l.now.urls = append(l.now.urls, fp)
	}
}

func (l *newLists) prefix(layer int, fp uint64) {
	if l.kept {
		l.now.prefixes[layer] = append(l.now.prefixes[layer], fp)
	}
}

func (l *newLists) take() (urls []uint64, prefixes [][]uint64) {
	l.now, l.taken = l.taken, l.now
	l.now.urls = l.now.urls[:0]
	for i := range l.now.prefixes {
		l.now.prefixes[i] = l.now.prefixes[i][:0]
	}
	return l.taken.urls, l.taken.prefixes
}
