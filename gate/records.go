package gate

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/internal/binform"
	"crawler/trap"
	"crawler/weburl"
)

// The Gate's records; docs/format/engine.md describes them.
const (
	keySeeds    = "seeds"
	keyAdded    = "added/"
	keyMoves    = "moves/"
	keyPending  = "pending"
	keyBacklog  = "backlog"
	keyReported = "reported/"
	keyDeferred = "deferred/"
	keyNext     = "next"
	keyDepths   = "depths/"
	keyTraps    = "traps"
)

// move is a seed's redirect.
type move struct{ From, To string }

// recordKey is the key of one record.
func recordKey(name string) []byte { return append([]byte{'m'}, name...) }

// numberedKey is the key of one record among many; keys ascend with the numbers.
func numberedKey(name string, n uint64) []byte {
	return binary.BigEndian.AppendUint64(recordKey(name), n)
}

func deferralKey(id uint64) []byte { return numberedKey(keyDeferred, id) }

func damaged(key string, err error) error {
	return fmt.Errorf("the crawl's state is damaged: record %s: %w", key, err)
}

var errShort = errors.New("it ends too early")

// appendJSON returns the JSON of a value that always has one: strings and numbers.
func appendJSON(v any) []byte {
	data, _ := json.Marshal(v)
	return data
}

// readJSON reads a record that every commit has.
func readJSON(r Reader, name string, v any) error {
	data, err := r.Get(recordKey(name))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return damaged(name, err)
	}
	return nil
}

// ReadSeeds returns the seeds that a crawl began with.
func ReadSeeds(r Reader) ([]weburl.URL, error) {
	var texts []string
	if err := readJSON(r, keySeeds, &texts); err != nil {
		return nil, err
	}
	seeds := make([]weburl.URL, len(texts))
	for i, s := range texts {
		u, err := weburl.Parse(s)
		if err != nil {
			return nil, damaged(keySeeds, err)
		}
		seeds[i] = u
	}
	return seeds, nil
}

func readMove(value []byte) (from, to weburl.URL, err error) {
	var m move
	if err = json.Unmarshal(value, &m); err != nil {
		return from, to, err
	}
	if from, err = weburl.Parse(m.From); err == nil {
		to, err = weburl.Parse(m.To)
	}
	return from, to, err
}

// appendDeferral appends d: its reason, the trap's number, kind and pattern, then the item.
func appendDeferral(b []byte, d deferral) []byte {
	b = binary.BigEndian.AppendUint64(binform.AppendText(b, string(d.reason)), d.trap.ID)
	b = binform.AppendText(binform.AppendText(b, string(d.trap.Kind)), d.trap.Pattern)
	return frontier.AppendItem(b, d.Item)
}

// readDeferral reads what appendDeferral wrote.
func readDeferral(key, b []byte) (d deferral, err error) {
	reason, b, ok := binform.CutText(b)
	if !ok || len(b) < 8 || len(key) < 8 {
		return d, errShort
	}
	d.id, d.reason, d.trap.ID = binary.BigEndian.Uint64(key[len(key)-8:]), Reason(reason), binary.BigEndian.Uint64(b)
	kind, b, ok := binform.CutText(b[8:])
	if !ok {
		return d, errShort
	}
	d.trap.Kind = trap.Kind(kind)
	pattern, b, ok := binform.CutText(b)
	if !ok {
		return d, errShort
	}
	d.trap.Pattern = string(pattern)
	d.Item, _, err = frontier.DecodeItem(b)
	return d, err
}

// appendTo appends all pending checks: of each the refusal, the refusal that depends on it as
// JSON (empty if there is none), and the item.
func (p *pendingChecks) appendTo(b []byte) []byte {
	for _, list := range [][]pendingCheck{p.checking, p.waiting} {
		for i := range list {
			c := &list[i]
			b = binform.AppendText(b, string(c.refusal))
			source := []byte(nil)
			if c.source != nil {
				source = appendJSON(c.source)
			}
			b = binform.AppendText(b, source)
			b = frontier.AppendItem(b, c.Item)
		}
	}
	return b
}

// readPending reads what pendingChecks.appendTo wrote.
func readPending(r Reader, log *dedup.Reopened) (p pendingChecks, err error) {
	b, err := r.Get(recordKey(keyPending))
	if err != nil {
		return p, err
	}
	for len(b) > 0 {
		var a admission
		if a, b, err = readAdmission(b); err != nil {
			return p, damaged(keyPending, err)
		}
		p.add(log.Pending(a.URL), a)
	}
	return p, nil
}

func readAdmission(b []byte) (a admission, rest []byte, err error) {
	refusal, b, ok1 := binform.CutText(b)
	source, b, ok2 := binform.CutText(b)
	if !ok1 || !ok2 {
		return a, nil, errShort
	}
	a.refusal = Reason(refusal)
	if len(source) > 0 {
		a.source = new(Skip)
		if err := json.Unmarshal(source, a.source); err != nil {
			return a, nil, err
		}
	}
	a.Item, rest, err = frontier.DecodeItem(b)
	return a, rest, err
}
