package sheet

import (
	"fmt"
	"strings"
)

// ink is the colour of the page's text, light or dark.
const ink = "currentColor"

// Lines differ by colour, by dashes and by marks, so that they can be distinguished
// in print and by whoever sees fewer colours. The colours are those of Okabe and
// Ito ("Color universal design", 2008) without the yellow, which is hardly
// visible on white. From the ninth line on colours come again with other dashes:
// 64 lines are different.
const styles = 8

func lineColor(i int) string {
	return [styles]string{
		"#0072b2", // blue
		"#d55e00", // vermilion
		"#009e73", // bluish green
		"#cc79a7", // reddish purple
		"#e69f00", // orange
		"#56b4e9", // sky blue
		ink,
		"#888888", // grey
	}[i%styles]
}

// stroke is the attributes of a line in style i.
func stroke(i int) string {
	dashes := [styles]string{"", "6 3", "2 2", "8 3 2 3", "12 4", "4 2 1 2 1 2", "1 3", "10 2 4 2"}[(i+i/styles)%styles]
	if dashes != "" {
		dashes = ` stroke-dasharray="` + dashes + `"`
	}
	return fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.75"%s`, lineColor(i), dashes)
}

const radius = 3.5 // of a mark

// marks is a path of the marks of style i, each at one of the points.
func marks(i int, points []Point) string {
	var b strings.Builder
	b.WriteString(`<path d="`)
	const r = radius
	filled := false
	for _, p := range points {
		switch i % styles {
		case 0, 4: // a disc, a ring
			filled = i%styles == 0
			fmt.Fprintf(&b, "M%.2f %.2fa%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0z", p.X-r, p.Y, r, r, 2*r, r, r, -2*r)
		case 1, 5: // a box, a square
			filled = i%styles == 1
			fmt.Fprintf(&b, "M%.2f %.2fh%gv%gh%gz", p.X-r, p.Y-r, 2*r, 2*r, -2*r)
		case 2, 6: // a pyramid, a triangle
			filled = i%styles == 2
			fmt.Fprintf(&b, "M%.2f %.2fl%g %gh%gz", p.X, p.Y-r, r, 2*r, -2*r)
		case 3: // a cross
			fmt.Fprintf(&b, "M%.2f %.2fl%g %gm0 %gl%g %g", p.X-r, p.Y-r, 2*r, 2*r, -2*r, -2*r, 2*r)
		default: // a plus
			fmt.Fprintf(&b, "M%.2f %.2fh%gm%g %gv%g", p.X-r, p.Y, 2*r, -r, -r, 2*r)
		}
	}
	fill := "none"
	if filled {
		fill = lineColor(i)
	}
	fmt.Fprintf(&b, `" fill="%s" stroke="%s"/>`+"\n", fill, lineColor(i))
	return b.String()
}
