package trap_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"crawler/internal/binform"
	"crawler/internal/mazes"
	"crawler/trap"
	"crawler/weburl"
)

// A Guard that was saved and loaded half-way judges as one that was not.
func TestBinaryGoesOn(t *testing.T) {
	for _, s := range mazes.All(7, 200) {
		straight, broken := walkLabelled(s, trap.New(trap.Config{})), walkLabelled(s, trap.New(trap.Config{}))
		straight.ahead, broken.ahead = 1, 1 // leases are no part of the form
		for _, w := range []labelled{straight, broken} {
			w.until(300)
		}
		form := marshal(t, broken.guard)
		broken.guard = trap.New(trap.Config{})
		if err := broken.guard.UnmarshalBinary(form); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		for _, w := range []labelled{straight, broken} {
			w.until(600)
		}
		if a, b := marshal(t, straight.guard), marshal(t, broken.guard); !bytes.Equal(a, b) {
			t.Errorf("%s: forms of %d and %d bytes differ", s.Name, len(a), len(b))
		}
	}
}

// So does one of which the first page said one thing over and over: there was room for more.
func TestBinaryOfOneGram(t *testing.T) {
	g, again := newGuard(), newGuard()
	teach(t, g, page(0), "", strings.Repeat("again ", 90))
	form := marshal(t, g)
	if err := again.UnmarshalBinary(form); err != nil || !bytes.Equal(marshal(t, again), form) {
		t.Errorf("%v, or another form", err)
	}
}

func marshal(t testing.TB, g *trap.Guard) []byte {
	t.Helper()
	form, err := g.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return form
}

// small is the form of a Guard with a closed pattern, a directory that keeps names, and texts.
func small(t testing.TB) []byte {
	g := newGuard()
	barren(t, g, 40)
	return marshal(t, g)
}

func TestBinaryRefusesDamage(t *testing.T) {
	form := small(t)
	g := newGuard()
	before := marshal(t, g)
	for i := range form {
		bad := bytes.Clone(form)
		bad[i] ^= 0x10
		if err := g.UnmarshalBinary(bad); !errors.Is(err, binform.ErrFormat) {
			t.Fatalf("byte %d damaged: %v", i, err)
		}
		if err := g.UnmarshalBinary(form[:i]); !errors.Is(err, binform.ErrFormat) {
			t.Fatalf("cut to %d bytes: %v", i, err)
		}
	}
	if !bytes.Equal(marshal(t, g), before) {
		t.Error("a refused form has changed the Guard")
	}
}

// fields of the form of an empty Guard with one pattern, of which each can be something else.
type fields struct {
	children, pages uint8 // of a directory and a host, 0 for none
	texts           []uint32
	ids             []uint64
	name            uint32
	kind, flag      uint8
	granted         uint8
	sum             float32
	brood           uint64
	memory          []uint32 // of the first pattern: size, entries, then the entries
	tail            []byte
	spelt           []uint64
	speltOf         uint64
	speltSum        float32
	kin             []uint64
	kinOf           uint64 // the first pattern's
	kinSum          float32
}

