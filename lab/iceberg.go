package lab

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"crawler/dedup"
	"crawler/internal/sheet"
	"crawler/parse"
)

// Limits and defaults of an IcebergConfig.
const (
	DefaultOver     = 100
	DefaultAskBytes = 4.0
	icebergShown    = 20
)

// IcebergConfig configures Iceberg. Zero values mean the defaults.
type IcebergConfig struct {
	Path  string    // a text or HTML file, or a directory of them, or a file of lines; "-" is In
	In    io.Reader // such as standard input
	Lines bool      // count lines, not words
	Over  int       // the threshold; default 100
	Bytes float64   // of memory for each different key; default 4
	Ask   []string  // keys whose counts are wanted
	Seed  uint64
}

// Iceberg asks which keys occur more often than a threshold, and how often given ones do, of
// the three methods of a spectral Bloom filter beside exact counts.
func Iceberg(ctx context.Context, c IcebergConfig) (*sheet.Sheet, error) {
	c.Over, c.Bytes = cmp.Or(c.Over, DefaultOver), cmp.Or(c.Bytes, DefaultAskBytes)
	switch {
	case c.Over < 1:
		return nil, fmt.Errorf("lab: IcebergConfig.Over is %d, want 1 or more, or 0 for %d", c.Over, DefaultOver)
	case !(c.Bytes >= 0.5 && c.Bytes <= 256):
		return nil, fmt.Errorf("lab: IcebergConfig.Bytes is %v, want 0.5 to 256, or 0 for %v", c.Bytes, DefaultAskBytes)
	}
	m := &multiset{counts: map[uint64]uint64{}, names: map[uint64]string{}}
	if err := m.read(ctx, &c); err != nil {
		return nil, err
	}
	what := "words"
	if c.Lines {
		what = "lines"
	}
	out := &sheet.Sheet{
		Title: "Iceberg queries to " + c.Path,
		Intro: []string{
			"What it teaches: \"which keys occur more than T times?\" is answered without a table of keys, and minimum selection never misses one: its counts are never below the truth. " +
				"Recurring minimum may miss some, as its counts may be below.",
			fmt.Sprintf("%s %s, %s different ones. The filter knows no names: each key is asked about when it comes again, on a second pass. Missed: over the threshold and not answered so; "+
				"added: answered so and not over it.", group(int(m.total)), what, group(len(m.counts))),
		},
		Config: []sheet.Setting{{Name: "path", Value: c.Path}, {Name: "over", Value: c.Over}, {Name: "bytes a key", Value: c.Bytes}, {Name: "seed", Value: c.Seed}},
	}
	filters, err := m.filters(c.Bytes, c.Seed)
	if err != nil {
		return nil, err
	}
	thresholds := m.thresholds(filters, c.Over)
	memory, err := m.memories(ctx, c.Over, c.Seed)
	if err != nil {
		return nil, err
	}
	out.Sections = append(out.Sections, m.found(filters[dedup.MinimumSelection], c.Over), thresholds, memory)
	if len(c.Ask) > 0 {
		out.Sections = append(out.Sections, m.aggregate(filters, &c))
	}
	return out, nil
}

// multiset is keys with their exact counts.
type multiset struct {
	counts map[uint64]uint64
	names  map[uint64]string
	total  uint64
}

func (m *multiset) add(key uint64) error {
	m.counts[key]++
	m.total++
	if len(m.counts) > MaxKeys {
		return fmt.Errorf("more than %d different keys: take a part of them", MaxKeys)
	}
	return nil
}

