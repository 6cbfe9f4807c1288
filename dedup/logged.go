package dedup

import (
	"iter"

	"crawler/weburl"
)

// Logged is a Durable that never errs and whose exact log is on disk. The caller keeps the
// log there, sorted. The two work together like this:
//
//   - Admit and Peek answer Maybe where neither filter nor memory know. The caller looks
//     the Pending's fingerprint up in the log, at any time and for many at once, and calls
//     Found or NotFound.
//   - Memory has the tail of the log, what was admitted since the last Freeze. Freeze
//     detaches it as a Part; the caller writes that to the log and calls Part.Written.
//   - Due says that the filter should be restarted, with a new seed and, when the crawl
//     has outgrown it, twice the size: Rebuild returns the next one, the caller adds the
//     log to it and calls Adopt.
//
// Until the first Freeze the log on disk is empty and the tail is all of it: a Logged then
// is an InMemory. The answer is never Maybe, the filter restarts by itself, and Due is
// false.
//
// Memory: the filter's Stats.FilterBytes, two filters during a restart; about 10 bytes
// for each URL in the tail and for each of its new prefixes; from the first Freeze on 2 MiB
// of caches at most; and the lists of TakeNew.
type Logged struct {
	core
	lists   newLists
	tail    exactLog            // what was admitted since the last Freeze
	spilled bool                // some of the log is on disk, or on its way there
	recent  *recent             // caches, once it has spilled
	frozen  *Part               // the part of the tail that is being written; nil: none
	retired *Part               // was written since Rebuild began, which may have missed it
	next    *Rebuild            // the filter's next generation while it is being made
	open    map[uint64]struct{} // fingerprints of the questions that Adopt found open
}

func newLogged(c core) *Logged {
	return &Logged{core: c, lists: keepLists(c.cfg.Layers), tail: newExactLog(c.cfg.Layers)}
}

// Admit implements SeenTest. It asks the cache first, as most links lead to known pages,
// and the layers of the filter last, as they need the fingerprints of u's prefixes.
func (l *Logged) Admit(u weburl.URL) (Pending, Answer) {
	l.asked++
	fp := l.hash.fingerprint(u)
	if l.inCache(fp) {
		l.hot++
		return Pending{}, Seen
	}
	a, v := l.ask(u, fp)
	switch a {
	case Maybe:
		return Pending{fp, u}, Maybe
	case New:
		l.countErrors(v)
		l.admit(u, fp)
	}
	return Pending{}, a
}

// Peek implements SeenTest.
func (l *Logged) Peek(u weburl.URL) (Pending, Answer) {
	p := Pending{l.hash.fingerprint(u), u}
	a, _ := l.peek(p)
	if a == Maybe {
		return p, a
	}
	return Pending{}, a
}

func (l *Logged) peek(p Pending) (Answer, verdict) {
	if l.inCache(p.fp) {
		return Seen, unknown
	}
	return l.ask(p.url, p.fp)
}

// inCache reports whether the cache knows that fp was admitted.
func (l *Logged) inCache(fp uint64) bool { return l.spilled && l.recent.urls.has(fp) }

// ask asks all that is in memory but the cache. Unless the answer is Seen, the verdict is
// that of the filter.
func (l *Logged) ask(u weburl.URL, fp uint64) (Answer, verdict) {
	switch {
	case !l.spilled && l.tail.urls.Has(fp):
		return Seen, unknown
	case !l.spilled:
		return New, l.filter.judge(u, fp)
	case !l.filter.last.Has(fp):
		return l.orPending(fp), filterNew
	case l.inTail(fp):
		return Seen, unknown
	case !l.filter.known(u):
		return l.orPending(fp), prefixNew
	}
	return Maybe, filterMaybe
}

// inTail reports whether the tail or the part of it that is being written has fp.
func (l *Logged) inTail(fp uint64) bool {
	if !l.tail.urls.Has(fp) && !l.frozen.has(fp) {
		return false
	}
	l.recent.urls.put(fp)
	return true
}

// orPending answers for a fingerprint that the filter calls new: New, unless a question
// about it was open when this filter was adopted.
func (l *Logged) orPending(fp uint64) Answer {
	if len(l.open) > 0 {
		if _, open := l.open[fp]; open {
			return Maybe
		}
	}
	return New
}

// admit adds u, which is new, to the tail and the filter.
func (l *Logged) admit(u weburl.URL, fp uint64) {
	l.admitted++
	l.lists.url(fp)
	k := key{full: fp}
	l.hash.prefixes(u, l.cfg.Layers, &k)
	if l.spilled {
		l.admitBeside(&k)
	} else {
		l.admitToTail(&k)
	}
}

// admitToTail adds what is new while the tail is all of the log.
func (l *Logged) admitToTail(k *key) {
	for i := l.addExactly(&l.tail, k); i < k.n; i++ {
		l.lists.prefix(i, k.prefix[i])
	}
	if l.next == nil && l.restartDue() {
		l.restart(&l.tail)
	}
}

