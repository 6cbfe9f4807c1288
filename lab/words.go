package lab

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"

	"crawler/internal/sheet"
	"crawler/parse"
	"crawler/stats"
)

// WordsConfig configures Words.
type WordsConfig struct {
	Path string    // a text or HTML file, or a directory of them; "-" is In
	In   io.Reader // such as standard input
	Seed uint64    // of the sketches

	// Moments are those to estimate by random positions, each from 0 to MaxMoment; nil for none.
	Moments []int
}

// MaxDistinctWords is how many different words are counted exactly.
const MaxDistinctWords = 10_000_000

// Words counts the words of a text by every estimator of package stats and exactly.
func Words(ctx context.Context, c WordsConfig) (*sheet.Sheet, error) {
	for _, k := range c.Moments {
		if k < 0 || k > MaxMoment {
			return nil, fmt.Errorf("lab: WordsConfig.Moments has %d, want 0 to %d", k, MaxMoment)
		}
	}
	w := newWordCount(c.Seed)
	files := documents{options: parse.Options{OnWord: w.name}, in: c.In}
	err := files.each(ctx, c.Path, func(_ string, page *parse.Page) error {
		w.documents++
		return w.add(page.Words)
	})
	if err != nil {
		return nil, err
	}
	if w.exact.Total() == 0 {
		return nil, fmt.Errorf("%s has no words", c.Path)
	}
	w.mark()
	out := &sheet.Sheet{
		Title: "Words of " + c.Path,
		Intro: []string{
			"What it teaches: how many different words a text has, how uneven they are and which come most often is known to a few percent from a few " +
				"tens of kilobytes in one pass, however long the text; what the sources' own estimators miss is seen beside it.",
			fmt.Sprintf("%s words, %s different ones, in %s documents. A word is counted as the crawler counts it: a run of letters "+
				"and digits, in lower case. %s", sheet.Group(int64(w.exact.Total())), sheet.Group(int64(w.exact.Distinct())),
				sheet.Group(int64(w.documents)), skippedNote(files.skipped)),
			"Every estimate has an interval that contains the truth for 95 of 100 seeds. Error is how far the estimate is off; closer to 0 is " +
				"better.",
		},
		Config:   []sheet.Setting{{Name: "path", Value: c.Path}, {Name: "seed", Value: c.Seed}},
		Sections: []sheet.Section{w.distinctSection(c.Seed), w.surpriseSection(), w.uniqueSection(), w.topSection()},
	}
	if len(c.Moments) > 0 {
		out.Sections = append(out.Sections, w.momentsSection(c.Moments))
	}
	return out, nil
}

func skippedNote(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Only .html, .htm, .xhtml, .txt, .text and .md were read; files of other names: %s.", sheet.Group(int64(n)))
}

// wordCount feeds every word to all that count.
type wordCount struct {
	documents int
	names     map[uint64]string
	exact     stats.Exact

	distinct *stats.Distinct
	words    *stats.Words
	site     *stats.Words
	plain    *stats.Reservoir // as the source has it
	sketch   *stats.CountSketch
	sample   *stats.Sample
	heavy    *stats.HeavyHitters
	next     uint64 // words after which the curves are marked again

	variables [2]*variables

	growth, martingale, likelihood []sheet.Point
}

const (
	plainReservoir = 1024
	sketchDepth    = 5
	sketchWidth    = 4096
	sampleLimit    = 4096
	heavyCounters  = 1024
	topWords       = 15
	firstMark      = 100 // words, for the first point of the plot
)

func newWordCount(seed uint64) *wordCount {
	return &wordCount{
		names:     make(map[uint64]string),
		distinct:  stats.NewDistinct(0, seed),
		words:     stats.NewWords(stats.Config{Seed: seed}),
		site:      stats.NewWords(stats.SiteConfig(seed)),
		plain:     stats.NewReservoir(plainReservoir, seed),
		sketch:    stats.NewCountSketch(sketchDepth, sketchWidth, seed),
		sample:    stats.NewSample(sampleLimit, 1, seed),
		heavy:     stats.NewHeavyHitters(heavyCounters, seed),
		next:      firstMark,
		variables: [...]*variables{newVariables(sourceVariables, seed), newVariables(moreVariables, seed)},
	}
}

// name remembers what a word reads like.
func (w *wordCount) name(word []byte) {
	h := parse.HashWord(word)
	if _, ok := w.names[h]; !ok && len(w.names) < MaxDistinctWords {
		w.names[h] = string(word)
	}
}

