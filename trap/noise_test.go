package trap_test

import (
	"fmt"
	"slices"
	"testing"

	"crawler/trap"
)

// Where each answer has another quotation pages that say nothing else wait. How much is new then is
// known from copies. Of a site without quotations the same few words are what a page has to say.
func TestWhatCopiesSayIsNoNews(t *testing.T) {
	rank := func(copies bool, off ...int) uint8 {
		g := newGuard().Without(off...)
		var q quoted
		for i := range 60 {
			teach(t, g, fmt.Sprintf("http://a.test/topic?t=%d", i), "http://a.test/", q.text(prose(i, 400)))
		}
		for i := range 60 {
			text := prose(1000+i, 400)
			if copies {
				text = q.text(prose(i, 400))
			}
			teach(t, g, fmt.Sprintf("http://a.test/print?t=%d", i), "http://a.test/", text)
		}
		for i := range 60 {
			teach(t, g, fmt.Sprintf("http://a.test/empty?t=%d", i), "http://a.test/", q.text("nothing here"))
		}
		return judge(t, g, "http://a.test/empty?t=99").Rank
	}
	noise := slices.Index(trap.Rules, "noise")
	if with, without, none := rank(true), rank(true, noise), rank(false); with < without+2 || none > without {
		t.Errorf("rank %d, %d without the rule, %d without copies", with, without, none)
	}
}

// One copy is no evidence yet, and after some hundred it is known that they say nothing else.
func TestHowMuchCopiesSay(t *testing.T) {
	for _, tt := range []struct {
		name           string
		copies, quoted int
		waits          bool
	}{{"a copy", 0, 1, false}, {"some copies", 0, 60, true}, {"copies of a quiet site", 300, 300, false}} {
		g := newGuard()
		var q quoted
		for i := range 20 {
			teach(t, g, fmt.Sprintf("http://a.test/topic?t=%d", i), "http://a.test/", prose(i, 400))
		}
		for i := range 9 { // none of the pattern's first pages is near to a copy
			teach(t, g, fmt.Sprintf("http://a.test/print?t=%d", i), "http://a.test/", prose(1000+i, 400))
		}
		for i := range tt.copies {
			teach(t, g, fmt.Sprintf("http://a.test/print?t=%d", 100+i), "http://a.test/", prose(i%20, 400))
		}
		for i := range tt.quoted {
			teach(t, g, fmt.Sprintf("http://a.test/print?t=%d", 500+i), "http://a.test/", q.text(q.text(q.text(prose(i%20, 400)))))
		}
		for i := range 30 {
			teach(t, g, fmt.Sprintf("http://a.test/empty?t=%d", i), "http://a.test/", q.text(q.text(q.text("nothing here"))))
		}
		if v := judge(t, g, "http://a.test/empty?t=99"); v.Rank >= 2 != tt.waits {
			t.Errorf("%s: %+v", tt.name, v)
		}
	}
}
