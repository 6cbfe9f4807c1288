package lab

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// Every method finds what it promises, and its bytes are those that its kind has: of the
// difference, or of the set.
func TestReconcile(t *testing.T) {
	const keys = 20_000
	s, err := Reconcile(t.Context(), ReconcileConfig{Keys: keys, Differences: []int{0, 2, 200, 2000}, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	rows := s.Sections[0].Table.Rows
	if len(rows) != 4*len(reconcilers) {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		d, name, bytes := r[0].(int), r[1].(string), r[2].(int)
		least := 5.0 // percent: a false positive near the root hides half of the tree
		switch {
		case strings.Contains(name, "both ways"), name == "tree against tree":
			least = 100
		case strings.Contains(name, "16 bits"), strings.Contains(name, "15.5"):
			least = 99
		case strings.Contains(name, "c = 5"), strings.Contains(name, "c = 3"):
			least = 80
		case strings.Contains(name, "boosted"):
			least = 30
		}
		if found, ok := r[4].(float64); ok != (d > 0) || ok && d > 2 && found < least {
			t.Errorf("%s, %d differences: found %v %%, want %v", name, d, r[4], least)
		}
		filter := strings.Contains(strings.ToLower(name), "filter")
		switch {
		case filter && (bytes < keys || bytes > 6*keys):
			t.Errorf("%s, %d differences: %d bytes", name, d, bytes)
		case strings.HasPrefix(name, "rateless") && bytes > 500+30*d, !filter && bytes > 1000+600*d:
			t.Errorf("%s, %d differences: %d bytes", name, d, bytes)
		}
	}
	worked := s.Sections[1].Table.Rows
	if worked[0][2].(float64) != 64 {
		t.Errorf("7 keys have %v places", worked[0][2])
	}
	for _, r := range worked[2:] {
		computed, measured := r[2].(float64), r[3].(float64)
		if ratio := measured / computed; ratio < 0.2 || ratio > 3 {
			t.Errorf("%s: %v computed, %v measured", r[0], computed, measured)
		}
	}
}

func TestReconcileLimits(t *testing.T) {
	for _, c := range []ReconcileConfig{{Keys: -1}, {Keys: MaxReconcileKeys + 1}, {Keys: 5, Differences: []int{11}}, {Differences: []int{-1}}, {Differences: make([]int, 21)}} {
		if _, err := Reconcile(t.Context(), c); err == nil {
			t.Errorf("%d keys, differences %v: no error", c.Keys, c.Differences)
		}
	}
	for _, keys := range []int{1, 2, 10} { // the defaults fit
		if _, err := Reconcile(t.Context(), ReconcileConfig{Keys: keys}); err != nil {
			t.Errorf("%d keys: %v", keys, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Reconcile(ctx, ReconcileConfig{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
