package lab

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"crawler/chunk"
	"crawler/dedup"
	"crawler/internal/sheet"
	"crawler/parse"
)

// Limits and defaults of a ChunksConfig.
const (
	DefaultChunkPages = 2000
	MaxChunkPages     = 100_000

	chunkURLs      = 25_600 // generated: 100 chunks of 256
	chunkQuestions = 400    // of each kind, at most
	chunkWordPool  = 200_000
)

// ChunksConfig configures Chunks. Zero values mean the defaults.
type ChunksConfig struct {
	Path  string    // a text or HTML file, or a directory; "-" is In, "" makes pages up
	In    io.Reader // such as standard input
	Pages int       // how many are made up; default 2,000
	Seed  uint64

	Progress func(what string) // is called with what comes next, if not nil
}

// Chunks says how many chunks of a file must be read for a value, by the size of the filter on
// each: for URLs and for the words of pages, present and absent, with what theory expects.
func Chunks(ctx context.Context, c ChunksConfig) (*sheet.Sheet, error) {
	c.Pages = cmp.Or(c.Pages, DefaultChunkPages)
	if c.Pages < 1 || c.Pages > MaxChunkPages {
		return nil, fmt.Errorf("lab: ChunksConfig.Pages is %d, want 1 to %d, or 0 for %d", c.Pages, MaxChunkPages, DefaultChunkPages)
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	p := &chunkPages{on: map[uint64]int{}}
	source := cmp.Or(c.Path, fmt.Sprintf("generated, seed %d", c.Seed))
	if c.Path == "" {
		p.generate(c.Pages, c.Seed)
	} else if err := p.read(ctx, &c); err != nil {
		return nil, err
	}
	c.Progress("URLs")
	urls, err := chunkURLSection(c.Seed)
	if err != nil {
		return nil, err
	}
	c.Progress("words")
	words, err := p.sections(ctx, c.Seed)
	if err != nil {
		return nil, err
	}
	return &sheet.Sheet{
		Title: "A filter on each chunk of a file",
		Intro: []string{
			"What it teaches: with a filter on each chunk a value is found by reading its own chunk and few others. For URLs, of which each stands in one place, 2 bytes a record are enough. " +
				"Words stand in many places: a chunk of few pages is read precisely, but says the common words again and again.",
			fmt.Sprintf("The records are cut into chunks, and a question reads those whose filter does not say no. The pages have %s different words, a page %.0f of them in the mean.",
				group(len(p.on)), p.mean()),
		},
		Config:   []sheet.Setting{{Name: "pages", Value: source}, {Name: "number", Value: len(p.words)}, {Name: "seed", Value: c.Seed}},
		Sections: append([]sheet.Section{urls}, words...),
	}, ctx.Err()
}

// chunkPages are pages as sets of words.
type chunkPages struct {
	words [][]uint64     // of each page the different ones
	on    map[uint64]int // on how many pages each word stands
	sum   int            // of the lengths
}

func (p *chunkPages) add(words []uint64) error {
	words = slices.Compact(slices.Sorted(slices.Values(words)))
	p.words = append(p.words, words)
	p.sum += len(words)
	for _, w := range words {
		p.on[w]++
	}
	if len(p.on) > MaxDistinctWords || len(p.words) > MaxChunkPages {
		return fmt.Errorf("more than %d different words or %d pages: take a part of the texts", MaxDistinctWords, MaxChunkPages)
	}
	return nil
}

func (p *chunkPages) mean() float64 { return float64(p.sum) / float64(max(len(p.words), 1)) }

func (p *chunkPages) read(ctx context.Context, c *ChunksConfig) error {
	files := documents{in: c.In}
	return files.each(ctx, c.Path, func(_ string, page *parse.Page) error { return p.add(page.Words) })
}

// generate makes pages of 50 to 1,000 words up, with frequencies like those of a language.
func (p *chunkPages) generate(pages int, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 12))
	often := rand.NewZipf(rnd, 1.15, 8, chunkWordPool-1)
	var words []uint64
	for range pages {
		words = words[:0]
		for range 50 + rnd.IntN(950) {
			words = append(words, seeded(often.Uint64(), seed))
		}
		p.add(words) // of so few pages and words it does not fail
	}
}

