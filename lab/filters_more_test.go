package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"crawler/dedup"
	"crawler/internal/sheet"
)

// The 11-bit filter of source 000, by hand. A = {25, 159} and B = {159, 585}: their union is the
// filter of all three. {25} has bits 5 and 2, {59} 5 and 7: no number is in both, but their AND
// keeps bit 5, and 51, which is 110011 in binary, so 5 and 5, is answered "seen".
func TestSetsByHand(t *testing.T) {
	made := func(keys ...uint64) *dedup.Classic {
		f := dedup.NewClassic(11, 2, 0)
		for _, key := range keys {
			f.AddPositions(elevenBits(key))
		}
		return f
	}
	union := made(25, 159)
	if err := union.Union(made(159, 585)); err != nil || union.String() != "10100101010" {
		t.Errorf("union %v, %v", union, err)
	}
	and := made(25)
	if err := and.Intersect(made(59)); err != nil || and.String() != "00000100000" || !and.HasPositions(elevenBits(51)) {
		t.Errorf("intersection %v, %v", and, err)
	}
	if made().HasPositions(elevenBits(51)) {
		t.Error("the filter made of the intersection, which is empty, has 51")
	}
}

// Three files by hand: the ranges are 1 to 9, 2 to 5 and 7 to 8; the second has a filter without 3.
func TestFilesReadByHand(t *testing.T) {
	files := [][]uint64{{1, 9}, {2, 5}, {7, 8}, nil}
	filters := []has{everything{}, only{2, 5}, everything{}, everything{}}
	for _, c := range []struct {
		key  uint64
		want float64
	}{{0, 0}, {1, 1}, {2, 2}, {3, 1}, {8, 2}, {10, 0}} {
		if got := filesRead(files, filters, []uint64{c.key}); got != c.want {
			t.Errorf("%d: %v files, want %v", c.key, got, c.want)
		}
	}
	if got := filesRead(files, filters, []uint64{0, 1, 2, 3, 8, 10}); got != 1 {
		t.Errorf("on average %v files", got)
	}
}

type only []uint64

func (o only) Has(h uint64) bool { return slices.Contains(o, h) }

// The slide's code with Zoie's factor 2147482951 = 0x7ffffd47, by hand. 1: the factor itself, of
// which bits 26 to 31 are 011111 and 20 to 25 are 111111. 2: twice as much, 0xfffffa8e. 2^32 and 1
// are folded to the same. 3: 0x7ffff7d5 without what exceeds 32 bits. The mask is 0xffff.
func TestZoieByHand(t *testing.T) {
	for _, c := range []struct {
		uid              uint64
		word, bit1, bit2 uint32
	}{
		{0, 0, 0, 0}, {1, 0xfd47, 31, 63}, {1 << 32, 0xfd47, 31, 63}, {2, 0xfa8e, 63, 63}, {3, 0xf7d5, 31, 63}, {1<<32 + 1, 0, 0, 0},
	} {
		word, bit1, bit2 := zoiePlaces(c.uid, 0xffff)
		if word != c.word || bit1 != c.bit1 || bit2 != c.bit2 {
			t.Errorf("%d: word %#x, bits %d and %d; want %#x, %d, %d", c.uid, word, bit1, bit2, c.word, c.bit1, c.bit2)
		}
	}
	z := newZoie(16)
	z.Add(1)
	if z.words[0xfd47] != 1<<31|1<<63 || !z.Has(1) || !z.Has(1<<32) || z.Has(2) {
		t.Errorf("word %#x", z.words[0xfd47])
	}
}

// Above 2^20 words the bits overlap the number of the word: with a mask of 2^26-1 the second bit is
// the same for all keys of a word, and what is computed is what is measured.
func TestZoieOverlap(t *testing.T) {
	for uid := range uint64(10_000) {
		if word, _, bit2 := zoiePlaces(uid*0x9e3779b9, 1<<26-1); word>>20 != bit2 {
			t.Fatalf("word %#x, second bit %d", word, bit2)
		}
	}
	for _, logWords := range []int{12, 20, 22} {
		const load = 0.5
		z, rnd := newZoie(logWords), rand.New(rand.NewPCG(1, uint64(logWords)))
		for range int(load * float64(int(1)<<logWords)) {
			z.Add(rnd.Uint64())
		}
		seen, asked := 0, 2_000_000
		for range asked {
			if z.Has(rnd.Uint64()) {
				seen++
			}
		}
		want, got := zoieRate(logWords, load), float64(seen)/float64(asked)
		if five := 5 * math.Sqrt(want/float64(asked)); math.Abs(got-want) > five+0.2*want*math.Exp2(-float64(logWords)/2)*8 {
			t.Errorf("2^%d words: %v, computed %v", logWords, got, want)
		}
	}
	// With 2^32 words both bits follow from the word: it says only whether it has a key.
	if got, want := zoieRate(32, 0.5), -math.Expm1(-0.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("with 2^32 words %v, want %v", got, want)
	}
}

