package lab

import (
	"fmt"
	"math"

	"crawler/dedup"
	"crawler/internal/sheet"
)

// sheet returns what came out.
func (c *comparison) sheet() *sheet.Sheet {
	out := &sheet.Sheet{Title: "Ways to remember URLs", Intro: []string{
		"Linear search and binary search in a slice, Go's map, and five filters: the classic Bloom filter (classic), the split-block " +
			"one (bloom), one classic filter of all segments of all URLs (segments; algorithms 1 and 2 of the source), the multilayer " +
			"filter to the letter of Cen, Xu and Sun 2010 (published; algorithms 3 and 4), and the one that the crawl uses (repaired).",
		"A false positive is a URL that was never inserted and is answered \"seen\": a page that a crawl which trusts the filter never " +
			"fetches. Linear search, binary search and the map make none.",
	}}
	out.Sections = append(out.Sections, c.corpusSection())
	for i := range c.settings {
		s := &c.settings[i]
		out.Sections = append(out.Sections,
			c.rateSection(s, "False positives among real URLs held out", func(r *contenderResult) answers { return r.held },
				"Asked: URLs of the same sites that were not inserted, the questions of a crawl. Nearly all of their segments are known."),
			c.rateSection(s, "False positives among URLs of new segments", func(r *contenderResult) answers { return r.new },
				"Asked: URLs no segment of which was ever inserted. No crawl asks so, but the formulas of the multilayer filter do."),
			c.timeSection(s, "Time to ask about a URL that is in", func(r *contenderResult) float64 { return r.known }),
			c.timeSection(s, "Time to ask about a URL that is not in", func(r *contenderResult) float64 { return r.fresh }),
			c.timeSection(s, "Time to insert", func(r *contenderResult) float64 { return r.insert },
				"Of the last URLs, when nearly all are in. Linear search appends without asking. Binary search moves what is larger; "+
					"the URLs before were sorted, not inserted one by one."),
			c.memorySection(s),
		)
	}
	out.Sections = append(out.Sections, c.hardSection())
	return out
}

func (c *comparison) corpusSection() sheet.Section {
	s := c.cfg.Corpus
	more := "no"
	if s.Cut {
		more = "yes, left out"
	}
	return sheet.Section{Title: "URLs", Table: &sheet.Table{
		Columns: []sheet.Column{{Name: "what"}, {Name: "value"}},
		Rows: [][]sheet.Cell{
			{"source", s.Source},
			{"read", s.Read},
			{"of these repeated", s.Repeated},
			{"lines that hold no URL", s.Bad},
			{"more than the limit", more},
			{"to insert", len(s.URLs)},
			{"held out", len(s.Held)},
			{"layers of the multilayer filters", c.cfg.Layers},
			{"rounds of timing", c.cfg.Rounds},
			{"seed of filters and questions", fmt.Sprint(c.cfg.Seed)},
		},
	}}
}

// rateSection is source 004's figure 3.
func (c *comparison) rateSection(s *setting, title string, of func(*contenderResult) answers, note string) sheet.Section {
	t := &sheet.Table{Columns: []sheet.Column{{Name: "URLs"}, {Name: "exact"}}}
	for _, r := range s.sizes[0].contenders {
		if !r.exact {
			t.Columns = append(t.Columns, sheet.Column{Name: r.name})
		}
	}
	t.Columns = append(t.Columns, sheet.Column{Name: formulaName, Unit: "of classic"}, sheet.Column{Name: printedName, Unit: "of published"})
	asked, checked := 1, 0
	for i := range s.sizes {
		t.Rows = append(t.Rows, c.rateRow(s, &s.sizes[i], of))
		for j := range s.sizes[i].contenders {
			if r := &s.sizes[i].contenders[j]; r.exact {
				checked += of(r).asked
			} else {
				asked = max(asked, of(r).asked)
			}
		}
	}
	counts := fmt.Sprintf("Each filter was asked %s such URLs at each size; column \"exact\" has the errors of linear search, binary search and "+
		"the map together, in %s questions. Rates far below 1 in %s are measured as zero. The formula of the classic filter is "+
		"(1 - e^(-kn/m))^k; \"as printed\" is (1 - e^(-kn/m))^(kl), which descriptions of the published filter have and which takes every "+
		"segment for new and different. The plot leaves out what the formulas say below a tenth of that.", group(asked), group(checked), group(asked))
	return sheet.Section{Title: title + ": " + s.title, Notes: []string{note, counts, c.memoryNote(s)}, Table: t,
		Plots: []sheet.Plot{{
			Title: title, X: "URLs inserted", Y: "share answered \"seen\"", LogX: true, LogY: true, Lines: columnsAsLines(t, 2, 0.1/float64(asked)),
		}},
	}
}

