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

// What copies tell is estimated from the words that are sampled of all pages, one in 16.
func TestNoiseIsMeasured(t *testing.T) {
	for _, tt := range []struct {
		quotations  int // of 8 words each
		least, most float32
	}{{0, 0, 0}, {1, 0.05, 0.3}, {3, 0.35, 0.6}, {12, 0.75, 0.75}} {
		g := newGuard()
		var q quoted
		text := func(i int) string {
			s := prose(i, 600)
			for range tt.quotations {
				s = q.text(s)
			}
			return s
		}
		for i := range 40 {
			teach(t, g, fmt.Sprintf("http://a.test/topic?t=%d", i), "http://a.test/", text(i))
		}
		for i := range 200 {
			teach(t, g, fmt.Sprintf("http://a.test/print?t=%d", i), "http://a.test/", text(i%40))
		}
		if got := g.Noise(mustParse(t, "http://a.test/")); got < tt.least || got > tt.most {
			t.Errorf("%d quotations: %.2f, want %.2f to %.2f", tt.quotations, got, tt.least, tt.most)
		}
	}
}

// Copies of pages that were not read say nothing, though none of their words was met before.
func TestCopiesOfUnreadPagesAreNoNoise(t *testing.T) {
	g := newGuard()
	var s trap.Sampler
	for i := range 60 {
		g.Skim(mustParse(t, fmt.Sprintf("http://a.test/topic?t=%d", i)), s.Skim(200, words(prose(i, 400)), 1))
		teach(t, g, fmt.Sprintf("http://a.test/print?t=%d", i), "http://a.test/", prose(i, 400))
	}
	if got := g.Noise(mustParse(t, "http://a.test/")); got > 0 {
		t.Errorf("%.2f", got)
	}
}

// Short posts are worth what they were where hardly anything is noise.
func TestShortPostsAreNoNoise(t *testing.T) {
	rank := func(off ...int) uint8 {
		g := newGuard().Without(off...)
		for i := range 20 {
			teach(t, g, fmt.Sprintf("http://a.test/topic?t=%d", i), "http://a.test/", prose(i, 400))
		}
		for i := range 40 {
			teach(t, g, fmt.Sprintf("http://a.test/print?t=%d", i), "http://a.test/", prose(i%20, 400)+fmt.Sprintf("x%d", i))
		}
		for i := range 60 {
			teach(t, g, fmt.Sprintf("http://a.test/post?t=%d", i), "http://a.test/", prose(1000+i, 10))
		}
		if noise := g.Noise(mustParse(t, "http://a.test/")); noise == 0 {
			t.Error("nothing is noise")
		}
		return judge(t, g, "http://a.test/post?t=99").Rank
	}
	if with, without := rank(), rank(slices.Index(trap.Rules, "noise")); with != without {
		t.Errorf("rank %d, %d without the rule", with, without)
	}
}

// A page that says less than noise counts below nothing: of those that say sometimes more and
// sometimes less the next one is not likely to be worth something.
func TestLessThanNoise(t *testing.T) {
	g := newGuard()
	var q quoted
	noisy := func(text string) string { return q.text(q.text(q.text(text))) }
	for i := range 80 {
		path := fmt.Sprintf("http://a.test/%s?t=%d", []string{"topic", "print"}[i/40], i)
		teach(t, g, path, "http://a.test/", noisy(prose(i%40, 600)))
	}
	for i := range 40 {
		teach(t, g, fmt.Sprintf("http://a.test/mixed?t=%d", 2*i), "http://a.test/", noisy(noisy("nothing here")))
		teach(t, g, fmt.Sprintf("http://a.test/mixed?t=%d", 2*i+1), "http://a.test/", fmt.Sprintf("x%dx y%dy", i, i))
	}
	if v := judge(t, g, "http://a.test/mixed?t=999"); v.Rank < 3 {
		t.Errorf("%+v, noise %.2f", v, g.Noise(mustParse(t, "http://a.test/")))
	}
}