func (w *wordCount) add(words []uint64) error {
	for len(words) > 0 {
		n := int(min(uint64(len(words)), w.next-w.exact.Total()))
		w.addAll(words[:n])
		words = words[n:]
		if w.exact.Total() == w.next {
			w.mark()
			w.next = max(w.next+1, w.next*5/4)
		}
	}
	if w.exact.Distinct() > MaxDistinctWords {
		return fmt.Errorf("more than %d different words: count a part of the text", MaxDistinctWords)
	}
	return nil
}

func (w *wordCount) addAll(words []uint64) {
	w.exact.AddAll(words)
	w.distinct.AddAll(words)
	w.words.AddAll(words)
	w.site.AddAll(words)
	w.plain.AddAll(words)
	w.sketch.AddAll(words)
	w.sample.AddAll(words)
	w.heavy.AddAll(words)
	for _, v := range w.variables {
		for _, word := range words {
			v.add(word)
		}
	}
}

// mark adds a point to the curve of different words.
func (w *wordCount) mark() {
	n, truth := float64(w.exact.Total()), float64(w.exact.Distinct())
	off := func(i stats.Interval) sheet.Point { return sheet.Point{X: n, Y: 100 * (i.Estimate/truth - 1)} }
	martingale, _ := w.distinct.Martingale()
	w.growth = append(w.growth, sheet.Point{X: n, Y: truth})
	w.martingale = append(w.martingale, off(martingale))
	w.likelihood = append(w.likelihood, off(w.distinct.MaximumLikelihood()))
}

func estimatorColumns() []sheet.Column {
	return []sheet.Column{
		{Name: "estimator"}, {Name: "memory", Unit: "bytes"}, {Name: "estimate"}, {Name: "low"}, {Name: "high"},
		{Name: "error", Unit: "%", Format: "%+.2f"},
	}
}

// estimator is one row: a figure beside the truth.
func estimator(name string, bytes int, i stats.Interval, truth float64) []sheet.Cell {
	row := []sheet.Cell{name, bytes, whole(i.Estimate), whole(i.Low), whole(i.High), percent(i.Estimate, truth)}
	if i.High == 0 {
		row[3], row[4] = nil, nil // no interval
	}
	return row
}

// exactly is the row of the truth.
func exactly(truth float64) []sheet.Cell {
	row := estimator("exact, in a map", 0, stats.Interval{Estimate: truth, Low: truth, High: truth}, truth)
	row[1] = nil
	return row
}

// whole rounds a count.
func whole(x float64) int64 { return int64(math.Round(x)) }

func percent(estimate, truth float64) sheet.Cell {
	if truth == 0 {
		return nil
	}
	return 100 * (estimate/truth - 1)
}

// point is an estimate without an interval.
func point(x float64) stats.Interval { return stats.Interval{Estimate: x} }

func (w *wordCount) distinctSection(seed uint64) sheet.Section {
	truth := float64(w.exact.Distinct())
	registers := w.distinct.Bytes()
	martingale, _ := w.distinct.Martingale()
	group := w.distinct.GroupMedian()
	rows := [][]sheet.Cell{
		exactly(truth),
		estimator("Flajolet-Martin, 4096 registers: martingale", registers, martingale, truth),
		estimator("the same: maximum likelihood, for merged sketches", registers, w.distinct.MaximumLikelihood(), truth),
		estimator("the same: median of group means, as the source has it", registers, point(group), truth),
		estimator(fmt.Sprintf("the same, divided by its bias of %v", stats.GroupBias), registers, point(group/stats.GroupBias), truth),
		estimator("Words, of a crawl: with an exact head", w.words.Bytes(), w.words.Distinct(), truth),
		estimator("Words, of a site", w.site.Bytes(), w.site.Distinct(), truth),
		estimator("key sample", w.sample.Bytes(), w.sample.Distinct(), truth),
	}
	rows = append(rows, w.plainRows(seed, truth)...)
	return sheet.Section{
		ID:    "distinct",
		Title: "Distinct words, the 0th moment",
		Notes: []string{"Flajolet and Martin keep, of each of 4,096 hash functions, the longest run of zeros R that a word's hash ended in. " +
			"The source takes the median of group means of 2^R, which come out too high, as the mean of 2^R is infinite. The martingale " +
			"estimate counts by how likely each change was; maximum likelihood finds the number that makes the R most likely."},
		Table: &sheet.Table{Columns: estimatorColumns(), Rows: rows},
		Plots: []sheet.Plot{{
			Title: "Vocabulary growth", X: "words read", Y: "different words", LogX: true, LogY: true,
			Lines: []sheet.Line{{Name: "exact", Points: w.growth}},
		}, {
			Title: "Error on the way", X: "words read", Y: "error in %", LogX: true,
			Lines: []sheet.Line{{Name: "martingale", Points: w.martingale}, {Name: "maximum likelihood", Points: w.likelihood}},
		}},
	}
}

