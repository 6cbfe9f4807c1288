package trap_test

import (
	"testing"

	"crawler/trap"
)

// Half of a pattern's probes are the shallowest of the URLs that it has refused, and all are spread
// over these.
func TestSpread(t *testing.T) {
	var deep []int // a trap's, the deeper the later, with three others in between
	for i := range 700 {
		deep = append(deep, 3+i/10)
	}
	deep[500], deep[550], deep[600] = 2, 2, 2
	for _, tt := range []struct {
		name    string
		depths  []int
		n       int
		with    []int // that are probes
		longest int   // run of URLs of which none is one, at most
	}{
		{"none", deep, 0, nil, 700},
		{"all", deep, 700, nil, 0},
		{"one of one", []int{4}, 1, []int{0}, 0},
		{"deep ones", deep, 8, []int{500, 550, 600}, 175},
		{"one depth", make([]int, 40), 8, []int{0, 5, 10, 15, 20, 25, 30, 35}, 4},
		{"two depths", []int{9, 9, 9, 9, 9, 9, 1, 1, 1, 1, 1, 1}, 4, []int{0, 7, 10}, 6},
	} {
		take, taken, run := trap.Spread(tt.depths, tt.n), 0, 0
		for i, is := range take {
			if run++; is {
				taken, run = taken+1, 0
			}
			if run == tt.longest+1 {
				t.Errorf("%s: none of %d in a row to %d", tt.name, run, i)
			}
		}
		if len(take) != len(tt.depths) || taken != tt.n {
			t.Errorf("%s: %d of %d, want %d of %d", tt.name, taken, len(take), tt.n, len(tt.depths))
		}
		for _, i := range tt.with {
			if !take[i] {
				t.Errorf("%s: %d is no probe", tt.name, i)
			}
		}
	}
}