// admitBeside adds what is new beside the log on disk.
func (l *Logged) admitBeside(k *key) {
	l.tail.urls.Add(k.full)
	l.recent.urls.put(k.full)
	for i := k.n - 1; i >= 0 && l.logPrefix(i, k.prefix[i]); i-- {
	}
	l.addToFilter(k)
}

// logPrefix adds a prefix to the tail and reports whether it was not surely logged
// before; its shorter ones were logged with it. A layer of the filter cannot tell (see
// exactLog.add). A prefix that was logged but is neither in the tail nor in the cache any
// more is logged again, which is harmless.
func (l *Logged) logPrefix(i int, x uint64) bool {
	if !l.recent.prefixes[i].put(x) || l.frozen.hasPrefix(i, x) || !l.tail.prefixes[i].Add(x) {
		return false
	}
	l.lists.prefix(i, x)
	return true
}

// Found reports that the log has p: the next questions about it are answered at once.
func (l *Logged) Found(p Pending) {
	l.close(p)
	if l.spilled {
		l.recent.urls.put(p.fp)
	}
}

// NotFound reports that the log does not have p, and admits its URL unless that was
// admitted since p was asked. It returns whether this call admitted it; then a false
// positive of the filter is counted. A caller who does not want the URL admitted calls
// neither Found nor NotFound: the question just stays open.
func (l *Logged) NotFound(p Pending) bool {
	a, v := l.peek(p)
	if a == Seen {
		return false
	}
	l.close(p)
	l.wrong++ // whatever the filter says now
	if v == prefixNew {
		l.pruned++
	}
	l.admit(p.url, p.fp)
	return true
}

// close notes that the log has answered p.
func (l *Logged) close(p Pending) {
	l.checked++
	if len(l.open) > 0 { // seldom; otherwise the call is spared
		delete(l.open, p.fp)
	}
}

// TakeNew implements Durable.
func (l *Logged) TakeNew() (urls []uint64, prefixes [][]uint64) { return l.lists.take() }

// AppendAccount implements Durable.
func (l *Logged) AppendAccount(dst []byte) ([]byte, error) {
	e, err := encodeAccount(dst, &l.account)
	if err != nil {
		return nil, err
	}
	return e.Close(), nil
}

// Stats implements SeenTest.
func (l *Logged) Stats() Stats {
	s := l.stats()
	s.Hot, s.Checked = l.hot, l.checked
	s.LogBytes = l.tail.bytes() + l.frozen.bytes() + l.retired.bytes()
	if l.spilled {
		s.LogBytes += l.recent.bytes()
	}
	return s
}

// TailLen returns how many URLs are in the tail: admitted since the last Freeze, or all
// if there was none.
func (l *Logged) TailLen() int { return l.tail.urls.Len() }

// Freeze detaches the tail, to be written to the log, and begins a new one. The Part
// still answers questions until it is Written. Freeze returns nil if there is nothing to
// write, if a part is frozen already, or between Rebuild and Adopt. It takes constant
// time; the first one allocates the caches.
func (l *Logged) Freeze() *Part {
	if l.TailLen() == 0 || l.next != nil || l.frozen != nil {
		return nil
	}
	if !l.spilled {
		l.recent, l.spilled = newRecent(l.cfg.Layers), true
	}
	l.frozen = &Part{exactLog: l.tail, owner: l}
	l.tail = newExactLog(l.cfg.Layers)
	return l.frozen
}

// Due reports whether the filter should be restarted (see Rebuild): it is outgrown, by
// URLs or by the prefixes of a layer, or Config.RestartEvery says so. It is false while a
// restart is being made.
func (l *Logged) Due() bool {
	return l.next == nil && (l.restartDue() || l.filter.crowded(&l.met))
}

// Rebuild begins a restart: it returns the filter's next generation, which is empty, has
// a new seed and is of the right size. It returns nil while one is being made. The old
// filter continues to answer meanwhile, so there are two in memory.
//
// The order that loses nothing: Freeze, write the part to the log, Written; Rebuild; Add
// everything in the log, in another goroutine; Adopt. What is admitted meanwhile is in
// the tail, and a part that is Written meanwhile is remembered here, so Adopt knows them.
// In short: between Rebuild and Adopt all that was in the log when Rebuild was called
// must be added. More does no harm.
func (l *Logged) Rebuild() *Rebuild {
	if l.next != nil {
		return nil
	}
	b := &Rebuild{owner: l, expect: l.grown(), filter: emptyFilter(l.hash, l.cfg.Layers)}
	b.filter.reset(l.cfg, b.expect, l.prefixRoom(), uint64(l.epoch+1))
	l.next = b
	return b
}

// openQuestions returns the fingerprints of the questions that stay open under a new
// filter: the answer about their URLs is Maybe until Found or NotFound is called, even if
// the filter knows better. Otherwise such a URL could be admitted on another question, and
// its false positive would be missing in the account; nothing else would be wrong.
func openQuestions(open iter.Seq[Pending]) map[uint64]struct{} {
	if open == nil {
		return nil
	}
	fps := make(map[uint64]struct{})
	for p := range open {
		fps[p.fp] = struct{}{}
	}
	return fps
}