func (w *wordCount) surpriseSection() sheet.Section {
	truth := w.exact.Surprise()
	few := w.variables[0].values(2)
	size := min(groupSize(w.exact.Total()), len(few))
	rows := [][]sheet.Cell{
		exactly(truth),
		estimator("Words, of a crawl: exact head, and 4 rows of 512 signed counters", w.words.Bytes(), w.words.Surprise(), truth),
		estimator("Words, of a site: 4 rows of 128", w.site.Bytes(), w.site.Surprise(), truth),
		estimator(fmt.Sprintf("reservoir of %d alone, as the source has it: mean", plainReservoir), w.plain.Bytes(), w.plain.Estimate(), truth),
		estimator("the same: median of group means", w.plain.Bytes(), point(w.plain.GroupMedian()), truth),
		estimator("100 variables, as the source suggests: mean", 16*sourceVariables, stats.MeanOf(few, float64(w.exact.Total())), truth),
		estimator(fmt.Sprintf("the same: median of the means of groups of %d", size), 16*sourceVariables, point(medianOfGroups(few, size)), truth),
		estimator(fmt.Sprintf("Count-Sketch %d x %d", sketchDepth, sketchWidth), w.sketch.Bytes(), w.sketch.Surprise(), truth),
	}
	return sheet.Section{
		ID:    "surprise",
		Title: "Surprise number, the 2nd moment",
		Notes: []string{"The sum of the squares of the words' counts. Alon, Matias and Szegedy have two estimators. One chooses positions of " +
			"the stream at random (a reservoir) and counts each one's word from there on: this is the source's. The other, which a crawl uses, " +
			"adds +1 or -1 for a word to a counter, and squares the counters; counting the first words exactly (the head) leaves little to chance."},
		Table: &sheet.Table{Columns: estimatorColumns(), Rows: rows},
	}
}

// uniqueSection is the question of the source about search queries: what share of the
// different ones was asked once?
func (w *wordCount) uniqueSection() sheet.Section {
	once := 0
	for h := range w.names {
		if w.exact.Count(h) == 1 {
			once++
		}
	}
	truth := 100 * (float64(once) / float64(w.exact.Distinct()))
	u := w.sample.Unique()
	rows := [][]sheet.Cell{
		{"exact, in a map", nil, truth, truth, truth, percent(truth, truth)},
		{fmt.Sprintf("key sample of at most %d words (%.3g %% of the keys)", sampleLimit, 100*w.sample.Share()), w.sample.Bytes(),
			100 * u.Estimate, 100 * u.Low, 100 * u.High, percent(100*u.Estimate, truth)},
	}
	table := &sheet.Table{Columns: estimatorColumns(), Rows: rows}
	for i := 2; i < 5; i++ {
		table.Columns[i].Unit, table.Columns[i].Format = "%", "%.2f"
	}
	return sheet.Section{ID: "unique", Title: "Share of the different words that occur once", Table: table}
}

// topSection compares Space-Saving with the true counts of the most frequent words.
func (w *wordCount) topSection() sheet.Section {
	table := &sheet.Table{Columns: []sheet.Column{
		{Name: "word"}, {Name: "Space-Saving"}, {Name: "at most too high by"}, {Name: "Count-Sketch"}, {Name: "exact"}, {Name: "true rank"},
	}}
	for _, h := range w.heavy.Top(topWords) {
		table.Rows = append(table.Rows, []sheet.Cell{w.names[h.Key], int64(h.Count), int64(h.Error), w.sketch.Count(h.Key),
			int64(w.exact.Count(h.Key)), w.rank(h.Key)})
	}
	return sheet.Section{
		ID:    "top",
		Title: fmt.Sprintf("Most frequent words, by Space-Saving with %d counters", heavyCounters),
		Table: table,
	}
}

// rank is one more than the number of words more frequent than h.
func (w *wordCount) rank(h uint64) int {
	rank, count := 1, w.exact.Count(h)
	for other := range w.names {
		if cmp.Compare(w.exact.Count(other), count) > 0 {
			rank++
		}
	}
	return rank
}
