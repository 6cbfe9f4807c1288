package dedup

import (
	"fmt"
	"math"
	"math/bits"

	"crawler/internal/splitmix"
)

// Limits and defaults of a MinHashConfig.
const (
	DefaultSlots = 128
	DefaultBits  = 8
	MinSlots     = 64
	MaxSlots     = 1024
	MaxBits      = 16
)

// MinHashConfig says what signatures are like. Only signatures of equal
// configurations can be compared. The zero value is a good one: 128 bytes a
// page.
type MinHashConfig struct {
	Slots   int    // parts of the permutation: a power of two, 64 to 1024; 0 for DefaultSlots
	Bits    int    // kept of each minimum: 1, 2, 4, 8 or 16; 0 for DefaultBits
	Shingle int    // words of a shingle, 1 to 64; 0 for DefaultShingle
	Seed    uint64 // which permutation; a secret if strangers must not craft signatures
}

// filled fills in what is zero.
func (c MinHashConfig) filled() MinHashConfig {
	c.Slots = or(c.Slots, DefaultSlots)
	c.Bits = or(c.Bits, DefaultBits)
	c.Shingle = or(c.Shingle, DefaultShingle)
	return c
}

// withDefaults fills in what is zero and checks what is not.
func (c MinHashConfig) withDefaults() (MinHashConfig, error) {
	c = c.filled()
	switch {
	case c.Slots < MinSlots || c.Slots > MaxSlots || c.Slots&(c.Slots-1) != 0:
		return c, fmt.Errorf("dedup: MinHashConfig.Slots is %d, want a power of two from %d to %d, or 0 for %d",
			c.Slots, MinSlots, MaxSlots, DefaultSlots)
	case c.Bits < 1 || c.Bits > MaxBits || c.Bits&(c.Bits-1) != 0:
		return c, fmt.Errorf("dedup: MinHashConfig.Bits is %d, want 1, 2, 4, 8 or %d, or 0 for %d",
			c.Bits, MaxBits, DefaultBits)
	case c.Shingle < 1 || c.Shingle > MaxShingle:
		return c, fmt.Errorf("dedup: MinHashConfig.Shingle is %d, want 1 to %d, or 0 for %d",
			c.Shingle, MaxShingle, DefaultShingle)
	}
	return c, nil
}

// lanes returns how many words a signature has.
func (c MinHashConfig) lanes() int { return c.Slots * c.Bits / 64 }

// Chance returns the probability that two pages of resemblance j agree in a
// slot: j + (1-j) 2^-Bits, as different minima agree by chance in the bits that
// are kept.
func (c MinHashConfig) Chance(j float64) float64 {
	return j + (1-j)*math.Ldexp(1, -c.filled().Bits)
}

// StandardError returns the standard error of Similarity at a resemblance of j,
//
//	sqrt(p (1-p) / Slots) / (1 - 2^-Bits), p = Chance(j),
//
// by the binomial distribution: 0.044 at most with 128 slots of 8 bits, 0.031
// with 256. For pages of more shingles than slots it is that or less. For smaller
// ones it is at most sqrt(2) times as much: the slots borrow unevenly, which
// makes a variance of 1 in these units, and two of f shingles may fall into one
// slot, which makes f/(2(f-1)).
func (c MinHashConfig) StandardError(j float64) float64 {
	c = c.filled()
	p := c.Chance(j)
	return math.Sqrt(p*(1-p)/float64(c.Slots)) / (1 - math.Ldexp(1, -c.Bits))
}

// MinHash makes signatures, from which the resemblance of two pages' sets of
// shingles is estimated (Broder 1997). Of k independent permutations each would
// cost all shingles once; here one permutation is cut into k slots, and each
// keeps the minimum of the hashes that fall into it (Li, Owen and Zhang 2012,
// "One Permutation Hashing"): a shingle costs one step, whatever k is.
//
// A slot that no shingle fell into borrows from another, which is chosen by a
// pairwise independent hash of the slot (Shrivastava 2017, "Optimal
// Densification for Fast and Accurate Minwise Hashing"): with that, a slot
// agrees with probability J exactly, for pages of one shingle too. Of each
// minimum only b bits are kept (Li and König 2010, "b-Bit Minwise Hashing"),
// a borrowed one mixed with the number of the borrower, so that chance
// agreements in different slots stay independent.
//
// A page of 1,000 words takes 2 µs, shingles included; nothing is allocated if
// the Signature is reused.
//
// A MinHash belongs to one goroutine.
type MinHash struct {
	cfg  MinHashConfig
	key  uint64
	kept [MaxSlots]uint64 // by slot: the largest hash, noShingle where none fell
	buf  [shinglesAtOnce]uint64
	den  *densifier // which nothing changes
}

