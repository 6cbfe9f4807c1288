package dedup

import (
	"testing"

	"crawler/internal/splitmix"
)

// BenchmarkSpectral measures a filter of 8 bytes a key that has counted the
// links of a web of 125,000 pages; "add" and "count" follow the links, so
// frequent pages come as often as they do, "absent" asks for others.
func BenchmarkSpectral(b *testing.B) {
	const keys = 125_000
	stream, _ := linkStream(keys, 16*keys, 1)
	for _, method := range spectralMethods {
		s, err := NewSpectral(SpectralConfig{Keys: keys, Method: method, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		for _, h := range stream {
			s.Add(h)
		}
		run := func(name string, op func(i int, h uint64)) {
			b.Run(method.String()+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					if i++; i == len(stream) {
						i = 0
					}
					op(i, stream[i])
				}
			})
		}
		run("add", func(_ int, h uint64) { s.Add(h) })
		run("count", func(_ int, h uint64) { sink += s.Count(h) })
		run("absent", func(i int, _ uint64) { sink += s.Count(splitmix.Finish(uint64(i))) })
		if method != MinimalIncrease {
			run("add and remove", func(_ int, h uint64) {
				s.Add(h)
				if s.Remove(h) != nil {
					b.Fatal("an occurrence was lost")
				}
			})
		}
	}
}

// BenchmarkSpectralLarge measures the same filter when every page was added 300
// times: all counters in use stand in the table.
func BenchmarkSpectralLarge(b *testing.B) {
	const keys = 125_000
	for _, method := range spectralMethods {
		s, err := NewSpectral(SpectralConfig{Keys: keys, Method: method, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		for i := range uint64(keys) {
			s.AddN(splitmix.Finish(i), 300)
		}
		run := func(name string, op func(h uint64)) {
			b.Run(method.String()+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				i := uint64(0)
				for b.Loop() {
					i++
					op(splitmix.Finish(i % keys))
				}
			})
		}
		run("add", s.Add)
		run("count", func(h uint64) { sink += s.Count(h) })
	}
}
