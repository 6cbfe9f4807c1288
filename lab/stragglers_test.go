package lab

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"crawler/internal/sheet"
)

// The security desk, by hand: Ada and Bob leave, Cy stays, Di comes in twice and leaves once,
// Ed leaves without having come in, Flo comes in twice.
func TestStragglersByHand(t *testing.T) {
	s, err := Stragglers(t.Context(), StragglersConfig{Path: "-", Cells: 40, In: strings.NewReader(
		"in Ada\nin Bob\r\n+ Cy\nin\tDi Dee\nout Ada\nin Di Dee\n\nOUT Di Dee\n- Bob\nout Ed\nin Flo\nin Flo")})
	if err != nil {
		t.Fatal(err)
	}
	left := section(t, s, "left")
	got := map[sheet.Cell]sheet.Cell{}
	for _, row := range left.Table.Rows {
		got[row[0]] = row[1]
	}
	if want := (map[sheet.Cell]sheet.Cell{"Cy": int64(1), "Di Dee": int64(1), "Ed": int64(-1), "Flo": int64(2)}); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if want := "7 came and 4 went, at most 4 were inside at once. Left at the end: 4. The table of 40 cells (1,280 bytes) lists 4 of them, 0 wrongly."; left.Notes[0] != want {
		t.Errorf("%s\nwant %s", left.Notes[0], want)
	}
}

// Too many for the table: it says so, and lists none wrongly.
func TestStragglersTooMany(t *testing.T) {
	var log strings.Builder
	for _, name := range strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z") {
		log.WriteString("in " + name + "\n")
	}
	s, err := Stragglers(t.Context(), StragglersConfig{Path: "-", Cells: 8, In: strings.NewReader(log.String())})
	if err != nil {
		t.Fatal(err)
	}
	notes := section(t, s, "left").Notes
	if !strings.Contains(notes[0], "Left at the end: 26.") || !strings.Contains(notes[0], " 0 wrongly.") || !strings.Contains(notes[1], "too many are left") {
		t.Error(notes)
	}
}

func TestStragglersGenerated(t *testing.T) {
	c := StragglersConfig{Seed: 3}
	s, err := Stragglers(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if n := section(t, s, "left").Notes[0]; !strings.Contains(n, "Left at the end: 20.") || !strings.Contains(n, "lists 20 of them, 0 wrongly.") {
		t.Error(n)
	}
	for _, row := range section(t, s, "capacity").Table.Rows {
		cells, a := row[0].(int), row[4].(float64)
		if limit := row[5].(float64); a > limit+0.03 || cells >= 600 && a < limit-0.25 {
			t.Errorf("%v", row)
		}
	}
	rows := section(t, s, "loads").Table.Rows
	if first, last := rows[0][3].(float64), rows[len(rows)-1][3].(float64); first < 0.98 || last > 0.02 {
		t.Errorf("1,000 cells list all in %v of the runs at first, in %v at last", first, last)
	}
	again, err := Stragglers(t.Context(), c)
	if err != nil || !reflect.DeepEqual(s, again) {
		t.Errorf("the same seed gives other figures: %v", err)
	}
}

func TestStragglersRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"": "nobody comes or goes", "in Ada\nAda": "line 2: want \"in ID\"", "in ": "line 1: want", "enter Ada": "line 1: want",
		"in \x00": "no text", "\x1f\x8b": "compressed", "in " + strings.Repeat("a", maxCorpusLine): "line 1 has more than",
	} {
		if _, err := Stragglers(t.Context(), StragglersConfig{Path: "-", In: strings.NewReader(text)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if _, err := Stragglers(t.Context(), StragglersConfig{Path: "no/such/file"}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
	if _, err := Stragglers(t.Context(), StragglersConfig{Cells: -1}); err == nil {
		t.Error("-1 cells are taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Stragglers(ctx, StragglersConfig{}); err == nil {
		t.Error("it does not end with its context")
	}
}
