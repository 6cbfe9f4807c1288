package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"crawler/dedup"
	"crawler/internal/sheet"
	"crawler/weburl"
)

// ticking returns a clock that advances by a microsecond at each look.
func ticking() func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time {
		now = now.Add(time.Microsecond)
		return now
	}
}

func mustFilters(t *testing.T, cfg FiltersConfig) *sheet.Sheet {
	t.Helper()
	s, err := Filters(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// section returns the part of a sheet with the ID, or whose title begins so.
func section(t *testing.T, s *sheet.Sheet, title string) *sheet.Section {
	t.Helper()
	for i := range s.Sections {
		if s.Sections[i].ID == title || strings.HasPrefix(s.Sections[i].Title, title) {
			return &s.Sections[i]
		}
	}
	t.Fatalf("there is no section %q", title)
	return nil
}

func heads(t *sheet.Table) []string {
	var list []string
	for _, c := range t.Columns {
		list = append(list, c.Name)
	}
	return list
}

var (
	allNames    = []string{linearName, binaryName, mapName, classicName, bloomName, segmentsName, publishedName, repairedName}
	filterNames = allNames[3:]
)

// Both settings have the three figures of the source with every structure and size.
func TestFiltersHasAllSeriesAndSizes(t *testing.T) {
	s := mustFilters(t, FiltersConfig{
		Corpus: mustGenerate(t, 4000, 1), Sizes: []int{4, 10, 700, 3600}, LinearMax: 700, Questions: 300, Rounds: 2, Now: ticking(),
	})
	for _, setting := range []string{"16 bits a URL", "the paper's memory"} {
		for _, kind := range []string{"real URLs held out", "URLs of new segments"} {
			x := section(t, s, "False positives among "+kind+": "+setting)
			want := slices.Concat([]string{"URLs", "exact"}, filterNames, []string{formulaName, printedName})
			checkFigure(t, x, want, want[2:])
			for _, row := range x.Table.Rows {
				if row[1] != 0 {
					t.Errorf("%s: exact structures err %v times", x.Title, row[1])
				}
			}
		}
		for _, kind := range []string{"Time to ask about a URL that is in", "Time to ask about a URL that is not in", "Time to insert"} {
			x := section(t, s, kind+": "+setting)
			checkFigure(t, x, slices.Concat([]string{"URLs"}, allNames), allNames)
			for i, row := range x.Table.Rows {
				if skipped := row[1] == nil; skipped != (i == 3) {
					t.Errorf("%s: linear search in row %d is %v", x.Title, i, row[1])
				}
			}
			if n := len(x.Plots[0].Lines[0].Points); n != 3 {
				t.Errorf("%s: linear search has %d points", x.Title, n)
			}
		}
	}
}

func checkFigure(t *testing.T, x *sheet.Section, columns, lines []string) {
	t.Helper()
	if got := heads(x.Table); !slices.Equal(got, columns) {
		t.Errorf("%s: columns are %v, want %v", x.Title, got, columns)
	}
	var sizes []sheet.Cell
	for _, row := range x.Table.Rows {
		sizes = append(sizes, row[0])
	}
	if !slices.Equal(sizes, []sheet.Cell{4, 10, 700, 3600}) {
		t.Errorf("%s: sizes are %v", x.Title, sizes)
	}
	if len(x.Plots) != 1 || x.Plots[0].X == "" || x.Plots[0].Y == "" {
		t.Fatalf("%s: plots are %+v", x.Title, x.Plots)
	}
	var names []string
	for _, l := range x.Plots[0].Lines {
		names = append(names, strings.TrimSuffix(strings.TrimSuffix(l.Name, " of classic"), " of published"))
	}
	if !slices.Equal(names, lines) {
		t.Errorf("%s: lines are %v, want %v", x.Title, names, lines)
	}
}

// Every class stands in the table of hard questions: asked of every filter and of one
// exact structure, or not at all if the corpus has none.
func TestFiltersAsksHardQuestions(t *testing.T) {
	generated := mustGenerate(t, 3000, 1)
	flat := &Corpus{Source: "one host, one level", URLs: nil}
	for i := range 20 {
		u, err := weburl.Parse(fmt.Sprintf("https://a.example/%d", i))
		if err != nil {
			t.Fatal(err)
		}
		flat.URLs = append(flat.URLs, u)
	}
	flat.URLs, flat.HeldOut = flat.URLs[:18], flat.URLs[18:]
	for _, corpus := range []*Corpus{generated, flat} {
		s := mustFilters(t, FiltersConfig{Corpus: corpus, Sizes: []int{len(corpus.URLs)}, Questions: 100, Rounds: 1, Now: ticking()})
		asked := map[string][]string{}
		for _, row := range section(t, s, "Questions that break a filter").Table.Rows {
			asked[row[0].(string)] = append(asked[row[0].(string)], row[1].(string))
			if row[1] == mapName && row[3] != 0 {
				t.Errorf("%s: the map errs: %v", corpus.Source, row)
			}
		}
		for _, e := range edits {
			want := slices.Concat([]string{mapName}, filterNames)
			if corpus == flat && e.name != "known path on a new host" {
				want = []string{"none"}
			}
			if !slices.Equal(asked[e.name], want) {
				t.Errorf("%s, %s: asked %v, want %v", corpus.Source, e.name, asked[e.name], want)
			}
		}
		if len(asked) != len(edits)+2 {
			t.Errorf("%s: classes are %v", corpus.Source, asked)
		}
	}
}

func TestFiltersLoseNothing(t *testing.T) {
	for seed := range uint64(3) {
		s := mustFilters(t, FiltersConfig{
			Corpus: mustGenerate(t, 2000, seed), Sizes: []int{1 + int(seed), 1800}, Questions: 100, Rounds: 1 + int(seed), BitsPerURL: 1 + 10*float64(seed),
			Layers: 1 + int(seed), Seed: seed, Now: ticking(),
		})
		for _, x := range s.Sections {
			if !strings.HasPrefix(x.Title, "Memory") {
				continue
			}
			for _, row := range x.Table.Rows {
				if row[3] != 0 || row[4] != 1800 && row[0] != linearName {
					t.Errorf("seed %d, %s: %v", seed, x.Title, row)
				}
			}
			if len(x.Table.Rows) != len(allNames) {
				t.Errorf("seed %d, %s: %d structures", seed, x.Title, len(x.Table.Rows))
			}
		}
	}
}

// At equal memory no filter has more bits than were given, up to whole lines.
func TestFiltersHaveEqualMemory(t *testing.T) {
	c := comparing(t, 10_000, FiltersConfig{})
	for _, per := range []float64{4, 10, 16, 24} {
		n := len(c.cfg.Corpus.URLs)
		for _, x := range c.contenders(&setting{perURL: per}, n) {
			if lines := float64(c.cfg.Layers+1) * 512; !x.exact && math.Abs(x.bits-per*float64(n)) > lines {
				t.Errorf("%g bits a URL: %s has %.2f", per, x.name, x.bits/float64(n))
			}
		}
	}
}

// The rates are those that the formulas give, in all classes, within five standard
// deviations of a binomial count. LAB_LONG=1 takes 20 seeds, of the filters and of the
// URLs, and more questions.
func TestFiltersErrAsExpected(t *testing.T) {
	seeds, questions := uint64(1), 5000
	if os.Getenv("LAB_LONG") != "" {
		seeds, questions = 20, 20_000
	}
	for seed := range seeds {
		c := comparing(t, 20_000, FiltersConfig{Seed: seed, Questions: questions})
		n := len(c.cfg.Corpus.URLs)
		list := c.contenders(&setting{perURL: 10}, n)
		// In an array of 2^k bits the XOR of addresses is uniform, and the formula exact.
		list = append(list[3:6:6], c.published(1<<16), list[7])
		classes := append(c.asker(n).classes(), class{"real URLs held out", c.cfg.Corpus.HeldOut})
		for _, x := range list {
			fill(x.set, c.cfg.Corpus.URLs)
			for _, q := range classes {
				urls := q.urls
				if x.name == publishedName || x.name == segmentsName {
					urls = independent(c, urls)
				}
				checkRate(t, seed, x, q.name, urls)
			}
		}
	}
}

// independent keeps of the questions that share an XOR of addresses, or the segments
// that nobody knows, one: they are answered alike.
func independent(c *comparison, urls []weburl.URL) []weburl.URL {
	var sums, fresh dedup.Set
	return slices.DeleteFunc(slices.Clone(urls), func(u weburl.URL) bool {
		x := uint64(1)
		for _, s := range segments(u) {
			if !c.known.segments.Has(fingerprint(s)) {
				x += fingerprint(s)
			}
		}
		return !sums.Add(c.known.sum(u)) || x != 1 && !fresh.Add(x)
	})
}

func checkRate(t *testing.T, seed uint64, x *contender, name string, urls []weburl.URL) {
	t.Helper()
	mean, variance, seen := 0.0, 0.0, 0.0
	for _, u := range urls {
		p := x.rate(u)
		mean, variance = mean+p, variance+p*(1-p)
		if x.set.Has(u) {
			seen++
		}
	}
	// Few expected events are Poisson distributed: 5 sigma are not enough below one.
	if math.Abs(seen-mean) > 5*math.Sqrt(variance)+3 {
		t.Errorf("seed %d, %s, %s: %.0f of %d answered seen, expected %.1f", seed, x.name, name, seen, len(urls), mean)
	}
}

// A crawl's questions are what the published filter is worst at: it errs more than a
// plain filter of the same memory does, and than its descriptions say.
func TestPublishedFilterErrsOnRealQuestions(t *testing.T) {
	c := comparing(t, 20_000, FiltersConfig{})
	n := len(c.cfg.Corpus.URLs)
	shares := map[string]float64{}
	for _, x := range c.contenders(&setting{perURL: 16}, n) {
		if !x.exact {
			fill(x.set, c.cfg.Corpus.URLs)
			shares[x.name] = x.ask(c.cfg.Corpus.HeldOut).share()
		}
	}
	printed := dedup.PublishedRateAsPrinted(16.0/5, paperHashes, 4)
	if p := shares[publishedName]; p < 20*shares[classicName] || p < 20*printed {
		t.Errorf("shares are %v, as printed %v", shares, printed)
	}
	if shares[repairedName] > 0.01 || shares[segmentsName] < shares[publishedName] {
		t.Errorf("shares are %v", shares)
	}
}

// The clock is the only thing that is not given.
func TestFiltersIsDeterministic(t *testing.T) {
	var forms [2]bytes.Buffer
	for i := range forms {
		cfg := FiltersConfig{Corpus: mustGenerate(t, 1500, 4), Sizes: []int{1, 1300}, Questions: 200, Rounds: 3, Seed: 9, Now: ticking()}
		if err := mustFilters(t, cfg).JSON(&forms[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(forms[0].Bytes(), forms[1].Bytes()) {
		t.Error("two runs differ")
	}
}

// The times are those of the clock: batches of timed operations, of which each 16
// take one tick.
func TestFiltersTimesByItsClock(t *testing.T) {
	s := mustFilters(t, FiltersConfig{Corpus: mustGenerate(t, 4000, 1), Sizes: []int{3200}, Questions: 10, Rounds: 2, Now: ticking()})
	for _, row := range section(t, s, "Time to insert").Table.Rows {
		for _, cell := range row[1:] { // 500 insertions take 32 looks at the clock
			if cell != 1000*math.Ceil(500.0/clockEvery)/500 {
				t.Errorf("an insertion took %v ns", cell)
			}
		}
	}
}

// A batch asks about URLs from everywhere, even if it ends early, and about other ones
// each round.
func TestSampleIsSpread(t *testing.T) {
	c := comparing(t, 5000, FiltersConfig{Rounds: 3})
	urls := c.cfg.Corpus.URLs
	at := map[weburl.URL]int{}
	for i, u := range urls {
		at[u] = i
	}
	for _, n := range []int{1, 7, 300, 4500, 9000} {
		for round := range 3 {
			list := c.sample(urls, round, n)
			if len(list) != min(n, len(urls)) || overlap(list, list) != len(list) || overlap(urls, list) != len(list) {
				t.Fatalf("a sample of %d has %d URLs, or strange ones", n, len(list))
			}
			if n < 300 {
				continue
			}
			mean := 0.0
			for _, u := range list[:100] { // of uniform positions: sd 0.029
				mean += float64(at[u]) / float64(len(urls)) / 100
			}
			if math.Abs(mean-0.5) > 5*0.029 {
				t.Errorf("the first of a sample of %d stand at %.2f of all", n, mean)
			}
		}
		if n <= 1500 && overlap(c.sample(urls, 0, n), c.sample(urls, 1, n)) != 0 {
			t.Errorf("two rounds ask about the same of %d", n)
		}
	}
}

func TestFiltersConfigErrors(t *testing.T) {
	corpus := mustGenerate(t, 100, 1)
	for _, cfg := range []FiltersConfig{
		{}, {Corpus: &Corpus{}}, {Corpus: corpus, Sizes: []int{}}, {Corpus: corpus, Sizes: []int{0}}, {Corpus: corpus, Sizes: []int{91}},
		{Corpus: corpus, Sizes: []int{5, 5}}, {Corpus: corpus, Sizes: make([]int, maxSizes+1)}, {Corpus: corpus, BitsPerURL: -1},
		{Corpus: corpus, BitsPerURL: math.NaN()}, {Corpus: corpus, BitsPerURL: 257}, {Corpus: corpus, Layers: 9}, {Corpus: corpus, Layers: -1},
		{Corpus: corpus, Questions: -1}, {Corpus: corpus, Questions: MaxQuestions + 1}, {Corpus: corpus, Rounds: MaxRounds + 1},
		{Corpus: corpus, Rounds: -1}, {Corpus: corpus, LinearMax: -1},
	} {
		if _, err := Filters(context.Background(), cfg); err == nil {
			t.Errorf("%+v was taken", cfg)
		}
	}
	for _, cfg := range []FiltersConfig{ // the least and the most
		{Corpus: corpus, Layers: 1, Questions: 1, Rounds: 1, Sizes: []int{1}},
		{Corpus: corpus, Layers: dedup.MaxLayers, Questions: MaxQuestions, Rounds: MaxRounds, Sizes: []int{90}, BitsPerURL: maxBitsPerURL},
	} {
		if _, err := cfg.withDefaults(); err != nil {
			t.Error(err)
		}
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Filters(done, FiltersConfig{Corpus: corpus}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestSizesUpTo(t *testing.T) {
	for n, want := range map[int][]int{
		5: {5}, 1000: {1000}, 1001: {1000, 1001}, 20_000: {1000, 2000, 5000, 10_000, 20_000},
	} {
		if got := sizesUpTo(n); !slices.Equal(got, want) {
			t.Errorf("sizes up to %d are %v, want %v", n, got, want)
		}
	}
}

// A page of all plots can be drawn, whatever the sizes.
func TestFiltersSheetCanBeWritten(t *testing.T) {
	s := mustFilters(t, FiltersConfig{Corpus: mustGenerate(t, 300, 1), Questions: 50, Rounds: 1, Now: ticking()})
	var html, text bytes.Buffer
	if err := errors.Join(s.HTML(&html), s.Text(&text)); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(html.Bytes(), []byte("<figure>")); n != 10 {
		t.Errorf("the page has %d plots", n)
	}
	for _, line := range strings.Split(text.String(), "\n") {
		if len([]rune(line)) > 100 {
			t.Errorf("a line of %d columns: %s", len([]rune(line)), line)
		}
	}
}
