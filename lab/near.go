package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"crawler/dedup"
	"crawler/internal/sheet"
	"crawler/near"
	"crawler/parse"
	"crawler/report"
)

// MaxNearDocuments is how many documents are compared with each other, and maxNearShingles how many
// different shingles they may have together, 8 bytes each.
const (
	MaxNearDocuments = 20_000
	maxNearShingles  = 60_000_000
)

// NearConfig configures Near.
type NearConfig struct {
	Paths    []string  // HTML and text files, directories of them, "-" for In; or a crawl's one
	In       io.Reader // such as standard input
	Progress func(what string)
}

// Near looks for near-duplicates: among files by every kind of signature, with the exact
// resemblance beside; in a crawl's directory by the signatures that it kept.
func Near(ctx context.Context, c NearConfig) (*sheet.Sheet, error) {
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	if len(c.Paths) == 0 {
		return nil, errNothingNamed
	}
	if _, err := os.Stat(filepath.Join(c.Paths[0], report.PagesFile)); err == nil && len(c.Paths) == 1 {
		return nearCrawl(ctx, c.Paths[0], c.Progress)
	}
	d := newNearDocuments()
	files := documents{in: c.In}
	c.Progress("reading")
	for _, path := range c.Paths {
		err := files.each(ctx, path, func(name string, page *parse.Page) error {
			if len(c.Paths) > 1 && name != filepath.Base(path) {
				name = path + "/" + name // as two directories may have one name
			}
			return d.add(name, page)
		})
		if err != nil {
			return nil, err
		}
	}
	all := strings.Join(c.Paths, ", ")
	if len(d.names) < 2 {
		return nil, fmt.Errorf("%s %w", all, errOneDocument)
	}
	c.Progress("comparing all texts exactly")
	var err error
	if d.exact, err = allPairs(ctx, d.sets); err != nil {
		return nil, err
	}
	s := &sheet.Sheet{
		Title: "Near-duplicates of " + all,
		Intro: []string{
			"What it teaches: a signature of 128 bytes a page finds the pairs that are worth a second look, and what looking at all pairs would cost is " +
				"saved by comparing only what falls into one band; only the texts themselves can confirm a pair.",
			fmt.Sprintf("%s documents with words; %s pairs of them have a resemblance of %.1f or more. The resemblance is the share of their "+
				"runs of three words that two texts have in common. %s", sheet.Group(int64(len(d.names))), sheet.Group(int64(len(d.exact.keys))),
				lowestNear, skippedNote(files.skipped)),
			fmt.Sprintf("A crawl calls pages near if their estimated resemblance is at least %.3f, for a threshold of %.1f. Here the texts are at "+
				"hand, so what is found can be confirmed: pairs whose estimate is at most three standard errors below the threshold are "+
				"compared exactly.", near.Bar, dedup.DefaultThreshold),
		},
		Config: []sheet.Setting{{Name: "paths", Value: all}},
	}
	for _, section := range []struct {
		what string
		make func(context.Context) (sheet.Section, error)
	}{
		{"by resemblance", d.byResemblance}, {"kinds of signatures", d.forms}, {"bands and thresholds", d.bands},
		{"Bloom filters", d.filters}, {"clusters", d.clusters},
	} {
		c.Progress(section.what)
		made, err := section.make(ctx)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		s.Sections = append(s.Sections, made)
	}
	return s, nil
}

var errNothingNamed = errors.New("name a directory, or files")

var errOneDocument = errors.New("has fewer than two documents with words: name a directory with more")

// nearForms are the kinds of signatures that are compared. What crawls keep is the first.
func nearForms() []dedup.MinHashConfig {
	return []dedup.MinHashConfig{
		dedup.PageSignature(),
		{Slots: 512, Bits: 2, Shingle: dedup.DefaultShingle},
		{Slots: 256, Bits: 4, Shingle: dedup.DefaultShingle},
		{Slots: 128, Bits: 8, Shingle: dedup.DefaultShingle},
		{Slots: 512, Bits: 1, Shingle: dedup.DefaultShingle},
		{Slots: 128, Bits: 16, Shingle: dedup.DefaultShingle}, // for the filters
	}
}

