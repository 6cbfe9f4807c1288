package trap_test

import (
	"fmt"
	"slices"
	"testing"

	"crawler/trap"
	"crawler/weburl"
)

// Three of a pattern's eight probes are of the shallowest URLs that it has refused, five of those
// that have a part in common with the fewest, and all are spread where that leaves a choice.
func TestSpread(t *testing.T) {
	list := func(n int, format func(i int) string) (urls []weburl.URL) {
		for i := range n {
			urls = append(urls, mustParse(t, "http://a.test/"+format(i)))
		}
		return urls
	}
	copies := list(700, func(i int) string { return fmt.Sprintf("s%d/t%d/?x=%d", i%6, i%9, i%5) })
	deep := make([]int, 700) // the deeper the later, with three others in between
	for i := range deep {
		deep[i] = 3 + i/10
	}
	deep[500], deep[550], deep[600] = 2, 2, 2
	rare := slices.Clone(copies)
	for _, i := range []int{7, 77, 177, 377, 677} {
		rare[i] = mustParse(t, fmt.Sprintf("http://a.test/s1/t1/u%d?x=%d", i, i%5))
	}
	days := list(40, func(i int) string { return fmt.Sprintf("day/%d", i) })
	for _, tt := range []struct {
		name   string
		urls   []weburl.URL
		depths []int
		n      int
		want   []int
	}{
		{"none", copies, deep, 0, nil},
		{"one of one", days[:1], []int{4}, 1, []int{0}},
		{"two of three", days[:3], []int{1, 1, 1}, 2, []int{0, 1}},
		{"deep and rare ones", rare, deep, 8, []int{7, 77, 177, 377, 500, 550, 600, 677}},
		{"those that are alike", days, make([]int, 40), 8, []int{0, 6, 8, 15, 20, 24, 31, 33}},
	} {
		var got []int
		for i, take := range trap.Spread(tt.urls, tt.depths, tt.n) {
			if take {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	all := trap.Spread(copies, deep, 700)
	if slices.Contains(all, false) || len(all) != 700 {
		t.Error("not all of 700")
	}
}
