package dedup

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"crawler/weburl"
	"github.com/cespare/xxhash/v2"
)

// at returns the hash of a segment that stands alone.
func at(h *hasher, i int, segment string) uint64 {
	return h.at(i, segment+"(end of buffer)", span{0, uint16(len(segment))})
}

// reference computes what hasher.key does in the obvious way.
func reference(h *hasher, u weburl.URL, layers int) (prefixes []uint64, full uint64) {
	var x, deep uint64
	i := 0
	for s := range u.Segments {
		if i > 0 && len(prefixes) < layers {
			prefixes = append(prefixes, scatter(x))
		}
		if i < positions-1 {
			x ^= at(h, i, s)
		} else {
			x ^= deep
			deep = h.push(deep, at(h, positions-1, s))
			x ^= deep
		}
		i++
	}
	return prefixes, scatter(x)
}

func checkKey(t *testing.T, h *hasher, u weburl.URL, layers int) {
	t.Helper()
	var k key
	h.key(u, layers, &k)
	prefixes, full := reference(h, u, layers)
	if k.full != full || k.n != len(prefixes) {
		t.Fatalf("%v: full %#x, %d prefixes; want %#x, %d", u, k.full, k.n, full, len(prefixes))
	}
	for i, x := range k.prefixes() {
		if x != prefixes[i] {
			t.Fatalf("%v: prefix of %d segments is %#x, want %#x", u, i+1, x, prefixes[i])
		}
	}
	n := 0
	for range u.Segments {
		n++
	}
	if k.segments != max(n, 1) {
		t.Fatalf("%v: %d segments, want %d", u, k.segments, n)
	}
}

// oddURLs have segments of every length, depths beyond the positions, empty
// segments, queries, and lengths at which loads meet the end of the string.
func oddURLs() []weburl.URL {
	list := []weburl.URL{{}}
	add := func(s string) { list = append(list, mustParse(s)) }
	for n := range 200 {
		long := strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz", 6)[:n]
		add("http://a/" + long)
		add("http://a/" + long + "/")
		add("http://a/" + long + "/b/" + long)
		add("http://a/?" + long)
		add("http://a/x?" + long + "/" + long)
		add("https://" + strings.Repeat("a.", n/2) + "org:8080/" + long)
		add("http://a" + strings.Repeat("/", n+1))
		add("http://a" + strings.Repeat("/d", n+1) + "?q")
		add("http://a" + strings.Repeat("/"+long[:n/9], 30))
	}
	return list
}

func TestKeyIsTheReference(t *testing.T) {
	h := newHasher(1)
	for layers := range MaxLayers + 1 {
		for _, u := range oddURLs() {
			checkKey(t, h, u, layers)
		}
	}
	for _, u := range newWeb(1, 50).urls(20_000) {
		checkKey(t, h, u, DefaultLayers)
	}
}

func FuzzKey(f *testing.F) {
	f.Add("https://example.org/a/b/c/?q=1")
	f.Add("http://a//////////////////////////")
	f.Fuzz(func(t *testing.T, s string) {
		u, err := weburl.Parse(s)
		if err != nil {
			t.Skip()
		}
		checkKey(t, newHasher(2), u, MaxLayers)
	})
}

// The multilinear hash, computed with big integers as the paper writes it.
func TestMultilinearByTheBook(t *testing.T) {
	var seed [32]byte
	m := newMultilinear(rand.NewChaCha8(seed))
	number := func(w wide) *big.Int {
		n := new(big.Int).SetUint64(w.hi)
		return n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(w.lo))
	}
	text := strings.Repeat("The quick brown fox; ", 4)
	for n := 0; n <= direct; n++ {
		for _, front := range []uint64{0, 1, 1<<63 + 12345} {
			words := make([]byte, 8*(n/8+1))
			copy(words, text[:n])
			words[len(words)-1] = byte(n%8 + 1)
			sum := number(m.add)
			product := new(big.Int)
			sum.Add(sum, product.Mul(number(m.beside), new(big.Int).SetUint64(front)))
			for j := 0; j < len(words)/8; j++ {
				w := new(big.Int).SetUint64(binary.LittleEndian.Uint64(words[8*j:]))
				sum.Add(sum, product.Mul(number(m.words[j]), w))
			}
			want := new(big.Int).Rsh(sum, 64)
			want.And(want, new(big.Int).SetUint64(1<<64-1))
			for _, s := range []string{text, "12345678" + text[:n], text[:n] + "12345678"} {
				begin := strings.LastIndex(s, text[:n])
				if got := m.hash(front, s, begin, begin+n); got != want.Uint64() {
					t.Fatalf("%d bytes, front %d: %#x, want %#x", n, front, got, want)
				}
			}
		}
	}
}