// Mitzenmacher's tables (2002): what is sent, and the rate, for about 8 and 16 bits a key.
func TestCompressedAsPublished(t *testing.T) {
	for _, c := range []struct {
		bits       float64
		k          int
		sent, rate float64
	}{{8, 6, 8, 0.0216}, {14, 2, 7.923, 0.0177}, {92, 1, 7.923, 0.0108}, {16, 11, 16, 0.000459}, {28, 4, 15.846, 0.000314}, {48, 3, 15.829, 0.000222}} {
		ones := dedup.Occupancy(float64(c.k), c.bits)
		if got := dedup.ClassicRate(c.bits, c.k); math.Abs(got/c.rate-1) > 0.004 {
			t.Errorf("%v bits, k = %d: rate %v, published %v", c.bits, c.k, got, c.rate)
		}
		if got := c.bits * entropy(ones); math.Abs(got-c.sent) > 0.03 {
			t.Errorf("%v bits, k = %d: %v bits are sent, published %v", c.bits, c.k, got, c.sent)
		}
	}
}

// What is coded is decoded, whatever the share of ones, and takes hardly more than its entropy.
func TestEncodeBits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, ones := range []float64{0, 0.0001, 0.01, 0.13, 0.5, 0.87, 0.9999, 1} {
		for _, n := range []int{0, 1, 7, 1000, 60_000} {
			bits := make([]byte, n)
			set := 0
			for i := range bits {
				bits[i] = '0'
				if rnd.Float64() < ones {
					bits[i] = '1'
					set++
				}
			}
			share := float64(set) / float64(max(n, 1))
			coded := encodeBits(string(bits), share)
			if decodeBits(coded, n, share) != string(bits) {
				t.Errorf("%d bits, %v of them ones: decoded otherwise", n, share)
			}
			if got, want := 8*float64(len(coded)), float64(n)*entropy(share); got > 1.001*want+48+float64(n)/30_000 {
				t.Errorf("%d bits, %v of them ones: %v coded bits, the entropy is %v", n, share, got, want)
			}
			if wrong := encodeBits(string(bits), 0.3); decodeBits(wrong, n, 0.3) != string(bits) {
				t.Errorf("%d bits, %v of them ones: decoded otherwise, told 0.3", n, share)
			}
		}
	}
}

// The experiments with single filters say what the sources say of them, and repeat.
func TestFiltersMore(t *testing.T) {
	make := func() *sheet.Sheet {
		return mustFilters(t, FiltersConfig{Corpus: mustGenerate(t, 8000, 1), Sizes: []int{7200}, Questions: 20_000, Rounds: 1, Now: ticking()})
	}
	s := make()
	sets := map[sheet.Cell][]sheet.Cell{}
	for _, row := range section(t, s, "sets").Table.Rows {
		sets[row[0]] = row
		if from, to, expected := row[4].(float64), row[5].(float64), row[6].(float64); row[7] != 0 || expected < 0.85*from || expected > 1.15*to {
			t.Errorf("%v", row)
		}
	}
	if !reflect.DeepEqual(sets["A OR B"][1:], sets["made of the union"][1:]) || sets["A AND B"][3].(float64) <= sets["made of the intersection"][3].(float64) ||
		sets["A AND B"][3].(float64) >= sets["A"][3].(float64) {
		t.Errorf("%v", sets)
	}
	for _, row := range section(t, s, "files").Table.Rows {
		if got, want := row[1].(float64), row[2].(float64); math.Abs(got/want-1) > 0.03 {
			t.Errorf("%v", row)
		}
		if got, want := row[3].(float64), row[4].(float64); math.Abs(got-want) > 0.05*want+0.02 {
			t.Errorf("%v", row)
		}
	}
	for _, row := range section(t, s, "fold").Table.Rows {
		if row[8] != "yes" || row[6].(float64) > foldTarget*1.05 {
			t.Errorf("%v", row)
		}
	}
	for i, row := range section(t, s, "compressed").Table.Rows {
		if sent, rate, plain := row[4].(float64), row[7].(float64), row[8].(float64); i%3 != 0 && rate >= plain || math.Abs(sent/row[3].(float64)-1) > 0.01 {
			t.Errorf("%v", row)
		}
	}
	notes := strings.Join(section(t, s, "counts").Notes, "\n")
	for _, want := range []string{"for all x\": holds for minimum selection (0 of", "probability of a Bloom filter's error\": holds", "remarkable\" (recurring minimum, at equal memory): REFUTED",
		"false negatives\": holds, in that 0 keys", "slightly larger\": REFUTED"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not in\n%s", want, notes)
		}
	}
	again := make()
	for _, id := range []string{"sets", "files", "fold", "words", "compressed", "counts"} {
		if a, b := section(t, s, id), section(t, again, id); fmt.Sprint(a.Table.Rows) != fmt.Sprint(b.Table.Rows) {
			t.Errorf("%s: the same seed gives other figures", id)
		}
	}
}
