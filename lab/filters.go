package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"crawler/dedup"
	"crawler/internal/sheet"
	"crawler/weburl"
)

// Limits and defaults of a FiltersConfig.
const (
	DefaultBitsPerURL = 16.0
	maxBitsPerURL     = 256.0
	DefaultQuestions  = 100_000
	MaxQuestions      = 10_000_000
	DefaultRounds     = 5
	MaxRounds         = 101
	DefaultLinearMax  = 200_000
	maxSizes          = 64
	defaultMost       = 1_000_000 // the largest of the default Sizes

	// paperBits and paperHashes are the setting of Cen, Xu and Sun 2010.
	paperBits   = 16_829_152
	paperHashes = 3
)

// FiltersConfig says what Filters compares on. Corpus must be set; the zero values of
// the rest are good ones.
type FiltersConfig struct {
	Corpus *Corpus

	// Sizes are the numbers of URLs at which everything is measured, ascending, up to
	// 64 of them; nil for 1, 2 and 5 times the powers of ten from 1,000 up, and all or
	// a million.
	Sizes []int

	BitsPerURL float64 // memory of every filter in the first setting: up to 256, 0 for 16
	Layers     int     // of both multilayer filters, up to dedup.MaxLayers; 0 is the default
	Questions  int     // most questions of a class, at most 10,000,000, 0 for 100,000
	Rounds     int     // of timing, of which the medians are reported: at most 101, 0 for 5
	LinearMax  int     // linear search is left out where it holds more URLs, 0 for 200,000
	Seed       uint64  // of the filters and the questions

	// Now is the clock; nil for time.Now. Nothing but the times depends on it.
	Now func() time.Time

	// Progress, unless it is nil, is called before each size and setting with what
	// comes next: "16 bits a URL: 50,000 of 180,000 URLs".
	Progress func(what string)
}

func (c FiltersConfig) withDefaults() (FiltersConfig, error) {
	if c.Corpus == nil || len(c.Corpus.URLs) == 0 || len(c.Corpus.HeldOut) == 0 {
		return c, fmt.Errorf("lab: FiltersConfig.Corpus: %w", ErrFewURLs)
	}
	c.BitsPerURL = cmp.Or(c.BitsPerURL, DefaultBitsPerURL)
	c.Layers = cmp.Or(c.Layers, dedup.DefaultLayers)
	c.Questions = cmp.Or(c.Questions, DefaultQuestions)
	c.Rounds = cmp.Or(c.Rounds, DefaultRounds)
	c.LinearMax = cmp.Or(c.LinearMax, DefaultLinearMax)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	if c.Sizes == nil {
		c.Sizes = sizesUpTo(min(len(c.Corpus.URLs), defaultMost))
	}
	return c, c.check()
}

// check refuses what is out of range.
func (c *FiltersConfig) check() error {
	n := len(c.Corpus.URLs)
	switch {
	case !(c.BitsPerURL > 0 && c.BitsPerURL <= maxBitsPerURL):
		return fmt.Errorf("lab: FiltersConfig.BitsPerURL is %v, want above 0 and at most %v, or 0 for %v", c.BitsPerURL, maxBitsPerURL, DefaultBitsPerURL)
	case c.Layers < 1 || c.Layers > dedup.MaxLayers:
		return fmt.Errorf("lab: FiltersConfig.Layers is %d, want 1 to %d, or 0 for %d", c.Layers, dedup.MaxLayers, dedup.DefaultLayers)
	case c.Questions < 1 || c.Questions > MaxQuestions:
		return fmt.Errorf("lab: FiltersConfig.Questions is %d, want 1 to %d, or 0 for %d", c.Questions, MaxQuestions, DefaultQuestions)
	case c.Rounds < 1 || c.Rounds > MaxRounds:
		return fmt.Errorf("lab: FiltersConfig.Rounds is %d, want 1 to %d, or 0 for %d", c.Rounds, MaxRounds, DefaultRounds)
	case c.LinearMax < 0:
		return fmt.Errorf("lab: FiltersConfig.LinearMax is %d, want 1 or more, or 0 for %d", c.LinearMax, DefaultLinearMax)
	case len(c.Sizes) == 0 || len(c.Sizes) > maxSizes:
		return fmt.Errorf("lab: FiltersConfig.Sizes has %d sizes, want 1 to %d, or nil", len(c.Sizes), maxSizes)
	case c.Sizes[0] < 1 || c.Sizes[len(c.Sizes)-1] > n || !ascending(c.Sizes):
		return fmt.Errorf("lab: FiltersConfig.Sizes is %v, want ascending ones from 1 to %d, the URLs there are", c.Sizes, n)
	}
	return nil
}

func ascending(sizes []int) bool {
	for i := 1; i < len(sizes); i++ {
		if sizes[i] <= sizes[i-1] {
			return false
		}
	}
	return true
}

// sizesUpTo returns 1, 2 and 5 times the powers of ten from 1,000 up to below n, and n.
func sizesUpTo(n int) []int {
	var sizes []int
	for power := 1000; power < n; power *= 10 {
		for _, f := range []int{1, 2, 5} {
			if f*power < n {
				sizes = append(sizes, f*power)
			}
		}
	}
	return append(sizes, n)
}

