package lab

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"crawler/internal/sheet"
	"crawler/stats"
)

// Limits and defaults of a SampleConfig.
const (
	generatedQueries = 200_000
	generatedStaff   = 100_000

	sourceBuckets = 100 // into which keys are hashed, of which 10 are accepted at first
	acceptedFirst = 10
)

// sampleShares are the sizes of the samples.
var sampleShares = []float64{0.01, 0.1}

// SampleConfig configures Sample. Zero values mean the defaults.
type SampleConfig struct {
	Path  string    // lines, or a table (CSV, or of tabs); "-" is In, "" makes up both
	In    io.Reader // such as standard input
	Key   string    // the column with the key, by name or number from 1; "" is the whole line
	Value string    // the column with a number, if there is one
	Limit int       // of elements where buckets are given up; 0 is a third of what a tenth is
	Seed  uint64
}

// Sample compares a sample of the positions of a stream with one of its keys: what share of
// the keys occurs once, and, if there are values, how far those of a key lie apart on
// average, beside the exact figures.
func Sample(ctx context.Context, c SampleConfig) (*sheet.Sheet, error) {
	if c.Limit < 0 {
		return nil, fmt.Errorf("lab: SampleConfig.Limit is %d, want 1 or more, or 0", c.Limit)
	}
	if c.Value != "" && c.Key == "" {
		return nil, errors.New("a column of values needs one of keys: --key COLUMN")
	}
	out := &sheet.Sheet{
		Title: "Sampling by position and by key",
		Intro: []string{
			"What it teaches: a sample must be drawn by the hash of what the question is about, so that all that belongs to a key is in or nothing of it. In a sample " +
				"of positions keys that occur often look as if they occurred seldom, and no factor repairs that.",
			"Of a sample by position every element is in with the given chance; by key, every key with all its elements. Error is how far the figure is off " +
				"from the exact one; the interval holds for samples by key, and would contain the truth for 95 of 100 seeds.",
		},
		Config: []sheet.Setting{{Name: "source", Value: cmp.Or(c.Path, fmt.Sprintf("generated, seed %d", c.Seed))}, {Name: "key", Value: c.Key},
			{Name: "value", Value: c.Value}, {Name: "seed", Value: c.Seed}},
	}
	if c.Path != "" {
		s, err := readStream(ctx, &c)
		if err != nil {
			return nil, err
		}
		out.Sections = s.sections(&c)
		return out, nil
	}
	queries, staff := generateQueries(c.Seed), generateStaff(c.Seed)
	out.Sections = append(queries.sections(&c), staff.values(&c))
	return out, ctx.Err()
}

// element is one of a stream: a key, and a value or none.
type element struct {
	key   uint64
	value float64
}

// tuples is a stream with what is exactly known of it.
type tuples struct {
	noun     string // what the keys are
	elements []element
	counts   map[uint64]uint64
	valued   bool
	bad      int // elements left out, whose value is no number
}

func (s *tuples) add(key uint64, value float64) {
	s.elements = append(s.elements, element{key, value})
	s.counts[key]++
}

// maxElements is how long a stream may be, at 16 bytes an element.
const maxElements = 50_000_000

func (s *tuples) check() error {
	switch {
	case len(s.elements) > maxElements:
		return fmt.Errorf("more than %d elements: take a part of them", maxElements)
	case len(s.counts) > MaxKeys:
		return fmt.Errorf("more than %d different keys: take a part of them", MaxKeys)
	}
	return nil
}

// readStream reads lines, or the columns of a table.
func readStream(ctx context.Context, c *SampleConfig) (*tuples, error) {
	s := &tuples{noun: "keys", counts: map[uint64]uint64{}, valued: c.Value != ""}
	var err error
	if c.Key == "" {
		err = eachLine(ctx, c.Path, c.In, func(_ int64, line []byte) error {
			s.add(fingerprint(string(line)), 0)
			return s.check()
		})
	} else {
		err = s.table(ctx, c)
	}
	if err == nil && len(s.elements) == 0 {
		err = fmt.Errorf("%s has no elements (lines whose value is no number: %d)", c.Path, s.bad)
	}
	return s, err
}

