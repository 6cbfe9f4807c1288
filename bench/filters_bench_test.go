package bench

import (
	"fmt"
	"testing"

	"crawler/dedup"
	"github.com/bits-and-blooms/bloom/v3"
	"github.com/cespare/xxhash/v2"
	"github.com/greatroar/blobloom"
	cuckoo "github.com/seiflotfy/cuckoofilter"
)

// filter is one contestant: a new, empty filter of the size it was made for, and
// what is timed. The loops stand in its functions, so that calls are direct.
type filter struct {
	name  string
	bytes int64 // of memory
	add   func(*block)
	count func(*block) int // how many keys it says it has
	clear func()
}

// blobloomFilter returns blobloom's filter as its documentation recommends:
// the number of hash functions is that of Optimize for the memory.
func blobloomFilter(n, bits int) *blobloom.Filter {
	return blobloom.NewOptimized(blobloom.Config{
		Capacity: uint64(n), FPRate: 1e-12, MaxBits: uint64(n * bits),
	})
}

func bloomFilter(n, bits int) *dedup.Bloom {
	return dedup.NewBloom(dedup.Size{Bits: int64(n * bits), Lines: 1}, 1)
}

// hashFilters returns the filters that take hashes, ours first.
func hashFilters(n, bits int) []filter {
	one, all, blob := bloomFilter(n, bits), bloomFilter(n, bits), blobloomFilter(n, bits)
	found := make([]bool, blockKeys)
	return []filter{
		{
			name: "dedup.Bloom", bytes: one.Bits() / 8,
			add: func(k *block) {
				for _, h := range k.hashes {
					one.Add(h)
				}
			},
			count: func(k *block) (n int) {
				for _, h := range k.hashes {
					if one.Has(h) {
						n++
					}
				}
				return n
			},
			clear: one.Clear,
		},
		{
			name: "dedup.Bloom AddAll, HasAll", bytes: all.Bits() / 8,
			add: func(k *block) { all.AddAll(k.hashes) },
			count: func(k *block) int {
				all.HasAll(k.hashes, found)
				return trues(found[:len(k.hashes)])
			},
			clear: all.Clear,
		},
		{
			name: "blobloom", bytes: int64(blob.NumBits() / 8),
			add: func(k *block) {
				for _, h := range k.hashes {
					blob.Add(h)
				}
			},
			count: func(k *block) (n int) {
				for _, h := range k.hashes {
					if blob.Has(h) {
						n++
					}
				}
				return n
			},
			clear: blob.Clear,
		},
	}
}

func trues(list []bool) (n int) {
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}

// byteFilters returns the filters with the hashing of keys included, ours first.
func byteFilters(n, bits int) []filter {
	one, blob := bloomFilter(n, bits), blobloomFilter(n, bits)
	classic := bloom.New(uint(n*bits), uint(float64(bits)*0.693+0.5))
	cuck := cuckoo.NewFilter(uint(n))
	return []filter{
		{
			name: "dedup.Bloom of xxhash", bytes: one.Bits() / 8,
			add: func(k *block) {
				for _, u := range k.urls {
					one.Add(xxhash.Sum64(u))
				}
			},
			count: func(k *block) (n int) {
				for _, u := range k.urls {
					if one.Has(xxhash.Sum64(u)) {
						n++
					}
				}
				return n
			},
			clear: one.Clear,
		},
		{
			name: "blobloom of xxhash", bytes: int64(blob.NumBits() / 8),
			add: func(k *block) {
				for _, u := range k.urls {
					blob.Add(xxhash.Sum64(u))
				}
			},
			count: func(k *block) (n int) {
				for _, u := range k.urls {
					if blob.Has(xxhash.Sum64(u)) {
						n++
					}
				}
				return n
			},
			clear: blob.Clear,
		},
		{
			name: "bits-and-blooms", bytes: int64(classic.Cap() / 8),
			add: func(k *block) {
				for _, u := range k.urls {
					classic.Add(u)
				}
			},
			count: func(k *block) (n int) {
				for _, u := range k.urls {
					if classic.Test(u) {
						n++
					}
				}
				return n
			},
			clear: func() { classic.ClearAll() },
		},
		{
			name: "cuckoofilter", bytes: cuckooBytes(n),
			add: func(k *block) {
				for _, u := range k.urls {
					cuck.Insert(u)
				}
			},
			count: func(k *block) (n int) {
				for _, u := range k.urls {
					if cuck.Lookup(u) {
						n++
					}
				}
				return n
			},
			clear: cuck.Reset,
		},
	}
}

