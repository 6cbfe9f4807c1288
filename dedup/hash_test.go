package dedup

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"crawler/internal/splitmix"
	"crawler/weburl"
	"github.com/cespare/xxhash/v2"
)

// reference computes what hasher.fingerprint and prefixes do in the obvious way, from the
// URL's segments.
func reference(h *hasher, u weburl.URL, layers int) (prefixes []uint64, full uint64) {
	text := ""
	for s := range u.Segments {
		if text != "" {
			if len(prefixes) < layers {
				prefixes = append(prefixes, byTheBook(h, text))
			}
			if s[:min(len(s), 1)] != "?" {
				text += "/"
			}
		}
		text += s
	}
	if text == "" {
		return nil, 0
	}
	return prefixes, byTheBook(h, text)
}

// byTheBook returns the scattered multilinear hash of s, computed with big
// integers as the paper writes it.
func byTheBook(h *hasher, s string) uint64 {
	number := func(w wide) *big.Int {
		n := new(big.Int).SetUint64(w.hi)
		return n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(w.lo))
	}
	words := make([]byte, 8*(len(s)/8+1))
	copy(words, s)
	words[len(words)-1] = byte(len(s)%8 + 1)
	sum, product := number(h.add), new(big.Int)
	for j := 0; j < len(words)/8; j++ {
		w := new(big.Int).SetUint64(binary.LittleEndian.Uint64(words[8*j:]))
		sum.Add(sum, product.Mul(number(h.words[j]), w))
	}
	upper := sum.Rsh(sum, 64)
	return splitmix.Finish(upper.And(upper, new(big.Int).SetUint64(1<<64-1)).Uint64())
}

func checkKey(t *testing.T, h *hasher, u weburl.URL, layers int) {
	t.Helper()
	k := h.key(u, layers)
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
	if got := segments(u); got != max(n, 1) {
		t.Fatalf("%v: %d segments, want %d", u, got, n)
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

// The longest URLs have a factor for every word, and so does every length.
func TestLongestURLs(t *testing.T) {
	h := newHasher(3)
	for n := weburl.MaxLen - 16; n <= weburl.MaxLen; n++ {
		long := "http://a/" + strings.Repeat("abc/defghi/", n/11+1)
		checkKey(t, h, mustParse(long[:n]), MaxLayers)
		long = "http://a/" + strings.Repeat("a", n)
		checkKey(t, h, mustParse(long[:n-2]+"?q"), MaxLayers)
	}
	if _, err := weburl.Parse("http://a/" + strings.Repeat("a", weburl.MaxLen-8)); err == nil {
		t.Error("there are longer ones")
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
		{0, "http://example.org/", 0x2334fa5d3831db39},
		{1, "http://example.org/", 0xd12494e414ab2741},
		{1, "https://example.org/a/b/c?d=e", 0xc0814aa4e3c516f3},
		{1, "https://example.org/" + strings.Repeat("long", 50) + strings.Repeat("/d", 20), 0x8df2db25fbda807},
	} {
		if got := newHasher(c.seed).fingerprint(mustParse(c.url)); got != c.want {
			t.Errorf("seed %d, %s: %#x, want %#x", c.seed, c.url, got, c.want)
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
		for _, site := range []string{"http://h/", "http://eight.io/"} { // aligned to words or not
			if h.fingerprint(mustParse(site+a)) == h.fingerprint(mustParse(site+b)) {
				t.Fatalf("%q and %q collide here too under seed %#x", a, b, seed)
			}
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
			a, b := h.fingerprint(mustParse(p[0])), h.fingerprint(mustParse(p[1]))
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
		k := h.key(mustParse(fmt.Sprintf("http://host%d.org/page%d", i, i)), 1)
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
		k := newHasher(seed).key(mustParse("http://h/a"), 1)
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
	run("fingerprint", h.fingerprint)
	run("fingerprint-and-prefixes", func(u weburl.URL) uint64 {
		k := h.key(u, DefaultLayers)
		return k.full ^ k.prefix[0]
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
