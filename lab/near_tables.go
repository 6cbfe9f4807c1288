package lab

import (
	"context"
	"fmt"
	"math"
	"strings"

	"crawler/dedup"
	"crawler/internal/sheet"
	"crawler/near"
)

// byResemblance says of pairs of every resemblance how many the signatures of a crawl call near.
func (d *nearDocuments) byResemblance(context.Context) (sheet.Section, error) {
	cfg := dedup.PageSignature()
	sigs, err := d.slots(0)
	if err != nil {
		return sheet.Section{}, err
	}
	shared, err := candidates(sigs, lsh(cfg, dedup.DefaultThreshold), 0)
	if err != nil {
		return sheet.Section{}, err
	}
	isShared := make([]bool, len(d.exact.keys))
	for _, p := range shared {
		if i := d.exact.find(uint32(p.key>>32), uint32(p.key)); i >= 0 {
			isShared[i] = true
		}
	}
	edges := []float64{0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1}
	rows := make([]struct {
		pairs, shared, near, held int
		square                    float64
	}, len(edges))
	bar := cfg.SlotsFor(near.Bar)
	for i := range d.exact.keys {
		a, b := d.exact.at(i)
		j := float64(d.exact.resemblance[i])
		row := &rows[0]
		for e := range edges {
			if j >= edges[e] {
				row = &rows[e]
			}
		}
		agreeing := cfg.Agreeing(sigs[a], sigs[b])
		r := cfg.Resemblance(agreeing, d.shinglesOf(a, b))
		row.pairs++
		row.square += (r.Estimate - j) * (r.Estimate - j)
		if holds(r, j) {
			row.held++
		}
		if isShared[i] {
			row.shared++
			if agreeing >= bar {
				row.near++
			}
		}
	}
	t := &sheet.Table{Columns: []sheet.Column{
		{Name: "resemblance"}, {Name: "pairs"}, {Name: "share a band", Unit: "%", Format: "%.2f"}, {Name: "called near", Unit: "%", Format: "%.2f"},
		{Name: "rms error", Format: "%.4f"}, {Name: "interval holds", Unit: "%", Format: "%.2f"},
	}}
	for e, r := range rows {
		name := "1"
		if e+1 < len(edges) {
			name = fmt.Sprintf("%.2f to %.2f", edges[e], edges[e+1])
		}
		var rms sheet.Cell
		if r.pairs > 0 {
			rms = math.Sqrt(r.square / float64(r.pairs))
		}
		t.Rows = append(t.Rows, []sheet.Cell{name, r.pairs, partOf(r.shared, r.pairs), partOf(r.near, r.pairs), rms, partOf(r.held, r.pairs)})
	}
	return sheet.Section{Title: "What a crawl's signatures find, by exact resemblance", Table: t, Notes: []string{
		"Signatures of 1,024 slots of one bit. The interval is that of 95 %.",
	}}, nil
}

// holds allows for the rounding of the exact value.
func holds(r dedup.Resemblance, j float64) bool { return r.Low <= j+1e-6 && j <= r.High+1e-6 }

// shinglesOf is about how many two documents have, as a crawl knows it: package report says the
// same.
func (d *nearDocuments) shinglesOf(a, b uint32) int {
	return max(3*((d.words[a]+d.words[b])/2-dedup.DefaultShingle+1)/4, 1)
}

// forms compares signatures.
func (d *nearDocuments) forms(ctx context.Context) (sheet.Section, error) {
	t := &sheet.Table{Columns: []sheet.Column{
		{Name: "slots x bits"}, {Name: "size", Unit: "bytes"}, {Name: "error at 0.8, theory", Format: "%.4f"}, {Name: "rms error", Format: "%.4f"},
		{Name: "interval holds", Unit: "%", Format: "%.2f"}, {Name: "bands x rows"}, {Name: "called"}, {Name: "0.85 found", Unit: "%", Format: "%.2f"},
		{Name: "below 0.75", Unit: "%", Format: "%.3f"}, {Name: "confirmed"}, {Name: "0.8 found", Unit: "%", Format: "%.2f"},
	}}
	for form, cfg := range nearForms() {
		if ctx.Err() != nil {
			break
		}
		row, err := d.form(form, cfg)
		if err != nil {
			return sheet.Section{}, err
		}
		t.Rows = append(t.Rows, row)
	}
	return sheet.Section{Title: "Kinds of signatures", Table: t, Notes: []string{
		fmt.Sprintf("b-bit minwise hashing (Li and König 2010). Called are pairs that share a band and are estimated at %.3f or more; of these, "+
			"some are below 0.75. Confirmed are pairs of 0.8 or more that were estimated at most three standard errors below, in the bands for that.", near.Bar),
		"Errors and intervals are those of all pairs listed above but the ones of 1.",
	}}, nil
}

