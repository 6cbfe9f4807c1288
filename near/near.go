// Package near finds clusters of near-duplicate pages from their signatures (dedup.MinHash), at
// the end of a crawl of any size.
//
// A Finder takes the signatures one after another. Find cuts each into bands, sorts the pages by
// each band in turn, and compares those that are equal in it (locality-sensitive hashing, Indyk
// and Motwani 1998): no table of all bands is ever in memory. Pages whose estimated resemblance
// is high enough are near, and near pages are in one cluster, unless that would make a chain:
// two clusters become one if their first pages are estimated at Apart at least. That makes chains
// short and does not rule them out.
//
// # Near
//
// A crawl has no texts when it ends, so the estimate decides. Its standard error is 0.021 at a
// resemblance of 0.75, 0.019 at 0.8 and 0.0165 at 0.85. By the lower end of the 95 % interval,
// at least 0.8, a sixth of the pairs of 0.85 would be left out. By the estimate itself, at least
// 0.8, one of a hundred pairs of 0.75 would be taken in, and where a site is made by one
// template there are many more of these than true ones. So Bar is the highest at which 98 of 100
// pairs of just 0.85 are called near: 0.85 less 2.05 standard errors, 0.816. In texts of 100
// words, whose errors are larger, it is 97. A pair comes with its estimate and interval, so a
// reader can ask for more.
//
// All pages are cut by one permutation, so errors of pages made by one template go together: on
// such a site all estimates may be 0.02 too high, or too low.
//
// # Costs
//
// Signatures are in memory up to Config.Memory; the others are in a temporary file, which is
// read once for each band. Beside that a Finder takes 15 bytes a page, 32 MiB to sort by a band,
// and 12 bytes for each page of a cluster. A page is compared with at most Config.Window others
// before it in each band, those that follow the band with the same bits if there are more. So the
// time is at most proportional to the pages.
package near

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"crawler/dedup"
)

// Bar is the estimate from which pages are called near, for a threshold of
// dedup.DefaultThreshold. Apart is the estimate below which the first pages of two clusters
// are too different for the clusters to be one, though some of their pages are near: of a tree
// of 10,000 pages by one template, 2.8 % of the pairs within a cluster had a resemblance below
// 0.75 without that, and 0.01 % have it so.
const (
	Bar   = 0.815
	Apart = 0.75
)

// Limits and defaults of a Config.
const (
	DefaultMemory = 128 << 20
	DefaultWindow = 64
	maxPages      = math.MaxUint32 - 1
	sortAtOnce    = 1 << 22 // keys of 8 bytes
)

// ErrFull says that a Finder takes no more pages.
var ErrFull = errors.New("near: more than 4,294,967,294 pages")

// Config says how near-duplicates are looked for. The zero value is what a crawl uses.
type Config struct {
	LSH    dedup.LSHConfig // the zero value means dedup.PageSignature, and bands for it
	Bar    float64         // estimate from which pages are near; 0 for Bar
	Memory int64           // bytes of signatures in memory; 0 for DefaultMemory
	Window int             // others that a page is compared with in a band; 0 for DefaultWindow
	Dir    string          // of the temporary file; "" is that of the system
}

func (c Config) withDefaults() (Config, error) {
	if c.LSH.MinHash == (dedup.MinHashConfig{}) {
		c.LSH.MinHash = dedup.PageSignature()
	}
	if c.LSH.Bands == 0 && c.LSH.Rows == 0 {
		c.LSH.Bands, c.LSH.Rows = dedup.BandsFor(c.LSH.MinHash, dedup.DefaultThreshold, dedup.DefaultRecall)
	}
	var err error
	c.LSH, err = c.LSH.WithDefaults()
	c.Bar, c.Memory, c.Window = cmp.Or(c.Bar, Bar), cmp.Or(c.Memory, DefaultMemory), cmp.Or(c.Window, DefaultWindow)
	if err == nil && (c.Memory < 0 || c.Window < 1 || !(c.Bar <= 1)) {
		err = fmt.Errorf("near: Config has a memory of %d, a window of %d and a bar of %v", c.Memory, c.Window, c.Bar)
	}
	return c, err
}

// Member is a page of a cluster. Pages have the numbers in which they were added.
type Member struct {
	Page     uint32
	Like     uint32 // the page that it resembles most, of those it was compared with
	Agreeing uint16 // slots
}

// Cluster is pages that are connected by being near, two at least, in the order of their numbers.
// Like is nearly always another page of it.
type Cluster []Member

