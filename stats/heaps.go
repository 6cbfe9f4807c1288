package stats

import "math"

// Point is one text: its number of words, and of different ones.
type Point struct{ Words, Distinct float64 }

// Heaps is Heaps' law (1978): a text of n words has about K·n^β different
// ones. For natural language K is 5 to 50 and β 0.4 to 0.7, less for longer
// texts.
type Heaps struct {
	K, Beta float64
	Spread  float64 // of ln(Distinct) around the law: a robust standard deviation
}

// Predict returns the number of different words the law gives a text.
func (h Heaps) Predict(words float64) float64 { return h.K * math.Pow(words, h.Beta) }

// Residual returns ln(p.Distinct / Predict(p.Words)): 0 on the law, 0.7 for
// twice as many different words as predicted, -0.7 for half.
func (h Heaps) Residual(p Point) float64 { return math.Log(p.Distinct / h.Predict(p.Words)) }

const (
	usualBeta  = 0.55 // of natural language, from a thousand to a million words
	usualTexts = 3    // how many texts that agree on usualBeta the prior counts as
	minStep    = 0.4  // of ln(words), for two texts to say something on β
	minSlopes  = 3    // of a text to others, so that one of them does not decide
)

// FitHeaps fits Heaps' law to texts in a way that a minority of texts that do
// not follow it does not move much: β is the repeated median of the slopes
// between texts (Siegel, Robust regression using repeated medians, 1982) in
// logarithms, K the median of what remains. Texts of nearly the same length say
// nothing on β, and few texts say little; so three texts' worth of ordinary
// language, with β = 0.55, is always added. Four texts that agree outweigh it.
// FitHeaps reports false when no text has words.
func FitHeaps(points []Point) (Heaps, bool) {
	logs := logPoints(points)
	if len(logs) == 0 {
		return Heaps{}, false
	}
	beta := repeatedMedian(logs)
	rest := make([]float64, len(logs))
	for i, p := range logs {
		rest[i] = p.Distinct - beta*p.Words
	}
	ln := median(rest)
	for i := range rest {
		rest[i] -= ln
	}
	return Heaps{K: math.Exp(ln), Beta: beta, Spread: spread(rest)}, true
}

// logPoints returns the logarithms of the points that have any.
func logPoints(points []Point) (logs []Point) {
	for _, p := range points {
		if p.Words > 0 && p.Distinct > 0 {
			logs = append(logs, Point{math.Log(p.Words), math.Log(p.Distinct)})
		}
	}
	return logs
}

// repeatedMedian returns the median, over the texts and the usual ones, of the
// median slope from there to the others, within what Heaps' law allows, 0 to 1.
func repeatedMedian(logs []Point) float64 {
	var medians []float64
	for _, p := range logs {
		var slopes []float64
		for _, q := range logs {
			if step := q.Words - p.Words; math.Abs(step) >= minStep {
				slopes = append(slopes, (q.Distinct-p.Distinct)/step)
			}
		}
		if len(slopes) >= minSlopes {
			medians = append(medians, median(slopes))
		}
	}
	for range usualTexts {
		medians = append(medians, usualBeta)
	}
	return min(max(median(medians), 0), 1)
}
