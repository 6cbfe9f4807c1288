package lab

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"crawler/dedup"
)

// lowestNear is the resemblance from which pairs are listed exactly.
const lowestNear = 0.5

// MaxNearPairs is how many pairs of at least lowestNear are listed.
const MaxNearPairs = 20_000_000

// exactPairs are all pairs of texts of at least lowestNear, sorted by their key.
type exactPairs struct {
	keys        []uint64 // the earlier text above, the later one below
	resemblance []float32
}

func pairKey(a, b uint32) uint64 { return uint64(min(a, b))<<32 | uint64(max(a, b)) }

// find returns the place of a pair, -1 if its resemblance is below lowestNear.
func (e *exactPairs) find(a, b uint32) int {
	if i, ok := slices.BinarySearch(e.keys, pairKey(a, b)); ok {
		return i
	}
	return -1
}

func (e *exactPairs) at(i int) (a, b uint32) { return uint32(e.keys[i] >> 32), uint32(e.keys[i]) }

// allPairs computes the resemblance of all pairs that can reach lowestNear. Two sets with J >= t
// share at least t times the larger one's size; so of each, the rarest (1-t) of its shingles and
// one more must contain one of the other's (Bayardo, Ma and Srikant 2007, "Scaling Up All Pairs
// Similarity Search").
func allPairs(ctx context.Context, sets [][]uint64) (*exactPairs, error) {
	count := map[uint64]uint32{}
	for _, set := range sets {
		for _, h := range set {
			count[h]++
		}
	}
	type found struct {
		key uint64
		j   float32
	}
	var pairs []found
	index, seen := map[uint64][]uint32{}, make([]uint32, len(sets))
	for i, set := range sets {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		rare := slices.Clone(set)
		slices.SortFunc(rare, func(a, b uint64) int {
			return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b))
		})
		rare = rare[:min(len(rare), int((1-lowestNear)*float64(len(rare)))+2)]
		for _, h := range rare {
			if count[h] == 1 {
				continue // no other set has it
			}
			for _, j := range index[h] {
				if seen[j] == uint32(i)+1 {
					continue
				}
				seen[j] = uint32(i) + 1
				short, long := min(len(set), len(sets[j])), max(len(set), len(sets[j]))
				if float64(short) < lowestNear*float64(long) {
					continue
				}
				if s := dedup.Jaccard(set, sets[j]); s >= lowestNear {
					pairs = append(pairs, found{pairKey(j, uint32(i)), float32(s)})
				}
			}
			index[h] = append(index[h], uint32(i))
		}
		if len(pairs) > MaxNearPairs {
			return nil, fmt.Errorf("more than %d pairs of texts have a resemblance of %.1f: name a part of the directory", MaxNearPairs, lowestNear)
		}
	}
	slices.SortFunc(pairs, func(a, b found) int { return cmp.Compare(a.key, b.key) })
	e := &exactPairs{make([]uint64, len(pairs)), make([]float32, len(pairs))}
	for i, p := range pairs {
		e.keys[i], e.resemblance[i] = p.key, p.j
	}
	return e, nil
}
