package trap_test

import (
	"fmt"
	"slices"
	"testing"

	"crawler/trap"
)

// Where each answer has another quotation no copy is exact. A page that says what one other said,
// and has something besides as that had, is near to it; one that quotes another whole is not, nor
// is one that says what many have said, or what several have.
func TestTwins(t *testing.T) {
	var q quoted
	noisy := func(text string) string { return q.text(q.text(q.text(text))) }
	for _, tt := range []struct {
		name string
		page func(i int) string
		near bool
	}{
		{"the same page", func(i int) string { return noisy(prose(i, 150)) }, true},
		{"most of it", func(i int) string { return noisy(prose(i, 140)) }, true},
		{"half of it", func(i int) string { return noisy(prose(i, 90) + prose(3000+i, 60)) }, false},
		{"another page", func(i int) string { return noisy(prose(4000+i, 150)) }, false},
		{"what two have said", func(i int) string { return noisy(prose(i, 150) + prose(40+i, 150)) }, false},
		{"one of eight notices", func(i int) string { return prose(300+i%8, 150) + prose(4000+i, 60) }, false},
		{"a few words", func(i int) string { return noisy(prose(i, 30)) }, false},
		{"a template", func(i int) string { return prose(200, 150) + prose(4000+i, 60) }, false},
		{"a reply", func(i int) string { return prose(100+i, 150) + prose(4000+i, 60) }, false},
		{"a reply to most of it", func(i int) string { return prose(100+i, 140) + prose(4000+i, 90) }, false},
	} {
		rank := func(off ...int) uint8 {
			q = 0
			g := newGuard().Without(off...)
			for i := range 80 {
				teach(t, g, fmt.Sprintf("http://a.test/topic?t=%d", i), "http://a.test/", noisy(prose(i, 150)))
			}
			for i := range 40 {
				teach(t, g, fmt.Sprintf("http://a.test/topic?t=%d", 100+i), "http://a.test/", prose(100+i, 150))
			}
			for i := range 12 {
				teach(t, g, fmt.Sprintf("http://a.test/other?t=%d", i), "http://a.test/", prose(200, 150)+prose(5000+i, 60))
			}
			for i := range 40 {
				teach(t, g, fmt.Sprintf("http://a.test/view?v=%d", i), "http://a.test/", tt.page(i))
			}
			return judge(t, g, "http://a.test/view?v=99").Rank
		}
		with, without := rank(), rank(slices.Index(trap.Rules, "twins"))
		if with >= without+2 != tt.near {
			t.Errorf("%s: rank %d, %d without the rule", tt.name, with, without)
		}
	}
}

// What twins say besides is noise. It is rather less than other pages say, since an answer says
// more, too.
func TestTwinsTellNoise(t *testing.T) {
	g := newGuard()
	var q quoted
	noisy := func(text string) string { return q.text(q.text(q.text(text))) }
	for i := range 60 {
		teach(t, g, fmt.Sprintf("http://a.test/topic?t=%d", i), "http://a.test/", noisy(prose(i, 150)))
	}
	u := mustParse(t, "http://a.test/")
	if noise := g.Noise(u); noise > 0 {
		t.Errorf("%.2f before there are twins", noise)
	}
	for i := range 60 {
		teach(t, g, fmt.Sprintf("http://a.test/print?t=%d", i), "http://a.test/", noisy(prose(i, 150)))
	}
	if noise := g.Noise(u); noise < 0.2 || noise > 0.65 { // 24 words of 40, but twins say little
		t.Errorf("noise is %.2f", noise)
	}
}

// Twins share four words or more, and two thirds of the words of each; the later page has no more
// than one word more than the earlier one.
func TestIsTwin(t *testing.T) {
	for _, tt := range []struct {
		words, had, shared, others int
		want                       bool
	}{
		{4, 4, 4, 0, true},
		{3, 3, 3, 0, false}, // too few
		{9, 9, 6, 0, true},
		{9, 9, 5, 0, false}, // less than two thirds of each
		{6, 9, 6, 0, true},
		{6, 10, 6, 0, false}, // less than two thirds of the earlier one
		{8, 7, 6, 0, true},
		{9, 7, 6, 0, false}, // two words more
		{9, 9, 6, 3, true},
		{9, 9, 5, 4, false}, // the others are of a third page
	} {
		if got := trap.IsTwin(tt.words, tt.had, tt.shared, tt.others); got != tt.want {
			t.Errorf("%+v: %t", tt, got)
		}
	}
}