// chunked is a file of records in chunks.
type chunked struct {
	side    []byte // its sidecar
	entries []*chunk.Entry
}

// cut makes the filters of records that are so many bytes long, which is of no account here.
func cutChunks(sizes chunk.Sizes, records [][]uint64) (*chunked, error) {
	c, b, err := &chunked{}, chunk.NewBuilder(sizes, "records", 0), error(nil)
	for i, keys := range records {
		if b.Add(int64(i+1), keys...) || i == len(records)-1 {
			if c.side, err = b.Close(c.side); err != nil {
				return nil, err
			}
		}
	}
	err = chunk.Entries(bytes.NewReader(c.side), func(e *chunk.Entry, err error) error {
		c.entries = append(c.entries, e)
		return err
	})
	return c, err
}

// read is the mean share of the chunks that is read for a key.
func (c *chunked) read(keys []uint64) float64 {
	n := 0
	for _, k := range keys {
		for _, e := range c.entries {
			if e.Filter.Has(k) {
				n++
			}
		}
	}
	return float64(n) / float64(max(len(keys)*len(c.entries), 1))
}

// rate is what theory expects of filters of these sizes with as many keys.
func (c *chunked) rate() (mean float64) {
	for _, e := range c.entries {
		mean += dedup.Size{Bits: e.Filter.Bits(), Lines: 1}.Rate(int64(e.Keys))
	}
	return mean / float64(max(len(c.entries), 1))
}

// chunkURLSection asks for URLs, of which each is one record's.
func chunkURLSection(seed uint64) (sheet.Section, error) {
	rnd := rand.New(rand.NewPCG(seed, 13))
	records, present, absent := make([][]uint64, chunkURLs), []uint64{}, []uint64{}
	for i := range records {
		records[i] = []uint64{rnd.Uint64()}
		if i%(chunkURLs/chunkQuestions) == 0 {
			present, absent = append(present, records[i][0]), append(absent, rnd.Uint64())
		}
	}
	t := &sheet.Table{Columns: []sheet.Column{{Name: "records in a chunk"}, {Name: "rate stated", Unit: "%", Format: "%.2f"}, {Name: "bytes a record", Format: "%.2f"},
		{Name: "read for a URL that is there", Key: "read_present", Unit: "% of the chunks", Format: "%.3f"}, {Name: "expected", Key: "expected_present", Unit: "%", Format: "%.3f"},
		{Name: "for one that is not", Key: "read_absent", Unit: "%", Format: "%.3f"}, {Name: "expected", Key: "expected_absent", Unit: "%", Format: "%.3f"}}}
	line := sheet.Line{Name: "absent, 256 records in a chunk"}
	for _, n := range []int{64, 256, 1024} {
		for _, stated := range []float64{0.3, 0.1, 0.03, 0.01, chunk.URLs.Rate, 0.0004} {
			c, err := cutChunks(chunk.Sizes{Records: n, Keys: n, Rate: stated}, records)
			if err != nil {
				return sheet.Section{}, err
			}
			rate, one := c.rate(), 1/float64(len(c.entries))
			t.Rows = append(t.Rows, []sheet.Cell{n, 100 * stated, float64(len(c.side)) / chunkURLs, 100 * c.read(present), 100 * (one + (1-one)*rate), 100 * c.read(absent), 100 * rate})
			if n == 256 {
				line.Points = append(line.Points, sheet.Point{X: float64(len(c.side)) / chunkURLs, Y: 100 * c.read(absent)})
			}
		}
	}
	return sheet.Section{ID: "urls", Title: "URLs", Table: t,
		Plots: []sheet.Plot{{Title: "Chunks read for a URL that is not there", X: "bytes of filter for each record", Y: "% of the chunks read", YMax: 30, Lines: []sheet.Line{line}}},
		Notes: []string{fmt.Sprintf("%s generated URLs; %d questions each. A crawl takes chunks of %d records and a rate of %.2g %%.", group(chunkURLs), chunkQuestions, chunk.URLs.Records, 100*chunk.URLs.Rate)}}, nil
}

