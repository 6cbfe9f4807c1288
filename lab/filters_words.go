package lab

import (
	"fmt"
	"math"

	"crawler/dedup"
	"crawler/internal/sheet"
)

// zoie is the filter of source 001's last slide: one word of 64 bits a key, in which it sets two.
type zoie struct {
	words []uint64
	mask  uint32
}

// mixer is the constant of Zoie's code (DocIDMapperImpl, IntSetAccelerator), which the slide
// leaves out.
const mixer = 2147482951

// zoiePlaces are the word and the two bits of a key, to the letter of the slide's code, in which
// int is 32 bits and the product keeps its low ones.
func zoiePlaces(uid uint64, mask uint32) (word, bit1, bit2 uint32) {
	h := uint32(uid>>32^uid) * mixer
	return h & mask, h >> 26, h >> 20 & 0x3f
}

func newZoie(logWords int) *zoie {
	return &zoie{words: make([]uint64, 1<<logWords), mask: 1<<logWords - 1}
}

// Add adds a key.
func (z *zoie) Add(uid uint64) {
	word, bit1, bit2 := zoiePlaces(uid, z.mask)
	z.words[word] |= 1<<bit1 | 1<<bit2
}

// Has reports whether a key may have been added.
func (z *zoie) Has(uid uint64) bool {
	word, bit1, bit2 := zoiePlaces(uid, z.mask)
	return z.words[word]>>bit1&1 != 0 && z.words[word]>>bit2&1 != 0
}

// zoieRate is the share of absent keys that are answered "maybe" with the given keys a word on
// average, whose number in one word is Poisson distributed. The word's number takes the lowest
// logWords bits of the hash; what it shares with the two bits is no choice any more: of bit 2,
// from hash bit 20 up, and beyond 2^26 words of bit 1.
func zoieRate(logWords int, load float64) float64 {
	fixed2, fixed1 := min(max(logWords-20, 0), 6), min(max(logWords-26, 0), 6)
	a, b := math.Exp2(float64(6-fixed1)), math.Exp2(float64(6-fixed2)) // positions left
	in := func(p, rest, fixed int) float64 {
		if p&(1<<fixed-1) == rest {
			return 1
		}
		return 0
	}
	clear := func(chance float64) float64 { return math.Exp(-load * (1 - chance)) } // of any key
	sum := 0.0
	for p1 := range 64 {
		for p2 := range 64 {
			// The word's number says the low bits of both: those of this pair.
			r1, r2 := p1&(1<<fixed1-1), p2&(1<<fixed2-1)
			first, second := in(p1, r2, fixed2)/b, in(p2, r1, fixed1)/a
			if p1 == p2 {
				sum += 1 - clear((1-1/a)*(1-1/b))
				continue
			}
			sum += 1 - clear((1-1/a)*(1-first)) - clear((1-1/b)*(1-second)) + clear((1-1/a-second)*(1-1/b-first))
		}
	}
	return sum / (64 * 64)
}

// largeWords is the fewest URLs with which the large tables are filled.
const largeWords = 10_000

// wordsSection measures Zoie's filter, also where its bits overlap.
func (c *comparison) wordsSection(keys []uint64) (sheet.Section, error) {
	const load = 3 // keys a word: Zoie has 2 to 4
	t := &sheet.Table{Columns: []sheet.Column{{Name: "words", Unit: "power of 2", Key: "log_words"}, {Name: "keys"}, {Name: "bits left to choose", Key: "free_bits"},
		{Name: "random keys", Key: "rate_random", Unit: "rate", Format: "%.6f"}, {Name: "expected", Format: "%.6f"}, {Name: "numbers in sequence", Key: "rate_sequence", Unit: "rate", Format: "%.6f"},
		{Name: "classic of that size", Key: "classic", Unit: "rate, k = 2", Format: "%.6f"}, {Name: "at its best k", Key: "classic_best", Format: "%.2e"}}}
	for _, logWords := range []int{10, 14, 18, 20, 21, 22, 24, 26, 28, 31} {
		n := load << logWords
		row := []sheet.Cell{logWords, n, 12 - min(max(logWords-20, 0), 12), nil, zoieRate(logWords, load), nil, dedup.ClassicRate(64.0/load, 2), dedup.BestRate(64.0 / load)}
		if logWords <= 18 || logWords <= 22 && len(keys) >= largeWords {
			random, sequence, rnd := newZoie(logWords), newZoie(logWords), c.rnd(24)
			for i := range uint64(n) {
				random.Add(rnd.Uint64())
				sequence.Add(i)
			}
			row[3] = c.absent(random, 25).share()
			row[5] = c.absent(offset{sequence, uint64(n)}, 26).share()
		}
		t.Rows = append(t.Rows, row)
	}
	return sheet.Section{ID: "words", Title: "One word a key: Zoie's filter", Table: t, Notes: []string{
		fmt.Sprintf("The code of the slide: the word is chosen by the low bits of a 32-bit hash, the two bits in it by hash bits 26 to 31 and 20 to 25. %d keys a word, %.3g bits a key. One access to memory; "+
			"but two bits of 64 err somewhat more often than a classic filter with k = 2, and hundreds of times as often as one with the best k.", load, 64.0/load),
		"Above 2^20 words the number of the word and the second bit use the same bits of the hash: the keys of one word differ in fewer and fewer places, and the rate rises. With " +
			"2^26 words the second bit says nothing any more, with 2^32 a word says only whether it has a key. Tables beyond 2^22 words are computed, not filled.",
		"A key is folded to 32 bits first: 1 and 2^32 cannot be told apart at any size. The factor spreads numbers in sequence evenly over the words, where they err less often than random " +
			"ones.",
	}}, nil
}

// offset asks about the numbers behind those that were inserted.
type offset struct {
	of    *zoie
	after uint64
}

// Has asks about a number up to 2^31 behind the last.
func (o offset) Has(h uint64) bool { return o.of.Has(o.after + h>>33) }