// Fingerprints are stored, so they must never change: not with the processor,
// not with the version of Go.
func TestKeyGolden(t *testing.T) {
	for _, c := range []struct {
		seed uint64
		url  string
		want uint64
	}{
		{0, "http://example.org/", 0x5e43649c0a79d6f2},
		{1, "http://example.org/", 0xb8b38a4de2a9549},
		{1, "https://example.org/a/b/c?d=e", 0xaa13fca54802aa8a},
		{1, "https://example.org/" + strings.Repeat("long", 50) + strings.Repeat("/d", 20), 0xcb4d0eac0614fb5f},
	} {
		var k key
		newHasher(c.seed).key(mustParse(c.url), DefaultLayers, &k)
		if k.full != c.want {
			t.Errorf("seed %d, %s: %#x, want %#x", c.seed, c.url, k.full, c.want)
		}
	}
}

// unrotated undoes what XXH64 does to an eight-byte word before it is mixed in.
func unrotated(k uint64) uint64 {
	const prime1, prime2 = 11400714785074694791, 14029467366897019727
	return bits.RotateLeft64(k*inverse(prime1), -31) * inverse(prime2)
}

// inverse returns the inverse of odd x modulo 2^64, by Newton's iteration.
func inverse(x uint64) uint64 {
	y := x
	for range 6 {
		y *= 2 - x*y
	}
	return y
}

// twin returns a word of characters that paths may have, and another one that
// XXH64 sees with just the given bit flipped.
func twin(r *rand.Rand, bit int) (string, string) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@"
	const prime1, prime2 = 11400714785074694791, 14029467366897019727
	var a, b [8]byte
	for {
		for i := range a {
			a[i] = letters[r.IntN(len(letters))]
		}
		k := bits.RotateLeft64(binary.LittleEndian.Uint64(a[:])*prime2, 31) * prime1
		binary.LittleEndian.PutUint64(b[:], unrotated(k^1<<bit))
		if strings.Trim(string(b[:]), letters) == "" {
			return string(a[:]), string(b[:])
		}
	}
}

// A seed does not make XXH64 a secret: the flipped bit 34 of a word arrives at
// bit 61 after rotation and multiplication, unless a carry spreads it, and the
// flipped bit 61 of the next word cancels it: for every second seed. Such path
// segments are found in milliseconds. They must not be twins here.
func TestXXHashIsNotSecret(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	a1, b1 := twin(r, 34)
	a2, b2 := twin(r, 61)
	a, b := a1+a2, b1+b2
	if u := mustParse("http://h/" + a); a == b || u.Path() != "/"+a {
		t.Fatalf("%q and %q are no two path segments", a, b)
	}
	const seeds = 1000
	collided := int64(0)
	for range seeds {
		seed := r.Uint64()
		one, two := xxhash.NewWithSeed(seed), xxhash.NewWithSeed(seed)
		one.WriteString(a)
		two.WriteString(b)
		if one.Sum64() == two.Sum64() {
			collided++
		}
		h := newHasher(seed)
		if at(h, 2, a) == at(h, 2, b) {
			t.Fatalf("%q and %q collide here too under seed %#x", a, b, seed)
		}
	}
	near(t, "collisions of "+a+" and "+b, collided, seeds, 0.5, 0)
}

