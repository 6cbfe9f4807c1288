package gate

import (
	"encoding/binary"
	"fmt"
)

// The guard's events are in every commit. Its full form is written when there are fullEvery
// times as many bytes of events as it had last, so that it adds a quarter to what they cost; at
// first, when there are leastEvents.
const (
	fullEvery   = 4
	leastEvents = 256 << 10
)

// A full form of some MiB would be in memory five times when it is committed: here, in the batch,
// in the log's blocks, in the memtable and in the table that is written of it. So a commit has
// formPiece bytes of it, and the last piece makes it the one that counts.
const formPiece = 256 << 10

// slowForm is a full form on its way to disk. Until all of it is there, the one before it counts,
// with all events since that.
type slowForm struct {
	rest  []byte // of the form, not written yet; nil if none is on its way
	most  int    // bytes that a commit has of it
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
	if t.form.rest == nil && !c.Last && t.since >= max(fullEvery*t.full, leastEvents) {
		if err := t.beginForm(c.Seq); err != nil {
			return err
		}
	}
	if t.form.rest != nil {
		t.putForm(c)
	}
	return nil
}

// beginForm makes the full form of what the guard knows in the commit seq.
func (t *traps) beginForm(seq uint64) error {
	data, err := t.guard.MarshalBinary()
	t.form = slowForm{rest: data, most: t.form.most, seq: seq, full: t.form.full, size: len(data)}
	return err
}

// putForm puts the next piece, and with the last one the record that makes the form count, in the
// place of all events that it has. The crawl's last commit takes back what is there of a form that
// is not complete.
func (t *traps) putForm(c *Commit) {
	f, w := &t.form, c.Records
	piece := f.rest[:min(len(f.rest), f.most)]
	if f.rest = f.rest[len(piece):]; len(f.rest) > 0 && c.Last {
		w.DeleteRange(pieceKey(f.seq, 0), pieceKey(f.seq+1, 0))
		f.rest = nil
		return
	}
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
