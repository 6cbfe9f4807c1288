// Package sheet writes the results of an experiment three ways: as text for a
// terminal, as JSON for programs, and as one HTML page with plots for people.
//
// A Sheet has paragraphs, tables and plots, and knows nothing of what they are
// about. Whoever measured something fills one in and the reader chooses the
// form. All three carry the same figures.
//
// # Limits
//
// A sheet lives in memory, twice while it is written, and is as large as its
// maker makes it. Names are cut where they would spoil the picture: cells of
// text tables at 200 runes, labels of axes at 80; JSON has them in full. Text
// and HTML show U+FFFD in place of control characters, so that a URL found on
// the web cannot move the cursor of a terminal.
//
// JSON has no NaN and no infinity: they are null there, like figures that are
// missing. Text and HTML distinguish them.
package sheet

// Sheet is the result of one experiment. Its JSON form has exactly these keys;
// optional ones are left out when they are empty.
type Sheet struct {
	Title    string    `json:"title"`
	Intro    []string  `json:"intro,omitempty"` // paragraphs
	Config   []Setting `json:"-"`               // what the experiment had to do; "config" in JSON
	Sections []Section `json:"sections"`
}

// Setting is one thing an experiment was asked. In JSON the settings are one
// object, with keys made of the names as those of columns are.
type Setting struct {
	Name  string
	Value any // as a Cell
}

// Section is one part of a sheet: notes, then the table, then the plots.
type Section struct {
	// ID is the section's name for programs, and its anchor in HTML: snake_case,
	// the same in every run. If empty it is made of the title, without the words
	// that hold digits. A second section of the same ID gets _2 behind it.
	ID string `json:"id"`

	Title string   `json:"title"`
	Notes []string `json:"notes,omitempty"` // paragraphs
	Table *Table   `json:"table,omitempty"`
	Plots []Plot   `json:"plots,omitempty"`

	Matrix *Matrix `json:"matrix,omitempty"` // stands behind the plots
}

// Table is rows of figures. A row that is shorter than the head is filled up
// with missing figures; what exceeds the head is not shown.
//
// In JSON a row is an object with the columns' keys.
type Table struct {
	Columns []Column `json:"columns"`
	Rows    [][]Cell `json:"rows"`
}

// Column is the head of a table's column.
type Column struct {
	// Key is the column's name for programs: snake_case, the same in every run. If
	// empty it is made of Name. A second column of the same key gets _2 behind it.
	Key string `json:"key"`

	Name string `json:"name"`
	Unit string `json:"unit,omitempty"` // "ns", "bits a URL"

	// Format is the fmt verb for the column's float64 values, "%.2f"; empty for
	// three to four significant digits. JSON has all digits.
	Format string `json:"-"`
}

// Cell is one figure: a string, a bool, an int, an int64, a float64, a uint64
// that is a name (a seed: it gets no commas), or nil for one that is missing
// ("-" in text, null in JSON). Of any other type is shown what fmt.Sprint makes
// of it.
type Cell any

// Plot is lines over two axes. Its data should be in the table too: the text
// form has no plots. One with fewer than two different values of x is not drawn;
// a note stands in its place.
type Plot struct {
	Title string `json:"title"`
	X     string `json:"x"` // what the axis shows, with its unit
	Y     string `json:"y"`

	// LogX and LogY make an axis logarithmic. Points that are not positive have
	// no place there: they are left out, and a note under the plot says of which
	// lines.
	LogX bool `json:"log_x,omitempty"`
	LogY bool `json:"log_y,omitempty"`

	// XMin and XMax, unless both are 0, are what the horizontal axis spans at least, so
	// that plots beside each other can have the same. YMax, unless it is 0, is
	// where the vertical axis ends if no point is above it: 1 for a share.
	XMin float64 `json:"-"`
	XMax float64 `json:"-"`
	YMax float64 `json:"-"`

	Lines []Line `json:"lines"`
}

// Line is one series of a plot, its points joined in the order given.
type Line struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`

	// Style is the line's looks, 1 to 64, for lines that are in several plots; 0 for
	// those of its place among the lines. Styles that differ by 8 share a colour.
	Style int `json:"-"`
}

// style returns the number of the looks of a line at place i.
func (l *Line) style(i int) int {
	if l.Style > 0 {
		return l.Style - 1
	}
	return i
}

// Point is [x, y] in JSON.
type Point struct{ X, Y float64 }
