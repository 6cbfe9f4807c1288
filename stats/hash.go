package stats

import (
	"cmp"
	"math/bits"

	"crawler/internal/splitmix"
)

// Everything in this file is integer arithmetic on purpose. Registers of one
// crawl may be merged on another processor, and floating point there may fuse
// a multiplication with an addition or carry another logarithm; integers give
// the same registers everywhere.

// keyOf turns a seed into the key mix takes.
func keyOf(seed uint64) uint64 { return splitmix.Finish(seed + splitmix.Golden) }

// mix spreads a word's hash over 64 bits under a key. Without the key the
// author of a page could choose words that crowd one slot of a table. The
// lowest bit is always set, so no mixed hash is 0, which marks an empty slot.
//
// Tables take their slots from bits 20 and up, the front its pairs from bits 1
// to 15; the registers read all bits.
func mix(h, key uint64) uint64 { return splitmix.Finish(h^key) | 1 }

// replayOrder compares two mixed hashes by a second hash, for the order in which
// a merge adds the words of a list. That order must not depend on the one they
// came in, and it must reveal nothing about their arrivals at the registers. The
// first arrival of a word rises with its mixed hash: in ascending order the words
// that raise most come first, and the martingale came out 5 % low.
func replayOrder(a, b uint64) int { return cmp.Compare(splitmix.Finish(a), splitmix.Finish(b)) }

// mixAll mixes at most batch hashes.
func mixAll(hashes []uint64, key uint64, mixed *[batch]uint64) {
	to := mixed[:len(hashes)]
	for i, h := range hashes {
		to[i] = mix(h, key)
	}
}

// batch is the number of hashes that are worked on together.
const batch = 128

// exponential turns 64 uniform bits into an exponential variate with mean 1,
// -ln(1 - v/2^64), with 48 bits after the point. It never falls when v grows;
// its relative error stays below 2e-4.
func exponential(v uint64) uint64 {
	if v < 1<<58 {
		return exponentialSmall(v)
	}
	return exponentialGap(v)
}

// exponentialGap is exponential for all but small v; there it is up to 0.1 %
// too large, which does not matter in a sum.
func exponentialGap(v uint64) uint64 {
	rest := ^v | 1 // 2^64 - v, closely enough here
	zeros := bits.LeadingZeros64(rest)
	m := rest << zeros // m/2^63 is in [1, 2)
	l := &lnTable[m>>55&255]
	return uint64(zeros+1)*ln2 - l[0] - l[1]*(m>>32&(1<<23-1))>>23
}

// exponentialSmall is exponential for v < 2^58, where a table would lose the
// digits that matter: the series v + v²/2 + v³/3 + v⁴/4.
func exponentialSmall(v uint64) uint64 {
	v2, _ := bits.Mul64(v, v)
	v3, _ := bits.Mul64(v2, v)
	v4, _ := bits.Mul64(v2, v2)
	return (v + v2/2 + v3/3 + v4/4) >> 16
}

// ln2 is the natural logarithm of 2 with 48 bits after the point, as in
// lnTable.
const ln2 = 0xb17217f7d1cf

// lnTable holds ln(1 + i/256) and the step to the next entry, with 48 bits
// after the point. It is a constant: nothing writes to it.
var lnTable = newLnTable()

func newLnTable() (table [256][2]uint64) {
	for i := range uint64(256) {
		table[i] = [2]uint64{lnOnePlus(i), lnOnePlus(i+1) - lnOnePlus(i)}
	}
	return table
}

// lnOnePlus returns ln(1 + i/256) for i in 0..256 with 48 bits after the
// point, by ln((1+y)/(1-y)) = 2(y + y³/3 + y⁵/5 + ...), y = i/(512+i) <= 1/3.
func lnOnePlus(i uint64) uint64 {
	y := i << 55 / (512 + i) // 55 bits after the point
	square := times55(y, y)
	var sum uint64
	for power, n := y, uint64(1); power > 0; n += 2 {
		sum += power / n
		power = times55(power, square)
	}
	return (2*sum + 1<<6) >> 7
}

// times55 multiplies two numbers with 55 bits after the point.
func times55(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi<<9 | lo>>55
}

// tails[i] is -ln(1 - 2^-i) with 64 bits after the point, for i >= 1: what an
// exponential variate must not exceed for its hash to end in i zeros. It is a
// constant: nothing writes to it.
var tails = newTails()

func newTails() (t [maxRun + 2]uint64) {
	for i := 1; i < len(t); i++ {
		for j := 1; i*j <= 64; j++ { // the series of -ln(1-x) at x = 2^-i
			t[i] += 1 << (64 - i*j) / uint64(j)
		}
	}
	return t
}
