package report

import (
	"fmt"

	"crawler/stats"
)

// flag marks the sites whose figures stand apart from the others', saying what is unusual
// and what was expected. The bucket of the other sites is no site and is left out.
func flag(sites []Site) {
	figures := make([]stats.Figures, len(sites))
	for i, s := range sites {
		if s.Site != OtherSites {
			figures[i] = stats.Figures{Words: float64(s.Words), Distinct: s.Distinct.Estimate, Surprise: s.Surprise.Estimate}
		}
	}
	for _, o := range stats.Outliers(figures) {
		s := &sites[o.Site]
		s.Flags = append(s.Flags, describe(o))
	}
}

func describe(o stats.Outlier) string {
	many, more := "many", "more"
	if o.Score < 0 {
		many, more = "few", "less"
	}
	if o.Measure == stats.MeasureDistinct {
		return fmt.Sprintf("far too %s distinct words: %s, where Heaps' law over the crawl predicts %s",
			many, number(o.Value), number(o.Expected))
	}
	return fmt.Sprintf("its words repeat far %s than its peers': surprise number %s, where one has about %s at its length",
		more, number(o.Value), number(o.Expected))
}
