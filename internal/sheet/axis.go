package sheet

import (
	"math"
	"strconv"
	"strings"
)

// farthest bounds what is drawn: beyond it, and on a logarithmic axis closer to
// zero than its inverse, the arithmetic of axes would overflow.
const farthest = 1e300

// axis is the range of one axis, its scale, and where in the picture it stands.
type axis struct {
	log      bool
	whole    bool // all values are whole numbers, and so are the ticks
	low, top float64
	most     float64 // the largest value
	from, to float64 // in the picture
}

// bears reports whether x has a place on the axis.
func (a *axis) bears(x float64) bool {
	if a.log {
		return x >= 1/farthest && x <= farthest
	}
	return math.Abs(x) <= farthest
}

// rangeOver makes the axis span all the values, and something where they are
// none or all equal.
func (a *axis) rangeOver(values []float64) {
	if len(values) == 0 {
		a.low, a.top = 1, 10
		return
	}
	a.low, a.top, a.whole = values[0], values[0], true
	for _, x := range values {
		a.whole = a.whole && x == math.Trunc(x)
		a.low, a.top = min(a.low, x), max(a.top, x)
	}
	a.most = a.top
	switch {
	case a.log && a.top < 1.5*a.low:
		a.low, a.top = a.low/2, a.top*2
	case !a.log && a.top-a.low <= max(1e-9*math.Abs(a.top), 1/farthest):
		by := max(math.Abs(a.top)/10, 1)
		a.low, a.top = a.low-by, a.top+by
	case !a.log && a.low > 0 && a.low < a.top/3:
		a.low = 0 // where it is nearly in the picture, it should be
	}
}

// extend makes the axis span what was asked for, too.
func (a *axis) extend(low, top float64) {
	if low == 0 && top == 0 {
		return
	}
	for _, x := range []float64{low, top} {
		if a.bears(x) {
			a.low, a.top = min(a.low, x), max(a.top, x)
		}
	}
}

// end makes the axis end at top, unless a value is above it.
func (a *axis) end(top float64) {
	if top != 0 && a.most <= top && top > a.low {
		a.top = min(a.top, top)
	}
}

// tick is a mark on an axis; only some have a label.
type tick struct {
	value float64
	label string
}

// ticks are some fifty at most.
func (a *axis) ticks() []tick {
	if a.log {
		return logTicks(a.low, a.top)
	}
	return linearTicks(a.low, a.top, a.whole)
}

// linearTicks are multiples of 1, 2 or 5 times a power of ten, four to eight, or fewer whole ones.
func linearTicks(low, top float64, whole bool) []tick {
	step := math.Pow(10, math.Floor(math.Log10((top-low)/4)))
	for _, f := range []float64{5, 2} {
		if (top-low)/(f*step) >= 4 {
			step *= f
			break
		}
	}
	if whole {
		step = max(step, 1)
	}
	var ticks []tick
	for i, first := 0, math.Ceil(low/step); i < 64; i++ {
		x := (first + float64(i)) * step
		if x > top+step/1e6 {
			break
		}
		ticks = append(ticks, tick{value: x, label: labelled})
	}
	label(ticks)
	return ticks
}

// logTicks are powers of ten, as many as have room, and 2 and 5 times these as
// well if the axis spans less than three of them.
func logTicks(low, top float64) []tick {
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(top)))
	every := max(1, (last-first)/8)
	fine := math.Log10(top/low) < 3
	var ticks []tick
	for e := first; e <= last; e += every {
		for m := 1.0; m < 10 && (m == 1 || every == 1); m++ {
			// Parsed, not computed: 1e-5 must be the number that it says.
			x, err := strconv.ParseFloat(strconv.Itoa(int(m))+"e"+strconv.Itoa(e), 64)
			if err != nil || x < low || x > top {
				continue
			}
			t := tick{value: x}
			if m == 1 || fine && (m == 2 || m == 5) {
				t.label = labelled
			}
			ticks = append(ticks, t)
		}
	}
	label(ticks)
	return ticks
}

// labelled marks a tick that label gives its label.
const labelled = "?"

// label gives ticks their labels, all in one style: powers of ten where a plain
// number would be long.
func label(ticks []tick) {
	powers := false
	for _, t := range ticks {
		a := math.Abs(t.value)
		powers = powers || a >= 1e7 || a > 0 && a < 1e-4
	}
	for i, t := range ticks {
		if t.label != "" {
			ticks[i].label = tickLabel(t.value, powers)
		}
	}
}

// tickLabel writes a round number in few characters.
func tickLabel(x float64, power bool) string {
	switch {
	case x == 0:
		return "0"
	case x == 1:
		return "1"
	case !power && x == math.Trunc(x):
		return Group(int64(x))
	case !power:
		return strconv.FormatFloat(x, 'g', 7, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 6, 64), "e")
	mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	n, err := strconv.Atoi(exponent)
	if err != nil {
		return strconv.FormatFloat(x, 'g', 7, 64)
	}
	return mantissa + "e" + strconv.Itoa(n)
}