// table reads a table whose first line names the columns.
func (s *tuples) table(ctx context.Context, c *SampleConfig) error {
	in, name, done, err := openText(c.Path, c.In)
	if err != nil {
		return err
	}
	defer done()
	rows := csv.NewReader(in)
	rows.ReuseRecord, rows.FieldsPerRecord, rows.LazyQuotes = true, -1, true
	head, _ := in.Peek(in.Buffered())
	if first, _, _ := bytes.Cut(head, []byte("\n")); bytes.Count(first, []byte("\t")) > bytes.Count(first, []byte(",")) {
		rows.Comma = '\t'
	}
	names, err := rows.Read()
	if err != nil {
		return fmt.Errorf("%s: its first line should name the columns: %w", name, err)
	}
	names = slices.Clone(names)
	key, err := column(names, c.Key)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	value := -1
	if c.Value != "" {
		if value, err = column(names, c.Value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for n := 0; ; n++ {
		row, err := rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		case n%4096 == 0 && ctx.Err() != nil:
			return ctx.Err()
		}
		if err := s.row(row, key, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

// row takes one line; one without a key, or with a value that is no number, is left out.
func (s *tuples) row(row []string, key, value int) error {
	if key >= len(row) || value >= len(row) {
		s.bad++
		return nil
	}
	x := 0.0
	if value >= 0 {
		var err error
		x, err = strconv.ParseFloat(strings.TrimSpace(row[value]), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			s.bad++
			return nil
		}
	}
	s.add(fingerprint(row[key]), x)
	return s.check()
}

// column finds a column by its name, or by its number from 1.
func column(names []string, want string) (int, error) {
	for i, name := range names {
		if strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")) == want {
			return i, nil
		}
	}
	if n, err := strconv.Atoi(want); err == nil && n >= 1 && n <= len(names) {
		return n - 1, nil
	}
	return 0, fmt.Errorf("there is no column %q: they are %q", want, names)
}

// generateQueries makes a stream of queries, of which many are asked once and some often.
func generateQueries(seed uint64) *tuples {
	s := &tuples{noun: "queries", counts: map[uint64]uint64{}}
	rnd := rand.New(rand.NewPCG(seed, 6))
	often := rand.NewZipf(rnd, 1.05, 20, 60_000)
	for range generatedQueries {
		s.add(often.Uint64(), 0)
	}
	return s
}

// generateStaff makes a table of departments and salaries, in random order.
func generateStaff(seed uint64) *tuples {
	s := &tuples{noun: "departments", counts: map[uint64]uint64{}, valued: true}
	rnd := rand.New(rand.NewPCG(seed, 7))
	for range generatedStaff {
		department := uint64(rnd.IntN(5000))
		level := 30_000 * (1 + float64(department%7)/7)
		s.add(department, math.Round(level*math.Exp(0.3*rnd.NormFloat64())))
	}
	return s
}

// sections are those of one stream.
func (s *tuples) sections(c *SampleConfig) []sheet.Section {
	out := []sheet.Section{s.unique(c), s.limited(c)}
	if s.valued {
		out = append(out, s.values(c))
	}
	return out
}

// positions draws a sample of positions.
func (s *tuples) positions(share float64, seed uint64) *tuples {
	out := &tuples{noun: s.noun, counts: map[uint64]uint64{}, valued: s.valued}
	rnd := rand.New(rand.NewPCG(seed, 8))
	for _, e := range s.elements {
		if rnd.Float64() < share {
			out.add(e.key, e.value)
		}
	}
	return out
}

// byKey draws a sample of keys with all their elements.
func (s *tuples) byKey(share float64, seed uint64) (*tuples, *stats.Sample) {
	sample := stats.NewSample(stats.MaxSample, share, seed)
	out := &tuples{noun: s.noun, counts: map[uint64]uint64{}, valued: s.valued}
	for _, e := range s.elements {
		sample.Add(e.key)
		if sample.Accepts(e.key) {
			out.add(e.key, e.value)
		}
	}
	return out, sample
}

// once is the share of the keys that occur once.
func (s *tuples) once() float64 {
	n := 0
	for _, count := range s.counts {
		if count == 1 {
			n++
		}
	}
	return float64(n) / float64(max(len(s.counts), 1))
}

// seemsOnce is what share of the keys of a sample by position is expected to occur once in it:
// a key that occurs c times does so with the chance cp(1-p)^(c-1), and is in it at all with
// 1-(1-p)^c.
func (s *tuples) seemsOnce(share float64) float64 {
	keys := map[uint64]float64{} // by how often they occur
	for _, count := range s.counts {
		keys[count]++
	}
	one, any := 0.0, 0.0
	for _, count := range slices.Sorted(maps.Keys(keys)) { // sums of floats depend on the order
		c, n := float64(count), keys[count]
		one += n * c * share * math.Pow(1-share, c-1)
		any -= n * math.Expm1(c*math.Log1p(-share))
	}
	return one / any
}

// unique is the source's question: what share of the queries was asked once?
func (s *tuples) unique(c *SampleConfig) sheet.Section {
	truth := s.once()
	t := &sheet.Table{Columns: []sheet.Column{{Name: "sample"}, {Name: "elements"}, {Name: s.noun, Key: "keys"},
		{Name: "occur once", Unit: "%", Format: "%.2f"}, {Name: "low", Format: "%.2f"}, {Name: "high", Format: "%.2f"},
		{Name: "error", Unit: "%", Format: "%+.2f"}, {Name: "expected", Unit: "%", Format: "%.2f"}}}
	row := func(name string, of *tuples, low, high, expected sheet.Cell) {
		once := of.once()
		t.Rows = append(t.Rows, []sheet.Cell{name, len(of.elements), len(of.counts), 100 * once, low, high, percent(once, truth), expected})
	}
	row("all", s, nil, nil, nil)
	for _, share := range sampleShares {
		row(fmt.Sprintf("%g %% of the positions", 100*share), s.positions(share, c.Seed), nil, nil, 100*s.seemsOnce(share))
		keys, sample := s.byKey(share, c.Seed)
		u := sample.Unique()
		row(fmt.Sprintf("%g %% of the keys", 100*share), keys, 100*u.Low, 100*u.High, 100*truth)
	}
	notes := []string{fmt.Sprintf("Exactly %.2f %% of %s different %s occur once, in %s elements. \"expected\" is computed from the exact counts: a key that occurs "+
		"twice is once in a tenth of the positions with a chance of 18 %%, and seems unique.", 100*truth, group(len(s.counts)), s.noun, group(len(s.elements)))}
	if s.bad > 0 {
		notes = append(notes, fmt.Sprintf("Lines without such a column, or whose value is no number: %s; they are left out.", group(s.bad)))
	}
	return sheet.Section{ID: "unique", Title: "What share occurs once?", Notes: notes, Table: t}
}

// buckets is a sample of keys whose size is limited: keys are hashed to buckets of which the
// first are accepted, and the last accepted one is given up, with all in it, while the sample has
// too many elements.
type buckets struct {
	of       func(key uint64) int
	limit    int
	accepted int
	sizes    []int // elements by bucket
	total    int
	given    func(bucket, before int) // is called when a bucket is given up
}

// add takes an element if its bucket is accepted.
func (b *buckets) add(key uint64) {
	bucket := b.of(key)
	if bucket >= b.accepted {
		return
	}
	b.sizes[bucket]++
	b.total++
	for b.total > b.limit && b.accepted > 1 {
		b.accepted--
		b.total -= b.sizes[b.accepted]
		b.given(b.accepted, b.total+b.sizes[b.accepted])
	}
}

// limited gives up bucket after bucket.
func (s *tuples) limited(c *SampleConfig) sheet.Section {
	limit := c.Limit
	if limit == 0 {
		limit = max(1, len(s.elements)*acceptedFirst/sourceBuckets/3)
	}
	t := &sheet.Table{Columns: []sheet.Column{{Name: "after element"}, {Name: "bucket given up"}, {Name: "elements before"}, {Name: "elements then"},
		{Name: "buckets left"}}}
	read := 0
	b := &buckets{limit: limit, accepted: acceptedFirst, sizes: make([]int, acceptedFirst),
		of: func(key uint64) int { return int(seeded(key, c.Seed) % sourceBuckets) }}
	b.given = func(bucket, before int) {
		t.Rows = append(t.Rows, []sheet.Cell{read, bucket, before, b.total, b.accepted})
	}
	for _, e := range s.elements {
		read++
		b.add(e.key)
	}
	kept := &tuples{counts: map[uint64]uint64{}}
	for _, e := range s.elements {
		if b.of(e.key) < b.accepted {
			kept.add(e.key, e.value)
		}
	}
	fine := stats.NewSample(max(len(kept.counts), stats.MinSample), 1, c.Seed)
	for _, e := range s.elements {
		fine.Add(e.key)
	}
	u := fine.Unique()
	notes := []string{
		fmt.Sprintf("Keys are hashed to %d buckets, of which 0 to %d are accepted. Whenever the sample has more than %s elements, the last accepted bucket is given up, "+
			"with all that is in it: what stays is still a sample of keys, with all their elements.", sourceBuckets, acceptedFirst-1, group(limit)),
		fmt.Sprintf("At the end %s elements of %s %s are left, of which %.2f %% occur once; exactly it is %.2f %%.", group(b.total), group(len(kept.counts)), s.noun,
			100*kept.once(), 100*s.once()),
		fmt.Sprintf("The crawl's own sample has 65,536 buckets, begins with all of them and is limited by keys: with at most %s it accepts %.3g %% of all and says %.2f %% "+
			"(95 %%: %.2f to %.2f).", group(fine.Limit()), 100*fine.Share(), 100*u.Estimate, 100*u.Low, 100*u.High),
	}
	if b.total > limit {
		notes = append(notes, "The last bucket alone has more than the limit: it is kept. The crawl's own sample divides it further.")
	}
	return sheet.Section{ID: "limit", Title: "A sample of limited size", Notes: notes, Table: t}
}

// spans are how far the values of each key lie apart: the largest less the smallest.
func (s *tuples) spans() []float64 {
	type span struct{ low, high float64 }
	of := map[uint64]span{}
	for _, e := range s.elements {
		x, known := of[e.key]
		if !known {
			x = span{e.value, e.value}
		}
		of[e.key] = span{min(x.low, e.value), max(x.high, e.value)}
	}
	out := make([]float64, 0, len(of))
	for _, x := range of {
		out = append(out, x.high-x.low)
	}
	slices.Sort(out) // as maps have no order
	return out
}

// values is the source's question about tuples: how far do the values of a key lie apart?
func (s *tuples) values(c *SampleConfig) sheet.Section {
	exact := s.spans()
	n := float64(len(exact))
	truth := stats.MeanOf(exact, n).Estimate
	t := &sheet.Table{Columns: []sheet.Column{{Name: "sample"}, {Name: "elements"}, {Name: s.noun, Key: "keys"}, {Name: "mean range", Format: "%.2f"},
		{Name: "low", Format: "%.2f"}, {Name: "high", Format: "%.2f"}, {Name: "error", Unit: "%", Format: "%+.2f"}},
		Rows: [][]sheet.Cell{{"all", len(s.elements), len(s.counts), truth, nil, nil, 0.0}}}
	for _, share := range sampleShares {
		positions := s.positions(share, c.Seed)
		mean := stats.MeanOf(positions.spans(), n).Estimate
		t.Rows = append(t.Rows, []sheet.Cell{fmt.Sprintf("%g %% of the positions", 100*share), len(positions.elements), len(positions.counts), mean, nil, nil,
			percent(mean, truth)})
		keys, _ := s.byKey(share, c.Seed)
		i := stats.MeanOf(keys.spans(), n)
		t.Rows = append(t.Rows, []sheet.Cell{fmt.Sprintf("%g %% of the keys", 100*share), len(keys.elements), len(keys.counts), i.Estimate, i.Low, i.High,
			percent(i.Estimate, truth)})
	}
	return sheet.Section{ID: "values", Title: "How far do the values of a key lie apart, on average?", Table: t, Notes: []string{
		fmt.Sprintf("The range is the largest value less the smallest, as of the salaries in a department; the figure is its mean over all %s. A sample of keys has a key's smallest and largest "+
			"value or no value of it, so its mean is unbiased; one of positions has few values of each, and finds them closer together than they are.", s.noun)}}
}
