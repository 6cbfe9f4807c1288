package report

import (
	"encoding/binary"
	"fmt"
	"slices"

	"crawler/crawl"
	"crawler/internal/binform"
	"crawler/stats"
)

// The kinds of record; docs/format/records.md describes their values.
const (
	keyCounters = "rc"
	keyLists    = "rl"
	keyWords    = "rw"
	keyChanges  = "rv" // and the number of the delta
	keySite     = "rs" // and the host
	keySiteMore = "re" // and the host, 00, and the number of the delta
	keyDigests  = "rd" // and the number of the block
	keyRefusal  = "rr" // and the host
	keyOthers   = "ro" // and the number of the block
	keyExact    = "rx" // and the number of the commit and the host
)

// unsaved is what has changed since the last Cut.
type unsaved struct {
	on     bool // the crawl is durable: changes are kept
	words  bool // the crawl's sketches
	lists  bool
	sites  []*site
	texts  []uint64      // digests of new texts
	others []uint64      // fingerprints of new hosts of OtherSites
	bases  []*stats.Base // spare

	refusals []string // hosts

	textBlocks, exactBlocks, otherBlocks uint64              // written so far
	key, value                           []byte              // scratch
	forms                                [maxTogether][]byte // the same, one for each goroutine
}

// Cut flushes the lines written so far into their files and puts what must be committed with
// them into b: their positions, the counters, and the sketches that have changed. Once b is
// committed, a Recorder of the crawl resumed is as this one is now. If it is not, this Recorder
// must not be cut again.
//
// It puts what has changed: for each sketch that a page of some thousand words came to some
// hundreds of bytes, and now and then, once in a few dozen commits, 9 KiB for a site and 63 KiB
// for the crawl; the site that was the first of several is as large as the crawl.
func (r *Recorder) Cut(b crawl.Batch) error {
	if r.cfg.Dir != nil {
		if err := r.cfg.Dir.Cut(b); err != nil {
			return err
		}
	}
	if err := r.cutWords(b); err != nil {
		return err
	}
	r.cutTexts(b)
	r.cutRefusals(b)
	r.cutCounters(b)
	if r.unsaved.lists {
		r.cutLists(b)
	}
	return nil
}

// cutWords puts what has changed in the sketches.
func (r *Recorder) cutWords(b crawl.Batch) error {
	r.countWaiting()
	u := &r.unsaved
	if u.words {
		u.words = false
		r.cutSketches(b, nil)
	}
	for sites := range slices.Chunk(u.sites, maxForms) {
		r.cutSketches(b, sites)
	}
	err := r.cutExact(b)
	for _, s := range u.sites {
		s.unsaved = false
	}
	clear(u.sites) // a site is kept by its map alone
	u.sites = u.sites[:0]
	return err
}

// cutExact puts what was counted exactly since the last Cut.
func (r *Recorder) cutExact(b crawl.Batch) (err error) {
	u, any := &r.unsaved, false
	for _, s := range u.sites {
		if s.recent == nil || s.recent.Total() == 0 {
			continue
		}
		if u.value, err = s.recent.AppendBinary(u.begin()); err != nil {
			return fmt.Errorf("counts of %s: %w", s.name, err)
		}
		b.Put(append(u.numbered(keyExact, u.exactBlocks), s.name...), u.value)
		s.recent, any = nil, true
	}
	if any {
		u.exactBlocks++
	}
	return nil
}

// The kinds of site.
const (
	siteShares = 0 // it is the only one, and its words are the crawl's
	siteOwn    = 1
)

// maxForms is how many sketches are put at a time: their forms take 9 KiB each at most, but for
// two that may take 63 KiB.
const maxForms = 32

// cutSketches puts what has changed in the sketches of sites, or of the crawl for nil. The forms
// are made side by side.
func (r *Recorder) cutSketches(b crawl.Batch, sites []*site) {
	u := &r.unsaved
	var changes [maxForms]change
	for g := range u.forms {
		u.forms[g] = u.forms[g][:0]
	}
	n := max(1, len(sites))
	together(n, func(g, i int) {
		words, j, head := r.total.words, &r.journal, func(v []byte, _ bool) []byte { return v }
		if sites != nil {
			s := sites[i]
			if r.shares(s) {
				return
			}
			words, j, head = s.words, &s.journal, s.head
		}
		c := change{g: g, start: len(u.forms[g])}
		u.forms[g], c.whole = j.append(u.forms[g], words, head)
		c.end = len(u.forms[g])
		changes[i] = c
	})
	if sites == nil {
		u.put(b, &r.journal, changes[0], keyWords, keyChanges)
	}
	for i, s := range sites {
		if !r.shares(s) {
			u.put(b, &s.journal, changes[i], keySite+s.name, keySiteMore+s.name+"\x00")
			continue
		}
		u.value = append(binary.AppendUvarint(u.begin(), uint64(s.pages)), siteShares)
		b.Put(u.named(keySite, s.name), u.value)
	}
}

