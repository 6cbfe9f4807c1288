package stats

import (
	"testing"

	"crawler/internal/splitmix"
)

func BenchmarkHeavyHittersAdd(b *testing.B)   { steady(b, each(NewHeavyHitters(1024, 1).Add)) }
func BenchmarkCountSketchAdd(b *testing.B)    { steady(b, each(NewCountSketch(5, 4096, 1).Add)) }
func BenchmarkCountSketch1Add(b *testing.B)   { steady(b, each(NewCountSketch(1, 16384, 1).Add)) }
func BenchmarkCountSketchAll(b *testing.B)    { steady(b, NewCountSketch(5, 4096, 1).AddAll) }
func BenchmarkCountSketch1All(b *testing.B)   { steady(b, NewCountSketch(1, 16384, 1).AddAll) }
func BenchmarkSampleAdd(b *testing.B)         { steady(b, each(NewSample(1000, 1, 1).Add)) }
func BenchmarkSampleAllAccepted(b *testing.B) { steady(b, each(NewSample(0, 1, 1).Add)) }

// Every word is new: the worst case of both.
func BenchmarkHeavyHittersNewWords(b *testing.B) {
	s, next := NewHeavyHitters(1024, 1), uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		s.Add(next)
		next += splitmix.Golden
	}
}

func BenchmarkSampleNewKeys(b *testing.B) {
	s, next := NewSample(1000, 1, 1), uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		s.Add(next)
		next += splitmix.Golden
	}
}

func BenchmarkCountSketchSurprise(b *testing.B) {
	s := NewCountSketch(5, 4096, 1)
	s.AddAll(english().text(10_000, 1))
	b.ReportAllocs()
	for b.Loop() {
		s.Surprise()
	}
}

func BenchmarkCountSketchCount(b *testing.B) {
	s, next := NewCountSketch(5, 4096, 1), uint64(0)
	s.AddAll(english().text(10_000, 1))
	b.ReportAllocs()
	for b.Loop() {
		s.Count(next)
		next += splitmix.Golden
	}
}
