package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"crawler/weburl"
)

// Limits and defaults of a CorpusConfig.
const (
	DefaultMaxURLs = 200_000
	MaxCorpusURLs  = 8_000_000
	DefaultHoldOut = 0.1
	maxHoldOut     = 0.5
	maxCorpusLine  = 1 << 20 // bytes; a longer line is a bad one
)

// Corpus is URLs to experiment on, all different. A part is held out: real URLs of
// the same sites that are asked about and never inserted. Both are in random order,
// so that the first n are a sample of all.
//
// It takes the text of the URLs and some 80 bytes each while it is made, 24
// afterwards.
type Corpus struct {
	Source        string // where they are from, in words
	URLs, HeldOut []weburl.URL

	Read     int64   // lines with a URL, or URLs generated
	Bad      int64   // lines that hold none
	FirstBad BadLine // the first of them, if there is one
	Repeated int64   // URLs that were there before
	Cut      bool    // there were more than MaxURLs
}

// BadLine is a line that holds no URL.
type BadLine struct {
	File string // without its directory
	Line int64  // from 1
	Text string // its first 80 runes, U+FFFD for those that cannot be printed
}

// String returns "urls.txt, line 7: the text".
func (l BadLine) String() string { return fmt.Sprintf("%s, line %d: %s", l.File, l.Line, l.Text) }

// CorpusConfig says how much of a source is used. The zero value is a good one.
type CorpusConfig struct {
	MaxURLs int     // different URLs, the first ones: at most 8,000,000, 0 for DefaultMaxURLs
	HoldOut float64 // share that is held out: above 0 and at most 0.5, 0 for DefaultHoldOut
	Seed    uint64  // of the order, and of what is generated

	// In is what LoadCorpus reads for the path "-"; nil if there is no such thing.
	In io.Reader
}

func (c CorpusConfig) withDefaults() (CorpusConfig, error) {
	if c.MaxURLs == 0 {
		c.MaxURLs = DefaultMaxURLs
	}
	if c.HoldOut == 0 {
		c.HoldOut = DefaultHoldOut
	}
	switch {
	case c.MaxURLs < 2 || c.MaxURLs > MaxCorpusURLs:
		return c, fmt.Errorf("lab: CorpusConfig.MaxURLs is %d, want 2 to %d, or 0 for %d", c.MaxURLs, MaxCorpusURLs, DefaultMaxURLs)
	case !(c.HoldOut > 0 && c.HoldOut <= maxHoldOut):
		return c, fmt.Errorf("lab: CorpusConfig.HoldOut is %v, want above 0 and at most %v, or 0 for %v", c.HoldOut, maxHoldOut, DefaultHoldOut)
	}
	return c, nil
}

// ErrFewURLs says that a source has too few URLs to hold any out.
var ErrFewURLs = errors.New("fewer than two URLs")

// LoadCorpus reads a file with one URL a line, or the directory of a crawl: its pages
// and what it skipped; "-" is cfg.In, read as a file is. Lines of a file that are
// empty or begin with # do not count. A file that is compressed or is one of a
// crawl's own is refused, as is a directory without a crawl, with an *fs.PathError.
func LoadCorpus(ctx context.Context, path string, cfg CorpusConfig) (*Corpus, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	b := newCorpusBuilder(cfg)
	if err := b.load(ctx, path); err != nil {
		return nil, err
	}
	return b.finish()
}

// GenerateCorpus makes cfg.MaxURLs URLs of a web of sites that differ in size as real
// ones do: by a power law, and so do the words in their paths. Segments recur as in
// real trees: directories, names of pages, dates.
func GenerateCorpus(ctx context.Context, cfg CorpusConfig) (*Corpus, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	b, maker := newCorpusBuilder(cfg), newSiteMaker(cfg.MaxURLs, cfg.Seed)
	b.corpus.Source = fmt.Sprintf("generated, seed %d", cfg.Seed)
	for i := 0; i < 50*cfg.MaxURLs && len(b.seen) < cfg.MaxURLs; i++ {
		if i&0xffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		b.add(maker.url())
	}
	return b.finish()
}

// corpusBuilder collects different URLs.
type corpusBuilder struct {
	cfg    CorpusConfig
	corpus *Corpus
	seen   map[weburl.URL]struct{}
}

func newCorpusBuilder(cfg CorpusConfig) *corpusBuilder {
	return &corpusBuilder{cfg: cfg, corpus: new(Corpus), seen: make(map[weburl.URL]struct{})}
}

// add takes one URL, and reports whether it is one and whether there is room for
// more.
func (b *corpusBuilder) add(raw string) (good, more bool) {
	c := b.corpus
	u, err := weburl.Parse(raw)
	if err != nil {
		return false, true
	}
	c.Read++
	if _, ok := b.seen[u]; ok {
		c.Repeated++
		return true, true
	}
	if len(c.URLs) == b.cfg.MaxURLs {
		c.Read--
		c.Cut = true
		return true, false
	}
	b.seen[u] = struct{}{}
	c.URLs = append(c.URLs, u)
	return true, true
}

// finish shuffles and holds out.
func (b *corpusBuilder) finish() (*Corpus, error) {
	c := b.corpus
	b.seen = nil
	if len(c.URLs) < 2 {
		if c.Bad == 0 {
			return nil, fmt.Errorf("%s: %w", c.Source, ErrFewURLs)
		}
		return nil, fmt.Errorf("%s: %w (lines that hold none: %d; the first is %s)", c.Source, ErrFewURLs, c.Bad, c.FirstBad)
	}
	rnd := rand.New(rand.NewPCG(b.cfg.Seed, 2))
	rnd.Shuffle(len(c.URLs), func(i, j int) { c.URLs[i], c.URLs[j] = c.URLs[j], c.URLs[i] })
	n := max(1, int(b.cfg.HoldOut*float64(len(c.URLs))))
	c.URLs, c.HeldOut = c.URLs[:len(c.URLs)-n:len(c.URLs)-n], c.URLs[len(c.URLs)-n:]
	return c, nil
}

// meanLength is that of the text of all URLs.
func (c *Corpus) meanLength() float64 {
	bytes, n := 0, len(c.URLs)+len(c.HeldOut)
	for _, u := range slices.Concat(c.URLs, c.HeldOut) {
		bytes += len(u.String())
	}
	return float64(bytes) / float64(max(n, 1))
}
