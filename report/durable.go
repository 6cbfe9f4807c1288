package report

import (
	"encoding/binary"
	"fmt"

	"crawler/crawl"
	"crawler/internal/binform"
)

// The kinds of record; docs/format/records.md describes their values.
const (
	keyCounters = "rc"
	keyLists    = "rl"
	keyWords    = "rw"
	keySite     = "rs" // and the host
	keyDigests  = "rd" // and the number of the block
	keyRefusal  = "rr" // and the host
	keyExact    = "rx" // and the number of the commit and the host
)

// unsaved is what has changed since the last Cut.
type unsaved struct {
	on    bool // the crawl is durable: changes are kept
	words bool // the crawl's sketches
	lists bool
	sites []*site
	texts []uint64 // digests of new texts

	refusals []string // hosts

	textBlocks, exactBlocks uint64 // written so far
	key, value              []byte // scratch
}

// Cut flushes the lines written so far into their files and puts what must be
// committed with them into b: their positions, the counters, and the sketches that have
// changed. Once b is committed, a Recorder of the crawl resumed is as this one is now.
// If it is not, this Recorder must not be cut again.
//
// With all sketches full and only one site, which shares those of the crawl, it puts 95
// KiB; each further site that has changed puts 12 KiB, the one that was first as much as
// the crawl. Besides the batch it allocates
// a few times for each sketch, and more for exact counts.
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

// cutWords puts the sketches that have changed.
func (r *Recorder) cutWords(b crawl.Batch) (err error) {
	u := &r.unsaved
	if u.words {
		u.words = false
		if u.value, err = r.total.words.AppendBinary(u.begin()); err != nil {
			return fmt.Errorf("sketches of the crawl: %w", err)
		}
		b.Put(u.named(keyWords, ""), u.value)
	}
	exact := false
	for _, s := range u.sites {
		s.unsaved = false
		u.value = binary.AppendUvarint(u.begin(), uint64(s.pages))
		if !r.shares(s) {
			if u.value, err = s.words.AppendBinary(u.value); err != nil {
				return fmt.Errorf("sketches of %s: %w", s.name, err)
			}
		}
		b.Put(u.named(keySite, s.name), u.value)
		if s.recent == nil || s.recent.Total() == 0 {
			continue
		}
		if u.value, err = s.recent.AppendBinary(u.begin()); err != nil {
			return fmt.Errorf("counts of %s: %w", s.name, err)
		}
		b.Put(append(u.numbered(keyExact, u.exactBlocks), s.name...), u.value)
		s.recent, exact = nil, true
	}
	if exact {
		u.exactBlocks++
	}
	clear(u.sites) // a site is kept by its map alone
	u.sites = u.sites[:0]
	return nil
}

// cutTexts puts the digests of the texts that were new.
func (r *Recorder) cutTexts(b crawl.Batch) {
	u := &r.unsaved
	if len(u.texts) == 0 {
		return
	}
	value := u.begin()
	for _, d := range u.texts {
		value = binary.LittleEndian.AppendUint64(value, d)
	}
	u.value = value
	b.Put(u.numbered(keyDigests, u.textBlocks), value)
	u.textBlocks++
	u.texts = u.texts[:0]
}

func (r *Recorder) cutCounters(b crawl.Batch) {
	u, used := &r.unsaved, r.usedSoFar()
	v := append(u.begin(), r.flags())
	v = binary.LittleEndian.AppendUint64(v, r.cfg.Seed)
	for _, n := range [...]int64{
		int64(r.cfg.MaxSites), int64(len(r.sites)), int64(r.texts.Len()), int64(u.textBlocks), int64(u.exactBlocks),
		int64(r.pages), r.bytes, int64(r.good), int64(r.cutOff), int64(used.CPU), used.PeakRSS,
	} {
		v = binary.AppendUvarint(v, uint64(n))
	}
	v = appendNumbers(v, r.status)
	v = binary.AppendUvarint(v, uint64(len(r.types)))
	for name, n := range r.types {
		v = binary.AppendUvarint(binform.AppendText(v, name), uint64(n))
	}
	v = appendNumbers(v, r.depths)
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
