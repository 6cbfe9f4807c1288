package trap_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"crawler/internal/binform"
	"crawler/internal/mazes"
	"crawler/trap"
)

// A Guard that was saved and loaded half-way judges as one that was not.
func TestBinaryGoesOn(t *testing.T) {
	for _, s := range mazes.All(7, 200) {
		straight, broken := walkLabelled(s, trap.New(trap.Config{})), walkLabelled(s, trap.New(trap.Config{}))
		for _, w := range []labelled{straight, broken} {
			w.until(20)
		}
		form := marshal(t, broken.guard)
		broken.guard = trap.New(trap.Config{})
		if err := broken.guard.UnmarshalBinary(form); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		for _, w := range []labelled{straight, broken} {
			w.until(150)
		}
		if a, b := marshal(t, straight.guard), marshal(t, broken.guard); !bytes.Equal(a, b) {
			t.Errorf("%s: forms of %d and %d bytes differ", s.Name, len(a), len(b))
		}
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

// small is the form of a Guard with a closed pattern and an open one.
func small(t testing.TB) []byte {
	g := trap.New(trap.Config{})
	for i := range 40 {
		teach(t, g, fmt.Sprintf("http://a.test/p/n%dx", i), "", "the same")
	}
	return marshal(t, g)
}

func TestBinaryRefusesDamage(t *testing.T) {
	form := small(t)
	g := trap.New(trap.Config{})
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

// FuzzBinary puts a good frame around any fields: what is accepted can be used and comes
// back the same.
func FuzzBinary(f *testing.F) {
	form := small(f)
	f.Add(form[16 : len(form)-8])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, fields []byte) {
		e := binform.Begin(nil, "TRAP", 1)
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
		g.Judge(mustParse(t, "http://a.test/p/n99x"))
		teach(t, g, "http://a.test/p/n99x", "http://a.test/p/n1x", "some words of a page")
		g.Closed()
	})
}

// FuzzJudge takes any URLs, in any order.
func FuzzJudge(f *testing.F) {
	f.Add("http://a.test/a/b;jsessionid=1?x=1&y=2", "http://b.a.test//c/")
	f.Add("http://[::1]:80/?", "https://10.0.0.1/2024/01/2024-01-01")
	f.Fuzz(func(t *testing.T, a, b string) {
		u, err := parseURL(a)
		if err != nil {
			return
		}
		v, err := parseURL(b)
		if err != nil {
			return
		}
		g := trap.New(trap.Config{})
		var s trap.Sampler
		for range 12 {
			g.Judge(u)
			if g.Watch(u, v) {
				g.Link(v, false)
			}
			g.Learn(s.Page(u, 200, words(b), 3))
		}
		if first, second := g.Judge(u), g.Judge(u); first.Pattern != second.Pattern && first.Kind != "" && second.Kind != "" {
			t.Errorf("two verdicts: %+v, %+v", first, second)
		}
	})
}
