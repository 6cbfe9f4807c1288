package dedup

// outside is what a Restarting keeps in memory while the log is not.
type outside struct {
	names  *hotNames
	logged []prefixNames // for each layer
	frozen *Part         // the part of the tail that is being written to the log; nil: none
	held   *Part         // one that was written since Rebuild began, which may have missed it
	answers
}

// answers counts who gave them.
type answers struct {
	hot     int64 // the cache of names
	settled int64 // the log, by Settle
}

// goOutside allocates the caches: 2 MiB at most.
func (r *Restarting) goOutside(by answers) {
	r.out = &outside{names: new(hotNames), logged: make([]prefixNames, len(r.prefixes)), answers: by}
}

// bytes returns the memory of what is kept beside the tail.
func (o *outside) bytes() int64 {
	n := int64(hotSets*hotWays*8 + len(o.logged)*prefixSlots*8)
	for _, p := range []*Part{o.frozen, o.held} {
		if p != nil {
			n += p.bytes()
		}
	}
	return n
}

// tailHas reports whether the tail or the part of it that is being written has name.
func (o *outside) tailHas(tail *Set, name uint64) bool {
	if !tail.Has(name) && !o.frozen.has(name) {
		return false
	}
	o.names.put(name)
	return true
}

// freshLists are what was admitted since TakeFresh was last called, and what that
// returned, to be reused.
type freshLists struct {
	now, taken freshList
}

type freshList struct {
	urls     []uint64
	prefixes [][]uint64
}

// url notes a fingerprint, if lists are kept at all.
func (f *freshLists) url(name uint64) {
	if f != nil {
		f.now.urls = append(f.now.urls, name)
	}
}

// prefix notes one of a layer.
func (f *freshLists) prefix(layer int, name uint64) {
	if f != nil {
		f.now.prefixes[layer] = append(f.now.prefixes[layer], name)
	}
}

// KeepFresh lets r keep lists of what it admits from now on, for TakeFresh. They grow
// by 8 bytes for each URL and new prefix until they are taken.
func (r *Restarting) KeepFresh() {
	if r.fresh == nil {
		n := len(r.prefixes)
		r.fresh = &freshLists{now: freshList{prefixes: make([][]uint64, n)}, taken: freshList{prefixes: make([][]uint64, n)}}
	}
}

// TakeFresh returns what was admitted since the last call, in that order: the URLs'
// fingerprints and for each layer those of the prefixes that were logged. A prefix
// may come more than once over several calls. The slices are valid until the next
// call. It returns nil if KeepFresh was not called.
//
// Everything that TakeFresh ever returned, in any order, is what Rebuild needs after
// Reopen.
func (r *Restarting) TakeFresh() (urls []uint64, prefixes [][]uint64) {
	f := r.fresh
	if f == nil {
		return nil, nil
	}
	f.now, f.taken = f.taken, f.now
	f.now.urls = f.now.urls[:0]
	for i := range f.now.prefixes {
		f.now.prefixes[i] = f.now.prefixes[i][:0]
	}
	return f.taken.urls, f.taken.prefixes
}

// TailLen returns how many URLs are in the tail: admitted since the last Freeze,
// or all if there was none. With Config.FilterOnly there is no tail.
func (r *Restarting) TailLen() int { return r.log.Len() }

// Part is a part of the log that is to be written out. Nothing changes it, so any
// goroutine may read it.
type Part struct {
	log      Set
	prefixes []Set
}

// URLs yields the fingerprints of the URLs in ascending order.
func (p *Part) URLs(yield func(uint64) bool) { p.log.All(yield) }

// Prefixes returns a sequence of the fingerprints of the prefixes in a layer,
// counted from 0, in ascending order.
func (p *Part) Prefixes(layer int) func(yield func(uint64) bool) { return p.prefixes[layer].All }

// Len returns the number of URLs.
func (p *Part) Len() int { return p.log.Len() }

func (p *Part) has(name uint64) bool { return p != nil && p.log.Has(name) }

func (p *Part) hasPrefix(layer int, name uint64) bool {
	return p != nil && p.prefixes[layer].Has(name)
}

func (p *Part) bytes() int64 {
	n := p.log.Bytes()
	for i := range p.prefixes {
		n += p.prefixes[i].Bytes()
	}
	return n
}

// addTo adds all of p to a filter.
func (p *Part) addTo(m *Multilayer) {
	for i := range p.prefixes {
		m.layers[i].addAll(&p.prefixes[i])
	}
	m.last.addAll(&p.log)
}

// Freeze detaches the tail, to be written to the log outside, and begins a new one.
// What is detached still answers questions until Drop. It returns nil if there is
// nothing to write, if a part is frozen already, or between Rebuild and Adopt. From
// the first Freeze on the log is outside. It takes constant time.
func (r *Restarting) Freeze() *Part {
	if r.log.Len() == 0 || r.building || r.out != nil && r.out.frozen != nil {
		return nil
	}
	if r.out == nil {
		for i := range r.prefixes {
			r.met[i] = int64(r.prefixes[i].Len())
		}
		r.goOutside(answers{})
	}
	part := &Part{log: r.log, prefixes: r.prefixes}
	r.log, r.prefixes = Set{}, make([]Set, len(r.prefixes))
	r.out.frozen = part
	return part
}

// Drop forgets the frozen part: it is in the log outside now.
func (r *Restarting) Drop() {
	if r.out == nil {
		return
	}
	if r.building && r.out.frozen != nil {
		r.out.held = r.out.frozen
	}
	r.out.frozen = nil
}
