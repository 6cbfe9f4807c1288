package graph

import (
	"fmt"
	"math/bits"
)

// offsets is a sequence of non-decreasing numbers below a known limit, in the form of
// Elias (1974) and Fano (1971): of each number the lower bits as they are, the upper bits
// as gaps in unary. It takes 2 + log2(limit/n) bits a number, about a byte for the places
// of successor lists, and finds one in some 10 ns. Read-only once filled.
type offsets struct {
	low    []uint64 // lower bits, packed from the least significant bit up
	high   []uint64 // bit (x_i >> width) + i is set for every i
	starts []uint64 // the places of set bits 0, stride, 2 stride, ... in high
	width  uint     // of the lower part
	n      int
}

const stride = 256

// newOffsets makes room for n numbers below limit.
func newOffsets(n int, limit uint64) *offsets {
	o := &offsets{}
	if ratio := limit / uint64(max(n, 1)); ratio > 1 {
		o.width = uint(bits.Len64(ratio)) - 1
	}
	o.low = make([]uint64, (uint64(n)*uint64(o.width)+63)/64+2)
	o.high = make([]uint64, (uint64(n)+limit>>o.width)/64+1)
	o.starts = make([]uint64, 0, n/stride+1)
	return o
}

// add appends x, below the limit and not below the last one.
func (o *offsets) add(x uint64) {
	place := x>>o.width + uint64(o.n)
	if o.n%stride == 0 {
		o.starts = append(o.starts, place)
	}
	o.high[place/64] |= 1 << (place % 64)
	low, at := x&(1<<o.width-1), uint64(o.n)*uint64(o.width)
	o.low[at/64] |= low << (at % 64)
	o.low[at/64+1] |= low >> 1 >> (63 - at%64)
	o.n++
}

// at returns number i.
func (o *offsets) at(i int) uint64 {
	place := o.starts[i/stride]
	base, skip := place/64, i%stride
	word := o.high[base] >> (place % 64) << (place % 64)
	for {
		ones := bits.OnesCount64(word)
		if skip < ones {
			break
		}
		skip -= ones
		base++
		word = o.high[base]
	}
	for ; skip > 0; skip-- {
		word &= word - 1
	}
	upper := base*64 + uint64(bits.TrailingZeros64(word)) - uint64(i)
	at := uint64(i) * uint64(o.width)
	low := o.low[at/64]>>(at%64) | o.low[at/64+1]<<1<<(63-at%64)
	return upper<<o.width | low&(1<<o.width-1)
}

// readOffsets reads the offsets file: n+1 gaps, the first of them 0, that add up to no
// more than limit bits.
func readOffsets(f *format, data []byte, limit uint64) (*offsets, error) {
	if uint64(f.nodes)+1 > uint64(len(data))*8 { // a gap takes a bit at least
		return nil, fmt.Errorf("%d bytes for %d nodes: the file is cut short or %w", len(data), f.nodes, ErrDamaged)
	}
	o := newOffsets(f.nodes+1, limit+1)
	r := bitReader{data: data}
	for at := uint64(0); o.n <= f.nodes; {
		gap := r.read(f.offset)
		at += gap
		if gap > limit || at > limit || o.n == 0 && gap != 0 || r.pos > uint64(len(data))*8 {
			return nil, fmt.Errorf("the place of node %d cannot be: the file is %w or of another graph", o.n, ErrDamaged)
		}
		o.add(at)
	}
	return o, nil
}
