package trap_test

import (
	"reflect"
	"testing"

	"crawler/trap"
)

// What was fetched is known however full the table is: a page that is forgotten is fetched again.
// It takes no more room than that needs.
func TestTextsAreRemembered(t *testing.T) {
	for _, n := range []int{100, 500, 10_000, 100_000, 300_000, 900_000} {
		texts := trap.Texts(n)
		if lost := texts.Forgotten(0, n); lost > n/1000 {
			t.Errorf("%d of %d hashes are forgotten", lost, n)
		}
		if load := texts.Load(); load < 0.4 {
			t.Errorf("%d hashes fill %.2f of the table", n, load)
		}
	}
}

// Once there is no more room the latest are known, and nothing else is.
func TestLatestTextsAreRemembered(t *testing.T) {
	const n = 2_000_000
	texts := trap.Texts(n)
	if lost := texts.Forgotten(n-400_000, n); lost > 400 {
		t.Errorf("%d of the latest 400,000 hashes are forgotten", lost)
	}
	if lost := texts.Forgotten(0, 400_000); lost < 390_000 {
		t.Errorf("%d of the first 400,000 hashes are forgotten", lost)
	}
	if known := 100_000 - texts.Forgotten(n, n+100_000); known > 100 {
		t.Errorf("%d of 100,000 hashes are known that no page had", known)
	}
}

// A form is the same table again, each entry in its place: which one goes first depends on that.
func TestTextsComeBack(t *testing.T) {
	for _, n := range []int{0, 1, 100, 200_000, 1_200_000} {
		texts := trap.Texts(n)
		again, err := texts.Restored()
		if err != nil || !reflect.DeepEqual(again, texts) {
			t.Errorf("%d hashes: %v, or another table", n, err)
		}
	}
}