func (m *multiset) read(ctx context.Context, c *IcebergConfig) (err error) {
	if c.Lines {
		err = eachLine(ctx, c.Path, c.In, func(_ int64, line []byte) error {
			key := fingerprint(string(line))
			if _, known := m.names[key]; !known {
				m.names[key] = string(line)
			}
			return m.add(key)
		})
	} else {
		files := documents{in: c.In, options: parse.Options{OnWord: func(word []byte) {
			key := parse.HashWord(word)
			if _, known := m.names[key]; !known {
				m.names[key] = string(word)
			}
		}}}
		err = files.each(ctx, c.Path, func(_ string, page *parse.Page) error {
			for _, word := range page.Words {
				if err := m.add(word); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err == nil && m.total == 0 {
		err = fmt.Errorf("%s has nothing to count", c.Path)
	}
	return err
}

// keys are all keys, in an order that is the same in every run.
func (m *multiset) keys() []uint64 {
	keys := make([]uint64, 0, len(m.counts))
	for key := range m.counts {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// methods are those of a spectral filter, by their number.
const methods = 3

// filters fills one of each method. The occurrences of a key are not added together: they come
// in turns, of 1, 1, 2, 4... of each key, as others come between them in a stream.
func (m *multiset) filters(bytes float64, seed uint64) (out [methods]*dedup.Spectral, err error) {
	keys := m.keys()
	size := int64(math.Ceil(bytes * float64(len(keys))))
	for method := range out {
		out[method], err = dedup.NewSpectral(dedup.SpectralConfig{Bytes: size, Method: dedup.SpectralMethod(method), Seed: seed})
		if err != nil {
			return out, err
		}
	}
	for done := uint64(0); len(keys) > 0; done = max(1, 2*done) {
		left := keys[:0]
		for _, key := range keys {
			n := min(max(1, done), m.counts[key]-done)
			for _, f := range out {
				f.AddN(key, n)
			}
			if m.counts[key] > done+n {
				left = append(left, key)
			}
		}
		keys = left
	}
	return out, nil
}

// verdicts are what a filter answers to "more than T?".
type verdicts struct{ over, answered, missed, added int }

func (m *multiset) ask(f *dedup.Spectral, threshold int) (v verdicts) {
	t := uint64(threshold)
	for key, truth := range m.counts {
		says := f.Count(key) > t
		switch {
		case says && truth > t:
			v.over++
			v.answered++
		case says:
			v.answered++
			v.added++
		case truth > t:
			v.over++
			v.missed++
		}
	}
	return v
}

var verdictColumns = []sheet.Column{{Name: "method"}, {Name: "over it", Key: "over"}, {Name: "answered so", Key: "answered"}, {Name: "missed"}, {Name: "added"}}

func (v *verdicts) row(method int) []sheet.Cell {
	return []sheet.Cell{dedup.SpectralMethod(method).String(), v.over, v.answered, v.missed, v.added}
}

// thresholds shows that one filter answers for any threshold.
func (m *multiset) thresholds(filters [methods]*dedup.Spectral, over int) sheet.Section {
	t := &sheet.Table{Columns: append([]sheet.Column{{Name: "threshold"}}, verdictColumns...)}
	for _, threshold := range []int{max(1, over/100), max(1, over/10), over, 10 * over} {
		if n := len(t.Rows); n > 0 && t.Rows[n-1][0] == threshold {
			continue
		}
		for method, f := range filters {
			v := m.ask(f, threshold)
			t.Rows = append(t.Rows, append([]sheet.Cell{threshold}, v.row(method)...))
		}
	}
	return sheet.Section{ID: "thresholds", Title: "The threshold is chosen when one asks", Table: t, Notes: []string{
		"The same filters answer for every threshold; nothing about it is known when they are filled."}}
}

// memories shows what memory buys at the asked threshold.
func (m *multiset) memories(ctx context.Context, over int, seed uint64) (sheet.Section, error) {
	t := &sheet.Table{Columns: append(append([]sheet.Column{{Name: "bytes a key", Format: "%.3g"}}, verdictColumns...),
		sheet.Column{Name: "counts wrong", Unit: "%", Format: "%.3f"}, sheet.Column{Name: "too low", Unit: "%", Format: "%.3f"},
		sheet.Column{Name: "expected wrong", Unit: "%", Format: "%.3f"})}
	for _, bytes := range []float64{1, 2, 4, 8, 16} {
		if ctx.Err() != nil {
			return sheet.Section{}, ctx.Err()
		}
		filters, err := m.filters(bytes, seed)
		if err != nil {
			return sheet.Section{}, err
		}
		for method, f := range filters {
			v := m.ask(f, over)
			wrong, low := 0, 0
			for key, truth := range m.counts {
				if count := f.Count(key); count != truth {
					wrong++
					if count < truth {
						low++
					}
				}
			}
			n := float64(len(m.counts)) / 100
			t.Rows = append(t.Rows, append(append([]sheet.Cell{bytes}, v.row(method)...), float64(wrong)/n, float64(low)/n, 100*f.ExpectedErrorRate()))
		}
	}
	return sheet.Section{ID: "memory", Title: fmt.Sprintf("More than %s times, by memory", group(over)), Table: t, Notes: []string{
		"Counts are those of all keys, over the threshold or not. What is expected holds for minimum selection; minimal increase is wrong at most so often."}}, nil
}

// found lists the most frequent keys that minimum selection answers.
func (m *multiset) found(f *dedup.Spectral, over int) sheet.Section {
	type heavy struct {
		key   uint64
		count uint64
	}
	var list []heavy
	for key := range m.counts {
		if count := f.Count(key); count > uint64(over) {
			list = append(list, heavy{key, count})
		}
	}
	slices.SortFunc(list, func(a, b heavy) int { return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.key, b.key)) })
	t := &sheet.Table{Columns: []sheet.Column{{Name: "key"}, {Name: "estimate"}, {Name: "exact"}}}
	for _, h := range list[:min(len(list), icebergShown)] {
		t.Rows = append(t.Rows, []sheet.Cell{m.names[h.key], int64(h.count), int64(m.counts[h.key])})
	}
	v := m.ask(f, over)
	notes := []string{fmt.Sprintf("By minimum selection, %s bytes: %s keys are answered, %s are over %s; missed: %s, added: %s.",
		sheet.Group(f.Bytes()), group(v.answered), group(v.over), group(over), group(v.missed), group(v.added))}
	if len(list) > len(t.Rows) {
		notes = append(notes, fmt.Sprintf("Shown are the %d most frequent.", len(t.Rows)))
	}
	return sheet.Section{ID: "found", Title: fmt.Sprintf("Keys that occur more than %s times", group(over)), Notes: notes, Table: t}
}

// aggregate answers SELECT count(*) WHERE key = x.
func (m *multiset) aggregate(filters [methods]*dedup.Spectral, c *IcebergConfig) sheet.Section {
	t := &sheet.Table{Columns: []sheet.Column{{Name: "key"}, {Name: "exact"}}}
	for method := range methods {
		t.Columns = append(t.Columns, sheet.Column{Name: dedup.SpectralMethod(method).String()})
	}
	for _, name := range c.Ask {
		key := parse.HashWord([]byte(name))
		if c.Lines {
			key = fingerprint(name)
		}
		row := []sheet.Cell{name, int64(m.counts[key])}
		for _, f := range filters {
			row = append(row, int64(f.Count(key)))
		}
		t.Rows = append(t.Rows, row)
	}
	return sheet.Section{ID: "counts", Title: "How often a key occurs", Table: t, Notes: []string{
		"An aggregate query: count where the key is this one. 0 by minimum selection or minimal increase is certain."}}
}
