package gate

import (
	"maps"
	"slices"

	"crawler/trap"
	"crawler/weburl"
)

// deferral is a URL that was refused for a reason that may pass: another link may lead to
// it without nofollow, not be declined, or take fewer redirects; a seed may turn out to live
// under the name it is at, or be added there; its host may get room again; the trap it was
// taken for may prove honest.
type deferral struct {
	offer
	reason Reason
	trap   trap.Verdict // of Trapped; such a URL was admitted, any other was not
	id     uint64       // its record's number
}

// skip is the refusal of a URL that is deferred no longer.
func (d *deferral) skip() Skip {
	s := d.refused(d.reason)
	s.Trap, s.Detail = d.trap.Kind, d.trap.Pattern
	return s
}

// How many URLs are deferred at most. Further refusals are reported at once. Those for a host's
// budget are final then; any other URL that is admitted all the same has two records.
const (
	maxDeferred       = 1 << 16  // for any reason but traps
	maxTrapped        = 32 << 10 // as traps'
	maxTrappedPattern = maxTrapped / 8
)

// deferrals are the URLs whose refusal waits for its reason to pass or for the crawl's
// end. Each has a record of its own in the Journal.
type deferrals struct {
	journal   Journal
	others    []deferral            // until another offer comes
	byDomain  map[string][]deferral // as out of scope
	least     map[string]int        // of those the least depth yet; nil without a depth limit
	byHost    map[string][]deferral // for their hosts' budgets
	byLastHop map[string][]deferral // for the length of a chain of redirects
	byPattern map[uint64][]deferral // as traps'
	n         int                   // in all but byPattern
	trapped   int                   // in byPattern
	nextID    uint64
}

func newDeferrals(j Journal) deferrals {
	return deferrals{
		journal: j, byDomain: map[string][]deferral{}, byHost: map[string][]deferral{}, byLastHop: map[string][]deferral{},
		byPattern: map[uint64][]deferral{},
	}
}

// takes reports whether there is room for d.
func (ds *deferrals) takes(d *deferral) bool {
	if d.trap.Kind == "" {
		return ds.n < maxDeferred
	}
	// A URL refused on sight will be refused whatever is learned.
	return d.trap.ID != 0 && ds.trapped < maxTrapped && len(ds.byPattern[d.trap.ID]) < maxTrappedPattern
}

// add defers d; the deferral survives a restart.
func (ds *deferrals) add(d deferral) {
	d.id = ds.nextID
	ds.nextID++
	ds.put(d)
	ds.journal.Note(deferralKey(d.id), appendDeferral(nil, d))
}

// put keeps d in memory.
func (ds *deferrals) put(d deferral) {
	switch {
	case d.trap.Kind != "":
		ds.byPattern[d.trap.ID] = append(ds.byPattern[d.trap.ID], d)
		ds.trapped++
		return
	case d.reason == HostBudget:
		host := d.URL.Host()
		ds.byHost[host] = append(ds.byHost[host], d)
	case d.reason == OutOfScope:
		domain := d.URL.Domain()
		ds.byDomain[domain] = append(ds.byDomain[domain], d)
		if ds.least != nil {
			ds.least[d.URL.String()] = d.Depth
		}
	case d.reason == RedirectLimit:
		hop := d.lastHop()
		ds.byLastHop[hop] = append(ds.byLastHop[hop], d)
	default:
		ds.others = append(ds.others, d)
	}
	ds.n++
}

// restore keeps a deferral of the last commit.
func (ds *deferrals) restore(key, value []byte) error {
	d, err := readDeferral(key, value)
	if err == nil {
		ds.put(d)
	}
	return err
}

// forget deletes the record of a deferral that was taken out.
func (ds *deferrals) forget(d *deferral) { ds.journal.Note(deferralKey(d.id), nil) }

