package report

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"crawler/dedup"
	"crawler/gate"
	"crawler/stats"
	"crawler/store"
	"crawler/trap"
)

// Restore makes the Recorder what the previous run's was at its last commit. It must be
// called before the first page. The crawl continues with the settings and the seed it
// began with: Config's Seed, MaxSites, Exact and NoIndex are ignored. An error says which
// record is damaged; the Recorder is then of no use.
func (r *Recorder) Restore(db *store.DB) error {
	value, err := db.Get([]byte(keyCounters))
	if err != nil || value == nil { // nil: nothing was ever committed
		return err
	}
	saved, err := r.readCounters(value)
	if err != nil {
		return fmt.Errorf("record %q: %w", keyCounters, err)
	}
	fresh, on := newTally(stats.Config{Seed: r.cfg.Seed}, r.cfg.Exact), r.unsaved.on
	r.unsaved = unsaved{}
	r.total, r.journal, r.sites, r.texts, r.others = fresh, journal{}, make(map[string]*site), dedup.Set{}, dedup.Set{}
	var deltas chain
	r.refusals = make(map[string]*refusal)
	for _, kind := range []struct {
		key  string
		read func(key string, value []byte) error
	}{
		{keyWords, func(_ string, v []byte) error { return r.journal.readFull(open(v), r.total.words) }},
		{keyChanges, func(number string, v []byte) error { return r.readChanges(&deltas, number, v) }},
		{keySite, r.readSite},
		{keySiteMore, func(key string, v []byte) error { return r.readSiteChanges(&deltas, key, v) }},
		{keyDigests, r.readTexts},
		{keyOthers, r.readOthers},
		{keyExact, r.readExact},
		{keyRefusal, r.readRefusal},
		{keyLists, func(_ string, v []byte) error { return r.readLists(v) }},
	} {
		err := db.Scan([]byte(kind.key), func(key, value []byte) error {
			if err := kind.read(string(key[len(kind.key):]), value); err != nil {
				return fmt.Errorf("record %q: %w", key, err)
			}
			return nil
		})
		if err == nil {
			err = deltas.end()
		}
		if err != nil {
			return err
		}
	}
	r.unsaved.on = on
	r.inLinks = newInLinks(r.cfg.InLinks, r.cfg.Seed)
	return errors.Join(r.agree(saved), r.inLinks.replay(r.cfg.Dir))
}

// saved is what the counters say of the other records.
type saved struct {
	sites, texts, textBlocks, exactBlocks, words, refusals, others, otherBlocks int
}

func (r *Recorder) readCounters(value []byte) (s saved, err error) {
	f := open(value)
	flags := f.uint8()
	if flags&^(flagExact|flagNoIndex) != 0 {
		f.fail("unknown flags %#x", flags)
	}
	r.cfg.Exact, r.cfg.NoIndex = flags&flagExact != 0, flags&flagNoIndex != 0
	r.cfg.Seed, r.cfg.MaxSites = f.uint64(), f.number()
	s = saved{sites: f.number(), texts: f.number(), textBlocks: f.number(), exactBlocks: f.number()}
	r.pages, s.words, s.refusals = f.number(), f.number(), f.number()
	r.bytes, r.good, r.cutOff = f.count(), f.number(), f.number()
	r.before = Usage{CPU: time.Duration(f.count()), PeakRSS: f.count()}
	r.status = readCounts(f, f.number)
	r.types = readCounts(f, f.text)
	r.depths = readCounts(f, f.number)
	r.shells, s.others, s.otherBlocks = f.number(), f.number(), f.number()
	return s, f.close()
}

// readCounts reads a map of counts, whose keys key reads.
func readCounts[K comparable](f *fields, key func() K) map[K]int {
	n := f.length(2)
	m := make(map[K]int, n)
	for range n {
		k := key()
		if _, twice := m[k]; twice {
			f.fail("a key twice")
		}
		m[k] = f.number()
	}
	return m
}

// readForm reads a value that is a form and nothing else.
func readForm(value []byte, into interface{ UnmarshalBinary([]byte) error }) error {
	f := open(value)
	if f.err != nil {
		return f.err
	}
	return into.UnmarshalBinary(f.rest)
}

// readChanges reads a delta of the crawl's sketches.
func (r *Recorder) readChanges(c *chain, number string, value []byte) error {
	f := open(value)
	if f.err != nil {
		return f.err
	}
	if r.journal.full == 0 {
		return fmt.Errorf("%w: a delta without a full form", errRecord)
	}
	c.of, c.j, c.words = keyChanges, &r.journal, r.total.words
	return c.add(number, value, f.rest)
}

func (r *Recorder) readSite(host string, value []byte) error {
	f := open(value)
	s := &site{name: host, pages: f.number(), tally: r.total}
	own := f.uint8()
	if own > siteOwn {
		f.fail("a site of kind %d", own)
	}
	if own == siteShares {
		r.sites[host] = s
		return f.close()
	}
	s.tally = newTally(stats.SiteConfig(r.cfg.Seed), r.cfg.Exact)
	r.sites[host] = s
	return s.journal.readFull(f, s.words)
}