func (f fields) form(kind string, version uint16) []byte {
	e := binform.Begin(nil, binform.Kind(kind), version)
	e.Uint32(7)
	for _, n := range []uint8{f.children, 0, f.pages} {
		if n == 0 {
			e.Uint32(0)
			continue
		}
		e.Uint32(1)
		e.Uint64(42)
		e.Uint8(n)
	}
	for _, x := range f.texts {
		e.Uint32(x)
	}
	if version >= 15 {
		e.Uint32(uint32(len(f.kin)))
		for _, id := range f.kin {
			e.Uint64(id)
			e.Uint32(1) // pages
			e.Uint32(1) // of patterns that breed
			for range 8 {
				e.Uint32(math.Float32bits(f.kinSum))
			}
		}
	}
	e.Uint32(uint32(len(f.ids)))
	for i, id := range f.ids {
		e.Uint64(id)
		e.Uint32(f.name)
		e.Raw([]byte("a.test/p"))
		e.Uint64(0) // parent
		if version >= 8 {
			e.Uint64(0) // under
		}
		if version >= 9 {
			e.Uint64(0) // leads
			e.Uint32(0) // moved
		}
		for _, b := range []uint8{f.kind, f.flag, f.granted, 0, 0} {
			e.Uint8(b)
		}
		for range 5 {
			e.Uint32(1)
		}
		if version >= 14 {
			e.Uint32(uint32(len(f.spelt) * (1 - min(i, 1)))) // all are of the first one
		}
		for i := range 8 + 15 + 2*21 {
			switch part := (i - 8 - 15) / 2; {
			case part < 17 || part > 19:
				e.Uint32(math.Float32bits(f.sum))
			case part == 17 && version >= 12 || version >= 13:
				e.Uint32(0) // of the end of the path; of its head, and in lower case
			}
		}
		if version >= 10 {
			e.Uint32(0) // bred
			if version >= 14 {
				e.Uint32(0) // wellSpelt
			}
			if version >= 15 {
				e.Uint64(f.kinOf * uint64(1-min(i, 1)))
			}
			e.Uint64(0) // host
			e.Uint64(f.brood)
			e.Uint64(0)
		}
		for range 8 {
			e.Uint64(0)
		}
		if version >= 11 {
			for range 1 + 8 + 1 {
				e.Uint32(0) // paths, values, since
			}
		}
		for _, x := range f.memory {
			e.Uint32(x)
		}
		e.Uint32(0) // marks
		e.Uint32(0)
	}
	if version >= 14 {
		e.Uint32(uint32(len(f.spelt)))
		for _, id := range f.spelt {
			e.Uint64(id)
			e.Uint64(f.speltOf)
			e.Uint64(0) // parent
			e.Uint32(1) // pages
			e.Uint32(1) // used
			for range 3 {
				e.Uint32(math.Float32bits(f.speltSum))
			}
		}
	}
	e.Raw(f.tail)
	return e.Close()
}

// Every field is checked: the form is as docs/format/sketches.md has it, and nothing else.
func TestBinaryFields(t *testing.T) {
	good := func() fields {
		return fields{texts: []uint32{64, 1, 9, 1}, ids: []uint64{3, 5}, name: 8, memory: []uint32{64, 1, 9, 1}, spelt: []uint64{4, 6}, speltOf: 3, kin: []uint64{8}, kinOf: 8}
	}
	many := []uint32{512, 1, 9, 1} // it did not have to grow
	for name, change := range map[string]func(*fields){
		"":                           func(*fields) {},
		"a directory of 17 names":    func(f *fields) { f.children = 17 },
		"17 pages of a host":         func(f *fields) { f.pages = 17 },
		"a memory that is no power":  func(f *fields) { f.memory[0] = 65 },
		"a memory that is too large": func(f *fields) { f.memory[0] = 1 << 20 },
		"a memory that is too small": func(f *fields) { f.memory[0] = 32 },
		"a memory that is too empty": func(f *fields) { f.memory = many },
		"an empty memory":            func(f *fields) { f.memory = []uint32{64, 0} },
		"an even tag":                func(f *fields) { f.memory[2] = 8 },
		"an entry that no page had":  func(f *fields) { f.memory[3] = 1 << 8 },
		"an entry twice":             func(f *fields) { f.memory = []uint32{64, 2, 9, 1, 9, 1} },
		"texts that are too many":    func(f *fields) { f.texts = []uint32{1 << 21, 1, 9, 1} },
		"more texts than there are":  func(f *fields) { f.texts = []uint32{1 << 20, 1 << 19} },
		"no texts in a table":        func(f *fields) { f.texts = []uint32{64, 0} },
		"an even text":               func(f *fields) { f.texts[2] = 8 },
		"a text that no page had":    func(f *fields) { f.texts[3] = 1 << 16 },
		"a text twice":               func(f *fields) { f.texts = []uint32{64, 2, 9, 1, 9, 1} },
		"a text in a third set":      func(f *fields) { f.texts[3] = 2<<8 | 1 },
		"a text in its second set, though the first has room": func(f *fields) { f.texts[3] = 1<<8 | 1 },
		"nine texts in one set": func(f *fields) {
			f.texts = []uint32{64, 9}
			for tag := uint32(1); len(f.texts) < 2+2*9; tag += 2 {
				if tag*0x9e3779b1 < 1<<29 {
					f.texts = append(f.texts, tag, 1)
				}
			}
		},
		"a pattern twice":              func(f *fields) { f.ids = []uint64{3, 3} },
		"patterns out of order":        func(f *fields) { f.ids = []uint64{5, 3} },
		"a name longer than the rest":  func(f *fields) { f.name = 1 << 16 },
		"a name longer than any":       func(f *fields) { f.name = 1 << 30 },
		"an unknown kind":              func(f *fields) { f.kind = 9 },
		"33 probes":                    func(f *fields) { f.granted = 33 },
		"neither yes nor no":           func(f *fields) { f.flag = 2 },
		"a sum below 0":                func(f *fields) { f.sum = -1 },
		"a sum that is no number":      func(f *fields) { f.sum = float32(math.NaN()) },
		"a sum without end":            func(f *fields) { f.sum = float32(math.Inf(1)) },
		"a spelling twice":             func(f *fields) { f.spelt = []uint64{4, 4} },
		"spellings out of order":       func(f *fields) { f.spelt = []uint64{6, 4} },
		"spellings of another pattern": func(f *fields) { f.speltOf = 5 },
		"spellings of no pattern":      func(f *fields) { f.speltOf = 4 },
		"a spelling's sum below 0":     func(f *fields) { f.speltSum = -1 },
		"kin twice":                    func(f *fields) { f.kin = []uint64{8, 8} },
		"kin out of order":             func(f *fields) { f.kin = []uint64{9, 8} },
		"kin of no pattern":            func(f *fields) { f.kin = []uint64{8, 9} },
		"a pattern of no kin":          func(f *fields) { f.kin = nil },
		"a sum of kin below 0":         func(f *fields) { f.kinSum = -1 },
		"pages beyond number":          func(f *fields) { f.brood = 1<<40 + 1 },
		"a byte behind the last field": func(f *fields) { f.tail = []byte{0} },
	} {
		f := good()
		change(&f)
		g := newGuard()
		form := f.form("TRAP", trap.Version)
		err := g.UnmarshalBinary(form)
		if (err == nil) != (name == "") || err != nil && !errors.Is(err, binform.ErrFormat) {
			t.Errorf("%q: error %v", name, err)
		}
		if err == nil && !bytes.Equal(marshal(t, g), form) {
			t.Errorf("%q: another form comes back", name)
		}
	}
	for version := uint16(7); version < trap.Version; version++ {
		old, want, g := good(), good(), newGuard()
		if want.kin, want.kinOf = nil, 0; version < 14 {
			want.spelt = nil
		}
		if version < 13 {
			old.texts = []uint32{512, 1, 9, 3<<8 | 1} // a sparse table, met three times in a row
		}
		if err := g.UnmarshalBinary(old.form("TRAP", version)); err != nil || !bytes.Equal(marshal(t, g), want.form("TRAP", trap.Version)) {
			t.Errorf("version %d: %v, or not what it says", version, err)
		}
	}
	for _, form := range [][]byte{good().form("TRAP", 6), good().form("TRAP", trap.Version+1), good().form("WORD", 5)} {
		if err := newGuard().UnmarshalBinary(form); err == nil {
			t.Errorf("a frame of %q is accepted", form[:8])
		}
	}
}