// nearDocuments are texts and their signatures.
type nearDocuments struct {
	names    []string
	words    []int
	sets     [][]uint64
	shingles int
	hash     []*dedup.MinHash    // by form
	sigs     [][]dedup.Signature // by form and document
	exact    *exactPairs
}

func newNearDocuments() *nearDocuments {
	d := &nearDocuments{}
	for _, cfg := range nearForms() {
		hash, err := dedup.NewMinHash(cfg)
		if err != nil {
			panic("lab: a kind of signatures: " + err.Error())
		}
		d.hash, d.sigs = append(d.hash, hash), append(d.sigs, nil)
	}
	return d
}

func (d *nearDocuments) add(name string, page *parse.Page) error {
	if len(page.Words) == 0 {
		return nil
	}
	set := slices.Clone(dedup.SortSet(dedup.Shingles(nil, page.Words, 0)))
	d.shingles += len(set)
	if len(d.names) >= MaxNearDocuments || d.shingles > maxNearShingles {
		return fmt.Errorf("more than %s documents, or %s different runs of three words in them: name a part of the directory",
			sheet.Group(MaxNearDocuments), sheet.Group(maxNearShingles))
	}
	d.names, d.words, d.sets = append(d.names, name), append(d.words, len(page.Words)), append(d.sets, set)
	for i, hash := range d.hash {
		d.sigs[i] = append(d.sigs[i], hash.SketchWords(dedup.Signature{}, page.Words))
	}
	return nil
}

// slots are the signatures of a form as a near.Finder takes them.
func (d *nearDocuments) slots(form int) ([][]uint64, error) {
	cfg := nearForms()[form]
	out := make([][]uint64, len(d.names))
	var raw []byte
	for i, s := range d.sigs[form] {
		var err error
		raw = s.AppendSlots(raw[:0])
		if out[i], err = cfg.DecodeSlots(nil, raw); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// nearPair is two documents that were found.
type nearPair struct {
	key      uint64
	agreeing int
}

// candidates returns the pairs that share a band and agree in at least so many slots, each once.
func candidates(sigs [][]uint64, cfg dedup.LSHConfig, least int) ([]nearPair, error) {
	f, err := near.New(near.Config{LSH: cfg, Window: max(len(sigs), 1)})
	if err != nil {
		return nil, err
	}
	defer f.Close() // everything is in memory
	for _, s := range sigs {
		if err := f.Add(s); err != nil {
			return nil, err
		}
	}
	seen := map[uint64]int{}
	err = f.Pairs(least, func(a, b uint32, agreeing int) { seen[pairKey(a, b)] = agreeing })
	pairs := make([]nearPair, 0, len(seen))
	for key, agreeing := range seen {
		pairs = append(pairs, nearPair{key, agreeing})
	}
	return pairs, err
}

// lsh is a form cut into the bands for a threshold.
func lsh(cfg dedup.MinHashConfig, threshold float64) dedup.LSHConfig {
	bands, rows := dedup.BandsFor(cfg, threshold, dedup.DefaultRecall)
	return dedup.LSHConfig{MinHash: cfg, Bands: bands, Rows: rows}
}

// score is how good a list of pairs is.
type score struct {
	called, low   int // pairs; of them with a resemblance below 0.75
	wanted, found int // pairs of the resemblance asked for, and of them those in the list
}

// judge holds a list of pairs against the truth: those of at least wanted should be in it.
func (d *nearDocuments) judge(pairs []nearPair, wanted float64) (s score) {
	for _, j := range d.exact.resemblance {
		if float64(j) >= wanted {
			s.wanted++
		}
	}
	for _, p := range pairs {
		s.called++
		switch j := d.resemblance(p.key); {
		case j >= wanted:
			s.found++
		case j < 0.75:
			s.low++
		}
	}
	return s
}

// resemblance is the exact one; below lowestNear it is 0.
func (d *nearDocuments) resemblance(key uint64) float64 {
	if i := d.exact.find(uint32(key>>32), uint32(key)); i >= 0 {
		return float64(d.exact.resemblance[i])
	}
	return 0
}

// partOf is a share in percent; without a whole it is missing.
func partOf(part, whole int) sheet.Cell {
	if whole == 0 {
		return nil
	}
	return 100 * float64(part) / float64(whole)
}