// takeHost takes out the first URL that waits for its host's budget.
func (ds *deferrals) takeHost(host string) (d deferral, ok bool) {
	list := ds.byHost[host]
	if len(list) == 0 {
		return deferral{}, false
	}
	d = list[0]
	if ds.byHost[host] = list[1:]; len(list) == 1 {
		delete(ds.byHost, host)
	}
	ds.n--
	ds.forget(&d)
	return d, true
}

// shallower reports whether o is a way to a URL that is deferred as out of scope, and shorter than
// any before.
func (ds *deferrals) shallower(o *offer) bool {
	depth, ok := ds.least[o.URL.String()]
	return ok && o.Depth < depth && ds.n < maxDeferred
}

// takeInScope takes out the URLs of a domain that were out of scope and are so no longer.
func (ds *deferrals) takeInScope(domain string, refuses func(*offer) Reason) (list []deferral) {
	out := ds.byDomain[domain]
	kept := out[:0:0]
	for i := range out {
		d := &out[i]
		if refuses(&d.offer) == OutOfScope {
			kept = append(kept, *d)
			continue
		}
		ds.forget(d)
		delete(ds.least, d.URL.String())
		list = append(list, *d)
	}
	if ds.byDomain[domain] = kept; len(kept) == 0 {
		delete(ds.byDomain, domain)
	}
	ds.n -= len(list)
	return list
}

// takePattern takes out the URLs that a trap's pattern refused.
func (ds *deferrals) takePattern(id uint64) []deferral {
	list := ds.byPattern[id]
	delete(ds.byPattern, id)
	ds.trapped -= len(list)
	for i := range list {
		ds.forget(&list[i])
	}
	return list
}

// takeTrapped takes out the URLs that are no longer refused as a trap's.
func (ds *deferrals) takeTrapped(refuses func(weburl.URL) bool) (list []deferral) {
	for _, id := range slices.Sorted(maps.Keys(ds.byPattern)) {
		kept := ds.byPattern[id][:0:0]
		for _, d := range ds.byPattern[id] {
			if refuses(d.URL) {
				kept = append(kept, d)
				continue
			}
			ds.forget(&d)
			list = append(list, d)
		}
		if ds.byPattern[id] = kept; len(kept) == 0 {
			delete(ds.byPattern, id)
		}
	}
	ds.trapped -= len(list)
	return list
}

// takeProbes takes out URLs of traps, of each pattern as many as probe says of it and their number.
func (ds *deferrals) takeProbes(probe func(id uint64, refused int) int) (list []deferral) {
	for _, id := range slices.Sorted(maps.Keys(ds.byPattern)) {
		of := ds.byPattern[id]
		n := probe(id, len(of))
		if n == 0 {
			continue
		}
		urls, depths := make([]weburl.URL, len(of)), make([]int, len(of))
		for i := range of {
			urls[i], depths[i] = of[i].URL, of[i].Depth
		}
		take := trap.Spread(urls, depths, n)
		kept := make([]deferral, 0, len(of)-n)
		for i := range of {
			if !take[i] {
				kept = append(kept, of[i])
				continue
			}
			ds.forget(&of[i])
			list = append(list, of[i])
		}
		if ds.byPattern[id] = kept; len(kept) == 0 {
			delete(ds.byPattern, id)
		}
	}
	ds.trapped -= len(list)
	return list
}

// all returns the deferred URLs, those refused as a trap's apart from the others, in a
// sequence that does not depend on chance.
func (ds *deferrals) all() (list, trapped []deferral) {
	list = slices.Clone(ds.others)
	for _, domain := range slices.Sorted(maps.Keys(ds.byDomain)) {
		list = append(list, ds.byDomain[domain]...)
	}
	for _, host := range slices.Sorted(maps.Keys(ds.byHost)) {
		list = append(list, ds.byHost[host]...)
	}
	for _, hop := range slices.Sorted(maps.Keys(ds.byLastHop)) {
		list = append(list, ds.byLastHop[hop]...)
	}
	for _, id := range slices.Sorted(maps.Keys(ds.byPattern)) {
		trapped = append(trapped, ds.byPattern[id]...)
	}
	return list, trapped
}
