package bench

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"crawler/dedup"
	"crawler/weburl"
	"github.com/cespare/xxhash/v2"
)

// The filters of URLs that are raced. The single ones are a dedup.Bloom of as much
// memory as the Multilayer: unkeyed by an xxHash of the whole URL, which anybody can
// compute; keyed by the hash that the Multilayer uses, of the whole URL alone.
const (
	multilayer    = "dedup.Multilayer"
	inMemory      = "dedup.InMemory, log incl."
	singleKeyed   = "one Bloom, keyed alike"
	singleUnkeyed = "one Bloom, unkeyed"
)

// seenTest is the filters with n known URLs at 16 bits each. The log that an
// InMemory has besides is in memory.
type seenTest struct {
	multilayer     *dedup.Multilayer
	inMemory       dedup.SeenTest
	keyed, unkeyed *dedup.Bloom
	keys           *multilinear
	known, fresh   []weburl.URL
}

func newSeenTest(n int) *seenTest {
	cfg := dedup.Config{ExpectURLs: n, BitsPerURL: 16, Seed: 1}
	m := must(dedup.NewMultilayer(cfg))
	size := dedup.SizeWithin(int64(n), m.Bits())
	s := &seenTest{
		multilayer: m,
		inMemory:   must(dedup.NewSeenTest(cfg)),
		keyed:      dedup.NewBloom(size, 1),
		unkeyed:    dedup.NewBloom(size, 1),
		keys:       newMultilinear(1),
		known:      parsed(newBlock(0, n)),
		fresh:      parsed(newBlock(n, n)),
	}
	for _, u := range s.known {
		s.multilayer.Add(u)
		s.inMemory.Admit(u)
		s.keyed.Add(s.keys.hash(u.String()))
		s.unkeyed.Add(xxhash.Sum64String(u.String()))
	}
	return s
}

// parsed returns the URLs of k. Their texts lie one behind the other.
func parsed(k *block) []weburl.URL {
	text, list := string(k.text), make([]weburl.URL, len(k.urls))
	for i, u := range k.urls {
		list[i] = must(weburl.Parse(text[:len(u)]))
		text = text[len(u):]
	}
	return list
}

// entries returns the contestants for questions about all of list.
func (s *seenTest) entries(list []weburl.URL) []*entry {
	found := 0 // so that no answer is dropped
	each := func(name string, bytes int64, has func(u weburl.URL) bool) *entry {
		run := func() {
			for _, u := range list {
				if has(u) {
					found++
				}
			}
		}
		return &entry{name: name, n: len(list), bytes: bytes, tries: tries, run: run}
	}
	stats := s.inMemory.Stats()
	return []*entry{
		each(multilayer, s.multilayer.Bits()/8, s.multilayer.Has),
		each(inMemory, stats.FilterBytes+stats.LogBytes, func(u weburl.URL) bool {
			_, a := s.inMemory.Peek(u)
			return a == dedup.Seen
		}),
		each(singleKeyed, s.keyed.Bits()/8, func(u weburl.URL) bool {
			return s.keyed.Has(s.keys.hash(u.String()))
		}),
		each(singleUnkeyed, s.unkeyed.Bits()/8, func(u weburl.URL) bool {
			return s.unkeyed.Has(xxhash.Sum64String(u.String()))
		}),
	}
}

// seen races the filters of n URLs. Neighbours are of different hosts, so no
// prefix is near because the last URL had it.
func (r *report) seen(n int) {
	s := newSeenTest(n)
	for _, stage := range []struct {
		name string
		list []weburl.URL
	}{{"hit", s.known}, {"miss", s.fresh}} {
		entries := r.race(s.entries(stage.list))
		title := fmt.Sprintf("Seen test, hashing included, %d URLs, 16 bits, %s", n, stage.name)
		r.table(title, entries, singleUnkeyed)
		for _, e := range entries[2:] {
			r.goal(fmt.Sprintf("%s of %s, %s", multilayer, e.name, stage.name), entries[0].ratio(e), 1.3)
		}
		for _, e := range entries[:2] {
			r.frugal(e)
		}
	}
}

// multilinear is the hash that dedup makes fingerprints with (Lemire and Kaser 2014), which
// that package does not export: words of 64 bits, factors of 128, and of the sum
// the upper half.
type multilinear struct {
	hi, lo [weburl.MaxLen/8 + 1]uint64
}

func newMultilinear(seed uint64) *multilinear {
	var wide [32]byte
	binary.LittleEndian.PutUint64(wide[:], seed)
	r := rand.NewChaCha8(wide)
	m := &multilinear{}
	for i := range m.hi {
		m.hi[i], m.lo[i] = r.Uint64(), r.Uint64()
	}
	return m
}

// hash returns the hash of s, which is a URL.
func (m *multilinear) hash(s string) uint64 {
	var hi, lo uint64
	plus := func(j int, w uint64) {
		h, l := bits.Mul64(m.lo[j], w)
		sum, carry := bits.Add64(lo, l, 0)
		lo, hi = sum, hi+h+m.hi[j]*w+carry
	}
	j := 0
	for ; len(s) >= 8; s = s[8:] {
		plus(j, word(s))
		j++
	}
	last := uint64(len(s)+1) << 56
	for i := range len(s) {
		last |= uint64(s[i]) << (8 * i)
	}
	plus(j, last)
	hi = (hi ^ hi>>30) * 0xbf58476d1ce4e5b9
	hi = (hi ^ hi>>27) * 0x94d049bb133111eb
	return hi ^ hi>>31
}

// word returns the first eight bytes of s; the compiler makes it one load.
func word(s string) uint64 {
	return uint64(s[7])<<56 | uint64(s[6])<<48 | uint64(s[5])<<40 | uint64(s[4])<<32 |
		uint64(s[3])<<24 | uint64(s[2])<<16 | uint64(s[1])<<8 | uint64(s[0])
}
