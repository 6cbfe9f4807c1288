package gate

import (
	"encoding/binary"
	"fmt"
	"slices"

	"crawler/internal/binform"
	"crawler/trap"
	"crawler/weburl"
)

// lesson is a page that the guard learns as soon as it is known of each link whether its URL was
// new.
type lesson struct {
	url, via weburl.URL
	sample   Sample
	lease    trap.Lease
	links    []met
	bytes    int    // of their URLs
	waiting  int    // links of which that is not known yet
	number   uint64 // in the commit, from 1
}

// met is a link of a page that is in scope.
type met struct {
	url   weburl.URL
	known bool
}

// watch begins a page.
func (t *traps) watch(p *Page) {
	if t.guard == nil || p.Sitemap {
		return
	}
	t.watching, t.page = true, lesson{url: p.URL, lease: p.lease, links: t.page.links[:0]}
	if t.reads = !p.Unread(); t.reads {
		t.page.via, _ = weburl.Parse(p.Via) // zero for an entry point
	}
}

// link records a link of that page.
func (t *traps) link(u weburl.URL, known bool) {
	if t.watching && t.reads && !t.page.full() {
		t.page.links = append(t.page.links, met{u, known})
		t.page.bytes += len(u.String())
	}
}

// full reports whether no more links of the page are learned.
func (l *lesson) full() bool { return len(l.links) == trap.MaxLinks || l.bytes >= maxLessonBytes }

// maxLessons is how many pages may wait for the log, 16 MiB in all; the links of further ones count
// as known. maxLessonBytes is how long a page's links may be together, the last one apart.
const (
	maxLessons     = 256
	maxLessonBytes = 64 << 10
)

// wait records a link of which c will tell whether it is known.
func (t *traps) wait(c *pendingCheck) {
	if !t.watching || !t.reads || t.page.full() {
		return
	}
	if t.later == nil && len(t.lessons) < maxLessons {
		t.later = &lesson{}
		t.lessons = append(t.lessons, t.later)
	}
	if t.later != nil {
		c.page, c.link = t.later, len(t.page.links)
		t.later.waiting++
	}
	t.link(c.URL, true)
}

// end ends the page, and returns it if nothing is missing.
func (t *traps) end(p *Page) *lesson {
	if !t.watching {
		return nil
	}
	t.watching = false
	t.page.sample = p.Sample
	t.page.sample.Status = p.Status // errors are not parsed, nor sampled
	if t.later == nil {
		return &t.page
	}
	t.page.waiting = t.later.waiting
	*t.later = t.page.clone()
	t.later = nil
	return nil
}

// learned notes that a page waits no longer.
func (t *traps) learned(l *lesson) {
	i := slices.Index(t.lessons, l)
	t.lessons = slices.Delete(t.lessons, i, i+1)
}

// forgetLessons lets no page wait, since nobody will learn it: an earlier run had a guard.
func (p *pendingChecks) forgetLessons() {
	for _, list := range [][]pendingCheck{p.checking, p.waiting} {
		for i := range list {
			list[i].page = nil
		}
	}
}

// clone returns a copy in memory of its own.
func (l *lesson) clone() lesson {
	c := *l
	c.url, c.via = l.url.Clone(), l.via.Clone()
	c.sample.Sample = slices.Clone(l.sample.Sample)
	c.links = slices.Clone(l.links)
	for i := range c.links {
		c.links[i].url = c.links[i].url.Clone()
	}
	return c
}

// appendLessons appends the pages that wait: of each its URL, that of the page with the link here,
// the sample, and its links.
func (t *traps) appendLessons(b []byte) []byte {
	for i, l := range t.lessons {
		l.number = uint64(i) + 1
		b = binform.AppendText(b, l.url.String())
		b = binform.AppendText(b, textOf(l.via))
		b = appendSample(b, &l.sample)
		b = binary.AppendUvarint(b, uint64(len(l.links)))
		for i := range l.links {
			known := byte(0)
			if l.links[i].known {
				known = 1
			}
			b = binform.AppendText(append(b, known), l.links[i].url.String())
		}
	}
	return b
}