// rateRow has the errors of the exact structures together, the rate of each filter, and
// what the formulas say.
func (c *comparison) rateRow(s *setting, size *sizeResult, of func(*contenderResult) answers) []sheet.Cell {
	errors, row := 0, []sheet.Cell{size.urls, nil}
	for j := range size.contenders {
		if r := &size.contenders[j]; r.exact {
			errors += of(r).seen
		} else {
			row = append(row, of(r).share())
		}
	}
	row[1] = errors
	total, array, k := c.memory(s, size.urls)
	n := float64(size.urls)
	return append(row, dedup.ClassicRate(float64(total)/n, k), dedup.PublishedRateAsPrinted(float64(array)/n, paperHashes, c.cfg.Layers))
}

func (c *comparison) memoryNote(s *setting) string {
	if s.perURL != 0 {
		return fmt.Sprintf("Every filter has %g bits a URL with all its arrays: the published one of %d layers has a %s of that in each "+
			"array, with k = %d. The classic one has its best k, %d.", s.perURL, c.cfg.Layers, fraction(c.cfg.Layers+1), paperHashes, dedup.BestK(s.perURL))
	}
	return fmt.Sprintf("The published filter has %d arrays of %s bits, each other filter one array, or as many bits with all its arrays; "+
		"k = %d where k can be chosen. The repaired filter uses at most %g bits a URL.", c.cfg.Layers+1, group(paperBits), paperHashes, maxBitsPerURL)
}

func group(n int) string { return sheet.Group(int64(n)) }

func fraction(n int) string {
	return [...]string{"whole", "half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth"}[n-1]
}