func (d *nearDocuments) form(form int, cfg dedup.MinHashConfig) ([]sheet.Cell, error) {
	sigs, err := d.slots(form)
	if err != nil {
		return nil, err
	}
	square, held, unequal := 0.0, 0, 0
	for i := range d.exact.keys {
		a, b := d.exact.at(i)
		if d.exact.resemblance[i] == 1 {
			continue // no signature errs about them
		}
		unequal++
		r, j := cfg.Resemblance(cfg.Agreeing(sigs[a], sigs[b]), d.shinglesOf(a, b)), float64(d.exact.resemblance[i])
		square += (r.Estimate - j) * (r.Estimate - j)
		if holds(r, j) {
			held++
		}
	}
	cut := lsh(cfg, dedup.DefaultThreshold)
	pairs, err := candidates(sigs, cut, cfg.SlotsFor(near.Bar))
	if err != nil {
		return nil, err
	}
	called := d.judge(pairs, 0.85)
	confirmed, err := d.confirmed(sigs, cfg, dedup.DefaultThreshold)
	if err != nil {
		return nil, err
	}
	var rms sheet.Cell
	if unequal > 0 {
		rms = math.Sqrt(square / float64(unequal))
	}
	return []sheet.Cell{fmt.Sprintf("%d x %d", cfg.Slots, cfg.Bits), cfg.Bytes(), cfg.StandardError(dedup.DefaultThreshold), rms,
		partOf(held, unequal), fmt.Sprintf("%d x %d", cut.Bands, cut.Rows), called.called, partOf(called.found, called.wanted),
		partOf(called.low, called.called), confirmed.called, partOf(confirmed.found, confirmed.wanted)}, nil
}

// confirmed compares exactly what is estimated at most three standard errors below a threshold.
func (d *nearDocuments) confirmed(sigs [][]uint64, cfg dedup.MinHashConfig, threshold float64) (score, error) {
	least := threshold - 3*cfg.StandardError(threshold)
	pairs, err := candidates(sigs, lsh(cfg, max(least, lowestNear)), cfg.SlotsFor(least))
	if err != nil {
		return score{}, err
	}
	kept := pairs[:0]
	for _, p := range pairs {
		if d.resemblance(p.key) >= threshold {
			kept = append(kept, p)
		}
	}
	return d.judge(kept, threshold), nil
}

