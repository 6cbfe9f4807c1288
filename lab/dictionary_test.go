package lab

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"crawler/dedup"
)

// The example of the lecture as a dictionary, by hand: exceptions TTA, TCT and ATA fill positions
// 1 2 4 9 10 11. Of the text ACG ATA CGA TTA AAA AAA TTT CGC the disk is asked for ATA, TTA and
// twice for AAA, which is not there: 4 accesses instead of 8, 2 of them in vain for 1 word.
func TestDictionaryByHand(t *testing.T) {
	positions := map[string][]uint64{
		"ACG": {3, 6, 4}, "ATA": {2, 11, 10}, "CGA": {11, 9, 6}, "TTA": {1, 10, 9},
		"TTT": {6, 2, 1}, "CGC": {9, 3, 3}, "AAA": {4, 1, 2}, "TCT": {10, 4, 11},
	}
	names := map[uint64]string{}
	d := &lookups{counts: map[uint64]uint64{}, exceptions: map[uint64]bool{}}
	for _, word := range strings.Fields("ACG ATA CGA TTA AAA AAA TTT CGC") {
		names[fingerprint(word)] = word
		d.words++
		d.counts[fingerprint(word)]++
	}
	filter := dedup.NewClassic(12, 3, 0)
	for _, word := range []string{"TTA", "TCT", "ATA"} {
		d.exceptions[fingerprint(word)] = true
		filter.AddPositions(positions[word]...)
	}
	all, vain, words := d.accesses(func(word uint64) bool { return filter.HasPositions(positions[names[word]]...) })
	if all != 4 || vain != 2 || words != 1 || d.needed() != 2 {
		t.Errorf("%d accesses, %d in vain for %d words, %d needed", all, vain, words, d.needed())
	}
}

func TestDictionary(t *testing.T) {
	c := DictionaryConfig{Seed: 1}
	s, err := Dictionary(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range section(t, s, "accesses").Table.Rows {
		needed := dictionaryText - int(0.9*dictionaryText) // about
		if all, vain := row[3].(int), row[4].(int); all-vain < needed/2 || all-vain > 2*needed {
			t.Errorf("%v: %d accesses were needed", row[0], all-vain)
		}
		if wrong, expected := row[7].(float64), row[8].(float64); i > 0 && (wrong > 1.3*expected+0.05 || wrong < 0.7*expected-0.05) {
			t.Errorf("%v bits: %v %% of the words are suspected, want %v", row[0], wrong, expected)
		}
	}
	again, err := Dictionary(t.Context(), c)
	if err != nil || !reflect.DeepEqual(s, again) {
		t.Errorf("the same seed gives other figures: %v", err)
	}
}

// A text and a list of one's own.
func TestDictionaryOfFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "text.txt", "The cat present, the CAT record: cat.")
	write(t, dir, "list", "Present\nrecord\nunionized\n")
	c := DictionaryConfig{Path: filepath.Join(dir, "text.txt"), Exceptions: filepath.Join(dir, "list")}
	s, err := Dictionary(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.Intro[1], "7 words, 4 different ones") || !strings.Contains(s.Intro[1], "the list has 3, and 2 words of the text") {
		t.Error(s.Intro[1])
	}
	rows := section(t, s, "accesses").Table.Rows
	if last := rows[len(rows)-1]; rows[0][3] != 7 || last[3] != 2 || last[4] != 0 {
		t.Errorf("%v", rows)
	}
	if err := os.WriteFile(c.Exceptions, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "empty.txt", "...")
	for _, c := range []struct {
		of   DictionaryConfig
		want string
	}{
		{c, "no word is an exception"},
		{DictionaryConfig{Path: filepath.Join(dir, "empty.txt")}, "has no words"},
		{DictionaryConfig{Path: filepath.Join(dir, "missing")}, "no such file"},
		{DictionaryConfig{Exceptions: filepath.Join(dir, "missing")}, "no such file"},
		{DictionaryConfig{Exceptions: "-"}, "must be a file"},
		{DictionaryConfig{Share: 1}, "Share is 1"},
	} {
		if _, err := Dictionary(t.Context(), c.of); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.of, err)
		}
	}
}