// Finder is what looks for near-duplicates. It belongs to one goroutine.
type Finder struct {
	cfg    Config
	sigs   signatures
	parent []uint32 // of a page in its cluster's tree; itself at the root
	like   []uint32
	best   []uint16 // slots in which it agrees with like; 0: near to none
	copied []bool   // an earlier page has the same signature
	keys   []uint64 // scratch: what is sorted by above, a page below
	held   window   // scratch
	first  []uint64 // scratch
	now    []uint64 // scratch
}

// New returns a Finder that knows no page.
func New(cfg Config) (*Finder, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	f := &Finder{cfg: cfg}
	f.sigs.size = cfg.LSH.MinHash.Bytes() / 8
	f.sigs.most = int(cfg.Memory / int64(cfg.LSH.MinHash.Bytes()))
	f.sigs.dir = cfg.Dir
	return f, nil
}

// Len returns how many pages were added.
func (f *Finder) Len() int { return f.sigs.n }

// Add adds a page, given by the slots of its signature. A page without words has none and must be
// left out.
func (f *Finder) Add(slots []uint64) error {
	if len(slots) != f.sigs.size {
		return fmt.Errorf("near: a signature of %d words, want %d", len(slots), f.sigs.size)
	}
	if f.sigs.n >= maxPages {
		return ErrFull
	}
	return f.sigs.add(slots)
}

// Close removes the temporary file.
func (f *Finder) Close() error { return f.sigs.close() }

// Find returns the clusters, the largest first, and among equals those of the earliest page.
func (f *Finder) Find() ([]Cluster, error) {
	n := f.sigs.n
	f.parent, f.like, f.best, f.copied = make([]uint32, n), make([]uint32, n), make([]uint16, n), make([]bool, n)
	for i := range f.parent {
		f.parent[i] = uint32(i)
	}
	if err := f.copies(); err != nil {
		return nil, err
	}
	var failed error
	err := f.Pairs(f.cfg.LSH.MinHash.SlotsFor(f.cfg.Bar), func(a, b uint32, agreeing int) {
		f.liken(a, b, agreeing)
		f.liken(b, a, agreeing)
		if err := f.connect(a, b); err != nil && failed == nil {
			failed = err
		}
	})
	if err := cmp.Or(err, failed); err != nil {
		return nil, err
	}
	f.settle()
	return f.clusters(), nil
}

// connect makes one cluster of those of two near pages, unless that makes a chain.
func (f *Finder) connect(a, b uint32) error {
	ra, rb := f.root(a), f.root(b)
	if ra == rb {
		return nil
	}
	first, err := f.sigs.at(ra)
	if err != nil {
		return err
	}
	f.first = append(f.first[:0], first...)
	other, err := f.sigs.at(rb)
	if err != nil {
		return err
	}
	if cfg := f.cfg.LSH.MinHash; cfg.Agreeing(f.first, other) >= cfg.SlotsFor(min(Apart, f.cfg.Bar)) {
		f.join(ra, rb)
	}
	return nil
}

// join puts a root below another: the first page of a cluster is its root.
func (f *Finder) join(ra, rb uint32) { f.parent[max(ra, rb)] = min(ra, rb) }

// settle puts a page that is near to others and has remained alone into the cluster of the one
// that it resembles most.
func (f *Finder) settle() {
	sizes := make([]uint32, len(f.parent))
	for page := range f.parent {
		sizes[f.root(uint32(page))]++
	}
	for page, n := range f.best {
		p := uint32(page)
		if n == 0 || f.parent[p] != p || sizes[p] > 1 {
			continue
		}
		if r := f.root(f.like[p]); r != p {
			sizes[min(r, p)] = sizes[r] + 1
			f.join(r, p)
		}
	}
}

func (f *Finder) liken(a, b uint32, agreeing int) {
	if n := uint16(agreeing); n > f.best[a] || n == f.best[a] && b < f.like[a] {
		f.best[a], f.like[a] = n, b
	}
}

func (f *Finder) root(page uint32) uint32 {
	for f.parent[page] != page {
		f.parent[page] = f.parent[f.parent[page]]
		page = f.parent[page]
	}
	return page
}