const (
	noShingle      = 0 // a hash may be that too, once in 2^64
	shinglesAtOnce = 256
	slotBits       = 10 // of a mixed hash choose the slot, at most
)

// NewMinHash returns a MinHash for signatures as cfg says.
func NewMinHash(cfg MinHashConfig) (*MinHash, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &MinHash{cfg: cfg, key: splitmix.Finish(cfg.Seed + splitmix.Golden), den: new(densifier)}
	m.den.init(cfg.Slots)
	return m, nil
}

// Clone returns a MinHash for the same signatures, for another goroutine. It shares the tables,
// 64 KiB, and costs far less than NewMinHash; m may be in use meanwhile.
func (m *MinHash) Clone() *MinHash { return &MinHash{cfg: m.cfg, key: m.key, den: m.den} }

// Config returns the configuration, defaults filled in.
func (m *MinHash) Config() MinHashConfig { return m.cfg }

// SketchWords returns the signature of a text given by the hashes of its words:
// that of its shingles, of the configured number of words. The memory of dst is
// used if it suffices; dst may be the zero Signature.
func (m *MinHash) SketchWords(dst Signature, words []uint64) Signature {
	m.clear()
	overlap := m.cfg.Shingle - 1
	if m.cfg.Shingle == 3 && len(words) >= 3 {
		m.addThreeWords(words)
		return m.finish(dst)
	}
	for {
		n := min(len(words), shinglesAtOnce+overlap)
		m.add(Shingles(m.buf[:0], words[:n], m.cfg.Shingle))
		if n == len(words) {
			return m.finish(dst)
		}
		words = words[n-overlap:]
	}
}

// Sketch returns the signature of a set of hashes, such as Shingles makes; how
// often one occurs does not matter. The memory of dst is used if it suffices.
func (m *MinHash) Sketch(dst Signature, hashes []uint64) Signature {
	m.clear()
	m.add(hashes)
	return m.finish(dst)
}

func (m *MinHash) clear() { clear(m.kept[:m.cfg.Slots]) }

// add takes hashes in. The low bits of the mixed hash choose the slot, which
// leaves the order of two in one slot to the high ones.
func (m *MinHash) add(hashes []uint64) {
	key, mask, kept := m.key, m.mask(), &m.kept
	for _, h := range hashes {
		v := fold(h^key, mulFirst)
		slot := &kept[v&mask]
		*slot = max(*slot, v) // without a branch: it would be mispredicted often
	}
}

// addThreeWords is add of threeWords, without the way through memory.
func (m *MinHash) addThreeWords(words []uint64) {
	key, mask, kept := m.key, m.mask(), &m.kept
	x, y := words[0], words[1]
	for _, z := range words[2:] {
		v := fold(threeWordHash(x, y, z)^key, mulFirst)
		slot := &kept[v&mask]
		*slot = max(*slot, v)
		x, y = y, z
	}
}

// mask cuts out the bits that choose the slot.
func (m *MinHash) mask() uint64 { return uint64(m.cfg.Slots-1) & (MaxSlots - 1) }

// finish makes the signature: some bits of what is kept, and of borrowed hashes
// for empty slots.
func (m *MinHash) finish(dst Signature) Signature {
	s := Signature{cfg: m.cfg, lanes: dst.lanes[:0]}
	kept := m.kept[:m.cfg.Slots]
	if !m.den.fill(&m.kept) {
		s.empty = true
		return s
	}
	s.pack(kept)
	return s
}

