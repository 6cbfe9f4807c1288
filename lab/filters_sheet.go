package lab

import (
	"fmt"
	"math"
	"strings"

	"crawler/dedup"
	"crawler/internal/sheet"
)

// sheet returns what came out.
func (c *comparison) sheet() *sheet.Sheet {
	out := &sheet.Sheet{Title: "Ways to remember URLs", Intro: filtersIntro(), Config: c.config()}
	out.Sections = append(out.Sections, c.outcomeSection(), c.termsSection(), c.corpusSection())
	for i := range c.settings {
		s := &c.settings[i]
		out.Sections = append(out.Sections,
			c.rateSection(s, "held_out", "False positives among real URLs held out", func(r *contenderResult) answers { return r.heldOut },
				"Asked: URLs of the same sites that were not inserted, the questions of a crawl. Nearly all of their segments are known."),
			c.rateSection(s, "new_segments", "False positives among URLs of new segments", func(r *contenderResult) answers { return r.new },
				"Asked: URLs no segment of which was ever inserted. No crawl asks so, but the formulas of the multilayer filter do. The repaired "+
					"filter errs less the more URLs there are: its layers have room in proportion to the URLs, and the hosts grow more slowly."),
			c.timeSection(s, "time_known", "Time to ask about a URL that is in", func(r *contenderResult) float64 { return r.known }),
			c.timeSection(s, "time_new", "Time to ask about a URL that is not in", func(r *contenderResult) float64 { return r.fresh }),
			c.timeSection(s, "time_insert", "Time to insert", func(r *contenderResult) float64 { return r.insert },
				"Of the last URLs, when nearly all are in. Linear search appends without asking. Binary search moves what is larger; "+
					"the URLs before were sorted, not inserted one by one."),
			c.memorySection(s),
		)
	}
	out.Sections = append(append(out.Sections, c.single...), c.hardSection())
	return out
}

func (c *comparison) config() []sheet.Setting {
	var sizes []string
	for _, n := range c.cfg.Sizes {
		sizes = append(sizes, group(n))
	}
	return []sheet.Setting{
		{Name: "source", Value: c.cfg.Corpus.Source},
		{Name: "sizes", Value: strings.Join(sizes, " ")},
		{Name: "bits a URL", Value: c.cfg.BitsPerURL},
		{Name: "layers", Value: c.cfg.Layers},
		{Name: "most questions of a class", Value: c.cfg.Questions},
		{Name: "rounds of timing", Value: c.cfg.Rounds},
		{Name: "linear search up to", Value: c.cfg.LinearMax},
		{Name: "seed", Value: c.cfg.Seed},
	}
}

func (c *comparison) corpusSection() sheet.Section {
	s := c.cfg.Corpus
	more := "no"
	if s.Cut {
		more = "yes, left out"
	}
	t := &sheet.Table{
		Columns: []sheet.Column{{Name: "what"}, {Name: "value"}},
		Rows: [][]sheet.Cell{
			{"source", s.Source},
			{"read", s.Read},
			{"of these repeated", s.Repeated},
			{"lines that hold no URL", s.Bad},
		},
	}
	if s.Bad > 0 {
		t.Rows = append(t.Rows, []sheet.Cell{"the first of them", s.FirstBad.String()})
	}
	t.Rows = append(t.Rows, []sheet.Cell{"mean length, bytes", s.meanLength()})
	t.Rows = append(t.Rows, [][]sheet.Cell{{"more than the limit", more}, {"to insert", len(s.URLs)}, {"held out", len(s.HeldOut)}}...)
	return sheet.Section{ID: "corpus", Title: "URLs", Table: t}
}

// rateSection is source 004's figure 3.
func (c *comparison) rateSection(s *setting, id, title string, of func(*contenderResult) answers, note string) sheet.Section {
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
	counts := fmt.Sprintf("Each filter was asked %s of them at each size, the exact structures %s in all. Where the table has 0, none of the %s was "+
		"answered \"seen\": the share is at most 3 in %s then, with 95 %% confidence. The plot leaves out what the formulas say below 1 in %s.",
		group(asked), group(checked), group(asked), group(asked), group(10*asked))
	return sheet.Section{
		ID: id + "_" + s.id, Title: title + ": " + s.title, Notes: []string{note, counts}, Table: t,
		Plots: []sheet.Plot{c.plot(sheet.Plot{
			Title: title + ", " + s.title, Y: "share answered \"seen\"", YMax: 1, Lines: columnsAsLines(t, 2, 0.1/float64(asked)),
		})},
	}
}

