package chunk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"crawler/dedup"
)

// By hand, from the description: 0A ends the first block, the second is the last.
func TestStuffByHand(t *testing.T) {
	for _, c := range []struct{ data, line string }{
		{"", "\x0b"},                         // code 1
		{"\n", "\x0b\x0b"},                   // codes 1, 1
		{"ab\nc", "\x09ab\x08c"},             // codes 3, 2
		{"12345678\x00", "\x0012345678\x00"}, // code 10, which would be 0A
	} {
		if got := string(stuff(nil, []byte(c.data))); got != c.line {
			t.Errorf("%q is stuffed to %q, want %q", c.data, got, c.line)
		}
		if got, err := unstuff([]byte(c.line)); err != nil || string(got) != c.data {
			t.Errorf("%q is unstuffed to %q, %v", c.line, got, err)
		}
	}
	for _, n := range []int{253, 254, 255, 508, 509, 10_000} {
		for _, fill := range []byte{0, '\n', 'x'} {
			data := bytes.Repeat([]byte{fill}, n)
			line := stuff(nil, data)
			got, err := unstuff(line)
			if err != nil || !bytes.Equal(got, data) || bytes.IndexByte(line, '\n') >= 0 || len(line) > n+n/254+1 {
				t.Errorf("%d bytes %#x: %d bytes, %v", n, fill, len(line), err)
			}
		}
	}
	for _, bad := range []string{"", "\x0a", "\x09a", "\x09a\n", "\xf5" + string(bytes.Repeat([]byte{'x'}, 254))} {
		if data, err := unstuff([]byte(bad)); !errors.Is(err, ErrEntry) {
			t.Errorf("%q is unstuffed to %q, %v", bad, data, err)
		}
	}
}

