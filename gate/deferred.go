package gate

import (
	"maps"
	"slices"

	"crawler/frontier"
	"crawler/trap"
	"crawler/weburl"
)

// deferral is a URL that was refused for a reason that may pass: another link may lead to
// it without nofollow, or not be declined; a seed may redirect to the name of its host; its
// host may get room again; the pattern it was refused by may prove honest.
type deferral struct {
	frontier.Item
	reason Reason
	trap   trap.Verdict // of Trapped; such a URL was admitted, any other was not
	id     uint64       // its record's number
}

// skip is the refusal of a URL that is deferred no longer.
func (d *deferral) skip() Skip {
	return Skip{URL: d.URL.String(), Reason: d.reason, Via: d.Via, Trap: d.trap.Kind, Detail: d.trap.Pattern}
}

// How many URLs are deferred at most; further refusals are final and reported at once.
const (
	maxDeferred       = 1 << 16  // for any reason but traps
	maxTrapped        = 32 << 10 // as traps'
	maxTrappedPattern = maxTrapped / 8
)

// deferrals are the URLs whose refusal waits for its reason to pass or for the crawl's
// end. Each has a record of its own in the Journal.
type deferrals struct {
	journal   Journal
	others    []deferral
	byHost    map[string][]deferral // for their hosts' budgets
	byPattern map[uint64][]deferral // as traps'
	n         int                   // in others and byHost
	trapped   int                   // in byPattern
	nextID    uint64
}

func newDeferrals(j Journal) deferrals {
	return deferrals{journal: j, byHost: map[string][]deferral{}, byPattern: map[uint64][]deferral{}}
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

// takeInScope takes out the URLs that were out of scope and are refused no longer.
func (ds *deferrals) takeInScope(refuses func(weburl.URL) Reason) (list []deferral) {
	kept := ds.others[:0:0]
	for _, d := range ds.others {
		if d.reason != OutOfScope || refuses(d.URL) != "" {
			kept = append(kept, d)
			continue
		}
		ds.forget(&d)
		list = append(list, d)
	}
	ds.others = kept
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
func (ds *deferrals) takeTrapped(refuses func(trap.Verdict, weburl.URL) bool) (list []deferral) {
	for _, id := range slices.Sorted(maps.Keys(ds.byPattern)) {
		kept := ds.byPattern[id][:0:0]
		for _, d := range ds.byPattern[id] {
			if refuses(d.trap, d.URL) {
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

// all returns the deferred URLs, those refused as a trap's apart from the others, in a
// sequence that does not depend on chance.
func (ds *deferrals) all() (list, trapped []deferral) {
	list = slices.Clone(ds.others)
	for _, host := range slices.Sorted(maps.Keys(ds.byHost)) {
		list = append(list, ds.byHost[host]...)
	}
	for _, id := range slices.Sorted(maps.Keys(ds.byPattern)) {
		trapped = append(trapped, ds.byPattern[id]...)
	}
	return list, trapped
}