// plot gives a plot against the number of URLs its horizontal axis, that of all.
func (c *comparison) plot(p sheet.Plot) sheet.Plot {
	p.X, p.LogX, p.LogY = "URLs inserted", true, true
	p.XMin, p.XMax = float64(c.cfg.Sizes[0]), float64(c.cfg.Sizes[len(c.cfg.Sizes)-1])
	return p
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

func group(n int) string { return sheet.Group(int64(n)) }

// timeSection is source 004's figures 4 and 5.
func (c *comparison) timeSection(s *setting, id, title string, of func(*contenderResult) float64, notes ...string) sheet.Section {
	t := &sheet.Table{Columns: []sheet.Column{{Name: "URLs"}}}
	for _, r := range s.sizes[0].contenders {
		t.Columns = append(t.Columns, sheet.Column{Name: r.name, Unit: "ns", Format: "%.0f"})
	}
	skipped := false
	for _, size := range s.sizes {
		row := []sheet.Cell{size.urls}
		for j := range size.contenders {
			var cell sheet.Cell
			r := &size.contenders[j]
			if !r.skipped && !math.IsNaN(of(r)) {
				cell = of(r)
			}
			row = append(row, cell)
			skipped = skipped || r.skipped
		}
		t.Rows = append(t.Rows, row)
	}
	if skipped {
		notes = append(notes, fmt.Sprintf("Linear search is left out beyond %s URLs.", group(c.cfg.LinearMax)))
	}
	return sheet.Section{
		ID: id + "_" + s.id, Title: title + ": " + s.title, Notes: notes, Table: t,
		Plots: []sheet.Plot{c.plot(sheet.Plot{
			Title: title + ", " + s.title, Y: "time of one (ns)", Lines: columnsAsLines(t, 1, 0),
		})},
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

// memorySection reports the memory of everything, and that nothing was lost.
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
	return sheet.Section{ID: "memory_" + s.id, Title: fmt.Sprintf("Memory for %s URLs: %s", group(last.urls), s.title), Table: t, Notes: []string{
		"Of the first three it is the least they can take: the text and 24 bytes for each URL, 8 bits more in the map, and no room to grow. " +
			"A false negative is an inserted URL that is answered \"new\"; there must be none.",
	}}
}

// hardSection has the questions that break filters.
func (c *comparison) hardSection() sheet.Section {
	s := c.settings[0]
	last := s.sizes[len(s.sizes)-1]
	t := &sheet.Table{Columns: []sheet.Column{
		{Name: "question"}, {Name: "structure"}, {Name: "asked"}, {Name: "seen"}, {Name: "share"},
		{Name: "from", Unit: "95 %", Key: "share_low"}, {Name: "to", Unit: "95 %", Key: "share_high"}, {Name: "expected"},
	}}
	for _, class := range c.hard {
		if class.answers[mapIndex].asked == 0 {
			t.Rows = append(t.Rows, []sheet.Cell{class.name, "none", 0})
			continue
		}
		for j, a := range class.answers {
			if r := &last.contenders[j]; !r.exact || j == mapIndex {
				low, high := a.interval()
				t.Rows = append(t.Rows, []sheet.Cell{class.name, r.name, a.asked, a.seen, a.share(), low, high, a.expected})
			}
		}
	}
	return sheet.Section{
		ID: "hard_questions", Title: fmt.Sprintf("Questions that break a filter: %s URLs, %s", group(last.urls), s.title), Table: t,
		Notes: []string{
			"None of these URLs was inserted; each is made of one that was. Column \"seen\" counts the wrong answers, and beside their share stands its 95 % interval (Wilson's score), as if " +
				"the questions were independent.",
			"The expected share follows from the filters' fill and from what is exactly known of each question's segments: a segment that stands " +
				"in its layer passes it, and the last array of the published filter passes every URL whose segments combine to the XOR of one " +
				"inserted. For the repaired filter it is the rate of its last array, for those whose prefixes its layers let pass.",
			"Questions share segments, and the published filter and that of segments answer those that share the unknown ones alike: they are " +
				"not independent, and where few URLs are in, measured and expected differ by some percent more than the interval says.",
			"The published filter cannot but answer \"seen\" where two segments change places that are known in both, where a pair of equal " +
				"segments is exchanged for another known there, and where URLs differ below its layers only.",
			"A class without questions is one for which the corpus has no such URLs.",
		},
	}
}
