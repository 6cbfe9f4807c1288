package stats

import (
	"math/rand/v2"
	"testing"
)

// The table against a map, with words that crowd a few slots.
func TestTableAgainstMap(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		table, model := newTable(minSlots), map[uint64]uint64{}
		for range 5000 {
			v := r.Uint64N(300)<<21 | r.Uint64N(4)<<40 | 1
			found := table.add(v)
			if _, want := model[v]; found != want {
				t.Fatalf("seed %d: add(%#x) finds it: %t, want %t", seed, v, found, want)
			}
			if found {
				model[v]++
			}
			switch {
			case found && table.count(v) != model[v]:
				t.Fatalf("seed %d: count of %#x is %d, want %d", seed, v, table.count(v), model[v])
			case found && r.IntN(3) == 0:
				table.remove(v)
				delete(model, v)
			case !found && len(model) < 200:
				model[v] = r.Uint64N(10)
				table.put(v, model[v])
			case !found:
				table.remove(v) // nothing to remove
			}
		}
		if table.used != len(model) {
			t.Errorf("seed %d: %d words, want %d", seed, table.used, len(model))
		}
		for v, want := range model {
			if got := table.count(v); got != want {
				t.Errorf("seed %d: count of %#x is %d, want %d", seed, v, got, want)
			}
		}
	}
}
