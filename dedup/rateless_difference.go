package dedup

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Difference finds the keys in which two sets differ from the symbols of both, which Rateless
// makes. Give it the symbols of both from number 0 on, as many as Wanted says, until Done.
//
//	d := dedup.NewDifference(len(a), len(b))
//	for !d.Done() {
//		n := d.Wanted()
//		err := d.Add(ra.AppendSymbols(nil, n), rb.AppendSymbols(nil, n))
//		...
//	}
//	onlyA, onlyB := d.Keys()
//
// It finds a symbol with a single key, takes that out of all others, and so on ("peeling").
// Symbols that belong to no two sets end in an error, never in endless work: it keeps 16 bytes
// a symbol and 20 a key found, and takes out at most two keys a symbol.
type Difference struct {
	symbols    []Symbol
	a, b       int // sizes of the sets
	found      []taken
	pure       []uint32 // symbols to look at
	done       bool
	squares    float64 // of the counts' deviations, each by its variance
	deviations int
}

// taken is a key that was found, and where it is in next.
type taken struct {
	key   uint64
	state uint64
	next  uint32
	sign  int32 // 1: only a has it, -1: only b
}

// Errors of Difference.
var (
	// ErrSymbols says that the symbols are not those of two sets.
	ErrSymbols = errors.New("the symbols are not those of two sets")
	// ErrTooDifferent says that MaxSymbols were not enough.
	ErrTooDifferent = fmt.Errorf("the sets differ in more keys than %d symbols tell", MaxSymbols)
)

// NewDifference returns the difference of two sets of a and b keys, of which nothing is
// known yet.
func NewDifference(a, b int) *Difference { return &Difference{a: max(a, 0), b: max(b, 0)} }

// Add adds the next symbols of both sets, equally many. After an error the Difference is of
// no use.
func (d *Difference) Add(a, b []Symbol) error {
	from := len(d.symbols)
	switch {
	case len(a) != len(b) || len(a) == 0:
		return fmt.Errorf("%w: %d and %d of them", ErrSymbols, len(a), len(b))
	case d.done:
		return fmt.Errorf("%w: more of them after the end", ErrSymbols)
	case from+len(a) > MaxSymbols:
		return ErrTooDifferent
	case from == 0 && (int(a[0].Count) != d.a || int(b[0].Count) != d.b):
		return fmt.Errorf("%w: the first has %d and %d keys, not %d and %d", ErrSymbols, a[0].Count, b[0].Count, d.a, d.b)
	}
	d.symbols = slices.Grow(d.symbols, len(a))
	for i := range a {
		s := a[i].minus(b[i])
		d.deviate(from+i, s.Count)
		d.symbols = append(d.symbols, s)
	}
	for i := range d.found {
		d.takeOut(&d.found[i])
	}
	for i := from; i < len(d.symbols); i++ {
		if d.symbols[i].pure() {
			d.pure = append(d.pure, uint32(i))
		}
	}
	return d.peel()
}

// deviate notes how far the difference of two counts is from its expectation.
func (d *Difference) deviate(i int, count int32) {
	if i == 0 {
		return // it has all keys
	}
	p := 2 / float64(i+2)
	off := float64(count) - float64(d.a-d.b)*p
	d.squares += off * off / (p * (1 - p))
	d.deviations++
}

// peel takes out keys until no symbol has a single one.
func (d *Difference) peel() error {
	for len(d.pure) > 0 {
		i := d.pure[len(d.pure)-1]
		d.pure = d.pure[:len(d.pure)-1]
		s := d.symbols[i]
		if !s.pure() || !falls(s.Sum, i) {
			continue // another symbol had the same key, or it is none
		}
		if len(d.found) >= 2*len(d.symbols) {
			return fmt.Errorf("%w: they have %d keys and more", ErrSymbols, len(d.found))
		}
		d.found = append(d.found, taken{key: s.Sum, state: s.Sum * walkMul, sign: s.Count})
		d.takeOut(&d.found[len(d.found)-1])
	}
	// Symbol 0 has every key; the others say that nothing went wrong on the way.
	d.done = !slices.ContainsFunc(d.symbols, func(s Symbol) bool { return s != Symbol{} })
	return nil
}

// falls reports whether symbol i has the key: otherwise taking it out would not change
// the symbol, and there would be no end.
func falls(key uint64, i uint32) bool {
	at, state := uint32(0), key*walkMul
	for at < i {
		at, state = step(at, state)
	}
	return at == i
}

// takeOut takes a key out of the symbols that it was not yet taken out of.
func (d *Difference) takeOut(t *taken) {
	check, n := symbolCheck(t.key), uint32(len(d.symbols))
	for t.next < n {
		s := &d.symbols[t.next]
		s.Sum ^= t.key
		s.Check ^= check
		s.Count -= t.sign
		if s.pure() {
			d.pure = append(d.pure, t.next)
		}
		t.next, t.state = step(t.next, t.state)
	}
}

// Done reports whether the difference is known.
func (d *Difference) Done() bool { return d.done }

// Symbols returns how many symbols of each set were added.
func (d *Difference) Symbols() int { return len(d.symbols) }

// Wanted returns how many symbols of each set to add next, 0 when Done or at MaxSymbols. It goes
// by the estimate, at most eight times as many as there are, and by a thirty-second where
// the estimate has been reached: so few are wasted, and few rounds are needed.
func (d *Difference) Wanted() int {
	n := len(d.symbols)
	switch {
	case d.done:
		return 0
	case n == 0:
		return FirstSymbols
	}
	likely := int(min(d.Estimate(), MaxSymbols))
	target := likely + likely*7/20 + int(2*math.Sqrt(float64(likely)))
	more := min(max(target-n, n/32+8), 8*n)
	return min(more, MaxSymbols-n)
}

// Estimate returns about how many keys differ, from the counts of the symbols so far: with m
// differing keys, the difference of two symbols' counts varies by m p (1-p) around (a-b) p,
// where p is the symbol's share of the keys. The relative standard error of n symbols is
// about the root of 2/n.
func (d *Difference) Estimate() float64 {
	least := math.Abs(float64(d.a - d.b))
	if d.deviations == 0 {
		return least
	}
	return min(max(d.squares/float64(d.deviations), least), float64(d.a)+float64(d.b))
}

// Keys returns what was found, ascending: the keys that only a has, and those that only b has.
// They are all of them if Done.
func (d *Difference) Keys() (onlyA, onlyB []uint64) {
	for _, t := range d.found {
		if t.sign > 0 {
			onlyA = append(onlyA, t.key)
		} else {
			onlyB = append(onlyB, t.key)
		}
	}
	slices.Sort(onlyA)
	slices.Sort(onlyB)
	return cancel(onlyA, onlyB)
}

// cancel takes out of two sorted lists what is in both. A symbol that looked pure and was not
// adds a key that no set has, and the peeling takes it out again.
func cancel(a, b []uint64) (restA, restB []uint64) {
	restA, restB = a[:0], b[:0]
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			restA = append(restA, a[i])
			i++
		case b[j] < a[i]:
			restB = append(restB, b[j])
			j++
		default:
			i, j = i+1, j+1
		}
	}
	return append(restA, a[i:]...), append(restB, b[j:]...)
}
