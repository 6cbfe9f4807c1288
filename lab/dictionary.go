package lab

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"crawler/dedup"
	"crawler/internal/sheet"
	"crawler/parse"
)

// Limits and defaults of a DictionaryConfig.
const (
	DefaultExceptions = 0.1 // of the words, as in Bloom's example
	dictionaryWords   = 50_000
	dictionaryText    = 500_000
)

// DictionaryConfig configures Dictionary. Zero values mean the defaults.
type DictionaryConfig struct {
	Path       string    // a text or HTML file, or a directory; "-" is In, "" makes up a text
	In         io.Reader // such as standard input
	Exceptions string    // a file with a word a line; "" chooses Share of the words by their hash
	Share      float64   // default 0.1
	Seed       uint64
}

// Dictionary is Bloom's own use of his filter (1970): words that a rule cannot hyphenate are in
// a dictionary on disk, and a filter of these words in memory says for which others the disk
// need not be asked.
func Dictionary(ctx context.Context, c DictionaryConfig) (*sheet.Sheet, error) {
	c.Share = cmp.Or(c.Share, DefaultExceptions)
	if !(c.Share > 0 && c.Share < 1) {
		return nil, fmt.Errorf("lab: DictionaryConfig.Share is %v, want above 0 and below 1, or 0 for %v", c.Share, DefaultExceptions)
	}
	d := &lookups{counts: map[uint64]uint64{}, exceptions: map[uint64]bool{}}
	source, err := cmp.Or(c.Path, fmt.Sprintf("generated, seed %d", c.Seed)), error(nil)
	if c.Path == "" {
		d.generate(c.Seed)
	} else if err = d.read(ctx, &c); err != nil {
		return nil, err
	}
	list := c.Exceptions
	if list == "" {
		list = fmt.Sprintf("%g %% of the words, chosen by their hash", 100*c.Share)
		for word := range d.counts {
			if float64(seeded(word, c.Seed))/math.MaxUint64 < c.Share {
				d.exceptions[word] = true
			}
		}
	} else if err := d.list(ctx, &c); err != nil {
		return nil, err
	}
	if len(d.exceptions) == 0 {
		return nil, fmt.Errorf("%s: no word is an exception", list)
	}
	return &sheet.Sheet{
		Title: "Words that need the dictionary",
		Intro: []string{
			"What it teaches: where few keys need the slow way, a filter of these few, in fast memory, saves nearly every access for the others; its errors cost an access, never a mistake.",
			fmt.Sprintf("Bloom's example of 1970: most words are hyphenated by a rule, the others stand in a dictionary on disk. The text has %s words, %s different ones. "+
				"Exceptions: %s; the list has %s, and %s words of the text are on it: these accesses are needed.",
				group(d.words), group(len(d.counts)), list, group(len(d.exceptions)), group(d.needed())),
		},
		Config:   []sheet.Setting{{Name: "text", Value: source}, {Name: "exceptions", Value: list}, {Name: "seed", Value: c.Seed}},
		Sections: []sheet.Section{d.section(&c)},
	}, ctx.Err()
}

// lookups is a text and the words that need the dictionary.
type lookups struct {
	words      int
	counts     map[uint64]uint64
	exceptions map[uint64]bool
}

func (d *lookups) generate(seed uint64) {
	often := rand.NewZipf(rand.New(rand.NewPCG(seed, 11)), 1.1, 10, dictionaryWords-1)
	for range dictionaryText {
		d.words++
		d.counts[often.Uint64()]++
	}
}

func (d *lookups) read(ctx context.Context, c *DictionaryConfig) error {
	files := documents{in: c.In}
	err := files.each(ctx, c.Path, func(_ string, page *parse.Page) error {
		d.words += len(page.Words)
		for _, word := range page.Words {
			d.counts[word]++
		}
		if len(d.counts) > MaxDistinctWords {
			return fmt.Errorf("more than %d different words: take a part of the text", MaxDistinctWords)
		}
		return nil
	})
	if err == nil && d.words == 0 {
		err = fmt.Errorf("%s has no words", c.Path)
	}
	return err
}