// FuzzBinary puts a good frame around any fields: what is accepted can be used and comes
// back the same.
func FuzzBinary(f *testing.F) {
	form := small(f)
	f.Add(form[16 : len(form)-8])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, fields []byte) {
		e := binform.Begin(nil, "TRAP", trap.Version)
		e.Raw(fields)
		g := trap.New(trap.Config{})
		if g.UnmarshalBinary(e.Close()) != nil {
			return
		}
		form := marshal(t, g)
		again := trap.New(trap.Config{})
		if err := again.UnmarshalBinary(form); err != nil {
			t.Fatalf("its own form: %v", err)
		}
		judge(t, g, page(99))
		teach(t, g, page(99), page(1), "some words of a page", page(100))
		for _, c := range g.Closed() {
			g.Probe(c.ID, 8)
		}
		judge(t, g, page(99))
	})
}

// FuzzJudge takes any URLs, in any order.
func FuzzJudge(f *testing.F) {
	f.Add("http://a.test/a/b;jsessionid=1?x=1&y=2", "http://b.a.test//c/")
	f.Add("http://[::1]:80/?", "https://10.0.0.1/2024/01/2024-01-01")
	f.Fuzz(func(t *testing.T, a, b string) {
		u, err := weburl.Parse(a)
		if err != nil {
			return
		}
		v, err := weburl.Parse(b)
		if err != nil {
			return
		}
		g := newGuard()
		var s trap.Sampler
		for range 40 {
			g.Judge(u, "")
			if g.Watch(u, v) {
				g.Link(v, false)
			}
			g.Learn(s.Page(u, 200, words(b), nil, nil, 0, 3))
		}
		if first, second := g.Judge(u, ""), g.Judge(u, ""); first.Pattern != second.Pattern && first.Kind != "" && second.Kind != "" {
			t.Errorf("two verdicts: %+v, %+v", first, second)
		}
	})
}
