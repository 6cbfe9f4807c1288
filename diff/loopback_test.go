package diff

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"crawler/weburl"
)

// list is a Source in memory.
type list struct {
	items   []Item
	partial bool
	err     error
}

func (l *list) Each(_ What, fn func(Item) error) (bool, error) {
	for _, i := range l.items {
		if err := fn(i); err != nil {
			return false, err
		}
	}
	return l.partial, l.err
}

func item(u string, text uint64) Item {
	parsed, err := weburl.Parse(u)
	if err != nil {
		panic(err)
	}
	return Item{parsed, text}
}

// random returns two lists with items in common, some only in one, and some with other texts.
func random(r *rand.Rand, common, onlyA, onlyB, changed int) (a, b *list) {
	a, b = &list{}, &list{}
	number := r.IntN(1000)
	next := func() Item {
		number++
		return item(fmt.Sprintf("https://h%d.example/%x/page-%d?q=%d", number%7, number%31, number, r.IntN(10)), r.Uint64())
	}
	for range common {
		i := next()
		a.items, b.items = append(a.items, i), append(b.items, i)
	}
	for range changed {
		i := next()
		a.items = append(a.items, i)
		i.Text++
		b.items = append(b.items, i)
	}
	for range onlyA {
		a.items = append(a.items, next())
	}
	for range onlyB {
		b.items = append(b.items, next())
	}
	for _, l := range []*list{a, b} {
		if len(l.items) > 0 && r.IntN(3) == 0 { // some items come twice
			l.items = append(l.items, l.items[r.IntN(len(l.items))])
		}
		r.Shuffle(len(l.items), func(i, j int) { l.items[i], l.items[j] = l.items[j], l.items[i] })
	}
	return a, b
}

// exact compares the lists as comm does, with maps.
func exact(a, b *list, what What) (onlyA, onlyB, changed, common []string) {
	in := func(l *list) map[string]uint64 {
		m := map[string]uint64{}
		for _, i := range l.items {
			m[i.URL.String()] = i.Text
		}
		return m
	}
	inA, inB := in(a), in(b)
	for u, text := range inA {
		switch other, found := inB[u]; {
		case !found:
			onlyA = append(onlyA, u)
		case what == Content && other != text:
			changed = append(changed, u)
		default:
			common = append(common, u)
		}
	}
	for u := range inB {
		if _, found := inA[u]; !found {
			onlyB = append(onlyB, u)
		}
	}
	for _, l := range [][]string{onlyA, onlyB, changed, common} {
		slices.Sort(l)
	}
	return onlyA, onlyB, changed, common
}

func urls(items []Item) (list []string) {
	for _, i := range items {
		list = append(list, i.URL.String())
	}
	return list
}

// loopback is a stream to a side in the same goroutine: what was asked is served when the answer
// is read. cut and flip, if not negative, are where it ends and which byte is damaged, counted
// over both directions.
type loopback struct {
	side     *side
	to, from bytes.Buffer
	moved    int
	cut      int
	flip     int
	ended    bool
}

func newLoopback(s Source) *loopback { return &loopback{side: &side{source: s}, cut: -1, flip: -1} }

// pass moves bytes over the wire.
func (l *loopback) pass(dst *bytes.Buffer, p []byte) error {
	for _, b := range p {
		if l.ended = l.ended || l.moved == l.cut; l.ended {
			return io.ErrClosedPipe
		}
		if l.moved == l.flip {
			b ^= 1 << (l.moved % 8)
		}
		l.moved++
		dst.WriteByte(b)
	}
	return nil
}