// timeSection is source 004's figures 4 and 5.
func (c *comparison) timeSection(s *setting, title string, of func(*contenderResult) float64, notes ...string) sheet.Section {
	t := &sheet.Table{Columns: []sheet.Column{{Name: "URLs"}}}
	for _, r := range s.sizes[0].contenders {
		t.Columns = append(t.Columns, sheet.Column{Name: r.name, Unit: "ns", Format: "%.0f"})
	}
	for _, size := range s.sizes {
		row := []sheet.Cell{size.urls}
		for j := range size.contenders {
			var cell sheet.Cell
			if r := &size.contenders[j]; !r.skipped && !math.IsNaN(of(r)) {
				cell = of(r)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	notes = append(notes, fmt.Sprintf("Median of %d rounds, from the text of the URL on: comparing or hashing it is part of it. Linear search is "+
		"left out beyond %s URLs.", c.cfg.Rounds, group(c.cfg.LinearMax)))
	return sheet.Section{Title: title + ": " + s.title, Notes: notes, Table: t,
		Plots: []sheet.Plot{{
			Title: title, X: "URLs inserted", Y: "time of one (ns)", LogX: true, LogY: true, Lines: columnsAsLines(t, 1, 0),
		}},
	}
}

// lineStyles gives a structure the same looks in every plot, and a formula the colour
// of what it is about.
var lineStyles = map[string]int{
	repairedName: 1, publishedName: 2, classicName: 3, mapName: 4, bloomName: 5, segmentsName: 6, binaryName: 7, linearName: 8,
	printedName: 10, formulaName: 11,
}

const (
	formulaName = "formula"
	printedName = "as printed"
)

// columnsAsLines makes a line of each column from the given one on, against the first,
// without positive values below the least.
func columnsAsLines(t *sheet.Table, from int, least float64) []sheet.Line {
	var lines []sheet.Line
	for j := from; j < len(t.Columns); j++ {
		name := t.Columns[j].Name
		if from > 1 && t.Columns[j].Unit != "" {
			name += " " + t.Columns[j].Unit
		}
		line := sheet.Line{Name: name, Style: lineStyles[t.Columns[j].Name]}
		for _, row := range t.Rows {
			if y, ok := row[j].(float64); ok && (y <= 0 || y >= least) {
				line.Points = append(line.Points, sheet.Point{X: float64(row[0].(int)), Y: y})
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// memorySection tells what everything takes, and that nothing was lost.
func (c *comparison) memorySection(s *setting) sheet.Section {
	last := s.sizes[len(s.sizes)-1]
	t := &sheet.Table{Columns: []sheet.Column{
		{Name: "structure"}, {Name: "bits"}, {Name: "bits a URL", Format: "%.2f"}, {Name: "false negatives"}, {Name: "checked"},
	}}
	for _, r := range last.contenders {
		if r.skipped {
			t.Rows = append(t.Rows, []sheet.Cell{r.name, int64(r.bits), r.bits / float64(last.urls)})
			continue
		}
		t.Rows = append(t.Rows, []sheet.Cell{r.name, int64(r.bits), r.bits / float64(last.urls), r.lost, r.checked})
	}
	return sheet.Section{Title: fmt.Sprintf("Memory for %s URLs: %s", group(last.urls), s.title), Table: t, Notes: []string{
		"Of the first three it is the least they can take: the text and 24 bytes for each URL, 8 bits more in the map, and no room to grow. " +
			"A false negative is an inserted URL that is answered \"new\"; there must be none.",
	}}
}

// hardSection has the questions that break filters.
func (c *comparison) hardSection() sheet.Section {
	s := c.settings[0]
	last := s.sizes[len(s.sizes)-1]
	t := &sheet.Table{Columns: []sheet.Column{
		{Name: "question"}, {Name: "structure"}, {Name: "asked"}, {Name: "answered \"seen\""}, {Name: "share"}, {Name: "expected"},
	}}
	for _, class := range c.hard {
		if class.answers[mapIndex].asked == 0 {
			t.Rows = append(t.Rows, []sheet.Cell{class.name, "none", 0})
			continue
		}
		for j, a := range class.answers {
			if r := &last.contenders[j]; !r.exact || j == mapIndex {
				t.Rows = append(t.Rows, []sheet.Cell{class.name, r.name, a.asked, a.seen, a.share(), a.expected})
			}
		}
	}
	return sheet.Section{
		Title: fmt.Sprintf("Questions that break a filter: %s URLs, %s", group(last.urls), s.title), Table: t,
		Notes: []string{
			"None of these URLs was inserted; each is made of one that was. The expected share follows from the filters' fill and from what is " +
				"exactly known of each question's segments: a segment that stands in its layer passes it, and the last array of the published " +
				"filter passes every URL whose segments combine to the XOR of one inserted. For the repaired filter it is the rate of its last " +
				"array, for those whose prefixes its layers let pass. Where few hosts have many URLs the last array of the published filter is " +
				"filled less evenly than assumed, and errs more often: by up to a tenth with many URLs.",
			"The published filter cannot but answer \"seen\" where two segments change places that are known in both, where a pair of equal " +
				"segments is exchanged for another known there, and where URLs differ below its layers only.",
			"A class without questions is one for which the corpus has no such URLs.",
		},
	}
}