// readSiteChanges reads what has changed of a site.
func (r *Recorder) readSiteChanges(c *chain, key string, value []byte) error {
	f := open(value)
	pages := f.number()
	if f.err != nil {
		return f.err
	}
	host, number, _ := strings.Cut(key, "\x00")
	s := r.sites[host]
	if s == nil || s.journal.full == 0 {
		return fmt.Errorf("%w: a delta of a site without a full form", errRecord)
	}
	if of := keySiteMore + host; c.of != of {
		if err := c.end(); err != nil {
			return err
		}
		c.of, c.j, c.words = of, &s.journal, s.words
	}
	s.pages = pages
	return c.add(number, value, f.rest)
}

func (r *Recorder) readTexts(key string, value []byte) error {
	return readBlock(&r.texts, &r.unsaved.textBlocks, key, value)
}

func (r *Recorder) readOthers(key string, value []byte) error {
	return readBlock(&r.others, &r.unsaved.otherBlocks, key, value)
}

// readBlock reads the next block of a set.
func readBlock(set *dedup.Set, blocks *uint64, key string, value []byte) error {
	f := open(value)
	if key != numberInKey(*blocks) {
		f.fail("block %d is missing", *blocks)
	}
	*blocks++
	for f.err == nil && len(f.rest) > 0 {
		if v := f.uint64(); f.err == nil && !set.Add(v) {
			f.fail("a member twice")
		}
	}
	return f.close()
}

// numberInKey is how the number of a block stands in its key.
func numberInKey(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

// readExact reads the counts of one site; those of one commit have one number.
func (r *Recorder) readExact(key string, value []byte) error {
	number, host := key[:min(8, len(key))], key[min(8, len(key)):]
	switch n := r.unsaved.exactBlocks; {
	case number == numberInKey(n):
		r.unsaved.exactBlocks++
	case n == 0 || number != numberInKey(n-1):
		return fmt.Errorf("%w: block %d is missing", errRecord, n)
	}
	var words stats.Exact
	if err := readForm(value, &words); err != nil {
		return err
	}
	s := r.sites[host]
	if s == nil || s.exact == nil {
		return fmt.Errorf("%w: exact counts of a site that has none", errRecord)
	}
	r.total.exact.Merge(&words)
	if s.exact != r.total.exact {
		s.exact.Merge(&words)
	}
	return nil
}

func (r *Recorder) readLists(value []byte) error {
	f := open(value)
	r.broken, r.failures = nil, nil
	for range f.length(5) {
		r.broken = append(r.broken, Broken{URL: f.text(), Status: f.number(), Via: f.text(), End: f.text(), Error: f.text()})
	}
	for range f.length(7) {
		r.failures = append(r.failures, gate.Skip{
			URL: f.text(), Reason: gate.Reason(f.text()), Via: f.text(), From: f.text(),
			Robots: gate.Robots(f.text()), Trap: trap.Kind(f.text()), Detail: f.text(),
		})
	}
	return f.close()
}

// agree checks that the records do not contradict each other.
func (r *Recorder) agree(s saved) error {
	var errs []error
	same := func(what string, got, want int) {
		if got != want {
			errs = append(errs, fmt.Errorf("%w: %d %s, the counters say %d", errRecord, got, what, want))
		}
	}
	pages, words := 0, uint64(0)
	for _, site := range r.sites {
		pages += site.pages
		words += site.words.N()
		if r.shares(site) && len(r.sites) > 1 {
			errs = append(errs, fmt.Errorf("%w: %s shares the words of the crawl and is not its only site", errRecord, site.name))
		}
		if site.exact != nil && site.exact.Total() != site.words.N() {
			errs = append(errs, fmt.Errorf("%w: %s has %d words and exact counts of %d", errRecord, site.name, site.words.N(), site.exact.Total()))
		}
	}
	same("sites", len(r.sites), s.sites)
	same("different texts", r.texts.Len(), s.texts)
	same("blocks of texts", int(r.unsaved.textBlocks), s.textBlocks)
	same("other hosts", r.others.Len(), s.others)
	same("blocks of other hosts", int(r.unsaved.otherBlocks), s.otherBlocks)
	same("blocks of exact counts", int(r.unsaved.exactBlocks), s.exactBlocks)
	same("pages of all sites", pages, r.pages)
	same("sites that refuse us", len(r.refusals), s.refusals)
	same("words of the crawl", int(r.total.words.N()), s.words)
	if words != r.total.words.N() {
		errs = append(errs, fmt.Errorf("%w: the sites have %d words, the crawl %d", errRecord, words, r.total.words.N()))
	}
	return errors.Join(errs...)
}
