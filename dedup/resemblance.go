package dedup

import (
	"encoding/binary"
	"fmt"
	"math"
)

// PageSignature returns the configuration of the signatures that a crawl keeps of its pages:
// 1,024 slots of one bit, 128 bytes. Two pages of more shingles than slots that have a
// resemblance of 0.8 are estimated with a standard error of 0.019; with 128 slots of eight bits,
// which are as many bytes, it is 0.035. The permutation is the same in every crawl, so
// signatures can be stored and compared.
func PageSignature() MinHashConfig {
	return MinHashConfig{Slots: 1024, Bits: 1, Shingle: DefaultShingle}
}

// Bytes returns how long a signature is without its frame.
func (c MinHashConfig) Bytes() int { return 8 * c.filled().lanes() }

// AppendSlots appends the slots of s alone, least significant byte first: Config().Bytes()
// bytes, and none for a page without words.
func (s Signature) AppendSlots(dst []byte) []byte {
	if s.empty {
		return dst
	}
	for _, lane := range s.lanes {
		dst = binary.LittleEndian.AppendUint64(dst, lane)
	}
	return dst
}

// DecodeSlots appends to dst what AppendSlots has written, as Agreeing takes it. It is an error
// if data has another length than a signature of that configuration.
func (c MinHashConfig) DecodeSlots(dst []uint64, data []byte) ([]uint64, error) {
	if len(data) != c.Bytes() {
		return dst, fmt.Errorf("dedup: a signature of %d bytes, want %d", len(data), c.Bytes())
	}
	for ; len(data) > 0; data = data[8:] {
		dst = append(dst, binary.LittleEndian.Uint64(data))
	}
	return dst, nil
}

// Agreeing returns in how many slots two signatures of that configuration agree.
func (c MinHashConfig) Agreeing(a, b []uint64) int { return agreeing(a, b, c.Bits) }

// Resemblance is an estimate with its 95 % interval.
type Resemblance struct{ Estimate, Low, High float64 }

// zFor95 is how many standard errors a normal variable is off at most in 95 of 100 cases.
const zFor95 = 1.959964

// Resemblance estimates that of two pages, of about that many shingles each, whose signatures
// agree in that many slots. The interval is Wilson's (1927, "Probable inference, the law of
// succession, and statistical inference") for the share of the slots that agree, which holds
// near 1 too, widened for pages of few shingles as spread says; both ends are within 0 and 1.
func (c MinHashConfig) Resemblance(agreeing, shingles int) Resemblance {
	c = c.filled()
	p, chance := float64(agreeing)/float64(c.Slots), math.Ldexp(1, -c.Bits)
	inJ := func(p float64) float64 { return min(max((p-chance)/(1-chance), 0), 1) }
	n := float64(c.Slots) / c.spread(inJ(p), shingles)
	const zz = zFor95 * zFor95
	middle := (p + zz/(2*n)) / (1 + zz/n)
	half := zFor95 / (1 + zz/n) * math.Sqrt(p*(1-p)/n+zz/(4*n*n))
	return Resemblance{inJ(p), inJ(middle - half), inJ(middle + half)}
}

// spread is by how much the variance of the estimate is larger than StandardError says, for
// pages of few shingles. The part of it that comes from which shingles are looked at is then up
// to 2.35 times as large, since some are borrowed more often than others, or share a slot; the
// part that chance agreements make stays as it is. The factor and its fall are fitted to made
// pairs of 5 to 5,000 shingles (docs/figures.md).
func (c MinHashConfig) spread(j float64, shingles int) float64 {
	chance := math.Ldexp(1, -c.Bits)
	sampled := j * (1 - chance) / c.Chance(j)
	return 1 + 1.35*sampled*math.Exp(-8*float64(max(shingles, 0))/float64(c.Slots))
}

// SlotsFor returns in how many slots two signatures agree at least if the estimate of their
// resemblance is at least that.
func (c MinHashConfig) SlotsFor(estimate float64) int {
	c = c.filled()
	return min(max(int(math.Ceil(c.Chance(estimate)*float64(c.Slots)-1e-9)), 0), c.Slots)
}
