package stats

import "testing"

// The state of a whole crawl, saved and loaded, and merged.

func benchForm(b *testing.B, s, loaded sketch) {
	s.AddAll(english().text(300_000, 1))
	data := marshaled(b, s)
	b.Run("Marshal", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			marshaled(b, s)
		}
	})
	b.Run("Unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			if err := loaded.UnmarshalBinary(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkFormOfDistinct(b *testing.B) { benchForm(b, NewDistinct(0, 1), new(Distinct)) }
func BenchmarkFormOfSurprise(b *testing.B) { benchForm(b, NewSurprise(4096, 512, 1), new(Surprise)) }
func BenchmarkFormOfWords(b *testing.B)    { benchForm(b, NewWords(Config{Seed: 1}), new(Words)) }
func BenchmarkFormOfExact(b *testing.B)    { benchForm(b, new(Exact), new(Exact)) }

// benchMerge merges into fresh sketches: a second merge would change nothing.
func benchMerge(b *testing.B, d, o *Distinct) {
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		fresh := d.clone()
		b.StartTimer()
		if err := fresh.Merge(o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDistinctMerge(b *testing.B) {
	words := different(300_000)
	benchMerge(b, filled(0, 1, words[:200_000]), filled(0, 1, words[100_000:]))
}

// The longest list into registers.
func BenchmarkDistinctMergeList(b *testing.B) {
	words := different(200_000)
	benchMerge(b, filled(0, 1, words[2048:]), filled(0, 1, words[:2048]))
}

// A site of 230 different words into a crawl.
func BenchmarkWordsMergeSmall(b *testing.B) {
	crawl, site := NewWords(SiteConfig(1)), NewWords(SiteConfig(1))
	crawl.AddAll(english().text(300_000, 1))
	site.AddAll(english().text(400, 2))
	b.ReportAllocs()
	for b.Loop() {
		if err := crawl.Merge(site); err != nil {
			b.Fatal(err)
		}
	}
}