// Filters compares ways to remember URLs: linear search, binary search, a hash table,
// the classic Bloom filter, the split-block one, the multilayer filter as published
// (Cen, Xu and Sun 2010) with the plain filter of segments it is compared to, and the
// multilayer filter repaired. It reports false positives, the time to ask and the time
// to insert against the number of URLs, at equal memory and at the paper's, and the
// answers to questions made to break a filter.
//
// All structures of one size are in memory together: with the corpus some 300 bytes for
// each URL, and as much for the garbage collector. A million URLs take a minute or two.
func Filters(ctx context.Context, cfg FiltersConfig) (*sheet.Sheet, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &comparison{cfg: cfg, known: standing{layers: cfg.Layers}, settings: []setting{
		{id: "equal_memory", title: fmt.Sprintf("%g bits a URL", cfg.BitsPerURL), perURL: cfg.BitsPerURL},
		{id: "paper_memory", title: "the paper's memory"},
	}}
	for _, n := range cfg.Sizes {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.known.add(cfg.Corpus.URLs[:n])
		a := c.asker(n)
		asked := []class{{"real URLs held out", a.heldOut(cfg.Corpus.HeldOut)}, {"all segments new", a.fresh()}}
		for i, s := range c.settings {
			cfg.Progress(fmt.Sprintf("%s: %s of %s URLs", s.title, group(n), group(cfg.Sizes[len(cfg.Sizes)-1])))
			if err := c.measure(ctx, i, n, asked); err != nil {
				return nil, err
			}
		}
	}
	if c.single, err = c.more(ctx); err != nil {
		return nil, err
	}
	return c.sheet(), nil
}

// comparison is an experiment under way.
type comparison struct {
	cfg      FiltersConfig
	known    standing
	settings []setting
	hard     []classResult // the questions, at the last size of the first setting
	single   []sheet.Section
	sink     bool // keeps the compiler from leaving out questions
}

// setting is an amount of memory, and what came out at each size.
type setting struct {
	id     string // the same in every run
	title  string
	perURL float64 // bits; 0: paperBits an array
	sizes  []sizeResult
}

// sizeResult is what came out at one size.
type sizeResult struct {
	urls       int
	contenders []contenderResult
}

// contenderResult is what came out for one structure.
type contenderResult struct {
	name                 string
	skipped              bool // too slow at this size
	exact                bool
	bits                 float64
	insert, known, fresh float64 // ns
	heldOut, new         answers // to the two classes of questions
	lost, checked        int     // inserted URLs that are answered "new", and all asked about
}

// answers counts what was wrongly answered "seen".
type answers struct {
	asked, seen int
	expected    float64 // share
}

func (a answers) share() float64 { return float64(a.seen) / float64(a.asked) }

// interval returns the 95 % score interval of the share (Wilson 1927, "Probable
// inference, the law of succession, and statistical inference").
func (a answers) interval() (low, high float64) {
	const z = 1.959963984540054
	n, p := float64(a.asked), a.share()
	mid, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = (mid-half)/(1+z*z/n), (mid+half)/(1+z*z/n)
	if a.seen == 0 {
		low = 0 // not what rounding makes of it
	}
	if a.seen == a.asked {
		high = 1
	}
	return low, high
}

// classResult is the answers of all structures to one class.
type classResult struct {
	name    string
	answers []answers // by contender; none were asked where a corpus has no such URLs
}

func (c *comparison) asker(n int) *asker {
	return &asker{
		rnd: rand.New(rand.NewPCG(c.cfg.Seed, uint64(n))), in: c.cfg.Corpus.URLs[:n],
		known: &c.known, layers: c.cfg.Layers, most: c.cfg.Questions,
	}
}

// heldOut returns the URLs to ask about of those that were held out.
func (a *asker) heldOut(urls []weburl.URL) []weburl.URL { return urls[:min(len(urls), a.most)] }

// measure takes all figures of one setting at one size.
func (c *comparison) measure(ctx context.Context, i, n int, asked []class) error {
	s, urls := &c.settings[i], c.cfg.Corpus.URLs[:n]
	list := c.contenders(s, n)
	result := sizeResult{urls: n, contenders: make([]contenderResult, len(list))}
	if err := c.time(ctx, list, urls, result.contenders); err != nil {
		return err
	}
	for j, x := range list {
		r := &result.contenders[j]
		r.name, r.skipped, r.exact, r.bits = x.name, x.skip, x.exact, x.bits
		if x.skip {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.lost, r.checked = x.lost(urls)
		r.heldOut, r.new = x.ask(asked[0].urls), x.ask(asked[1].urls)
	}
	s.sizes = append(s.sizes, result)
	if i == 0 && n == c.cfg.Sizes[len(c.cfg.Sizes)-1] {
		return c.askHard(ctx, list, n, asked[0])
	}
	return nil
}

// askHard asks every class of questions.
func (c *comparison) askHard(ctx context.Context, list []*contender, n int, heldOut class) error {
	for _, q := range slices.Concat([]class{heldOut}, c.asker(n).classes()) {
		r := classResult{name: q.name, answers: make([]answers, len(list))}
		for j, x := range list {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !x.skip {
				r.answers[j] = x.ask(q.urls)
			}
		}
		c.hard = append(c.hard, r)
	}
	return nil
}
