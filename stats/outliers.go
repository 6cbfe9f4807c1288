package stats

import "math"

// Figures are the moments of one site's words.
type Figures struct{ Words, Distinct, Surprise float64 }

// RepeatRate returns the chance that two different positions of the text hold
// the same word, (F2 - n)/(n(n - 1)). Unlike F2, which grows with n², and
// F2/n², which carries a share of 1/n, it hardly depends on the length of the
// text (it is Simpson's index, and Yule's characteristic K over 10,000). In
// English it is 0.006 to 0.012.
func (f Figures) RepeatRate() float64 {
	if f.Words < 2 {
		return 0
	}
	return max(f.Surprise-f.Words, 0) / (f.Words * (f.Words - 1))
}

// Measure names what is unusual about a site.
type Measure string

// The measures of Outliers.
const (
	MeasureDistinct Measure = "distinct" // different words, against Heaps' law
	MeasureSurprise Measure = "surprise" // repeat rate, against the other sites'
)

// Outlier is one unusual figure of one site.
type Outlier struct {
	Site    int // the index of its Figures
	Measure Measure

	// Value is the site's figure, and Expected what a site with as many words
	// would have if it were like the others.
	Value, Expected float64

	// Score is ln(Value/Expected), for the surprise number that of the repeat
	// rates, in robust standard deviations: negative when there is too little.
	Score float64
}

const (
	minSites = 4   // among fewer it is unclear which is the odd one
	minWords = 500 // of a site, for its figures to mean something
	maxScore = 3.5 // the usual limit for scores from medians (Iglewicz, Hoaglin 1993)

	// The standard deviation between sites, of a figure's logarithm. A few sites may
	// agree, or disagree, more than that by chance.
	minDeviation = 0.35
	maxDeviation = 0.6
)

// Outliers returns the figures that stand apart from those of the other sites:
// too many or too few different words for the site's length by the Heaps' law
// of these sites, or a repeat rate unlike theirs. What is usual is taken from
// medians, so that the unusual sites have little part in it as long as they
// are a minority.
//
// A figure stands apart from 3.5 robust standard deviations on: never below
// 3.4 times (or above 0.29 of) what is expected, and always beyond 8 times (or
// below an eighth). Honest sites differ by a factor of about two, as their subject,
// style and repeated page parts differ. Sites with fewer than 500 words are never
// outliers, and among fewer than 4 sites there are none.
func Outliers(sites []Figures) []Outlier {
	var index []int
	for i, f := range sites {
		if f.Words >= minWords && f.Distinct > 0 {
			index = append(index, i)
		}
	}
	if len(index) < minSites {
		return nil
	}
	distinct, surprise := distinctScores(sites, index), surpriseScores(sites, index)
	var out []Outlier
	for j := range index {
		for _, o := range []Outlier{distinct[j], surprise[j]} {
			if math.Abs(o.Score) >= maxScore {
				out = append(out, o)
			}
		}
	}
	return out
}

// distinctScores compares the indexed sites with Heaps' law.
func distinctScores(sites []Figures, index []int) []Outlier {
	points := make([]Point, len(index))
	for j, i := range index {
		points[j] = Point{sites[i].Words, sites[i].Distinct}
	}
	law, _ := FitHeaps(points)
	out := make([]Outlier, len(index))
	for j, p := range points {
		score := law.Residual(p) / deviation(law.Spread)
		out[j] = Outlier{index[j], MeasureDistinct, p.Distinct, law.Predict(p.Words), score}
	}
	return out
}

// surpriseScores compares the repeat rates of the indexed sites.
func surpriseScores(sites []Figures, index []int) []Outlier {
	rates := make([]float64, len(index))
	for j, i := range index {
		// A text that repeats nothing is counted as if it repeated one word.
		least := 1 / (sites[i].Words * sites[i].Words)
		rates[j] = math.Log(max(sites[i].RepeatRate(), least))
	}
	usual := median(append([]float64(nil), rates...))
	for j := range rates {
		rates[j] -= usual
	}
	scale := deviation(spread(rates))
	out := make([]Outlier, len(index))
	for j, i := range index {
		n := sites[i].Words
		expected := math.Exp(usual)*n*(n-1) + n
		out[j] = Outlier{i, MeasureSurprise, sites[i].Surprise, expected, rates[j] / scale}
	}
	return out
}

// deviation keeps a measured standard deviation within reason.
func deviation(measured float64) float64 {
	return min(max(measured, minDeviation), maxDeviation)
}
