package dedup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"crawler/internal/splitmix"
)

// rangeLeaf is up to how many keys of a range are sent as they are.
const rangeLeaf = 16

// Ranges finds the keys in which two sets differ by sums over ranges of keys (Meyer 2023,
// "Range-based set reconciliation"): where the sums agree the range does, where they do not
// it is cut into sixteen. It takes as many messages as keys have hexadecimal digits until 16
// are left, and some 350 bytes a differing key; nothing needs to be estimated, and a message
// costs the work of the ranges in it alone.
//
// One end begins with First, and each end gives to Reply what the other sent, until the reply
// of the first is empty. Then Difference has the keys, at the end that began.
//
// The keys must be hashes, distinct and ascending; they are kept and not changed. A message
// of strangers cannot make the reply longer than its ranges and the keys there are.
type Ranges struct {
	keys  []uint64
	sums  []uint64 // of the keys before each
	began bool

	mine, theirs []uint64
}

// NewRanges returns the end that has the given keys.
func NewRanges(keys []uint64) *Ranges {
	r := &Ranges{keys: keys, sums: make([]uint64, len(keys)+1)}
	for i, k := range keys {
		r.sums[i+1] = r.sums[i] + splitmix.Finish(k+checkMul)
	}
	return r
}

// The parts of a message. Each begins with one of these, and the range: how many hexadecimal
// digits its keys begin with in the low five bits, then those digits as a uvarint.
const (
	partSums   = 0x00 // sums of the range's sixteenths
	partKeys   = 0x20 // a uvarint and so many keys: all that the sender has there
	partAnswer = 0x40 // to partKeys: a bit for each, set if missing; then others as in partKeys
	partMask   = 0xe0
)

// span is the range of the keys that begin with the given hexadecimal digits.
type span struct {
	digits int // 0 to 16
	prefix uint64
}

// low returns the least key of the span.
func (s span) low() uint64 {
	if s.digits == 0 {
		return 0
	}
	return s.prefix << (64 - 4*s.digits)
}

// high returns the greatest.
func (s span) high() uint64 {
	if s.digits == 16 {
		return s.prefix
	}
	return s.low() | ^uint64(0)>>(4*s.digits)
}

func (s span) part(i int) span { return span{s.digits + 1, s.prefix<<4 | uint64(i)} }

// of returns where the keys of a span begin and end.
func (r *Ranges) of(s span) (from, to int) {
	from, _ = slices.BinarySearch(r.keys, s.low())
	to, found := slices.BinarySearch(r.keys, s.high())
	if found {
		to++
	}
	return from, to
}

// sum returns what stands for the keys of a span.
func (r *Ranges) sum(s span) uint64 {
	from, to := r.of(s)
	return splitmix.Finish(r.sums[to] - r.sums[from] + uint64(to-from)*walkMul)
}

// First returns the first message.
func (r *Ranges) First() []byte {
	r.began = true
	return r.appendSpan(nil, span{})
}

// appendSpan appends what the other end must know of a span in which they differ.
func (r *Ranges) appendSpan(dst []byte, s span) []byte {
	if from, to := r.of(s); to-from <= rangeLeaf || s.digits == 16 {
		return appendKeys(appendHead(dst, partKeys, s), r.keys[from:to])
	}
	dst = appendHead(dst, partSums, s)
	for i := range 16 {
		dst = binary.LittleEndian.AppendUint64(dst, r.sum(s.part(i)))
	}
	return dst
}

func appendHead(dst []byte, kind byte, s span) []byte {
	return binary.AppendUvarint(append(dst, kind|byte(s.digits)), s.prefix)
}

func appendKeys(dst []byte, keys []uint64) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(keys)))
	for _, k := range keys {
		dst = binary.LittleEndian.AppendUint64(dst, k)
	}
	return dst
}

// errRanges is in every error about a message that is none.
var errRanges = errors.New("dedup: a message about ranges of keys is wrong")

