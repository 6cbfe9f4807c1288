package sums

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func noise(n int, seed uint64) []byte {
	r, b := rand.New(rand.NewPCG(seed, 1)), make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// The sum of a file does not depend on how it was written.
func TestSumGrows(t *testing.T) {
	data := noise(100_000, 1)
	want := Sum(0).Add(data)
	for _, at := range []int{0, 1, 63, 4096, 99_999, 100_000} {
		if got := Sum(0).Add(data[:at]).Add(data[at:]); got != want {
			t.Errorf("in two parts at %d: %v, want %v", at, got, want)
		}
	}
	if got, n, err := Read(bytes.NewReader(data), 1<<20); got != want || n != 100_000 || err != nil {
		t.Errorf("read: %v, %d bytes, %v", got, n, err)
	}
	if got, n, _ := Read(bytes.NewReader(data), 5000); got != Sum(0).Add(data[:5000]) || n != 5000 {
		t.Errorf("read 5000: %v, %d bytes", got, n)
	}
	if s := Sum(0).Add([]byte("123456789")).String(); s != "e3069283cbf43926" {
		t.Errorf("the check value is %s", s)
	}
}

// Every single bit is found, and two are not taken for one.
func TestFlipped(t *testing.T) {
	for _, n := range []int{1, 2, 7, 300} {
		data := noise(n, uint64(n))
		want := Sum(0).Add(data)
		for i := range 8 * n {
			data[i/8] ^= 1 << (i % 8)
			at, bit, ok := Flipped(int64(n), Sum(0).Add(data), want)
			data[i/8] ^= 1 << (i % 8)
			if !ok || at != int64(i/8) || bit != 1<<(i%8) {
				t.Fatalf("bit %d of %d bytes: found %v, byte %d bit %#x", i, n, ok, at, bit)
			}
		}
		if _, _, ok := Flipped(int64(n), want, want); ok {
			t.Error("a bit was found in what is sound")
		}
	}
	data := noise(1<<16, 3)
	want := Sum(0).Add(data)
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 2))
		other := bytes.Clone(data)
		for range 2 + r.IntN(5) {
			other[r.IntN(len(other))] ^= 1 << r.IntN(8)
		}
		if at, _, ok := Flipped(int64(len(data)), Sum(0).Add(other), want); ok && !bytes.Equal(other, data) {
			t.Errorf("seed %d: several bits were taken for one, at %d", seed, at)
		}
	}
}

func TestCheck(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	data := noise(10_000, 4)
	write := func(b []byte) {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(data)
	f, err := Of(name)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(data)
	flipped[5000] ^= 4
	then := time.Unix(0, f.Modified)
	for _, c := range []struct {
		what           string
		make           func()
		quick, whole   Fault
		asItsBeginning Fault
	}{
		{"as written", func() { write(data); os.Chtimes(name, then, then) }, Sound, Sound, Sound},
		{"copied", func() { write(data) }, Sound, Sound, Sound},
		{"cut", func() { write(data[:9999]) }, Short, Short, Short},
		{"emptied", func() { write(nil) }, Short, Short, Short},
		{"flipped", func() { write(flipped) }, Altered, Altered, Altered},
		{"decayed", func() { write(flipped); os.Chtimes(name, then, then) }, Sound, Altered, Altered},
		{"longer", func() { write(append(bytes.Clone(data), 1)) }, Longer, Longer, Sound},
		{"gone", func() { os.Remove(name) }, Missing, Missing, Missing},
		{"a folder", func() { os.Mkdir(name, 0o700) }, NotAFile, NotAFile, NotAFile},
	} {
		c.make()
		quick, err1 := f.Check(name, false)
		whole, err2 := f.Check(name, true)
		begin, err3 := f.CheckBegin(name)
		if err := errors.Join(err1, err2, err3); err != nil || quick.Fault != c.quick || whole.Fault != c.whole || begin.Fault != c.asItsBeginning {
			t.Errorf("%s: %q, %q, %q, %v", c.what, quick.Fault, whole.Fault, begin.Fault, err)
		}
		if c.whole != Sound && f.Describe(whole) == "" {
			t.Errorf("%s is not described", c.what)
		}
	}
	if found, err := (File{}).Check(filepath.Join(t.TempDir(), "none"), true); err != nil || found.Fault != Sound {
		t.Errorf("a file of no bytes that is not there: %+v, %v", found, err)
	}
}

// One flipped bit of a sealed object is noticed, wherever it is, unless it breaks the JSON.
func TestSealedObjects(t *testing.T) {
	object, err := json.MarshalIndent(struct {
		Name  string `json:"name"`
		Files Table  `json:"files"`
		Sum   Sum    `json:"checksum"`
	}{"x", Table{"a": {Bytes: 3, Sum: 7}}, 0}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	object = append(object, '\n')
	if _, err := Seal(object); err != nil {
		t.Fatal(err)
	}
	if there, err := Sealed(object); !there || err != nil {
		t.Fatalf("sealed: %v, %v\n%s", there, err, object)
	}
	for i := range 8 * len(object) {
		object[i/8] ^= 1 << (i % 8)
		if there, err := Sealed(object); there && err == nil {
			t.Errorf("bit %d of byte %d was flipped unnoticed:\n%s", i%8, i/8, object)
		}
		object[i/8] ^= 1 << (i % 8)
	}
	if there, err := Sealed([]byte("{}\n")); there || err != nil {
		t.Errorf("an object without: %v, %v", there, err)
	}
	if _, err := Seal([]byte("{}")); err == nil {
		t.Error("an object without a checksum was sealed")
	}
	var table Table
	for _, bad := range []string{`{"a":{"bytes":-1}}`, `{"a":{"bytes":1,"checksum":"xyz"}}`, `{"a":{"bytes":1,"checksum":"12"}}`, `[]`} {
		if json.Unmarshal([]byte(bad), &table) == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	data := noise(64<<10, 1)
	b.SetBytes(int64(len(data)))
	s := Sum(0)
	for b.Loop() {
		s = s.Add(data)
	}
}

func BenchmarkFlipped(b *testing.B) {
	const n = 1 << 20
	b.SetBytes(n)
	for b.Loop() {
		Flipped(n, 1, 2)
	}
}