// cuckooBytes returns the size of a cuckoo filter for n keys: a byte for each
// of the smallest power of two that is at least n. It cannot have another.
func cuckooBytes(n int) int64 {
	size := int64(1)
	for size < int64(n) {
		size *= 2
	}
	return size
}

// No filter may have lost a key, and all must be wrong about as often as their
// memory allows: else the race is not one.
func TestFiltersAreComparable(t *testing.T) {
	const n = 100_000
	known, fresh := newBlock(0, n), newBlock(n, n)
	for _, bits := range []int{10, 16} {
		for _, f := range append(hashFilters(n, bits), byteFilters(n, bits)...) {
			f.add(known)
			if found := f.count(known); found < n*999/1000 { // a full cuckoo filter drops keys
				t.Errorf("%s at %d bits: %d of %d keys found", f.name, bits, found, n)
			}
			rate := float64(f.count(fresh)) / n
			t.Logf("%2d bits, %-27s %5.2f bits a key, false positives %.2e", bits, f.name,
				float64(f.bytes)*8/n, rate)
			usual := dedup.BestRate(float64(f.bytes) * 8 / n)
			if f.name == "cuckoofilter" { // fingerprints of 8 bits, two buckets of 4
				usual = 8.0 / 255
			}
			if rate > 3*usual || rate < usual/3 {
				t.Errorf("%s at %d bits: %g false positives, about %g expected", f.name, bits, rate, usual)
			}
			f.clear()
			if left := f.count(known); left > 0 {
				t.Errorf("%s: %d keys left after clear", f.name, left)
			}
		}
	}
}

// stages are what is done to filters, in this order: they are filled to their
// design load, and then asked.
var stages = []string{"add", "hit", "miss", "mixed"}

// filterRace fills filters of n keys and asks them, and calls each with the
// outcome of each stage. Filters of at most a block of keys are filled from
// empty in every round; larger ones once, a round being a block.
func filterRace(fs []filter, n, rounds int, each func(stage string, entries []*entry)) {
	per := min(n, blockKeys)
	keys := &block{}
	entries := filterEntries(fs, keys, per, n <= blockKeys)
	keys.fill(0, per)
	for from := 0; from < max(n, rounds*per); from += per {
		if n > per {
			keys.fill(from, per)
		}
		round(entries["add"])
	}
	each("add", entries["add"])
	for _, stage := range stages[1:] {
		for r := range rounds {
			keys.choose(stage, r*per%(n/per*per), n+per+r*per, per)
			round(entries[stage])
		}
		each(stage, entries[stage])
	}
}

// filterEntries returns the entries of each stage.
func filterEntries(fs []filter, keys *block, per int, clear bool) map[string][]*entry {
	entries := map[string][]*entry{}
	for _, f := range fs {
		add := &entry{name: f.name, n: per, run: func() { f.add(keys) }, bytes: f.bytes}
		if clear {
			add.before, add.tries = f.clear, tries
		}
		entries["add"] = append(entries["add"], add)
		for _, stage := range stages[1:] {
			e := &entry{name: f.name, n: per, run: func() { f.count(keys) }, bytes: f.bytes, tries: tries}
			entries[stage] = append(entries[stage], e)
		}
	}
	return entries
}

// choose makes k n keys for a stage: known ones, fresh ones, or half of each.
func (k *block) choose(stage string, known, fresh, n int) {
	switch stage {
	case "hit":
		k.fill(known, n)
	case "miss":
		k.fill(fresh, n)
	case "mixed":
		*k = *mixed(newBlock(known, n), newBlock(fresh, n))
	}
}

// BenchmarkFilters measures every filter with a million keys.
func BenchmarkFilters(b *testing.B) {
	const n = 1_000_000
	for _, bits := range []int{10, 16} {
		fs := append(hashFilters(n, bits), byteFilters(n, bits)...)
		keys := newBlock(0, n)
		entries := filterEntries(fs, keys, n, true)
		for _, stage := range stages {
			keys.choose(stage, 0, n, n)
			for _, e := range entries[stage] {
				b.Run(fmt.Sprintf("%s/bits=%d/%s", stage, bits, e.name), e.benchmark)
			}
		}
	}
}
