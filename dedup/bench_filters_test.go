package dedup

import (
	"testing"

	"crawler/internal/splitmix"
	"crawler/weburl"
)

// BenchmarkClassic is the textbook filter at 16 bits a key, beside a Bloom of
// equal memory.
func BenchmarkClassic(b *testing.B) {
	const n, bits = 1_000_000, 16
	classic := NewClassic(n*bits, BestK(bits), 1)
	single := NewBloom(SizeWithin(n, n*bits), 1)
	for i := range uint64(n) {
		classic.Add(splitmix.Finish(i))
		single.Add(splitmix.Finish(i))
	}
	run := func(name string, from uint64, op func(h uint64) bool) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := uint64(0)
			for b.Loop() {
				if i++; i == n {
					i = 0
				}
				if op(splitmix.Finish(from + i)) {
					sink++
				}
			}
		})
	}
	run("hit", 0, classic.Has)
	run("hit-blocked", 0, single.Has)
	run("miss", 1<<40, classic.Has)
	run("miss-blocked", 1<<40, single.Has)
	run("add", 0, classic.Add) // of known keys: the same work as of new ones
	run("add-blocked", 0, single.Add)
}

// BenchmarkPublished is the published multilayer filter at 16 bits a URL, beside
// the repaired one of equal memory and the filter of segments.
func BenchmarkPublished(b *testing.B) {
	const n, bits = 1 << 18, 16
	list := newWeb(1, 2000).urls(2 * n)
	published := NewPublishedMultilayer(4, PublishedBits(n*bits, 4), 3)
	segments := NewSegmentBloom(n*bits, 4)
	repaired := newMultilayer(must(Config{ExpectURLs: n, BitsPerURL: bits}.withDefaults()))
	for _, u := range list[:n] {
		published.Add(u)
		segments.Add(u)
		repaired.Add(u)
	}
	for _, c := range []struct {
		name string
		list []weburl.URL
		op   func(weburl.URL) bool
	}{
		{"hit", list[:n], published.Has},
		{"hit-segments", list[:n], segments.Has},
		{"hit-repaired", list[:n], repaired.Has},
		{"miss", list[n:], published.Has},
		{"miss-segments", list[n:], segments.Has},
		{"miss-repaired", list[n:], repaired.Has},
		{"add", list[:n], published.Add},
		{"add-segments", list[:n], segments.Add},
		{"add-repaired", list[:n], repaired.Add},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i = (i + 1) % n
				if c.op(c.list[i]) {
					sink++
				}
			}
		})
	}
}

// BenchmarkSetOps unites two filters of 16 MiB; SetBytes counts both.
func BenchmarkSetOps(b *testing.B) {
	const bits = 1 << 27
	one, two := NewBloom(Size{bits, 1}, 1), NewBloom(Size{bits, 1}, 1)
	x, y := NewClassic(bits, 8, 1), NewClassic(bits, 8, 1)
	for name, op := range map[string]func() error{
		"Bloom":   func() error { return one.Union(two) },
		"Classic": func() error { return x.Union(y) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(2 * bits / 8)
			for b.Loop() {
				if err := op(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBloomForm encodes and decodes the filter of a quarter million URLs.
func BenchmarkBloomForm(b *testing.B) {
	const n = 1 << 18
	bloom := NewBloom(SizeFor(n, 1e-3), 1)
	for _, u := range newWeb(1, 2000).urls(n) {
		bloom.Add(hashOf(u))
	}
	data := must(bloom.MarshalBinary())
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			data = must(bloom.AppendBinary(data[:0]))
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if err := bloom.UnmarshalBinary(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