func (l *loopback) Write(p []byte) (int, error) {
	if err := l.pass(&l.to, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (l *loopback) Read(p []byte) (int, error) {
	if l.from.Len() == 0 && l.to.Len() > 0 {
		l.side.serve(far{l})
	}
	return l.from.Read(p)
}

// far is the other end.
type far struct{ *loopback }

func (f far) Read(p []byte) (int, error) { return f.to.Read(p) }

func (f far) Write(p []byte) (int, error) {
	if err := f.pass(&f.from, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// All sets are compared by each method, here, from here to there, from there to here, and
// between two others.
func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found, missed := 0, 0
	for round := range 200 {
		size := []int{0, 1, 5, 50, 500, 3000}[r.IntN(6)]
		differs := func() int { return []int{0, 0, 1, 3, 40, size}[r.IntN(6)] }
		a, b := random(r, size, differs(), differs(), differs())
		what, method := What(round%3), Method(r.IntN(len(methodNames)))
		if round%2 == 0 {
			method = Method(r.IntN(2)) // those that find all
		}
		peers := [2]*Peer{Local(a), Local(b)}
		if round&4 != 0 {
			peers[0] = Remote(newLoopback(a))
		}
		if round&8 != 0 {
			peers[1] = Remote(newLoopback(b))
		}
		got, err := Compare(peers[0], peers[1], Config{What: what, Method: method, Seed: r.Uint64()})
		if err != nil {
			t.Fatalf("round %d, %v by %v: %v", round, what, method, err)
		}
		onlyA, onlyB, changed, _ := exact(a, b, what)
		same := slices.Equal(urls(got.OnlyA), onlyA) && slices.Equal(urls(got.OnlyB), onlyB) && slices.Equal(urls(got.Changed), changed)
		all := len(onlyA) + len(onlyB) + len(changed)
		if got.Equal != (all == 0) || got.Complete != same {
			t.Errorf("round %d, %v by %v: equal %t, complete %t; %d differ, found: %t", round, what, method, got.Equal, got.Complete, all, same)
		}
		if !same && method <= Ranges {
			t.Errorf("round %d, %v by %v: %d, %d and %d found of %d, %d and %d", round, what, method,
				len(got.OnlyA), len(got.OnlyB), len(got.Changed), len(onlyA), len(onlyB), len(changed))
		}
		if method > Ranges {
			n := len(got.OnlyA) + len(got.OnlyB) + len(got.Changed)
			found, missed = found+n, missed+all-n
		}
	}
	if missed > found/50 {
		t.Errorf("filters find %d and miss %d", found, missed)
	}
}

func TestCommon(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 60 {
		a, b := random(r, []int{0, 1, 30, 2000}[r.IntN(4)], r.IntN(3)*20, r.IntN(3)*30, r.IntN(2)*10)
		peers := [2]*Peer{Local(a), Local(b)}
		if round&1 != 0 {
			peers[0] = Remote(newLoopback(a))
		}
		if round&2 != 0 {
			peers[1] = Remote(newLoopback(b))
		}
		what := What(round % 3)
		got, err := Compare(peers[0], peers[1], Config{What: what, Common: true, Seed: r.Uint64()})
		if err != nil {
			t.Fatal(err)
		}
		onlyA, onlyB, changed, common := exact(a, b, what)
		if !slices.Equal(urls(got.Common), common) {
			t.Errorf("round %d: %d in common, want %d", round, len(got.Common), len(common))
		}
		if want := len(onlyA)+len(onlyB)+len(changed) == 0; got.Equal != want || !got.Complete {
			t.Errorf("round %d: equal %t, want %t", round, got.Equal, want)
		}
	}
}

// A stream that ends or is damaged at any byte ends in an error and no result.
func TestBrokenStream(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	a, b := random(r, 20, 3, 4, 2)
	for _, cfg := range []Config{
		{Method: Rateless}, {Method: Ranges, What: Content}, {Method: Merkle}, {Method: Bloom}, {Method: Digest, What: Known}, {Common: true},
	} {
		whole := newLoopback(b)
		if _, err := Compare(Local(a), Remote(whole), cfg); err != nil {
			t.Fatal(err)
		}
		if whole.moved < 200 {
			t.Fatalf("only %d bytes", whole.moved)
		}
		for at := range whole.moved {
			for _, damage := range []bool{false, true} {
				l := newLoopback(b)
				if damage {
					l.flip = at
				} else {
					l.cut = at
				}
				result, err := Compare(Local(a), Remote(l), cfg)
				var side *SideError
				if err == nil || result != nil || !errors.As(err, &side) || side.Side != 1 {
					t.Fatalf("%+v, byte %d of %d, damaged %t: %v", cfg, at, whole.moved, damage, err)
				}
			}
		}
	}
}

// What goes wrong in a crawl is its side's error, with the words of the other machine.
func TestSideErrors(t *testing.T) {
	good, bad := &list{}, &list{err: errors.New("no such crawl")}
	for _, c := range []struct {
		a, b *Peer
		side int
	}{
		{Local(good), Local(bad), 1}, {Local(bad), Local(good), 0}, {Remote(newLoopback(bad)), Local(good), 0},
		{Local(good), Remote(newLoopback(bad)), 1}, {Remote(newLoopback(good)), Remote(newLoopback(bad)), 1},
	} {
		_, err := Compare(c.a, c.b, Config{})
		var side *SideError
		if !errors.As(err, &side) || side.Side != c.side || !strings.Contains(err.Error(), "no such crawl") {
			t.Errorf("%v", err)
		}
	}
	if _, err := Compare(Local(good), Local(good), Config{What: 7}); err == nil {
		t.Error("a set that is none")
	}
	if r, err := Compare(Local(&list{partial: true}), Remote(newLoopback(&list{partial: true})), Config{}); err != nil || !r.A.Partial || !r.B.Partial || !r.Equal {
		t.Errorf("%+v, %v", r, err)
	}
}

// shrinking is a crawl that loses an item when it is read again, and finds another.
type shrinking struct {
	list
	reads int
}

func (s *shrinking) Each(what What, fn func(Item) error) (bool, error) {
	if s.reads++; s.reads == 2 {
		s.items = append(s.items[1:], item("http://new.example/", 5))
	}
	return s.list.Each(what, fn)
}

func TestChangedMeanwhile(t *testing.T) {
	a := &list{items: []Item{item("http://a.example/", 0)}}
	s := &shrinking{list: list{items: []Item{item("http://gone.example/", 0), item("http://b.example/", 0)}}}
	if _, err := Compare(Local(a), Local(s), Config{}); !errors.Is(err, errChanged) {
		t.Error(err)
	}
	s = &shrinking{list: list{items: []Item{item("http://a.example/", 0), item("http://b.example/", 0)}}}
	got, err := Compare(Local(a), Local(s), Config{})
	if err != nil || len(got.OnlyB) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