// textOf returns the text of a URL, which may be zero.
func textOf(u weburl.URL) string {
	if u.IsZero() {
		return ""
	}
	return u.String()
}

// readLessons reads what appendLessons wrote.
func readLessons(r Reader) (all []*lesson, err error) {
	b, err := r.Get(recordKey(keyLessons))
	for err == nil && len(b) > 0 {
		l := &lesson{}
		if b, err = l.read(b); err == nil && len(all) == maxLessons {
			err = fmt.Errorf("more than %d pages", maxLessons)
		}
		all = append(all, l)
	}
	if err != nil {
		return nil, damaged(keyLessons, err)
	}
	return all, nil
}

func (l *lesson) read(b []byte) (rest []byte, err error) {
	if l.url, b, err = cutURL(b); err != nil {
		return nil, err
	}
	if len(b) > 0 && b[0] == 0 {
		b = b[1:]
	} else if l.via, b, err = cutURL(b); err != nil {
		return nil, err
	}
	if b, err = readSample(b, &l.sample); err != nil {
		return nil, err
	}
	n, b, err := cutUvarint(b, trap.MaxLinks)
	if err != nil {
		return nil, err
	}
	for range n {
		if len(b) == 0 || b[0] > 1 {
			return nil, errShort
		}
		m := met{known: b[0] == 1}
		if m.url, b, err = cutURL(b[1:]); err != nil {
			return nil, err
		}
		l.links = append(l.links, m)
	}
	return b, nil
}

func appendSample(b []byte, s *Sample) []byte {
	status := uint64(s.Status)
	if s.Pictures != 0 {
		status += withPictures
	}
	if s.Another {
		status += another
	}
	if s.NoIndex {
		status += noIndex
	}
	b = binary.AppendUvarint(b, status)
	b = binary.AppendUvarint(b, uint64(s.Every))
	b = binary.LittleEndian.AppendUint64(b, s.TextHash)
	b = binary.LittleEndian.AppendUint64(b, s.AllHash)
	if s.Pictures != 0 {
		b = binary.LittleEndian.AppendUint64(b, s.Pictures)
	}
	b = binary.AppendUvarint(b, uint64(len(s.Sample)))
	for _, h := range s.Sample {
		b = binary.LittleEndian.AppendUint32(b, h)
	}
	return b
}

// withPictures is added to the status of a page that has a hash of pictures; before there were any
// it was never as large.
const withPictures = 1 << 10

// another is added to the status of a page that names another URL as its own, and noIndex to that
// of one that asks not to be indexed.
const (
	another = 1 << 11
	noIndex = 1 << 12
)

func readSample(b []byte, s *Sample) (rest []byte, err error) {
	status, b, err := cutUvarint(b, noIndex+another+withPictures+999)
	if err != nil {
		return nil, err
	}
	every, b, err := cutUvarint(b, trap.MaxEvery)
	if err != nil {
		return nil, err
	}
	if s.NoIndex = status >= noIndex; s.NoIndex {
		status -= noIndex
	}
	if s.Another = status >= another; s.Another {
		status -= another
	}
	hashes := []*uint64{&s.TextHash, &s.AllHash}
	if status >= withPictures {
		status -= withPictures
		hashes = append(hashes, &s.Pictures)
	}
	if s.Status, s.Every = int(status), int(every); status > 999 || len(b) < 8*len(hashes) {
		return nil, errShort
	}
	for i, h := range hashes {
		*h = binary.LittleEndian.Uint64(b[8*i:])
	}
	n, b, err := cutUvarint(b[8*len(hashes):], trap.MaxSample)
	if err != nil {
		return nil, err
	}
	if n%2 != 0 || uint64(len(b)) < 4*n {
		return nil, errShort
	}
	for i := range n {
		s.Sample = append(s.Sample, binary.LittleEndian.Uint32(b[4*i:]))
	}
	return b[4*n:], nil
}

// cutURL reads a text that is a URL.
func cutURL(b []byte) (u weburl.URL, rest []byte, err error) {
	text, rest, ok := binform.CutText(b)
	if !ok {
		return u, nil, errShort
	}
	u, err = weburl.Parse(string(text))
	return u, rest, err
}
