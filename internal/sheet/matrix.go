package sheet

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"strings"
)

// Matrix is a square of counts, drawn as a picture: the more, the darker, by powers of ten or
// less. The text form has no pictures. Rows are drawn from the top, columns from the left.
type Matrix struct {
	Title string
	X     string // what the columns are
	Y     string // what the rows are
	Cells [][]int64
}

// matrixShades is how many shades of ink a picture has.
const matrixShades = 5

// MarshalJSON writes the counts that are not 0, as row, column and count.
func (m *Matrix) MarshalJSON() ([]byte, error) {
	cells := [][3]int64{}
	for y, row := range m.Cells {
		for x, n := range row {
			if n != 0 {
				cells = append(cells, [3]int64{int64(y), int64(x), n})
			}
		}
	}
	return json.Marshal(struct {
		Title string     `json:"title"`
		X     string     `json:"x"`
		Y     string     `json:"y"`
		Size  int        `json:"size"`
		Cells [][3]int64 `json:"cells"`
	}{m.Title, m.X, m.Y, len(m.Cells), cells})
}

// shades returns the least count of each shade, ascending: steps of equal ratio up to the most.
func (m *Matrix) shades() []int64 {
	most := int64(0)
	for _, row := range m.Cells {
		for _, n := range row {
			most = max(most, n)
		}
	}
	if most == 0 {
		return nil
	}
	least := []int64{1}
	for i := 1; i < matrixShades; i++ {
		at := int64(math.Ceil(math.Pow(float64(most), float64(i)/matrixShades) - 1e-9))
		if at > least[len(least)-1] {
			least = append(least, at)
		}
	}
	return least
}

// svg draws the matrix, a path for each shade in which equal cells of a row are one.
func (m *Matrix) svg() string {
	least := m.shades()
	paths := make([]strings.Builder, len(least))
	shade := func(n int64) int {
		i := -1
		for i+1 < len(least) && n >= least[i+1] {
			i++
		}
		return i
	}
	for y, row := range m.Cells {
		for x := 0; x < len(row); {
			s, end := shade(row[x]), x+1
			for end < len(row) && shade(row[end]) == s {
				end++
			}
			if s >= 0 {
				fmt.Fprintf(&paths[s], "M%d %dh%dv1h-%dz", x, y, end-x, end-x)
			}
			x = end
		}
	}
	size := max(len(m.Cells), 1)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="600" height="600" shape-rendering="crispEdges" role="img" aria-label="%s">`+"\n",
		size, size, html.EscapeString(printable(fmt.Sprintf("%s: %s against %s", m.Title, m.Y, m.X))))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" style="fill:none;stroke:#DDDDDD;stroke-width:%.3g"/>`+"\n", size, size, float64(size)/300)
	for i := range paths {
		fmt.Fprintf(&b, `<path style="fill:#222222;fill-opacity:%.2f" d="%s"/>`+"\n", float64(i+1)/float64(len(least)), paths[i].String())
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// legend says what the shades mean.
func (m *Matrix) legend() string {
	least := m.shades()
	if least == nil {
		return "All counts are 0."
	}
	var from []string
	for _, n := range least {
		from = append(from, Group(n))
	}
	return fmt.Sprintf("Rows, from the top: %s. Columns, from the left: %s. Shades from light to dark begin at %s; white is 0.", m.Y, m.X, strings.Join(from, ", "))
}

// matrix writes a picture with its legend below.
func (p *page) matrix(m *Matrix) {
	p.raw(`<figure class="matrix">` + "\n")
	p.element("figcaption", "", m.Title)
	p.raw(m.svg())
	p.element("p", "note", m.legend())
	p.raw("</figure>\n")
}