// file is a file of records of ten bytes each, one key a record.
func sidecar(t *testing.T, name string, sizes Sizes, keys []uint64, last bool) []byte {
	t.Helper()
	b, out := NewBuilder(sizes, name, 0), []byte(nil)
	for i, k := range keys {
		if b.Add(int64(10*(i+1)), k) || last && i == len(keys)-1 {
			var err error
			if out, err = b.Close(out); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

func keysOf(rnd *rand.Rand, n int) (keys []uint64) {
	for range n {
		keys = append(keys, rnd.Uint64())
	}
	return keys
}

// A value that is there is always found, by reading its own chunk and the share of the others
// that is stated; an absent one by reading that share.
func TestPresentAndAbsentReadFewChunks(t *testing.T) {
	const chunks = 400
	for seed := range uint64(3) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		keys := keysOf(rnd, chunks*URLs.Records)
		side := sidecar(t, "f", URLs, keys, true)
		if perRecord := float64(len(side)) / float64(len(keys)); perRecord > 2.5 {
			t.Errorf("seed %d: %.2f bytes a record", seed, perRecord)
		}
		read, asked := 0, 120
		for i := range asked {
			at := rnd.IntN(len(keys))
			plan, err := Ask(bytes.NewReader(side), keys[at])
			if err != nil {
				t.Fatal(err)
			}
			r := plan.In("f", int64(10*len(keys)))
			if r.Chunks != chunks || r.Whole != 0 || !holds(r, int64(10*at)) {
				t.Fatalf("seed %d: key %d is not in %+v", seed, at, r)
			}
			read += r.Read - 1
			if i%4 == 0 {
				plan, _ := Ask(bytes.NewReader(side), rnd.Uint64())
				read += plan.In("f", int64(10*len(keys))).Read
			}
		}
		expected := URLs.Rate * chunks * float64(asked+asked/4)
		if float64(read) > expected+5*math.Sqrt(expected) || read == 0 {
			t.Errorf("seed %d: %d chunks were read in vain, at most %.0f expected", seed, read, expected)
		}
	}
}

func holds(r Reading, at int64) bool {
	return slices.ContainsFunc(r.Parts, func(p Part) bool { return p.From <= at && at < p.To })
}

// What is not covered is read whole: a lagging sidecar, one of a part of the file, none, a
// damaged entry, a torn last one. No key is ever lost.
func TestWhatIsNotCoveredIsRead(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	keys := keysOf(rnd, 1000)
	size := int64(10 * len(keys))
	side := sidecar(t, "f", URLs, keys, false) // covers 768
	lines := bytes.SplitAfter(side, []byte{'\n'})
	damaged := slices.Clone(side)
	damaged[len(lines[0])+40] ^= 1
	for name, c := range map[string]struct {
		side           []byte
		whole          int64
		chunks, broken int
	}{
		"lags":      {side, 2320, 3, 0},
		"none":      {nil, size, 0, 0},
		"damaged":   {damaged, 2320 + 2560, 2, 1},
		"torn":      {side[:len(side)-1], 2320 + 2560, 2, 0},
		"unordered": {slices.Concat(lines[2], lines[0], lines[1], lines[0]), 2320, 4, 0},
		"foreign":   {sidecar(t, "g", URLs, keys, true), size, 0, 0},
	} {
		missing := 0
		for i, k := range keys {
			plan, err := Ask(bytes.NewReader(c.side), k)
			if err != nil {
				t.Fatal(err)
			}
			r := plan.In("f", size)
			if r.Whole != c.whole || r.Chunks != c.chunks || plan.Damaged != c.broken || r.Bytes != size {
				t.Fatalf("%s: %+v, %d damaged", name, r, plan.Damaged)
			}
			for j := 1; j < len(r.Parts); j++ {
				if r.Parts[j].From < r.Parts[j-1].To {
					t.Fatalf("%s: %v", name, r.Parts)
				}
			}
			if !holds(r, int64(10*i)) {
				missing++
			}
		}
		if missing > 0 {
			t.Errorf("%s: %d keys are lost", name, missing)
		}
	}
	plan, _ := Ask(bytes.NewReader(side))
	if plan.Covered("f") != 7680 || plan.Covered("g") != 0 || !slices.Equal(plan.Files(), []string{"f"}) {
		t.Errorf("covered to %d of %v", plan.Covered("f"), plan.Files())
	}
	// The file has lost its end: what entries say beyond it is not read.
	if r := plan.In("f", 100); r.Whole != 0 || len(r.Parts) != 1 || r.Parts[0].To != 100 {
		t.Errorf("of 100 bytes: %+v", r)
	}
}

// Whatever number of keys a chunk gets, the filter has them all, keeps the rate that is stated,
// and is not much larger than that takes: also one that was made for many more, and folded.
func TestFilterOfAnyChunkKeepsTheRate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, sizes := range []Sizes{URLs, Words} {
		for _, n := range []int{0, 1, 20, 256, 1500, 9000, 27_300, 60_000} {
			b, keys := NewBuilder(sizes, "f", 0), keysOf(rnd, n)
			if full := b.Add(10, slices.Concat(keys, keys, keys[:n/2])...); full != (n >= sizes.Keys) {
				t.Errorf("%d keys: full is %v", n, full)
			}
			line, err := b.Close(nil)
			if err != nil {
				t.Fatal(err)
			}
			e, err := ParseLine(line[:len(line)-1])
			if err != nil || e.Records != 1 || e.Keys != n && n < 16*sizes.Keys {
				t.Fatalf("%d keys: %+v, %v", n, e, err)
			}
			for _, k := range keys {
				if !e.Filter.Has(k) {
					t.Fatalf("%d keys: one is lost", n)
				}
			}
			if rate := e.Filter.ExpectedRate(); rate > 1.5*sizes.Rate {
				t.Errorf("%d keys in %d bits: rate %v", n, e.Filter.Bits(), rate)
			}
			if bits := float64(e.Filter.Bits()); bits > 2*float64(dedup.SizeFor(int64(n), sizes.Rate).Bits) {
				t.Errorf("%d keys in %.0f bits", n, bits)
			}
		}
	}
}

// A record with more keys than an entry has room for gets a filter that fits, and errs more.
func TestFilterOfVeryManyKeysFits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	b, keys := NewBuilder(Words, "f", 0), keysOf(rnd, 700_000)
	b.Add(10, keys...)
	line, err := b.Close(nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ParseLine(line[:len(line)-1])
	if err != nil || e.Filter.Bits() > maxFilter || !e.Filter.Has(keys[0]) || !e.Filter.Has(keys[len(keys)-1]) {
		t.Errorf("%d bytes, %v", len(line), err)
	}
}

// The line of a known entry, to the byte: the format has not changed.
func TestEntryGolden(t *testing.T) {
	b := NewBuilder(URLs, "pages.jsonl", 100)
	b.Add(350, OfURL("https://a.example/"), OfURL("https://a.example/b"))
	line, err := b.Close(nil)
	if err != nil || !bytes.Contains(line, []byte("CSKCHNK")) || !bytes.Contains(line, []byte("\x0bpages.jsonl")) {
		t.Fatalf("%q, %v", line, err)
	}
	if got := fmt.Sprintf("%d bytes, %016x", len(line), xxhash.Sum64(line)); got != "167 bytes, 26c5579100de9781" {
		t.Error(got)
	}
}

func TestEntryRefuses(t *testing.T) {
	good := func() *Entry {
		b := NewBuilder(URLs, "f", 0)
		b.Add(10, 1)
		e := b.entry
		e.Filter = b.filter()
		return &e
	}
	for name, change := range map[string]func(*Entry){
		"no name": func(e *Entry) { e.File = "" }, "a folder": func(e *Entry) { e.File = "../f" }, "above": func(e *Entry) { e.File = ".." },
		"a long name": func(e *Entry) { e.File = string(bytes.Repeat([]byte{'f'}, 256)) }, "a line end": func(e *Entry) { e.File = "f\n" },
		"empty": func(e *Entry) { e.To = 0 }, "negative": func(e *Entry) { e.From = -1 }, "no records": func(e *Entry) { e.Records = 0 },
	} {
		e := good()
		change(e)
		if _, err := e.AppendLine(nil); !errors.Is(err, ErrEntry) {
			t.Errorf("%s: %v", name, err)
		}
	}
	line, err := good().AppendLine(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range line[:len(line)-1] {
		bad := slices.Clone(line[:len(line)-1])
		bad[i] ^= 0x20
		if _, err := ParseLine(bad); err == nil {
			t.Errorf("byte %d is changed and not noticed", i)
		}
		if _, err := ParseLine(line[:i]); err == nil {
			t.Errorf("%d bytes are taken for an entry", i)
		}
	}
}

// FuzzAsk: whatever a sidecar holds, the plan has no overlaps, stays within the file, and covers
// each byte that no entry covers; what is parsed is written again as it was.
func FuzzAsk(f *testing.F) {
	rnd := rand.New(rand.NewPCG(1, 2))
	b := NewBuilder(URLs, "f", 0)
	b.Add(10, keysOf(rnd, 3)...)
	line, err := b.Close(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line, int64(20))
	f.Add(append(slices.Clone(line), line...), int64(5))
	f.Add([]byte("\n\n\x0b\n"), int64(0))
	f.Add(binary.LittleEndian.AppendUint64(nil, math.MaxUint64), int64(1<<40))
	f.Fuzz(func(t *testing.T, side []byte, size int64) {
		size = max(size, 0)
		plan, err := Ask(bytes.NewReader(side), 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range append(plan.Files(), "other") {
			at, whole := int64(0), int64(0)
			r := plan.In(name, size)
			for _, p := range r.Parts {
				if p.From < at || p.To <= p.From || p.To > size {
					t.Fatalf("%+v of %d bytes", r, size)
				}
				if p.Unfiltered {
					whole += p.To - p.From
				}
				at = p.To
			}
			if whole != r.Whole || r.Read > r.Chunks {
				t.Fatalf("%+v", r)
			}
		}
		for _, line := range bytes.Split(side, []byte{'\n'}) {
			if e, err := ParseLine(line); err == nil {
				if again, err := e.AppendLine(nil); err != nil || !bytes.Equal(again[:len(again)-1], line) {
					t.Fatalf("%q is written as %q, %v", line, again, err)
				}
			}
		}
	})
}

// Keys that somebody has chosen so that they crowd cost no time, and none is lost.
func TestCrowdedKeys(t *testing.T) {
	b, keys := NewBuilder(Words, "f", 0), []uint64(nil)
	for i := range uint64(20_000) {
		keys = append(keys, i<<32|7)
	}
	b.Add(10, keys...)
	line, err := b.Close(nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ParseLine(line[:len(line)-1])
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if !e.Filter.Has(k) {
			t.Fatalf("key %#x is lost", k)
		}
	}
}
