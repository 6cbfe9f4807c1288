package lab

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"crawler/internal/sheet"
)

// Theory returns the figures and worked examples of the sources beside what this
// program's code computes, and says which of them are misprints. The sources are
// named by the numbers that its first table has.
func Theory() *sheet.Sheet {
	s := &sheet.Sheet{
		Title: "The sources, computed again",
		Intro: []string{
			"Each row has a figure or a worked example of a source, and what the code of this program computes for it. \"agrees\": " +
				"equal in all digits printed. \"rounded\": the source rounded on the way. \"measured\": the source's experiment, within one " +
				"percent of the theory. \"no figure\": the source gives none. \"MISPRINT\": the source is wrong. \"CONTRADICTION\": it " +
				"says two things. \"REFUTED\": what it states does not hold.",
			"What it teaches: half of what one reads of filters is worth computing again before a crawl is built on it.",
		},
		Sections: []sheet.Section{{Title: "Sources", Table: &sheet.Table{
			Columns: []sheet.Column{{Name: "number"}, {Name: "source"}}, Rows: sources(),
		}}},
	}
	for _, part := range []struct {
		title  string
		claims []claim
	}{
		{"Bloom filter: worked examples", bloomExamples()},
		{"Bloom filter: rates", bloomRates()},
		{"Bloom filter: the table of 001", bloomTable()},
		{"Crawling: sizes and times", crawlSizes()},
		{"Multilayer filter", multilayerClaims()},
		{"Spectral filter", spectralClaims()},
		{"Sampling", samplingClaims()},
		{"Distinct elements (Flajolet-Martin)", distinctClaims()},
		{"Moments (Alon-Matias-Szegedy)", momentClaims()},
		{"Neighbourhoods", neighbourhoodClaims()},
		{"Streams: other statements", streamDetails()},
		{"Filters: where they hold", whereFiltersHold()},
		{"Comparisons of searches", comparisons()},
		{"Algorithms to the letter", algorithmClaims()},
		{"Filters of search engines", zoieClaims()},
		{"The web graph", webGraphClaims()},
		{"Set difference and consistent hashing", machineClaims()},
	} {
		s.Sections = append(s.Sections, sheet.Section{Title: part.title, Table: claimTable(part.claims)})
	}
	s.Sections = append(s.Sections, worthSection())
	return s
}

func sources() [][]sheet.Cell {
	return [][]sheet.Cell{
		{"000", "Jeffrey D. Ullman, Stanford University: slides on streams (Bloom filters, sampling, distinct elements, moments)"},
		{"001", "leefs: Bloom filter, YHD Search Sharing, 23 April 2013, 20 slides"},
		{"002", "lecture slides on crawling (Bloom and spectral filters, set difference, consistent hashing, the web graph)"},
		{"003", "notes to the same lecture on Bloom and spectral filters"},
		{"004", "saptarsi96, Algo-Term-Project: report of a term project on the multilayer filter"},
		{"CXS", "Cen Zhiwang, Xu Jungang, Sun Jian: A Multi-Layer Bloom Filter for Duplicated URL Detection, ICACTE 2010"},
	}
}

// claim is one figure or statement of a source.
type claim struct {
	source   string // "000 slide 12"
	what     string
	printed  string // as the source has it
	computed any    // float64 or string
	verdict  verdict
	note     string
}

// verdict is what a claim is expected to be; a test holds it against the figures.
type verdict string

const (
	agrees   verdict = "agrees"
	rounded  verdict = "rounded"
	measured verdict = "measured"  // by the source, within one percent of the theory
	unsaid   verdict = "no figure" // in the source
	misprint verdict = "MISPRINT"
	refuted  verdict = "REFUTED" // a statement that does not hold

	contradiction verdict = "CONTRADICTION" // the source says two things
)

func claimTable(claims []claim) *sheet.Table {
	t := &sheet.Table{Columns: []sheet.Column{
		{Name: "source"}, {Name: "what"}, {Name: "source says"}, {Name: "computed"}, {Name: "verdict"}, {Name: "note"},
	}}
	for _, c := range claims {
		t.Rows = append(t.Rows, []sheet.Cell{c.source, c.what, c.printed, c.shown(), string(c.verdict), c.note})
	}
	return t
}

// shown is the computed value with one digit more than the source prints.
func (c claim) shown() string {
	x, ok := c.computed.(float64)
	if !ok {
		return fmt.Sprint(c.computed)
	}
	if _, err := strconv.ParseFloat(c.printed, 64); err != nil && c.verdict == refuted {
		return strconv.FormatFloat(x, 'g', 4, 64) // no figure, a statement
	}
	if mantissa, _, scientific := strings.Cut(c.printed, "e"); scientific {
		return strconv.FormatFloat(x, 'e', decimals(mantissa)+1, 64)
	}
	if c.verdict == measured {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	if c.printed == "" {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return strconv.FormatFloat(x, 'f', decimals(c.printed)+1, 64)
}

func decimals(number string) int {
	_, frac, _ := strings.Cut(number, ".")
	return len(frac)
}
