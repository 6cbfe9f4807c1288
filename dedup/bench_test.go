package dedup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"crawler/internal/splitmix"
	"crawler/weburl"
	"github.com/cespare/xxhash/v2"
)

// sink keeps the compiler from dropping what a benchmark computes.
var sink uint64

func BenchmarkBloom(b *testing.B) {
	for _, n := range []int{1_000_000, 50_000_000} {
		if n > 1_000_000 && testing.Short() {
			continue
		}
		for _, bits := range []int{16, 24} {
			size := SizeWithin(int64(n), int64(n*bits))
			f := NewBloom(size, 1)
			for i := range n {
				f.Add(splitmix.Finish(uint64(i)))
			}
			run := func(name string, from, count uint64, op func(h uint64) bool) {
				b.Run(fmt.Sprintf("%s/keys=%dM/bits=%d/lines=%d", name, n/1_000_000, bits, size.Lines), func(b *testing.B) {
					b.ReportAllocs()
					i := uint64(0)
					for b.Loop() {
						if i++; i == count {
							i = 0
						}
						if op(splitmix.Finish(from + i)) {
							sink++
						}
					}
				})
			}
			runAll := func(name string, from uint64, op func(hashes []uint64)) {
				b.Run(fmt.Sprintf("%s/keys=%dM/bits=%d/lines=%d", name, n/1_000_000, bits, size.Lines), func(b *testing.B) {
					hashes := make([]uint64, 1024) // the time of an operation is that of 1024 keys
					b.ReportAllocs()
					i := 0
					for b.Loop() {
						for j := range hashes {
							hashes[j] = splitmix.Finish(from + uint64((i+j)%n))
						}
						i += len(hashes)
						op(hashes)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(hashes)), "ns/key")
				})
			}
			found := make([]bool, 1024)
			runAll("hits", 0, func(hashes []uint64) { f.HasAll(hashes, found) })
			runAll("misses", 1<<40, func(hashes []uint64) { f.HasAll(hashes, found) })
			run("hit", 0, uint64(n), f.Has)
			run("miss", 1<<40, 1<<40, f.Has)
			// A second filter of this size is filled again and again with its
			// design load, so that the bits it finds are those of a crawl.
			g := NewBloom(size, 1)
			i := 0
			run("add", 1<<41, 1<<40, func(h uint64) bool {
				if i++; i == n {
					i = 0
					g.reset(size, h)
				}
				return g.Add(h)
			})
			g.Clear()
			i = 0
			runAll("adds", 1<<42, func(hashes []uint64) {
				if i += len(hashes); i >= n {
					i = 0
					g.Clear()
				}
				g.AddAll(hashes)
			})
		}
	}
}

// BenchmarkSet measures the exact log.
func BenchmarkSet(b *testing.B) {
	const n = 1_000_000
	var full Set
	for i := range uint64(n) {
		full.Add(splitmix.Finish(i))
	}
	b.Run("hit", func(b *testing.B) {
		b.ReportAllocs()
		i := uint64(0)
		for b.Loop() {
			if i++; i == n {
				i = 0
			}
			if full.Has(splitmix.Finish(i)) {
				sink++
			}
		}
	})
	b.Run("miss", func(b *testing.B) {
		b.ReportAllocs()
		i := uint64(1 << 40)
		for b.Loop() {
			i++
			if full.Has(splitmix.Finish(i)) {
				sink++
			}
		}
	})
	b.Run("add", func(b *testing.B) {
		b.ReportAllocs()
		var s Set
		i := uint64(0)
		for b.Loop() {
			if i++; i%n == 0 {
				s = Set{}
			}
			s.Add(splitmix.Finish(i))
		}
		b.ReportMetric(float64(full.Bytes())/n, "B/key")
	})
}

