package frontier

import "crawler/internal/binform"

// tail is the part of a level that is in memory only: what was pushed since the
// last commit, or all of it without a disk. First in, first out.
type tail struct {
	blocks  [][]byte // the first is read at off, the last is appended to
	off     int
	written string // via of the last record written
	read    string // via of the last record read
}

// Each block is twice as large as the one before, from the first size to the last, so that
// ten thousand hosts with one URL each stay small.
const (
	firstBlock = 64
	lastBlock  = 32 << 10
	maxRecord  = 4 << 10 // a longer record's buffer is not kept
)

func (t *tail) empty() bool {
	n := len(t.blocks)
	return n == 0 || n == 1 && len(t.blocks[0]) == 0
}

// push appends a record, built in buf, which it returns. With alone, each block can be
// read without the one before it.
func (t *tail) push(it Item, buf []byte, alone bool) []byte {
	via := it.Via != t.written || t.empty()
	rec := appendRecord(buf[:0], it, via)
	if alone && !via && !t.fits(rec) {
		rec = appendRecord(rec[:0], it, true)
	}
	t.written = it.Via
	t.store(rec)
	return rec
}

func (t *tail) fits(rec []byte) bool {
	b := t.blocks[len(t.blocks)-1]
	return len(b)+len(rec) <= cap(b)
}

// store appends the record to the last block, or to a new one if it does not fit:
// records never span blocks.
func (t *tail) store(rec []byte) {
	n := len(t.blocks)
	if n == 0 || !t.fits(rec) {
		size := firstBlock
		if n > 0 {
			size = min(2*cap(t.blocks[n-1]), lastBlock)
		}
		if t.empty() {
			t.blocks = t.blocks[:0] // a block that was read to its end must not precede it
		}
		t.blocks = append(t.blocks, make([]byte, 0, max(size, len(rec))))
		n = len(t.blocks)
	}
	t.blocks[n-1] = append(t.blocks[n-1], rec...)
}

// pop takes the oldest record of a tail that has one. The record never left
// memory, so a failure is a bug here and not bad input.
func (t *tail) pop(host string, depth int) Item {
	r := reader{buf: t.blocks[0][t.off:]}
	rec := r.record()
	if rec.has(flagVia) {
		t.read = string(rec.via)
	}
	it, ok := rec.item(host, depth, t.read)
	if r.bad || !ok {
		panic("frontier: a URL queued in memory on " + host + " can no longer be read")
	}
	t.off = len(t.blocks[0]) - len(r.buf)
	t.trim()
	return it
}

// trim drops the first block once it has been read to its end.
func (t *tail) trim() {
	if t.off < len(t.blocks[0]) {
		return
	}
	t.off = 0
	if len(t.blocks) == 1 {
		t.blocks[0] = t.blocks[0][:0]
		return
	}
	t.blocks[0] = nil
	t.blocks = t.blocks[1:]
}

// pack returns the unread records as blocks for the disk. The tail, whose records must
// have been pushed with alone, cannot be used afterwards.
func (t *tail) pack() [][]byte {
	if t.empty() {
		return nil
	}
	t.blocks[0] = t.unread()
	packed := t.blocks[:1]
	for _, b := range t.blocks[1:] {
		if last := &packed[len(packed)-1]; len(*last)+len(b) <= lastBlock {
			*last = append(*last, b...)
		} else {
			packed = append(packed, b)
		}
	}
	clear(t.blocks[len(packed):])
	return packed
}

// unread returns the rest of the first block, beginning with a via.
func (t *tail) unread() []byte {
	b := t.blocks[0][t.off:]
	if b[0]&flagVia != 0 {
		return b
	}
	r := reader{buf: b[1:]}
	r.bytes()
	target := len(b) - len(r.buf)
	whole := make([]byte, 0, len(b)+len(t.read)+5)
	whole = append(whole, b[0]|flagVia)
	whole = append(whole, b[1:target]...)
	whole = binform.AppendText(whole, t.read)
	return append(whole, b[target:]...)
}
