package dedup

import "crawler/weburl"

// Answer is what a Restarting says about a URL.
type Answer uint8

const (
	New   Answer = iota // it was never admitted: Remember it now
	Seen                // it was admitted (with Config.FilterOnly: probably)
	Maybe               // the log that is outside must tell: Settle
)

// lookup is what the latest question found out, so that Remember need not hash
// the URL again.
type lookup struct {
	url  weburl.URL
	key  key
	said verdict // unasked: the rest is worth nothing
}

// Ask says whether u was admitted, and u's fingerprint. It is one question of the
// account that Stats keeps. A caller who is told New calls Remember(u) before he
// asks again, or the next one who asks about u is told New as well; who is told
// Maybe looks whether name is in his log. Several such questions may be open at a
// time: before the log's "no" is believed, Peek must not say Seen, for u may have
// been admitted since.
//
// It allocates nothing. The layers of the filter, and the names of u's prefixes, are
// for what nothing else in memory knows. From Reopen to Adopt there is no filter, and
// it cannot say New.
func (r *Restarting) Ask(u weburl.URL) (name uint64, a Answer) {
	name, a = r.look(u, true)
	r.asked++
	if a == Seen && r.risk != nil {
		r.risk.refused(name)
	}
	return name, a
}

// Peek is Ask, but no question of the account, and changes nothing.
func (r *Restarting) Peek(u weburl.URL) (name uint64, a Answer) { return r.look(u, false) }

// look asks all that is in memory, and first what answers for known pages: most
// links lead to those, and then the filter need not be asked, or its layers not.
func (r *Restarting) look(u weburl.URL, counts bool) (name uint64, a Answer) {
	l := &r.last
	name = r.hash.name(u)
	l.url, l.key.full, l.said = u, name, unasked
	if r.lately(name, counts) {
		return name, Seen
	}
	switch {
	case r.filter != nil && !r.filter.last.Has(name):
		l.said = denied
		return name, r.unlessOpen(name)
	case r.out != nil && r.out.tailHas(&r.log, name):
		return name, Seen
	case r.filter == nil:
		return name, Maybe
	case !r.filter.known(u):
		l.said = pruned
		return name, r.unlessOpen(name)
	}
	l.said = called
	return name, r.maybe()
}

// lately reports whether name is in the log, if that is in memory, or else in the
// cache.
func (r *Restarting) lately(name uint64, counts bool) bool {
	if r.out == nil {
		return r.log.Has(name) // never with FilterOnly: it is empty
	}
	known := r.out.names.has(name)
	if known && counts {
		r.out.hot++
	}
	return known
}

// unlessOpen answers for a name that the filter calls new.
func (r *Restarting) unlessOpen(name uint64) Answer {
	if len(r.doubts) > 0 {
		if _, open := r.doubts[name]; open {
			return Maybe
		}
	}
	return New
}

// maybe answers for a name that the filter does not call new, and that nothing else
// in memory knows.
func (r *Restarting) maybe() Answer {
	switch {
	case r.risk != nil:
		return Seen
	case r.out == nil:
		return New
	}
	return Maybe
}

// Remember admits u, which must be new: as Ask said, or Settle was told. An
// admitted one would be counted and logged again. It allocates nothing but what
// growth of the tail needs. If the log is in memory it restarts the filter when
// that is due; the call takes longer then, as Admit says.
func (r *Restarting) Remember(u weburl.URL) {
	k := r.recall(u)
	if len(r.doubts) > 0 {
		delete(r.doubts, k.full)
	}
	switch {
	case r.risk != nil:
		r.rememberByFilter(k)
	case r.out != nil:
		r.rememberOutside(k)
	default:
		if r.last.said == called {
			r.wrong++
		}
		r.remember(k)
	}
	r.last.said = unasked
}

// recall returns u's key with its prefixes, and brings what the filter says of it
// into the latest question and, if that erred but for a layer, the account.
func (r *Restarting) recall(u weburl.URL) *key {
	l := &r.last
	if l.said == unasked || l.url != u {
		l.url, l.key.full, l.said = u, r.hash.name(u), unasked
		if r.filter != nil {
			l.said = r.filter.judge(u, l.key.full)
		}
	}
	if l.said == pruned {
		r.pruned++
	}
	r.hash.prefixes(u, len(r.prefixes), &l.key)
	return &l.key
}

// rememberOutside admits what is new to the tail and the filter.
func (r *Restarting) rememberOutside(k *key) {
	r.admitted++
	r.log.Add(k.full)
	r.fresh.url(k.full)
	r.out.names.put(k.full)
	for i := k.n - 1; i >= 0; i-- {
		if !r.logPrefix(i, k.prefix[i]) {
			break
		}
	}
	if r.filter != nil {
		r.addToFilter(k)
	}
}

// logPrefix adds a prefix to the tail and reports whether it was not surely logged
// before; its shorter ones were logged with it. A layer of the filter cannot tell
// (see logPrefixes). A prefix that was logged but is neither in the tail nor in the
// cache any more is logged again, which is harmless.
func (r *Restarting) logPrefix(i int, x uint64) bool {
	if !r.out.logged[i].put(x) || r.out.frozen.hasPrefix(i, x) || !r.prefixes[i].Add(x) {
		return false
	}
	r.fresh.prefix(i, x)
	return true
}

// addToFilter adds k to the filter, counts what the layers call new, and returns
// how many leading prefixes they knew.
func (r *Restarting) addToFilter(k *key) (known int) {
	known = k.n
	for i, x := range k.prefixes() {
		if !r.filter.layers[i].Add(x) {
			continue
		}
		r.met[i]++
		if r.risk != nil { // the next filter is the same one, so what sets no bit here will not there
			r.fresh.prefix(i, x)
		}
		if i < known {
			known = i
			r.firstNew[i]++
		}
	}
	r.filter.last.Add(k.full)
	return known
}

// Settle tells what the log outside said about a name that Ask called Maybe: found,
// and the next questions about it are answered at once; or not found, and a false
// positive of the filter is counted: Remember the URL next.
func (r *Restarting) Settle(name uint64, found bool) {
	if len(r.doubts) > 0 {
		delete(r.doubts, name)
	}
	if r.out != nil {
		r.out.settled++
	}
	switch {
	case !found:
		r.wrong++
	case r.out != nil:
		r.out.names.put(name)
	}
}

// Doubt keeps the question about a name open that was called Maybe before Adopt and
// is not settled yet: Ask says Maybe again until it is settled or remembered, even
// if the new filter knows that the URL is new. Without it such a URL could be
// admitted on another question, and its false positive would be missing in the
// account; nothing else would be wrong. Call it after Adopt for every open name;
// the next Adopt forgets them.
func (r *Restarting) Doubt(name uint64) {
	if r.doubts == nil {
		r.doubts = make(map[uint64]struct{})
	}
	r.doubts[name] = struct{}{}
}