// bands compares how a signature is cut, for several thresholds.
func (d *nearDocuments) bands(ctx context.Context) (sheet.Section, error) {
	cfg := dedup.PageSignature()
	sigs, err := d.slots(0)
	if err != nil {
		return sheet.Section{}, err
	}
	t := &sheet.Table{Columns: []sheet.Column{
		{Name: "threshold", Format: "%.2f"}, {Name: "bands"}, {Name: "rows"}, {Name: "found, theory", Unit: "%", Format: "%.2f"}, {Name: "candidates"},
		{Name: "found", Unit: "%", Format: "%.2f"}, {Name: "right", Unit: "%", Format: "%.2f"}, {Name: "estimate: found", Unit: "%", Format: "%.2f"},
		{Name: "estimate: right", Unit: "%", Format: "%.2f"},
	}}
	for _, rows := range []int{16, 19, 23, 28, 34, 42} {
		cut := dedup.LSHConfig{MinHash: cfg, Bands: cfg.Slots / rows, Rows: rows}
		pairs, err := candidates(sigs, cut, 0)
		if err != nil || ctx.Err() != nil {
			return sheet.Section{}, err
		}
		for _, threshold := range []float64{0.7, 0.8, 0.9} {
			all := d.judge(pairs, threshold)
			var kept []nearPair
			for _, p := range pairs {
				if p.agreeing >= cfg.SlotsFor(threshold) {
					kept = append(kept, p)
				}
			}
			by := d.judge(kept, threshold)
			t.Rows = append(t.Rows, []sheet.Cell{threshold, cut.Bands, cut.Rows,
				100 * dedup.CandidateRate(cfg.Chance(threshold), cut.Bands, cut.Rows), all.called, partOf(all.found, all.wanted),
				partOf(all.found, all.called), partOf(by.found, by.wanted), partOf(by.found, by.called)})
		}
	}
	bands, rows := dedup.BandsFor(cfg, dedup.DefaultThreshold, dedup.DefaultRecall)
	return sheet.Section{Title: "Bands and thresholds", Table: t, Notes: []string{
		fmt.Sprintf("Pairs of at least the threshold that share a band (found) and the share of the candidates that are such pairs (right); then "+
			"the same of the candidates whose estimate is at least the threshold. A crawl uses %d bands of %d. Theory is for pairs of just the threshold.", bands, rows),
	}}, nil
}

// filters compares what is said of each document: does it resemble an earlier one?
func (d *nearDocuments) filters(context.Context) (sheet.Section, error) {
	truth, loose := make([]bool, len(d.names)), make([]bool, len(d.names))
	for i := range d.exact.keys {
		_, later := d.exact.at(i)
		truth[later] = truth[later] || d.exact.resemblance[i] >= dedup.DefaultThreshold
		loose[later] = loose[later] || d.exact.resemblance[i] >= 0.75
	}
	t := &sheet.Table{Columns: []sheet.Column{
		{Name: "method"}, {Name: "memory", Unit: "bytes a document", Format: "%.0f"}, {Name: "called"}, {Name: "found", Unit: "%", Format: "%.2f"},
		{Name: "right", Unit: "%", Format: "%.2f"}, {Name: "below 0.75", Unit: "%", Format: "%.2f"}, {Name: "names the other"},
	}}
	row := func(name string, memory int64, called []bool, names string) {
		n, found, want, low := 0, 0, 0, 0
		for i, c := range called {
			if truth[i] {
				want++
			}
			if c {
				n++
				if truth[i] {
					found++
				}
				if !loose[i] {
					low++
				}
			}
		}
		t.Rows = append(t.Rows, []sheet.Cell{name, float64(memory) / float64(len(d.names)), n, partOf(found, want), partOf(found, n), partOf(low, n), names})
	}
	wide := len(nearForms()) - 1
	for _, threshold := range []float64{0.8, 0.9} {
		called, memory := d.inFilters(wide, threshold)
		row(fmt.Sprintf("bands of 16-bit MinHash in Bloom filters, for %.1f", threshold), memory, called, "no")
	}
	for _, form := range []int{0, 3} {
		called, memory, err := d.inIndex(form)
		if err != nil {
			return sheet.Section{}, err
		}
		cfg := nearForms()[form]
		row(fmt.Sprintf("LSH index, %d x %d, by estimate", cfg.Slots, cfg.Bits), memory, called, "yes")
	}
	return sheet.Section{Title: "Bloom filters in the place of an index", Table: t, Notes: []string{
		"Each document in turn: does it resemble an earlier one by 0.8 or more? LSHBloom (arXiv 2411.04257) keeps each band in a Bloom filter of its own " +
			"and calls what is in any of them a duplicate: a tenth of the memory of an index, and neither an estimate nor the other document. " +
			"A crawl's finder keeps 128 bytes a page on disk and sorts by one band after another, with 15 bytes a page in memory.",
	}}, nil
}

// filterRate is the rate of wrong answers of all filters of a document together.
const filterRate = 1e-3

