package report

import "crawler/stats"

// tally is what is known of a stream of words.
type tally struct {
	words *stats.Words
	exact *stats.Exact // nil unless asked for
}

func newTally(sizes stats.Config, exact bool) tally {
	t := tally{words: stats.NewWords(sizes)}
	if exact {
		t.exact = new(stats.Exact)
	}
	return t
}

func (t *tally) figures() (distinct, surprise Figure) {
	distinct, surprise = figure(t.words.Distinct()), figure(t.words.Surprise())
	if t.exact != nil {
		d, s := float64(t.exact.Distinct()), t.exact.Surprise()
		distinct.Exact, surprise.Exact = &d, &s
	}
	return distinct, surprise
}

func figure(i stats.Interval) Figure {
	return Figure{Estimate: i.Estimate, Low: i.Low, High: i.High}
}