// sections asks for words, by the size of the chunks and by that of the filters.
func (p *chunkPages) sections(ctx context.Context, seed uint64) ([]sheet.Section, error) {
	questions := p.questions(seed)
	columns := []sheet.Column{{Name: "different words in a chunk", Key: "chunk_words"}, {Name: "rate stated", Unit: "%", Format: "%.2f"}, {Name: "chunks"}, {Name: "pages in a chunk", Format: "%.1f"},
		{Name: "bytes a page", Format: "%.1f"}, {Name: "read for a word on 1 page", Key: "read_on_1", Unit: "% of the chunks", Format: "%.2f"}, {Name: "expected", Key: "expected_on_1", Unit: "%", Format: "%.2f"},
		{Name: "on 3", Key: "read_on_3", Unit: "%", Format: "%.2f"}, {Name: "on 10", Key: "read_on_10", Unit: "%", Format: "%.2f"},
		{Name: "on none", Key: "read_absent", Unit: "%", Format: "%.2f"}, {Name: "expected", Key: "expected_absent", Unit: "%", Format: "%.2f"}}
	t := &sheet.Table{Columns: columns}
	var lines []sheet.Line
	for _, words := range []int{400, 800, chunk.Words.Keys, 3200, 6400} {
		line := sheet.Line{Name: fmt.Sprintf("%s words in a chunk", group(words))}
		for _, rate := range []float64{0.001, chunk.Words.Rate, 0.02, 0.1, 0.3} {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			c, err := cutChunks(wordSizes(words, rate), p.words)
			if err != nil {
				return nil, err
			}
			expected, one := c.rate(), 1/float64(len(c.entries))
			perPage := float64(len(c.side)) / float64(len(p.words))
			cells := []sheet.Cell{words, 100 * rate, len(c.entries), float64(len(p.words)) / float64(len(c.entries)), perPage}
			for _, q := range questions {
				cells = append(cells, q.share(c))
				if q.pages < 2 {
					cells = append(cells, 100*(float64(q.pages)*one+(1-float64(q.pages)*one)*expected))
				}
			}
			t.Rows = append(t.Rows, cells)
			if y, ok := questions[0].share(c).(float64); ok {
				line.Points = append(line.Points, sheet.Point{X: perPage, Y: y})
			}
		}
		lines = append(lines, line)
	}
	return []sheet.Section{{ID: "words", Title: "Words of pages", Table: t,
		Plots: []sheet.Plot{{Title: "Chunks read for a word that stands on one page", X: "bytes of filter for each page", Y: "% of the chunks read", YMax: 20, Lines: lines}},
		Notes: []string{fmt.Sprintf("A chunk ends with the page that brings it to so many different words, or to %d pages; its filter then has the size at which it keeps the stated rate. Up to %d words are asked for of each kind. "+
			"A crawl with an archive takes %d words and a rate of %.2g %%.", chunk.Words.Records, chunkQuestions, chunk.Words.Keys, 100*chunk.Words.Rate)}}}, nil
}

// wordSizes is chunk.Words for another number of words and another rate.
func wordSizes(words int, rate float64) chunk.Sizes {
	s := chunk.Words
	s.Keys, s.Rate = words, rate
	return s
}

// question is words that stand on so many pages.
type question struct {
	pages int
	words []uint64
}

func (q *question) share(c *chunked) sheet.Cell {
	if len(q.words) == 0 {
		return nil
	}
	return 100 * c.read(q.words)
}

// questions draws words by the number of pages that they stand on: 1, 3, 10, none.
func (p *chunkPages) questions(seed uint64) []question {
	rnd := rand.New(rand.NewPCG(seed, 14))
	list := []question{{pages: 1}, {pages: 3}, {pages: 10}, {}}
	for i := range list[:3] {
		q := &list[i]
		for w, n := range p.on {
			if n == q.pages {
				q.words = append(q.words, w)
			}
		}
		slices.Sort(q.words)
		rnd.Shuffle(len(q.words), func(i, j int) { q.words[i], q.words[j] = q.words[j], q.words[i] })
		q.words = q.words[:min(len(q.words), chunkQuestions)]
	}
	for len(list[3].words) < chunkQuestions {
		list[3].words = append(list[3].words, rnd.Uint64())
	}
	return list
}
