package sheet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// JSON writes the sheet as indented JSON. The keys are those of Sheet, Section,
// Table, Column, Plot and Line; "config" is an object with a key for each setting,
// a row of a table one with a key for each column, numbers as numbers, and a
// point of a line is [x, y].
func (s *Sheet) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(s)
}

// MarshalJSON gives the sections their IDs.
func (s *Sheet) MarshalJSON() ([]byte, error) {
	form := struct {
		Title    string          `json:"title"`
		Intro    []string        `json:"intro,omitempty"`
		Config   json.RawMessage `json:"config,omitempty"`
		Sections []Section       `json:"sections"`
	}{Title: s.Title, Intro: s.Intro, Sections: make([]Section, len(s.Sections))}
	for i, id := range s.ids() {
		form.Sections[i] = s.Sections[i]
		form.Sections[i].ID = id
	}
	if len(s.Config) == 0 {
		return json.Marshal(form)
	}
	keys, values, names := make([]string, len(s.Config)), make([]Cell, len(s.Config)), namer{}
	for i, c := range s.Config {
		keys[i], values[i] = names.name(snake(c.Name), "setting"), c.Value
	}
	var err error
	if form.Config, err = object(keys, values); err != nil {
		return nil, err
	}
	return json.Marshal(form)
}

// MarshalJSON makes an object of each row, of cells that JSON can hold.
func (t *Table) MarshalJSON() ([]byte, error) {
	keys := t.keys()
	columns, rows := make([]Column, len(t.Columns)), make([]json.RawMessage, len(t.Rows))
	for i, c := range t.Columns {
		columns[i] = c
		columns[i].Key = keys[i]
	}
	for i, row := range t.Rows {
		var err error
		if rows[i], err = object(keys, row); err != nil {
			return nil, err
		}
	}
	return json.Marshal(struct {
		Columns []Column          `json:"columns"`
		Rows    []json.RawMessage `json:"rows"`
	}{columns, rows})
}

// object writes a JSON object in the order of its keys, which a map has not.
// Where there are fewer cells than keys the rest is null.
func object(keys []string, cells []Cell) ([]byte, error) {
	var b bytes.Buffer
	for i, key := range keys {
		var cell Cell
		if i < len(cells) {
			cell = cells[i]
		}
		value, err := json.Marshal(jsonCell(cell))
		if err != nil {
			return nil, err
		}
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		b.WriteByte(separator)
		fmt.Fprintf(&b, "%q:%s", key, value)
	}
	if len(keys) == 0 {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func jsonCell(c Cell) any {
	switch v := c.(type) {
	case float64:
		return jsonNumber(v)
	case nil, string, bool, int, int64, uint64:
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
