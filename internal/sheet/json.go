package sheet

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// JSON writes the sheet as indented JSON. The keys are those of Sheet, Section,
// Table, Column, Plot and Line; a row of a table is an array with one value for
// each column, numbers as numbers, and a point of a line is [x, y].
func (s *Sheet) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		return fmt.Errorf("sheet: %w", err)
	}
	return nil
}

// MarshalJSON makes cells that JSON can hold.
func (t *Table) MarshalJSON() ([]byte, error) {
	rows := make([][]any, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = make([]any, len(t.Columns))
		for j := range min(len(row), len(t.Columns)) {
			rows[i][j] = jsonCell(row[j])
		}
	}
	return json.Marshal(struct {
		Columns []Column `json:"columns"`
		Rows    [][]any  `json:"rows"`
	}{t.Columns, rows})
}

func jsonCell(c Cell) any {
	switch v := c.(type) {
	case float64:
		return jsonNumber(v)
	case nil, string, bool, int, int64:
		return v
	}
	return fmt.Sprint(c)
}

func jsonNumber(x float64) any {
	if !finite(x) {
		return nil
	}
	return x
}

// MarshalJSON makes a pair.
func (p Point) MarshalJSON() ([]byte, error) {
	return json.Marshal([2]any{jsonNumber(p.X), jsonNumber(p.Y)})
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
