package gate

import (
	"encoding/binary"
	"fmt"
)

// formPolicy says when the guard's full form is written. Its events are in every commit.
type formPolicy struct {
	// every is how many times as many bytes of events there are first as it will have: with
	// four it adds a quarter to what they cost.
	every int
	least int // bytes of events before there is one

	// piece is how many bytes of it a commit has. A full form of some MiB would be in memory
	// five times when it is committed: here, in the batch, in the log's blocks, in the memtable
	// and in the table that is written of it. The last piece makes it the one that counts.
	piece int
}

var defaultForms = formPolicy{every: 4, least: 256 << 10, piece: 256 << 10}

// due reports whether it is time for a full form, some bytes of events after the last one, which
// had others. The next one is larger, in a young crawl of many hosts by much.
func (p formPolicy) due(since, last int, next func() int) bool {
	return since >= max(p.every*last, p.least) && since >= p.every*next()
}

// slowForm is a full form on its way to disk. Until all of it is there, the one before it counts,
// with all events since that.
type slowForm struct {
	rest  []byte // of the form, not written yet; nil if none is on its way
	seq   uint64 // the commit whose state it is
	full  uint64 // that of the form that counts meanwhile
	next  uint64 // piece
	size  int
	since int // bytes of the events behind it
}

// keepEvents has the guard keep what it learns between two commits.
func (t *traps) keepEvents() {
	if t.guard != nil {
		t.guard.KeepEvents()
	}
}

// commit adds to w what the guard has learned since the last commit, and a part of all that it
// knows if it is time for that.
func (t *traps) commit(c *Commit) error {
	w := c.Records
	w.Put(recordKey(keyLessons), t.appendLessons(nil)) // none without a guard: see forgetLessons
	if t.guard == nil {
		return nil
	}
	if events := t.guard.TakeEvents(); len(events) > 0 {
		w.Put(numberedKey(keyTrapEvents, c.Seq), events)
		t.since += len(events)
		t.form.since += len(events)
	}
	if t.form.rest == nil && !c.Last && t.policy.due(t.since, t.full, t.guard.FormSize) {
		if err := t.beginForm(c.Seq); err != nil {
			return err
		}
	}
	if t.form.rest != nil && !(c.Last && len(t.form.rest) > t.policy.piece) {
		t.putForm(c)
	}
	if c.Last { // what is there of a form that is not complete, of this run or one that was killed
		w.DeleteRange(pieceKey(t.form.full+1, 0), pieceKey(c.Seq+1, 0))
		t.form.rest = nil
	}
	return nil
}

// beginForm makes the full form of what the guard knows in the commit seq.
func (t *traps) beginForm(seq uint64) error {
	data, err := t.guard.MarshalBinary()
	t.form = slowForm{rest: data, seq: seq, full: t.form.full, size: len(data)}
	return err
}

// putForm puts the next piece, and with the last one the record that makes the form count, in the
// place of all events that it has.
func (t *traps) putForm(c *Commit) {
	f, w := &t.form, c.Records
	piece := f.rest[:min(len(f.rest), t.policy.piece)]
	f.rest = f.rest[len(piece):]
	if f.next == 0 {
		w.DeleteRange(pieceKey(f.full+1, 0), pieceKey(f.seq, 0)) // a kill has cut it off
	}
	w.Put(pieceKey(f.seq, f.next), piece)
	f.next++
	if len(f.rest) > 0 {
		return
	}
	w.Put(recordKey(keyTraps), binary.AppendUvarint(binary.AppendUvarint(nil, f.seq), uint64(f.size)))
	w.DeleteRange(pieceKey(f.full, 0), pieceKey(f.full+1, 0))
	w.DeleteRange(numberedKey(keyTrapEvents, 0), numberedKey(keyTrapEvents, f.seq+1))
	t.full, t.since, f.full, f.rest = f.size, f.since, f.seq, nil
}

// pieceKey is the key of a piece of the form of commit seq.
func pieceKey(seq, piece uint64) []byte {
	return binary.BigEndian.AppendUint64(numberedKey(keyTrapForm, seq), piece)
}

// restore restores the guard's state: the full form, and the events since.
func (t *traps) restore(r Reader) error {
	if t.guard == nil {
		return nil
	}
	data, seq, err := readForm(r)
	if err != nil {
		return err
	}
	if data != nil {
		if err := t.guard.UnmarshalBinary(data); err != nil {
			return damaged(keyTraps, err)
		}
	}
	t.full, t.form.full = len(data), seq
	err = r.Scan(recordKey(keyTrapEvents), func(_, events []byte) error {
		t.since += len(events)
		return t.guard.Replay(events)
	})
	if err != nil {
		return damaged(keyTrapEvents, err)
	}
	return nil
}

// readForm returns the full form that counts, nil if there is none, and the commit whose state it
// is.
func readForm(r Reader) (data []byte, seq uint64, err error) {
	head, err := r.Get(recordKey(keyTraps))
	if err != nil || head == nil {
		return nil, 0, err
	}
	seq, n := binary.Uvarint(head)
	size, m := binary.Uvarint(head[max(n, 0):])
	if n <= 0 || m <= 0 || n+m != len(head) {
		return nil, 0, damaged(keyTraps, errShort)
	}
	next := uint64(0)
	err = r.Scan(numberedKey(keyTrapForm, seq), func(key, piece []byte) error {
		if string(key) != string(pieceKey(seq, next)) {
			return fmt.Errorf("piece %d of the form of commit %d is missing", next, seq)
		}
		next++
		data = append(data, piece...)
		return nil
	})
	if err == nil && uint64(len(data)) != size {
		err = fmt.Errorf("the form of commit %d has %d bytes of %d", seq, len(data), size)
	}
	if err != nil {
		return nil, 0, damaged(keyTraps, err)
	}
	return data, seq, nil
}