// BenchmarkMultilayer measures the filter beside single blocked filters of equal
// memory, 16 bits a URL, of the whole URL: by an xxHash that anybody can compute, and
// by the keyed fingerprint that the Multilayer's last array has too. Neighbours are of
// different hosts and shapes, the hardest order for a processor's predictions.
func BenchmarkMultilayer(b *testing.B) {
	const n, bits = 1 << 20, 16
	list := newWeb(1, 2000).urls(2 * n)
	known, fresh := list[:n], list[n:]
	cfg := must(Config{ExpectURLs: n, BitsPerURL: bits, Seed: 1}.withDefaults())
	m := newMultilayer(cfg)
	size := SizeWithin(n, m.Bits())
	single, keyed := NewBloom(size, 1), NewBloom(size, 1)
	for _, u := range known {
		m.Add(u)
		single.Add(xxhash.Sum64String(u.String()))
		keyed.Add(m.hash.fingerprint(u))
	}
	run := func(name string, list []weburl.URL, op func(weburl.URL) bool) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i = (i + 1) % n
				if op(list[i]) {
					sink++
				}
			}
		})
	}
	has := func(u weburl.URL) bool { return single.Has(xxhash.Sum64String(u.String())) }
	hasKeyed := func(u weburl.URL) bool { return keyed.Has(m.hash.fingerprint(u)) }
	run("hit", known, m.Has)
	run("hit-single", known, has)
	runs := slices.SortedFunc(slices.Values(known), func(a, b weburl.URL) int { return strings.Compare(a.String(), b.String()) })
	for i, u := range runs {
		runs[i] = must(weburl.Parse(strings.Clone(u.String()))) // as from a page, so in the cache
	}
	run("hit-runs", runs, m.Has) // of one directory, as the links of a page come
	run("hit-runs-single", runs, has)
	run("hit-runs-single-keyed", runs, hasKeyed)
	run("hit-single-keyed", known, hasKeyed)
	run("miss", fresh, m.Has)
	run("miss-single", fresh, has)
	run("miss-single-keyed", fresh, hasKeyed)
	run("layer", fresh, func(u weburl.URL) bool { return m.LayerOf(u) == 1 })
	m2, single2, i, j := newMultilayer(cfg), NewBloom(size, 1), 0, 0
	run("add", known, func(u weburl.URL) bool {
		if i++; i%n == 0 {
			m2.reset(cfg, n, nil, uint64(i))
		}
		return m2.Add(u)
	})
	run("add-single", known, func(u weburl.URL) bool {
		if j++; j%n == 0 {
			single2.reset(size, uint64(j))
		}
		return single2.Add(xxhash.Sum64String(u.String()))
	})
}

func BenchmarkInMemory(b *testing.B) {
	const n = 1 << 20
	list := newWeb(1, 2000).urls(n)
	m := mustInMemory(b, Config{ExpectURLs: n, Seed: 1})
	for _, u := range list {
		m.Admit(u)
	}
	b.Run("known", func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			i = (i + 1) % n
			if admits(m, list[i]) {
				b.Fatal(list[i])
			}
		}
		s := m.Stats()
		b.ReportMetric(float64(s.FilterBytes+s.LogBytes)/n, "B/URL")
	})
	b.Run("new", func(b *testing.B) { // growth from DefaultURLs included
		b.ReportAllocs()
		var m *InMemory
		i := 0
		for b.Loop() {
			if i%n == 0 {
				m = mustInMemory(b, Config{})
			}
			if !admits(m, list[i%n]) {
				b.Fatal(list[i%n])
			}
			i++
		}
	})
	b.Run("restart", func(b *testing.B) { // ns/url is the time for each URL in the log
		b.ReportAllocs()
		for b.Loop() {
			m.restart(&m.log)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/url")
	})
}

// BenchmarkAdmit measures questions about known URLs: of a Logged those in a tail that is
// all of the log, those in a part that is being written, those in the cache, and those
// that only the log can answer; and of a FilterOnly.
func BenchmarkAdmit(b *testing.B) {
	const n, recently = 1 << 20, 1 << 14
	list := newWeb(1, 2000).urls(n)
	ask := func(name string, s SeenTest, list []weburl.URL, answer func(Pending)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i = (i + 1) % len(list)
				switch p, a := s.Admit(list[i]); a {
				case New:
					b.Fatal(list[i])
				case Maybe:
					answer(p)
				}
			}
		})
	}
	l := mustLogged(b, Config{ExpectURLs: n, Seed: 1})
	f := mustFilterOnly(b, Config{ExpectURLs: n, Seed: 1})
	for _, u := range list {
		l.Admit(u)
		f.Admit(u)
	}
	ask("all-in-tail", l, list, nil)
	part := l.Freeze()
	ask("tail", l, list, nil)
	part.Written()
	ask("recent", l, list[:recently], l.Found)
	ask("log", l, list, l.Found)
	ask("filter-only", f, list, nil)
}
