package crawl

import (
	"encoding/json"
	"slices"

	"crawler/gate"
)

// Withdrawn is what the records say of the pages that were taken out of them.
type Withdrawn struct {
	Pages            int
	Bytes, WireBytes int64
}

// Reopen takes out of the Result of the crawl in s what gate.Requeue has listed. Once b is
// committed, the crawl is one that was stopped before it gave these up.
func Reopen(s gate.Reader, b Batch, list []gate.GivenUp, w Withdrawn) error {
	last, err := loadSaved(s)
	if err != nil {
		return err
	}
	r := &last.Result
	for _, g := range list {
		switch {
		case g.Status > 0: // its record is taken out
		case g.Reason == gate.HostClosed:
			takeOne(r.Skipped, g.Reason)
			continue // the last attempt, if there was one, was followed by none of its own
		case !g.MayPass():
			takeOne(r.Skipped, g.Reason)
			if i := slices.IndexFunc(r.Traps, func(t gate.Trap) bool { return t.Pattern == g.Pattern }); i >= 0 {
				r.Traps[i].Refused--
			}
			continue
		default:
			takeOne(r.Errors, g.Reason)
		}
		r.Retried++
	}
	r.Fetched -= w.Pages
	r.Bytes -= w.Bytes
	r.WireBytes -= w.WireBytes
	last.Complete, r.Seeds = false, nil
	data, err := json.Marshal(last)
	if err == nil {
		b.Put(savedKey(), data)
		b.Delete(changedKey())
	}
	return err
}

// takeOne counts one less.
func takeOne(counts map[gate.Reason]int, r gate.Reason) {
	if counts[r]--; counts[r] <= 0 {
		delete(counts, r)
	}
}
