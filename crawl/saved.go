package crawl

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"crawler/frontier"
	"crawler/store"
)

// saved is the record of all that is small.
type saved struct {
	Version  int
	Result   Result // without Seeds, which have a record of their own
	MaxDepth int
	Seq      uint64
	HeldID   uint64
	Complete bool
}

// The coordinator's records in the Store; docs/format/engine.md tells of them.
const (
	savedVersion = 1

	keyResult  = "result"
	keySeeds   = "seeds"
	keyMoves   = "moves/"
	keyAccount = "account"
	keyDoubts  = "doubts"
	keySkips   = "skips"
	keyTold    = "told/"
	keyHeld    = "held/"
	keyDepths  = "depths/"
	keyTraps   = "traps"
)

// loadSaved returns nil if nothing was ever committed.
func loadSaved(db *store.DB) (*saved, error) {
	data, err := db.Get(stateKey(keyResult))
	if err != nil || data == nil {
		return nil, err
	}
	s := new(saved)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, damaged(keyResult, err)
	}
	if s.Version != savedVersion {
		return nil, damaged(keyResult, fmt.Errorf("version %d, not %d", s.Version, savedVersion))
	}
	if data, err = db.Get(stateKey(keySeeds)); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &s.Result.Seeds); err != nil {
		return nil, damaged(keySeeds, err)
	}
	return s, nil
}

func damaged(key string, err error) error {
	return fmt.Errorf("the crawl's state is damaged: record %s: %w", key, err)
}

// stateKey is the key of one of the coordinator's records.
func stateKey(name string) []byte { return append([]byte{'m'}, name...) }

// numberedKey is that of one among many, in ascending order.
func numberedKey(name string, n uint64) []byte {
	return binary.BigEndian.AppendUint64(stateKey(name), n)
}

func heldKey(id uint64) []byte { return numberedKey(keyHeld, id) }

var errShort = errors.New("it ends too early")

// appendHeld appends h: its reason, the trap's pattern and name, then the item.
func appendHeld(b []byte, h held) []byte {
	b = binary.BigEndian.AppendUint64(appendText(b, string(h.reason)), h.pattern)
	return frontier.AppendItem(appendText(b, h.detail), h.Item)
}

func decodeHeld(b []byte) (held, error) {
	reason, b, ok := cutText(b)
	if !ok || len(b) < 8 {
		return held{}, errShort
	}
	h := held{reason: Reason(reason), pattern: binary.BigEndian.Uint64(b)}
	if h.detail, b, ok = cutText(b[8:]); !ok {
		return held{}, errShort
	}
	var err error
	h.Item, _, err = frontier.DecodeItem(b)
	return h, err
}

// append appends all doubts: of each the name, the reason, the refusal that depends on
// it as JSON (empty if there is none), and the item.
func (d *doubts) append(b []byte) []byte {
	for _, list := range [][]doubt{d.checking, d.waiting} {
		for i := range list {
			q := &list[i]
			b = binary.BigEndian.AppendUint64(b, q.name)
			b = appendText(b, string(q.reason))
			source := []byte(nil)
			if q.source != nil {
				source, _ = json.Marshal(q.source) // strings alone: it never fails
			}
			b = appendText(b, string(source))
			b = frontier.AppendItem(b, q.Item)
		}
	}
	return b
}

func decodeDoubts(b []byte) ([]doubt, error) {
	var list []doubt
	for len(b) > 0 {
		if len(b) < 8 {
			return nil, errShort
		}
		d := doubt{name: binary.BigEndian.Uint64(b)}
		reason, b1, ok1 := cutText(b[8:])
		source, b2, ok2 := cutText(b1)
		if !ok1 || !ok2 {
			return nil, errShort
		}
		it, rest, err := frontier.DecodeItem(b2)
		if err != nil {
			return nil, err
		}
		d.Item, d.reason, b = it, Reason(reason), rest
		if source != "" {
			d.source = new(Skip)
			if err := json.Unmarshal([]byte(source), d.source); err != nil {
				return nil, err
			}
		}
		list = append(list, d)
	}
	return list, nil
}

// appendText appends s behind its length.
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// cutText undoes appendText.
func cutText(b []byte) (s string, rest []byte, ok bool) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return "", nil, false
	}
	b = b[used:]
	return string(b[:n]), b[n:], true
}