// copies joins pages of equal signatures to the first of them, which is the only one that is
// compared with others: a million copies cost what one does.
func (f *Finder) copies() error {
	whole := f.cfg.LSH
	whole.Bands, whole.Rows = 1, whole.MinHash.Slots
	slots := whole.MinHash.Slots
	return f.runs(whole, 0, func(run []uint64) error {
		f.held.reset(f.cfg.Window)
		for _, key := range run {
			sig, err := f.sigs.at(uint32(key))
			if err != nil {
				return err
			}
			for i, other := range f.held.sigs { // the first pages with their signatures
				if slices.Equal(sig, other) {
					f.copied[uint32(key)] = true
					f.liken(f.held.pages[i], uint32(key), slots)
					f.liken(uint32(key), f.held.pages[i], slots)
					f.join(f.held.pages[i], uint32(key))
					break
				}
			}
			if !f.copied[uint32(key)] {
				f.held.push(uint32(key), sig, f.sigs.inMemory(uint32(key)))
			}
		}
		return nil
	})
}

// Pairs calls fn for pairs of pages that share a band and agree in at least so many slots, once
// for each band that they share. Copies of a page are left out once Find has found them.
func (f *Finder) Pairs(least int, fn func(a, b uint32, agreeing int)) error {
	for band := range f.cfg.LSH.Bands {
		err := f.runs(f.cfg.LSH, band, func(run []uint64) error { return f.compare(run, band, least, fn) })
		if err != nil {
			return err
		}
	}
	return nil
}

// compare compares the pages of a bucket.
func (f *Finder) compare(run []uint64, band, least int, fn func(a, b uint32, agreeing int)) error {
	if len(run) > f.cfg.Window+1 {
		if err := f.order(run, band); err != nil {
			return err
		}
	}
	f.held.reset(f.cfg.Window)
	for _, key := range run {
		page := uint32(key)
		sig, err := f.sigs.at(page)
		if err != nil {
			return err
		}
		if !f.sigs.inMemory(page) { // fn may ask for others
			f.now = append(f.now[:0], sig...)
			sig = f.now
		}
		for i, other := range f.held.sigs {
			if n := f.cfg.LSH.MinHash.Agreeing(sig, other); n >= least {
				fn(f.held.pages[i], page, n)
			}
		}
		f.held.push(page, sig, f.sigs.inMemory(page))
	}
	return nil
}

// order sorts the pages of a crowded bucket by the 32 bits behind the band, so that those that
// have most in common stand together.
func (f *Finder) order(run []uint64, band int) error {
	behind := (band + 1) * f.cfg.LSH.Rows * f.cfg.LSH.MinHash.Bits
	for i, key := range run {
		sig, err := f.sigs.at(uint32(key))
		if err != nil {
			return err
		}
		lane, shift := behind/64%len(sig), behind%64
		next := sig[lane]>>shift | sig[(lane+1)%len(sig)]<<(64-shift)
		run[i] = uint64(bits.Reverse32(uint32(next)))<<32 | uint64(uint32(key))
	}
	slices.Sort(run)
	return nil
}

// runs calls fn for each set of two or more pages that are equal in a band, as keys with the
// page in their lower half, ascending. It sorts by as many tags at a time as there is room for.
func (f *Finder) runs(cfg dedup.LSHConfig, band int, fn func(run []uint64) error) error {
	passes := uint64((f.sigs.n-1)/sortAtOnce + 1)
	for pass := range passes {
		f.keys = f.keys[:0]
		err := f.sigs.each(func(page uint32, sig []uint64) {
			if tag := uint64(cfg.Tag(sig, band)); !f.isCopy(page) && tag*passes>>32 == pass {
				f.keys = append(f.keys, tag<<32|uint64(page))
			}
		})
		if err != nil {
			return err
		}
		slices.Sort(f.keys)
		for from, to := 0, 0; from < len(f.keys); from = to {
			for to = from + 1; to < len(f.keys) && f.keys[to]>>32 == f.keys[from]>>32; {
				to++
			}
			if to-from > 1 {
				if err := fn(f.keys[from:to]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (f *Finder) isCopy(page uint32) bool { return int(page) < len(f.copied) && f.copied[page] }

// clusters lists what was joined.
func (f *Finder) clusters() []Cluster {
	var of []uint64 // root above, page below
	for page, n := range f.best {
		if n > 0 {
			of = append(of, uint64(f.root(uint32(page)))<<32|uint64(page))
		}
	}
	slices.Sort(of)
	var out []Cluster
	members := make([]Member, 0, len(of))
	for i, key := range of {
		page := uint32(key)
		if i == 0 || key>>32 != of[i-1]>>32 {
			out = append(out, nil)
		}
		members = append(members, Member{page, f.like[page], f.best[page]})
		last := &out[len(out)-1]
		*last = members[len(members)-len(*last)-1:]
	}
	slices.SortStableFunc(out, func(a, b Cluster) int { return cmp.Compare(len(b), len(a)) })
	return out
}
