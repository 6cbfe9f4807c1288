package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"crawler/dedup"
	"crawler/internal/sheet"
	"crawler/near"
	"crawler/report"
)

// errNoSignatures says that a crawl kept none.
var errNoSignatures = errors.New("has fewer than two pages with a near_signature in " + report.PagesFile +
	": name the directory of a crawl of this version, or of HTML and text files")

// nearCrawl looks at the signatures of a crawl, whose texts are gone: of the first ones all pairs
// are estimated, and the bands are judged by that.
func nearCrawl(ctx context.Context, dir string, progress func(string)) (*sheet.Sheet, error) {
	var sigs [][]uint64
	var urls []string
	more := 0
	progress("reading signatures")
	err := report.Signatures(dir, func(url string, slots []uint64) error {
		if len(sigs) >= MaxNearDocuments {
			more++
			return ctx.Err()
		}
		sigs, urls = append(sigs, slices.Clone(slots)), append(urls, url)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	if len(sigs) < 2 {
		return nil, fmt.Errorf("%s %w", dir, errNoSignatures)
	}
	progress("estimating all pairs")
	table, err := bandsBySignature(ctx, sigs)
	if err != nil {
		return nil, err
	}
	progress("clusters")
	clusters, _, err := clustersOf(sigs, func(page uint32) string { return urls[page] })
	if err != nil {
		return nil, err
	}
	intro := []string{fmt.Sprintf("The signatures of %s pages. A crawl keeps no texts, so nothing is confirmed: a pair is near if its resemblance is "+
		"estimated at %.3f or more.", sheet.Group(int64(len(sigs))), near.Bar)}
	if more > 0 {
		intro = append(intro, fmt.Sprintf("%s further pages are left out here; near.jsonl has the clusters of all.", sheet.Group(int64(more))))
	}
	return &sheet.Sheet{
		Title: "Near-duplicates of the crawl in " + dir, Intro: intro,
		Config:   []sheet.Setting{{Name: "path", Value: dir}},
		Sections: []sheet.Section{table, clusters},
	}, nil
}

// bandsBySignature compares how signatures are cut with a look at all pairs.
func bandsBySignature(ctx context.Context, sigs [][]uint64) (sheet.Section, error) {
	cfg := dedup.PageSignature()
	thresholds := []float64{0.7, near.Bar, 0.9}
	least := cfg.SlotsFor(thresholds[0])
	all := make([]int, len(thresholds))
	for i, a := range sigs {
		if ctx.Err() != nil {
			return sheet.Section{}, ctx.Err()
		}
		for _, b := range sigs[:i] {
			if n := cfg.Agreeing(a, b); n >= least {
				for t, threshold := range thresholds {
					if n >= cfg.SlotsFor(threshold) {
						all[t]++
					}
				}
			}
		}
	}
	t := &sheet.Table{Columns: []sheet.Column{
		{Name: "estimate", Format: "%.3f"}, {Name: "pairs"}, {Name: "bands"}, {Name: "rows"}, {Name: "candidates"}, {Name: "found", Unit: "%", Format: "%.2f"},
	}}
	for _, rows := range []int{16, 19, 23, 28, 34, 42} {
		cut := dedup.LSHConfig{MinHash: cfg, Bands: cfg.Slots / rows, Rows: rows}
		pairs, err := candidates(sigs, cut, 0)
		if err != nil {
			return sheet.Section{}, err
		}
		for i, threshold := range thresholds {
			found := 0
			for _, p := range pairs {
				if p.agreeing >= cfg.SlotsFor(threshold) {
					found++
				}
			}
			t.Rows = append(t.Rows, []sheet.Cell{threshold, all[i], cut.Bands, cut.Rows, len(pairs), partOf(found, all[i])})
		}
	}
	return sheet.Section{Title: "Bands and estimates", Table: t, Notes: []string{
		"Of the pairs whose estimate is at least so high, those that share a band.",
	}}, nil
}