// The theorem holds for pairs that an adversary would try: over many seeds the
// XOR of two values is zero in its first 6 bits for a 64th of the seeds, no more.
func TestPairsCollideByChanceOnly(t *testing.T) {
	long := strings.Repeat("x", 300)
	pairs := [][2]string{
		{"http://h/a/b", "http://h/b/a"},
		{"http://h/a/a", "http://h/b/b"},
		{"http://h/a", "http://h/a/"},
		{"http://h/a", "http://h//a"},
		{"http://h/", "https://h/"},
		{"http://h/", "http://h/?"},
		{"http://h/a?b", "http://h/a/?b"},
		{"http://h/x/y?a/b", "http://h/x/y?b/a"},
		{"http://h/0", "http://h/1"},
		{"http://h/12345678", "http://h/12345678%00"},
		{"http://h/" + long, "http://h/" + long + "x"},
		{"http://h/" + long + "a", "http://h/" + long + "b"},
		{"http://h/a" + long, "http://h/b" + long},
		{"http://h" + strings.Repeat("/d", 40), "http://h" + strings.Repeat("/d", 41)},
		{"http://h" + strings.Repeat("/d", 30) + "/a/b", "http://h" + strings.Repeat("/d", 30) + "/b/a"},
	}
	const seeds, bitsSeen = 4000, 6
	near64th := make([]int64, len(pairs))
	for seed := range uint64(seeds) {
		h := newHasher(seed)
		for i, p := range pairs {
			_, a := reference(h, mustParse(p[0]), 0)
			_, b := reference(h, mustParse(p[1]), 0)
			if a == b {
				t.Fatalf("seed %d: %q and %q collide", seed, p[0], p[1])
			}
			if (a^b)>>(64-bitsSeen) == 0 {
				near64th[i]++
			}
		}
	}
	for i, p := range pairs {
		near(t, p[0]+" "+p[1], near64th[i], seeds, 1.0/(1<<bitsSeen), 0)
	}
}

func TestKeysAreUniform(t *testing.T) {
	// Numbered names are what a linear hash is worst at.
	const n, parts = 64_000, 64
	h := newHasher(5)
	var whole, prefix [parts]int64
	for i := range n {
		var k key
		h.key(mustParse(fmt.Sprintf("http://host%d.org/page%d", i, i)), 1, &k)
		whole[k.full>>58]++
		prefix[k.prefix[0]>>58]++
	}
	for i := range parts {
		near(t, "URLs in a 64th", whole[i], n, 1.0/parts, 0)
		near(t, "prefixes in a 64th", prefix[i], n, 1.0/parts, 0)
	}
}

func TestSeedsGiveDifferentKeys(t *testing.T) {
	seen := map[uint64]uint64{}
	for seed := range uint64(10_000) {
		var k key
		newHasher(seed).key(mustParse("http://h/a"), 1, &k)
		for _, x := range []uint64{k.full, k.prefix[0]} {
			if other, ok := seen[x]; ok {
				t.Fatalf("seeds %d and %d agree", seed, other)
			}
			seen[x] = seed
		}
	}
}

func BenchmarkHash(b *testing.B) {
	list := newWeb(1, 500).urls(1 << 14)
	run := func(name string, f func(u weburl.URL) uint64) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i = (i + 1) % len(list)
				sink ^= f(list[i])
			}
		})
	}
	h := newHasher(1)
	run("key", func(u weburl.URL) uint64 {
		var k key
		h.key(u, DefaultLayers, &k)
		return k.full
	})
	run("xxhash-whole", func(u weburl.URL) uint64 { return xxhash.Sum64String(u.String()) })
	var d xxhash.Digest
	run("xxhash-seeded-segments", func(u weburl.URL) (x uint64) {
		i := uint64(0)
		for s := range u.Segments {
			d.ResetWithSeed(i)
			d.WriteString(s)
			x ^= d.Sum64()
			i++
		}
		return x
	})
	run("segments-alone", func(u weburl.URL) (x uint64) {
		for s := range u.Segments {
			x += uint64(len(s))
		}
		return x
	})
}