// Signature is what is kept of a page to estimate how much it resembles others:
// 128 bytes by default. A MinHash makes it.
//
// The signature of a union cannot be had from those of its parts: it would need
// the minima, of which only a few bits are kept. Sketch the union instead.
type Signature struct {
	cfg   MinHashConfig
	empty bool     // of no shingle at all
	lanes []uint64 // slot i is in the bits from i*Bits on, counted through all words
}

// pack appends the lowest bits of each value that did not choose its slot.
func (s *Signature) pack(values []uint64) {
	switch s.cfg.Bits {
	case 1:
		s.packBits(values)
		return
	case 8:
		s.packBytes(values)
		return
	}
	width, w := s.cfg.Bits, uint64(0)
	perWord := 64 / width
	for ; len(values) >= perWord; values = values[perWord:] {
		for _, v := range values[:perWord] {
			w = w>>width | v>>slotBits<<(64-width) // the first one ends up lowest
		}
		s.lanes = append(s.lanes, w)
	}
}

// packBits is pack for 1 bit, four quarters of a word at a time.
func (s *Signature) packBits(values []uint64) {
	for ; len(values) >= 64; values = values[64:] {
		v := (*[64]uint64)(values)
		var a, b, c, d uint64
		for i := range 16 {
			a = a>>1 | v[i]>>slotBits<<63
			b = b>>1 | v[i+16]>>slotBits<<63
			c = c>>1 | v[i+32]>>slotBits<<63
			d = d>>1 | v[i+48]>>slotBits<<63
		}
		s.lanes = append(s.lanes, a>>48|b>>48<<16|c>>48<<32|d>>48<<48)
	}
}

// packBytes is pack for 8 bits, which is the usual number.
func (s *Signature) packBytes(values []uint64) {
	for ; len(values) >= 8; values = values[8:] {
		v := (*[8]uint64)(values)
		s.lanes = append(s.lanes, v[0]>>slotBits&0xff|v[1]>>slotBits&0xff<<8|
			v[2]>>slotBits&0xff<<16|v[3]>>slotBits&0xff<<24|
			v[4]>>slotBits&0xff<<32|v[5]>>slotBits&0xff<<40|
			v[6]>>slotBits&0xff<<48|v[7]>>slotBits<<56)
	}
}

// Config returns the configuration of the MinHash that made s; zero if none
// did.
func (s Signature) Config() MinHashConfig { return s.cfg }

// Empty reports whether the page had no words.
func (s Signature) Empty() bool { return s.empty }

// Similarity estimates the Jaccard resemblance J of two pages' sets of shingles
// from the share p of the slots that agree,
//
//	J = (p - 2^-Bits) / (1 - 2^-Bits)
//
// (Li and König 2010, theorem 1, for sets that are small beside 2^64). It is
// unbiased, so for pages that have nothing in common it is slightly below 0 as
// often as above. MinHashConfig.StandardError says how far it is off. Two pages
// without words have 1, and 0 with any other. It costs 15 ns for 128 bytes.
//
// The error wraps ErrMismatch if the configurations differ.
func (s Signature) Similarity(o Signature) (float64, error) {
	if s.cfg != o.cfg || s.cfg.Slots == 0 {
		return 0, fmt.Errorf("%w: signatures of %+v and %+v", ErrMismatch, s.cfg, o.cfg)
	}
	if s.empty || o.empty {
		return asNumber(s.empty && o.empty), nil
	}
	return s.cfg.estimate(s.lanes, o.lanes), nil
}

// estimate estimates the resemblance from two signatures' words.
func (c MinHashConfig) estimate(a, b []uint64) float64 {
	chance := math.Ldexp(1, -c.Bits)
	return (float64(agreeing(a, b, c.Bits))/float64(c.Slots) - chance) / (1 - chance)
}

// agreeing counts the lanes of width bits that are equal.
func agreeing(a, b []uint64, width int) int {
	high := math.MaxUint64 / (uint64(1)<<width - 1) << (width - 1) // each lane's highest bit
	differ := 0
	for i, x := range a {
		x ^= b[i]
		// The sum carries into a lane's highest bit if the others are not all 0.
		differ += bits.OnesCount64((x&^high + ^high | x) & high)
	}
	return len(a)*64/width - differ
}

func asNumber(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