// Reply returns the answer to a message, which is empty if there is nothing more to say.
func (r *Ranges) Reply(message []byte) ([]byte, error) {
	var reply []byte
	m := rangeReader{rest: message}
	for len(m.rest) > 0 {
		kind, s := m.head()
		if m.bad {
			break
		}
		switch {
		case kind == partSums && s.digits < 16:
			reply = r.compare(reply, s, &m)
		case kind == partKeys:
			reply = r.meet(reply, s, &m)
		case kind == partAnswer && r.began:
			r.learn(s, &m)
		default:
			m.bad = true
		}
	}
	if m.bad {
		return nil, fmt.Errorf("%w: %d bytes before its end", errRanges, len(m.rest))
	}
	return reply, nil
}

// compare continues with the sixteenths whose sums are not the same here.
func (r *Ranges) compare(reply []byte, s span, m *rangeReader) []byte {
	for i := range 16 {
		part := s.part(i)
		if sum := m.uint64(); !m.bad && sum != r.sum(part) {
			reply = r.appendSpan(reply, part)
		}
	}
	return reply
}

// meet compares all keys of a span.
func (r *Ranges) meet(reply []byte, s span, m *rangeReader) []byte {
	theirs := m.keys(s)
	if m.bad {
		return reply
	}
	from, to := r.of(s)
	mine := r.keys[from:to]
	if r.began {
		onlyMine, onlyTheirs := cancel(slices.Clone(mine), slices.Clone(theirs))
		r.mine, r.theirs = append(r.mine, onlyMine...), append(r.theirs, onlyTheirs...)
		return reply
	}
	missing := make([]byte, (len(theirs)+7)/8)
	for i, k := range theirs {
		if _, found := slices.BinarySearch(mine, k); !found {
			missing[i/8] |= 1 << (i % 8)
		}
	}
	further, _ := cancel(slices.Clone(mine), theirs)
	reply = appendHead(reply, partAnswer, s)
	return appendKeys(append(reply, missing...), further)
}

// learn reads the answer to keys that were sent.
func (r *Ranges) learn(s span, m *rangeReader) {
	from, to := r.of(s)
	mine := r.keys[from:to]
	missing := m.bytes((len(mine) + 7) / 8)
	theirs := m.keys(s)
	if m.bad {
		return
	}
	for i, k := range mine {
		if missing[i/8]>>(i%8)&1 != 0 {
			r.mine = append(r.mine, k)
		}
	}
	r.theirs = append(r.theirs, theirs...)
}

// Difference returns, at the end that began, the keys that only it has and those that only the
// other has, ascending.
func (r *Ranges) Difference() (mine, theirs []uint64) {
	slices.Sort(r.mine)
	slices.Sort(r.theirs)
	return slices.Compact(r.mine), slices.Compact(r.theirs)
}

// rangeReader reads the parts of a message, whose spans must ascend and not overlap.
type rangeReader struct {
	rest []byte
	next uint64 // the least key that a span may begin with
	full bool   // the last span ended with the greatest key
	bad  bool
}

func (m *rangeReader) head() (kind byte, s span) {
	b := m.bytes(1)
	if m.bad {
		return 0, s
	}
	prefix, used := binary.Uvarint(m.rest)
	kind, s = b[0]&partMask, span{int(b[0] &^ partMask), prefix}
	if used <= 0 || s.digits > 16 || s.digits < 16 && prefix>>(4*s.digits) != 0 || m.full || s.low() < m.next {
		m.bad = true
		return 0, s
	}
	m.rest = m.rest[used:]
	m.full, m.next = s.high() == ^uint64(0), s.high()+1
	return kind, s
}

func (m *rangeReader) bytes(n int) []byte {
	if m.bad || n > len(m.rest) {
		m.bad = true
		return nil
	}
	b := m.rest[:n]
	m.rest = m.rest[n:]
	return b
}

func (m *rangeReader) uint64() uint64 {
	b := m.bytes(8)
	if m.bad {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// keys reads keys of a span, which must ascend.
func (m *rangeReader) keys(s span) []uint64 {
	n, used := binary.Uvarint(m.rest)
	if m.bad || used <= 0 || n > uint64(len(m.rest)-used)/8 {
		m.bad = true
		return nil
	}
	m.rest = m.rest[used:]
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = m.uint64()
		m.bad = m.bad || keys[i] < s.low() || keys[i] > s.high() || i > 0 && keys[i] <= keys[i-1]
	}
	return keys
}