// inFilters asks a Bloom filter for each band.
func (d *nearDocuments) inFilters(form int, threshold float64) (called []bool, memory int64) {
	cut := lsh(nearForms()[form], threshold)
	size := dedup.SizeFor(int64(len(d.names)), filterRate/float64(cut.Bands))
	filters := make([]*dedup.Bloom, cut.Bands)
	for i := range filters {
		filters[i] = dedup.NewBloom(size, uint64(i))
		memory += size.Bits / 8
	}
	called = make([]bool, len(d.names))
	var slots []uint64
	var raw []byte
	for i, s := range d.sigs[form] {
		raw = s.AppendSlots(raw[:0])
		slots, _ = cut.MinHash.DecodeSlots(slots[:0], raw) // of its own length
		for band, f := range filters {
			if !f.Add(uint64(cut.Tag(slots, band)) * 0x9e3779b97f4a7c15) {
				called[i] = true
			}
		}
	}
	return called, memory
}

// inIndex asks an LSH index.
func (d *nearDocuments) inIndex(form int) (called []bool, memory int64, err error) {
	index, err := dedup.NewLSH(lsh(nearForms()[form], dedup.DefaultThreshold))
	if err != nil {
		return nil, 0, err
	}
	called = make([]bool, len(d.names))
	var found []dedup.Match
	for i, s := range d.sigs[form] {
		if found, err = index.Similar(found[:0], s, near.Bar); err == nil {
			err = index.Add(uint32(i), s)
		}
		if err != nil {
			return nil, 0, err
		}
		called[i] = len(found) > 0
	}
	return called, index.Bytes(), nil
}

// shownClusters is how many are listed.
const shownClusters = 10

// clusters lists the largest.
func (d *nearDocuments) clusters(context.Context) (sheet.Section, error) {
	sigs, err := d.slots(0)
	if err != nil {
		return sheet.Section{}, err
	}
	section, found, err := clustersOf(sigs, func(page uint32) string { return d.names[page] })
	if err != nil {
		return section, err
	}
	within, below, together, wanted := 0, 0, 0, 0
	cluster := make([]int, len(d.names))
	for c, members := range found {
		for i, m := range members {
			cluster[m.Page] = c + 1
			for _, o := range members[:i] {
				within++
				if d.resemblance(pairKey(m.Page, o.Page)) < 0.75 {
					below++
				}
			}
		}
	}
	for i, key := range d.exact.keys {
		if d.exact.resemblance[i] >= 0.85 {
			wanted++
			if c := cluster[key>>32]; c > 0 && c == cluster[uint32(key)] {
				together++
			}
		}
	}
	if within > 0 {
		section.Notes = append(section.Notes, fmt.Sprintf("Of all pairs within a cluster %.2f %% are below 0.75.", 100*float64(below)/float64(within)))
	}
	if wanted > 0 {
		section.Notes = append(section.Notes, fmt.Sprintf("Of the pairs of 0.85 or more %.2f %% are in one cluster.", 100*float64(together)/float64(wanted)))
	}
	return section, nil
}

// clustersOf finds clusters as a crawl does.
func clustersOf(sigs [][]uint64, name func(page uint32) string) (sheet.Section, []near.Cluster, error) {
	f, err := near.New(near.Config{})
	if err != nil {
		return sheet.Section{}, nil, err
	}
	for _, s := range sigs {
		if err := f.Add(s); err != nil {
			return sheet.Section{}, nil, err
		}
	}
	found, err := f.Find()
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return sheet.Section{}, nil, err
	}
	t := &sheet.Table{Columns: []sheet.Column{{Name: "pages"}, {Name: "such as"}}}
	pages := 0
	for i, c := range found {
		pages += len(c)
		if i < shownClusters {
			names := []string{name(c[0].Page), name(c[1].Page)}
			t.Rows = append(t.Rows, []sheet.Cell{len(c), strings.Join(names, "  ")})
		}
	}
	return sheet.Section{Title: "The largest clusters", Table: t, Notes: []string{
		fmt.Sprintf("%s pages with nearly the text of another one; clusters: %s. So a crawl finds them.", sheet.Group(int64(pages)), sheet.Group(int64(len(found)))),
	}}, found, nil
}
