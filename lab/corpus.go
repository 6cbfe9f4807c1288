package lab

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"crawler/report"
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
	Source     string // where they are from, in words
	URLs, Held []weburl.URL

	Read     int64 // lines with a URL, or URLs generated
	Bad      int64 // lines that hold none
	Repeated int64 // URLs that were there before
	Cut      bool  // there were more than MaxURLs
}

// CorpusConfig says how much of a source is used. The zero value is a good one.
type CorpusConfig struct {
	MaxURLs int     // different URLs, the first ones: at most 8,000,000, 0 for DefaultMaxURLs
	HoldOut float64 // share that is held out: above 0 and at most 0.5, 0 for DefaultHoldOut
	Seed    uint64  // of the order, and of what is generated
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
// and what it skipped.
func LoadCorpus(ctx context.Context, path string, cfg CorpusConfig) (*Corpus, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	b := newCorpusBuilder(cfg)
	if info.IsDir() {
		b.corpus.Source = "the crawl in " + path
		err = b.crawl(ctx, path)
	} else {
		b.corpus.Source = "the file " + path
		err = b.file(ctx, path, func(line []byte) string { return string(line) })
	}
	if err != nil {
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

// add takes one URL, and reports whether there is room for more.
func (b *corpusBuilder) add(raw string) bool {
	c := b.corpus
	u, err := weburl.Parse(raw)
	if err != nil {
		c.Bad++
		return true
	}
	c.Read++
	if _, ok := b.seen[u]; ok {
		c.Repeated++
		return true
	}
	if len(c.URLs) == b.cfg.MaxURLs {
		c.Read--
		c.Cut = true
		return false
	}
	b.seen[u] = struct{}{}
	c.URLs = append(c.URLs, u)
	return true
}

// finish shuffles and holds out.
func (b *corpusBuilder) finish() (*Corpus, error) {
	c := b.corpus
	b.seen = nil
	if len(c.URLs) < 2 {
		return nil, fmt.Errorf("%s: %w (%d lines hold none)", c.Source, ErrFewURLs, c.Bad)
	}
	rnd := rand.New(rand.NewPCG(b.cfg.Seed, 2))
	rnd.Shuffle(len(c.URLs), func(i, j int) { c.URLs[i], c.URLs[j] = c.URLs[j], c.URLs[i] })
	n := max(1, int(b.cfg.HoldOut*float64(len(c.URLs))))
	c.URLs, c.Held = c.URLs[:len(c.URLs)-n:len(c.URLs)-n], c.URLs[len(c.URLs)-n:]
	return c, nil
}

// crawl reads pages.jsonl and, if there is one, skipped.jsonl.
func (b *corpusBuilder) crawl(ctx context.Context, dir string) error {
	field := func(line []byte) string {
		var record struct {
			URL string `json:"url"`
		}
		if json.Unmarshal(line, &record) != nil {
			return "" // a bad line
		}
		return record.URL
	}
	if err := b.file(ctx, filepath.Join(dir, report.PagesFile), field); err != nil {
		return err
	}
	err := b.file(ctx, filepath.Join(dir, report.SkippedFile), field)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// file reads one file. Empty lines do not count, lines over 1 MiB are bad.
func (b *corpusBuilder) file(ctx context.Context, name string, url func(line []byte) string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, maxCorpusLine)
	for more := true; more && ctx.Err() == nil; {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			b.corpus.Bad++
			err = skipLine(r)
		case len(bytes.TrimSpace(line)) > 0:
			more = b.add(url(bytes.TrimSpace(line)))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return ctx.Err()
}

// skipLine reads up to the end of the line.
func skipLine(r *bufio.Reader) error {
	for {
		_, err := r.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
