package report

import (
	"encoding/binary"
	"fmt"

	"crawler/crawl"
	"crawler/stats"
)

// journal is how the sketches of the crawl, or of a site, come into commits: once in full, and then
// by what each commit has changed, until that is as much as fullEvery full forms.
type journal struct {
	base        *stats.Base // what they were at the last commit; nil if that is what they are
	lent        bool        // base is not that yet
	full        int         // bytes of the full form; 0 if there is none yet
	since       int         // bytes of the deltas since
	first, next uint64      // numbers of these
}

// fullEvery weighs what is written (at 1 twice the deltas, at 3 four thirds of them) against
// what is stored and read when a crawl is resumed.
const fullEvery = 3

// due reports whether the full form must be written.
func (j *journal) due() bool { return j.full == 0 || j.since >= fullEvery*j.full }

// lend gives the journal memory for what the sketches are before they change for the first time
// since the last commit. A journal without a full form needs none.
func (u *unsaved) lend(j *journal) {
	if !u.on || j.full == 0 || j.base != nil {
		return
	}
	if n := len(u.bases); n > 0 {
		j.base, u.bases = u.bases[n-1], u.bases[:n-1]
	} else {
		j.base = new(stats.Base)
	}
	j.lent = true
}

// mark remembers what the sketches are, if memory for that was lent since.
func (j *journal) mark(words *stats.Words) {
	if j.lent {
		words.Mark(j.base)
		j.lent = false
	}
}

// maxBases is how much memory for marks is kept from one commit to the next: 16 KiB each for most.
const maxBases = 64

// forget takes the mark back.
func (u *unsaved) forget(j *journal) {
	if j.base != nil && len(u.bases) < maxBases {
		u.bases = append(u.bases, j.base)
	}
	j.base = nil
}

// appendFull appends the number of the first delta behind it and the full form.
func (j *journal) appendFull(value []byte, words *stats.Words) []byte {
	value = binary.AppendUvarint(value, j.next)
	start := len(value)
	value = words.AppendDelta(value, nil)
	j.full = len(value) - start
	return value
}

// appendChanges appends the delta, nothing if the sketches are as they were.
func (j *journal) appendChanges(value []byte, words *stats.Words) []byte {
	if j.base == nil {
		return value
	}
	return words.AppendDelta(value, j.base)
}

// change is what a journal puts into a commit.
type change struct {
	whole      bool // the full form, not a delta
	g          int  // whose scratch it is in
	start, end int  // where
}

// append appends the form that is due, behind what head appends.
func (j *journal) append(v []byte, words *stats.Words, head func(v []byte, whole bool) []byte) (_ []byte, whole bool) {
	whole = j.due()
	if v = head(append(v, recordVersion), whole); whole {
		return j.appendFull(v, words), true
	}
	return j.appendChanges(v, words), false
}

// put puts the full form under one key, and deletes the deltas that it makes needless, or the
// delta under another.
func (u *unsaved) put(b crawl.Batch, j *journal, c change, full, delta string) {
	value := u.forms[c.g][c.start:c.end]
	if !c.whole {
		b.Put(u.numbered(delta, j.next), value)
		j.next++
		j.since += len(value)
		u.forget(j)
		return
	}
	b.Put(u.named(full, ""), value)
	if j.first < j.next {
		from := []byte(delta + numberInKey(j.first))
		b.DeleteRange(from, u.numbered(delta, j.next))
	}
	j.first, j.since = j.next, 0
	u.forget(j)
}

// chain reads a journal's deltas, whose keys ascend by sketch and number.
type chain struct {
	of     string // the key without the number
	j      *journal
	words  *stats.Words
	deltas [][]byte
}

// add takes the next delta, which may be empty.
func (c *chain) add(number string, value, delta []byte) error {
	if number != numberInKey(c.j.next) {
		return fmt.Errorf("%w: delta %d is missing", errRecord, c.j.next)
	}
	c.j.next++
	c.j.since += len(value)
	if len(delta) > 0 {
		c.deltas = append(c.deltas, append([]byte{}, delta...))
	}
	return nil
}

// end replays them.
func (c *chain) end() error {
	if len(c.deltas) == 0 {
		return nil
	}
	err := c.words.Replay(c.deltas...)
	if c.deltas = c.deltas[:0]; err != nil {
		return fmt.Errorf("%w: deltas of %q: %w", errRecord, c.of, err)
	}
	return nil
}

// readFull reads a full form, which is the rest of a value.
func (j *journal) readFull(f *fields, words *stats.Words) error {
	j.next = uint64(f.count())
	j.first, j.full = j.next, len(f.rest)
	if f.err != nil {
		return f.err
	}
	return words.Replay(f.rest)
}
