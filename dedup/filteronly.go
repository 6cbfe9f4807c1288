package dedup

import "crawler/weburl"

// FilterOnly is a SeenTest that keeps no log: what its filter calls "maybe" counts as
// seen. So new URLs are lost, and Stats says how many, by theory and by measurement. It
// never answers Maybe.
//
// The filter never restarts, as there is nothing to rebuild it from: its size stays what
// Config.ExpectURLs asks for. Memory: Stats.FilterBytes, and 330 kB of samples at most.
type FilterOnly struct {
	core
	risk  *risk
	lists newLists
}

func newFilterOnly(c core, lists newLists) *FilterOnly {
	return &FilterOnly{core: c, risk: newRisk(c.cfg.Seed), lists: lists}
}

// Admit implements SeenTest.
func (f *FilterOnly) Admit(u weburl.URL) (Pending, Answer) {
	f.asked++
	fp := f.hash.fingerprint(u)
	v := f.filter.judge(u, fp)
	if v == filterMaybe {
		f.risk.refused(fp)
		return Pending{}, Seen
	}
	f.countErrors(v)
	f.admit(u, fp)
	return Pending{}, New
}

// Peek implements SeenTest.
func (f *FilterOnly) Peek(u weburl.URL) (Pending, Answer) {
	if f.filter.Has(u) {
		return Pending{}, Seen
	}
	return Pending{}, New
}

// admit adds u, which the filter calls new. Of its prefixes those are listed that the
// filter did not know: the next run's filter is the same one, so what sets no bit here
// will not there.
func (f *FilterOnly) admit(u weburl.URL, fp uint64) {
	f.admitted++
	f.lists.url(fp)
	k := key{full: fp}
	f.hash.prefixes(u, f.cfg.Layers, &k)
	fresh := f.addToFilter(&k)
	for i, x := range k.prefixes() {
		if fresh>>i&1 != 0 {
			f.lists.prefix(i, x)
		}
	}
	f.risk.admitted(fp, fresh == 0, f.filter)
}

// TakeNew implements Durable. It returns nil if NewSeenTest made f.
func (f *FilterOnly) TakeNew() (urls []uint64, prefixes [][]uint64) { return f.lists.take() }

// AppendAccount implements Durable.
func (f *FilterOnly) AppendAccount(dst []byte) ([]byte, error) {
	e, err := encodeAccount(dst, &f.account)
	if err != nil {
		return nil, err
	}
	if err := f.risk.encode(e); err != nil {
		return nil, err
	}
	return e.Close(), nil
}

// Stats implements SeenTest.
func (f *FilterOnly) Stats() Stats {
	s := f.stats()
	f.risk.report(&s)
	return s
}