// head appends what comes before a form of the site's sketches.
func (s *site) head(v []byte, whole bool) []byte {
	if v = binary.AppendUvarint(v, uint64(s.pages)); whole {
		v = append(v, siteOwn)
	}
	return v
}

// cutTexts puts the digests of the texts that were new, and the hosts that were.
func (r *Recorder) cutTexts(b crawl.Batch) {
	u := &r.unsaved
	u.texts = u.putBlock(b, keyDigests, &u.textBlocks, u.texts)
	u.others = u.putBlock(b, keyOthers, &u.otherBlocks, u.others)
}

// putBlock puts new members of a set as its next block, and returns the list emptied.
func (u *unsaved) putBlock(b crawl.Batch, kind string, blocks *uint64, list []uint64) []uint64 {
	if len(list) == 0 {
		return list
	}
	value := u.begin()
	for _, v := range list {
		value = binary.LittleEndian.AppendUint64(value, v)
	}
	u.value = value
	b.Put(u.numbered(kind, *blocks), value)
	*blocks++
	return list[:0]
}

func (r *Recorder) cutCounters(b crawl.Batch) {
	u, used := &r.unsaved, r.usedSoFar()
	v := append(u.begin(), r.flags())
	v = binary.LittleEndian.AppendUint64(v, r.cfg.Seed)
	for _, n := range [...]int64{
		int64(r.cfg.MaxSites), int64(len(r.sites)), int64(r.texts.Len()), int64(u.textBlocks), int64(u.exactBlocks),
		int64(r.pages), int64(r.total.words.N()), int64(len(r.refusals)), r.bytes, int64(r.good), int64(r.cutOff), int64(used.CPU), used.PeakRSS,
	} {
		v = binary.AppendUvarint(v, uint64(n))
	}
	v = appendNumbers(v, r.status)
	v = binary.AppendUvarint(v, uint64(len(r.types)))
	for name, n := range r.types {
		v = binary.AppendUvarint(binform.AppendText(v, name), uint64(n))
	}
	v = appendNumbers(v, r.depths)
	for _, n := range [...]int{r.shells, r.others.Len(), int(u.otherBlocks)} {
		v = binary.AppendUvarint(v, uint64(n))
	}
	u.value = v
	b.Put(u.named(keyCounters, ""), v)
}

// appendNumbers appends a map of counts by number.
func appendNumbers(v []byte, m map[int]int) []byte {
	v = binary.AppendUvarint(v, uint64(len(m)))
	for k, n := range m {
		v = binary.AppendUvarint(binary.AppendUvarint(v, uint64(k)), uint64(n))
	}
	return v
}

func (r *Recorder) cutLists(b crawl.Batch) {
	u := &r.unsaved
	v := binary.AppendUvarint(u.begin(), uint64(len(r.broken)))
	for _, e := range r.broken {
		v = binary.AppendUvarint(binform.AppendText(v, e.URL), uint64(e.Status))
		v = binform.AppendText(binform.AppendText(binform.AppendText(v, e.Via), e.End), e.Error)
	}
	v = binary.AppendUvarint(v, uint64(len(r.failures)))
	for _, s := range r.failures {
		for _, text := range [...]string{s.URL, string(s.Reason), s.Via, s.From, string(s.Robots), string(s.Trap), s.Detail} {
			v = binform.AppendText(v, text)
		}
	}
	u.value = v
	b.Put(u.named(keyLists, ""), v)
	u.lists = false
}

// begin returns the scratch for a value, its version in place.
func (u *unsaved) begin() []byte { return append(u.value[:0], recordVersion) }

// named returns a key in the scratch for keys.
func (u *unsaved) named(kind, name string) []byte {
	u.key = append(append(u.key[:0], kind...), name...)
	return u.key
}

// numbered is named with a number.
func (u *unsaved) numbered(kind string, n uint64) []byte {
	u.key = binary.BigEndian.AppendUint64(u.named(kind, ""), n)
	return u.key
}

// The flags of the counters.
const (
	flagExact   = 1
	flagNoIndex = 2
)

func (r *Recorder) flags() (f byte) {
	if r.cfg.Exact {
		f |= flagExact
	}
	if r.cfg.NoIndex {
		f |= flagNoIndex
	}
	return f
}

// usedSoFar is what all runs of the crawl have used up.
func (r *Recorder) usedSoFar() Usage {
	if r.cfg.Usage == nil {
		return r.before
	}
	return r.before.and(r.cfg.Usage())
}
