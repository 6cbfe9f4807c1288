package sheet

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// farthest bounds what is drawn: beyond it, and on a logarithmic axis closer to
// zero than its inverse, the arithmetic of axes would overflow.
const farthest = 1e300

// axis is the range of one axis and its scale. gonum's own tickers panic or give
// nothing on ranges that data do have: equal values, values below a decade.
type axis struct {
	log      bool
	low, top float64
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
	a.low, a.top = values[0], values[0]
	for _, x := range values {
		a.low, a.top = min(a.low, x), max(a.top, x)
	}
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

// set gives the axis its range, its ticks and its looks in a plot.
func (a *axis) set(to *plot.Axis) {
	to.Min, to.Max = a.low, a.top
	to.Padding = 6
	to.Color, to.Tick.Color = ink, ink
	to.Width, to.Tick.Width = 0.75, 0.75
	style := textStyle(12)
	style.XAlign, style.YAlign = to.Tick.Label.XAlign, to.Tick.Label.YAlign
	to.Tick.Label = style
	to.Tick.Marker = a
	if a.log {
		to.Scale = plot.LogScale{}
	}
}

// Ticks makes an axis a plot.Ticker. There are at most some fifty.
func (a *axis) Ticks(low, top float64) []plot.Tick {
	if a.log {
		return logTicks(low, top)
	}
	return linearTicks(low, top)
}

// linearTicks are multiples of 1, 2 or 5 times a power of ten, four to eight.
func linearTicks(low, top float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((top-low)/4)))
	for _, f := range []float64{5, 2} {
		if (top-low)/(f*step) >= 4 {
			step *= f
			break
		}
	}
	var ticks []plot.Tick
	for i, first := 0, math.Ceil(low/step); i < 64; i++ {
		x := (first + float64(i)) * step
		if x > top+step/1e6 {
			break
		}
		ticks = append(ticks, plot.Tick{Value: x, Label: tickLabel(x)})
	}
	return ticks
}

// logTicks are powers of ten, as many as have room, and 2 and 5 times these as
// well if the axis spans less than three of them.
func logTicks(low, top float64) []plot.Tick {
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(top)))
	every := max(1, (last-first)/8)
	fine := math.Log10(top/low) < 3
	var ticks []plot.Tick
	for e := first; e <= last; e += every {
		for m := 1.0; m < 10 && (m == 1 || every == 1); m++ {
			// Parsed, not computed: 1e-5 must be the number that it says.
			x, err := strconv.ParseFloat(strconv.Itoa(int(m))+"e"+strconv.Itoa(e), 64)
			if err != nil || x < low || x > top {
				continue
			}
			tick := plot.Tick{Value: x}
			if m == 1 || fine && (m == 2 || m == 5) {
				tick.Label = tickLabel(x)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// tickLabel writes a round number in few characters.
func tickLabel(x float64) string {
	switch a := math.Abs(x); {
	case x == 0:
		return "0"
	case a >= 1e3 && a < 1e7 && x == math.Trunc(x):
		return Group(int64(math.Round(x)))
	case a < 1e-4 || a >= 1e7:
		s := strconv.FormatFloat(x, 'e', -1, 64)
		mantissa, power := s, ""
		for i := range s {
			if s[i] == 'e' {
				mantissa, power = s[:i], s[i+1:]
			}
		}
		if n, err := strconv.Atoi(power); err == nil && len(mantissa) < 5 {
			return mantissa + "e" + strconv.Itoa(n)
		}
	}
	return strconv.FormatFloat(x, 'g', 7, 64)
}
