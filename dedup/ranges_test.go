package dedup

import (
	"slices"
	"testing"
)

// byRanges runs the exchange to its end.
func byRanges(t testing.TB, a, b []uint64) (onlyA, onlyB []uint64, bytes, messages int) {
	t.Helper()
	slices.Sort(a)
	slices.Sort(b)
	ra, rb := NewRanges(a), NewRanges(b)
	from, to := ra, rb
	for message := ra.First(); len(message) > 0; messages++ {
		if messages > 40 {
			t.Fatal("no end")
		}
		bytes += len(message)
		var err error
		if message, err = to.Reply(message); err != nil {
			t.Fatal(err)
		}
		from, to = to, from
	}
	onlyA, onlyB = ra.Difference()
	return onlyA, onlyB, bytes, messages
}

func TestRangesFindAll(t *testing.T) {
	for i, c := range []struct{ common, a, b int }{
		{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {16, 1, 0}, {17, 0, 1}, {1000, 0, 0}, {1000, 1, 0}, {1000, 0, 2},
		{0, 500, 400}, {0, 0, 400}, {0, 400, 0}, {10_000, 300, 0}, {10_000, 0, 1000}, {30_000, 2000, 1000}, {100, 5000, 3},
	} {
		a, b, inA, inB := unlikeSets(uint64(i), c.common, c.a, c.b)
		onlyA, onlyB, bytes, messages := byRanges(t, a, b)
		if !slices.Equal(onlyA, inA) || !slices.Equal(onlyB, inB) {
			t.Errorf("%v: found %d and %d keys", c, len(onlyA), len(onlyB))
		}
		t.Logf("%v: %d bytes, %d messages", c, bytes, messages)
	}
}

// Keys that are no hashes fall into few ranges, and into the smallest one.
func TestRangesOfUnevenKeys(t *testing.T) {
	var a, b []uint64
	for i := range uint64(500) {
		a = append(a, i*3, 1<<63+i)
		b = append(b, i*2, ^uint64(0)-i)
	}
	onlyA, onlyB, _, _ := byRanges(t, a, b)
	wantA, wantB := cancel(slices.Clone(a), slices.Clone(b))
	if !slices.Equal(onlyA, wantA) || !slices.Equal(onlyB, wantB) {
		t.Errorf("found %d and %d, want %d and %d", len(onlyA), len(onlyB), len(wantA), len(wantB))
	}
}

// What a stranger sends cannot make the reply longer than its ranges and our keys.
func FuzzRangesReply(f *testing.F) {
	a, b, _, _ := unlikeSets(1, 100, 20, 20)
	slices.Sort(a)
	slices.Sort(b)
	first := NewRanges(b).First()
	f.Add(first, true)
	f.Add(must(NewRanges(a).Reply(first)), false)
	f.Add([]byte{partKeys, 0, 0}, false)
	f.Add([]byte{partKeys | 1, 0, 0, partKeys | 1, 0, 0}, false)
	f.Add([]byte{partAnswer, 0, 0}, true)
	f.Fuzz(func(t *testing.T, message []byte, began bool) {
		r := NewRanges(a)
		r.began = began
		reply, err := r.Reply(message)
		if err != nil && reply != nil {
			t.Fatal("an error and a reply")
		}
		if most := 200 + 9*len(a) + 40*len(message); len(reply) > most {
			t.Fatalf("%d bytes bring a reply of %d", len(message), len(reply))
		}
		r.Difference()
	})
}