// list reads the exceptions; a word counts as the crawler counts it, in lower case.
func (d *lookups) list(ctx context.Context, c *DictionaryConfig) error {
	if c.Exceptions == "-" {
		return fmt.Errorf("the exceptions must be a file: the text alone may be standard input")
	}
	return eachLine(ctx, c.Exceptions, nil, func(_ int64, line []byte) error {
		d.exceptions[parse.HashWord(bytes.ToLower(line))] = true
		if len(d.exceptions) > MaxDistinctWords {
			return fmt.Errorf("%s: more than %d words", c.Exceptions, MaxDistinctWords)
		}
		return nil
	})
}

// needed is how many words of the text are exceptions.
func (d *lookups) needed() (n int) {
	for word, count := range d.counts {
		if d.exceptions[word] {
			n += int(count)
		}
	}
	return n
}

// accesses counts how often the disk is asked if only words are asked for that the filter may
// have, and how often in vain.
func (d *lookups) accesses(may func(word uint64) bool) (all, vain, words int) {
	for word, count := range d.counts {
		if may(word) {
			all += int(count)
			if !d.exceptions[word] {
				vain += int(count)
				words++
			}
		}
	}
	return all, vain, words
}

func (d *lookups) section(c *DictionaryConfig) sheet.Section {
	t := &sheet.Table{Columns: []sheet.Column{{Name: "bits an exception", Format: "%.3g"}, {Name: "hash functions"}, {Name: "bytes"}, {Name: "accesses"},
		{Name: "in vain"}, {Name: "saved", Unit: "% of all", Format: "%.2f"}, {Name: "of what can be saved", Key: "saved_of_savable", Unit: "%", Format: "%.3f"},
		{Name: "words wrongly suspected", Unit: "%", Format: "%.4f"}, {Name: "expected", Unit: "%", Format: "%.4f"}},
		Rows: [][]sheet.Cell{{0.0, 0, 0, d.words, d.words - d.needed(), 0.0, 0.0, 100.0, 100.0}}}
	line := sheet.Line{Name: "saved"}
	exceptions := make([]uint64, 0, len(d.exceptions))
	absent := 0
	for word := range d.exceptions {
		exceptions = append(exceptions, word)
	}
	for word := range d.counts {
		if !d.exceptions[word] {
			absent++
		}
	}
	slices.Sort(exceptions)
	savable := float64(max(d.words-d.needed(), 1))
	for _, bits := range []float64{1, 2, 4, 6, 8, 10, 12, 16} {
		f := dedup.NewClassic(int64(bits*float64(len(exceptions))+0.5), dedup.BestK(bits), c.Seed)
		for _, word := range exceptions {
			f.Add(word)
		}
		all, vain, words := d.accesses(f.Has)
		saved := 100 * float64(d.words-all) / float64(d.words)
		t.Rows = append(t.Rows, []sheet.Cell{bits, f.K(), (f.Bits() + 7) / 8, all, vain, saved, 100 * float64(d.words-all) / savable,
			100 * float64(words) / float64(max(absent, 1)), 100 * f.ExpectedRate()})
		line.Points = append(line.Points, sheet.Point{X: bits, Y: saved})
	}
	return sheet.Section{ID: "accesses", Title: "Accesses saved", Table: t,
		Plots: []sheet.Plot{{Title: "Accesses saved", X: "bits of the filter for each exception", Y: "% of the accesses saved", YMax: 100, Lines: []sheet.Line{line}}},
		Notes: []string{fmt.Sprintf("Without a filter every word of the text costs an access. At most %.2f %% can be saved: the others are needed. A word that is wrongly suspected costs "+
			"an access each time it occurs, so one frequent word can move the accesses in vain far from what is expected of the different words.",
			100*savable/float64(d.words))}}
}
