package frontier

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"crawler/internal/binform"
)

// A Depths that replays the events of another knows what that one knows, in whatever
// portions, and continues as it does.
func TestReplay(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 13))
		limit := rng.IntN(6)
		d, again := NewDepths(limit), NewDepths(limit)
		d.KeepEvents()
		call := func(d *Depths, op, from, to int) []Item {
			switch op {
			case 0:
				return slices.Clone(d.Seed(page(t, to)))
			case 1, 2:
				return slices.Clone(d.Arrive(page(t, to), page(t, from+50), from%9))
			}
			return slices.Clone(d.Link(page(t, from), page(t, to), op%2))
		}
		for range 300 {
			call(d, rng.IntN(20), rng.IntN(30), rng.IntN(60))
			if rng.IntN(20) == 0 {
				if err := again.Replay(d.TakeEvents()); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		}
		if err := again.Replay(d.TakeEvents()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !reflect.DeepEqual(d.nodes, again.nodes) || !maps.Equal(d.ids, again.ids) {
			t.Fatalf("seed %d: the replayed graph differs", seed)
		}
		again.KeepEvents()
		for range 50 {
			op, from, to := rng.IntN(20), rng.IntN(30), rng.IntN(90)
			if a, b := call(d, op, from, to), call(again, op, from, to); !slices.Equal(a, b) {
				t.Fatalf("seed %d: %v becomes admissible, after a replay %v", seed, a, b)
			}
		}
		if a, b := d.TakeEvents(), again.TakeEvents(); !bytes.Equal(a, b) {
			t.Fatalf("seed %d: events differ after a replay", seed)
		}
	}
}

func TestEventSize(t *testing.T) {
	d := NewDepths(3)
	d.KeepEvents()
	for i := range 1000 {
		d.Link(page(t, 0), page(t, i), 1)
	}
	d.TakeEvents()
	for i := range 1000 {
		d.Link(page(t, 0), page(t, i), 1)
	}
	if n := len(d.TakeEvents()); n > 3*1000+2 {
		t.Errorf("a thousand links between a thousand known URLs take %d bytes", n)
	}
	if n := len(d.TakeEvents()); n != 0 {
		t.Errorf("no event was kept, %d bytes of events", n)
	}
}

func TestReplayRefuses(t *testing.T) {
	text := func(kind byte, urls ...string) []byte {
		b := []byte{kind}
		for _, u := range urls {
			b = binform.AppendText(append(b, 0), u)
		}
		return b
	}
	for name, b := range map[string][]byte{
		"unknown event":              {7, 1},
		"seed on the same page":      {eventSeed + eventSamePage, 0},
		"no page before":             append(text(eventSeed, "http://a/"), eventLink+eventSamePage, 1),
		"number not given":           {eventSeed, 1},
		"cut":                        text(eventLink, "http://a/"),
		"no depth":                   text(eventArrive, "http://a/", "http://b/"),
		"arrival on the same page":   append(text(eventLink, "http://a/", "http://b/"), eventArrive+eventSamePage, 1, 1),
		"not a URL":                  text(eventSeed, "a"),
		"not canonical":              text(eventSeed, "HTTP://a/"),
		"known URL written as a new": append(text(eventSeed, "http://a/"), text(eventSeed, "http://a/")...),
	} {
		if err := NewDepths(3).Replay(b); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzReplay(f *testing.F) {
	d := NewDepths(2)
	d.KeepEvents()
	u := func(i int) string { return fmt.Sprintf("http://a/%d", i) }
	d.Seed(mustParse(f, u(0)))
	for i := range 5 {
		d.Link(mustParse(f, u(i)), mustParse(f, u(i+1)), 1)
		d.Link(mustParse(f, u(i)), mustParse(f, u(7)), i%2)
	}
	d.Arrive(mustParse(f, u(3)), mustParse(f, u(9)), 1)
	f.Add(d.TakeEvents())
	f.Fuzz(func(t *testing.T, b []byte) {
		d := NewDepths(2)
		if err := d.Replay(b); err != nil {
			return
		}
		for u, id := range d.ids {
			if d.nodes[id].url != u || d.nodes[id].admitted != (d.nodes[id].depth <= 2) {
				t.Errorf("%s is %+v", u, d.nodes[id])
			}
		}
	})
}
