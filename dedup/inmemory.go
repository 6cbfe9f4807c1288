package dedup

import "crawler/weburl"

// InMemory is a SeenTest that never errs: a Multilayer filter, and an exact log in
// memory that every "maybe" of the filter is checked against. It never answers Maybe.
//
// The filter restarts by itself: it gets a new seed and, when the crawl has outgrown it,
// twice the size, and is rebuilt from the log, which is sorted. So no URL is forgotten
// (clearing a filter would fetch everything again) and the errors of one epoch are not
// those of the next. The call of Admit that causes a restart takes longer: 15 to 30 ns for
// each URL admitted so far.
//
// Memory: the filter's Stats.FilterBytes and about 10 bytes for each URL and for each of
// its prefixes that no earlier URL had.
type InMemory struct {
	core
	log exactLog
}

func newInMemory(c core) *InMemory {
	return &InMemory{core: c, log: newExactLog(c.cfg.Layers)}
}

// Admit implements SeenTest. It asks the log first: most links lead to known pages, which
// need no question to the filter.
func (m *InMemory) Admit(u weburl.URL) (Pending, Answer) {
	m.asked++
	fp := m.hash.fingerprint(u)
	if m.log.urls.Has(fp) {
		return Pending{}, Seen
	}
	m.countErrors(m.filter.judge(u, fp))
	m.admitted++
	k := key{full: fp}
	m.hash.prefixes(u, m.cfg.Layers, &k)
	m.addExactly(&m.log, &k)
	if m.restartDue() {
		m.restart(&m.log)
	}
	return Pending{}, New
}

// Peek implements SeenTest.
func (m *InMemory) Peek(u weburl.URL) (Pending, Answer) {
	if m.log.urls.Has(m.hash.fingerprint(u)) {
		return Pending{}, Seen
	}
	return Pending{}, New
}

// LayerOf returns at which of its segments u stops being known, like
// Multilayer.LayerOf but from the exact log: 0 if u was admitted.
func (m *InMemory) LayerOf(u weburl.URL) int {
	k := m.hash.key(u, m.cfg.Layers)
	for i, x := range k.prefixes() {
		if !m.log.prefixes[i].Has(x) {
			return i + 1
		}
	}
	if m.log.urls.Has(k.full) {
		return 0
	}
	return segments(u)
}

// Stats implements SeenTest.
func (m *InMemory) Stats() Stats {
	s := m.stats()
	s.LogBytes = m.log.bytes()
	return s
}
