package lab

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"crawler/internal/sheet"
	"crawler/stats"
)

// MaxMoment is the highest moment that is estimated: a float64 holds 10^15 occurrences to the
// power of 16.
const MaxMoment = 16

// sourceVariables is how many random variables the source suggests, moreVariables what is tried
// beside.
const (
	sourceVariables = 100
	moreVariables   = 1000
)

// variables are the random variables of Alon, Matias and Szegedy as the source has them: k
// positions of a stream without end, each with the count of its element from there on. The
// first k positions are taken; the n-th is taken with the chance k/n, and drives out one of
// the others, all with equal chance. So each of the n positions so far is held with the chance
// k/n. The counts alone are held; n is kept once for all.
type variables struct {
	k     int
	n     uint64
	held  []variable
	of    map[uint64][]int // the variables of an element
	below func(n uint64) uint64
}

type variable struct {
	element uint64
	count   uint64 // from its position on
}

func newVariables(k int, seed uint64) *variables {
	return &variables{k: k, of: map[uint64][]int{}, below: rand.New(rand.NewPCG(seed, uint64(k))).Uint64N}
}

func (v *variables) add(element uint64) {
	v.n++
	for _, i := range v.of[element] {
		v.held[i].count++
	}
	switch i := len(v.held); {
	case i < v.k:
		v.held = append(v.held, variable{element, 1})
		v.of[element] = append(v.of[element], i)
	case v.below(v.n) < uint64(v.k):
		i = int(v.below(uint64(v.k)))
		v.forget(i)
		v.held[i] = variable{element, 1}
		v.of[element] = append(v.of[element], i)
	}
}

// forget drops a variable that is driven out.
func (v *variables) forget(i int) {
	element := v.held[i].element
	list := v.of[element]
	if len(list) == 1 {
		delete(v.of, element)
		return
	}
	at := slices.Index(list, i)
	v.of[element] = slices.Delete(list, at, at+1)
}

// values are n(c^k - (c-1)^k): each has the k-th moment as its expectation, as over all
// positions of an element these terms add up to its count to the power of k.
func (v *variables) values(moment int) []float64 {
	out := make([]float64, len(v.held))
	for i, x := range v.held {
		out[i] = float64(v.n) * rise(x.count, moment)
	}
	return out
}

// rise is c^k - (c-1)^k, where 0^0 is 0: an element that does not occur adds nothing.
func rise(c uint64, k int) float64 {
	if k == 0 {
		if c == 1 {
			return 1
		}
		return 0
	}
	return math.Pow(float64(c), float64(k)) - math.Pow(float64(c-1), float64(k))
}

// groupSize is of the order of the logarithm of n, as the source has it.
func groupSize(n uint64) int { return max(1, bits.Len64(n-1)) }

// medianOfGroups averages groups of the given size and takes the median of the means.
func medianOfGroups(values []float64, size int) float64 {
	size = min(max(size, 1), max(len(values), 1))
	var means []float64
	for i := 0; i+size <= len(values); i += size {
		means = append(means, average(values[i:i+size]))
	}
	return median(means)
}

func average(values []float64) float64 {
	sum := 0.0
	for _, x := range values {
		sum += x / float64(len(values))
	}
	return sum
}

// exactMoment is the sum of the counts to the power of k, and the standard deviation of one
// variable: n times the sum of the squares of rise, less the square of the moment, is its
// square.
func exactMoment(counts map[uint64]uint64, moment int) (sum, deviation float64) {
	words := map[uint64]float64{} // by their count
	total, c, squares := 0.0, uint64(0), 0.0
	for _, count := range counts {
		words[count]++
		total += float64(count)
	}
	second := 0.0
	for _, count := range slices.Sorted(maps.Keys(words)) { // sums of floats depend on the order
		for ; c < count; c++ {
			squares += math.Pow(rise(c+1, moment), 2)
		}
		sum += words[count] * math.Pow(float64(count), float64(moment))
		second += words[count] * squares
	}
	return sum, math.Sqrt(max(0, total*second-sum*sum))
}

// momentsSection shows the moments that were asked for.
func (w *wordCount) momentsSection(moments []int) sheet.Section {
	t := &sheet.Table{Columns: append([]sheet.Column{{Name: "moment"}}, estimatorColumns()...)}
	t.Columns = append(t.Columns, sheet.Column{Name: "expected error", Unit: "%", Format: "%.2f"})
	for i := 3; i < 6; i++ {
		t.Columns[i].Format = "%.6g"
	}
	counts := map[uint64]uint64{}
	for h := range w.names {
		counts[h] = w.exact.Count(h)
	}
	for _, k := range moments {
		truth, deviation := exactMoment(counts, k)
		t.Rows = append(t.Rows, []sheet.Cell{k, "exact, in a map", nil, truth, truth, truth, 0.0, nil})
		for _, v := range w.variables {
			values := v.values(k)
			i := stats.MeanOf(values, float64(v.n))
			t.Rows = append(t.Rows, []sheet.Cell{k, fmt.Sprintf("%d variables: mean", v.k), 16 * v.k, i.Estimate, i.Low, i.High, percent(i.Estimate, truth),
				100 * deviation / truth / math.Sqrt(float64(len(values)))})
			size := groupSize(v.n)
			t.Rows = append(t.Rows, []sheet.Cell{k, fmt.Sprintf("%d variables: median of the means of groups of %d", v.k, min(size, len(values))), 16 * v.k,
				medianOfGroups(values, size), nil, nil, percent(medianOfGroups(values, size), truth), nil})
		}
	}
	return sheet.Section{ID: "moments", Title: "Moments of every order", Table: t, Notes: []string{
		"What it teaches: one reservoir of positions estimates every moment, without bias, but the higher the moment the more it hangs on a few words; and of the 0th moment, the number of " +
			"different words, it knows far less than the tails of hashes do.",
		"The k-th moment is the sum of the words' counts to the power of k. X = n(c^k - (c-1)^k), c counting a word from a position drawn at random on, has it as its mean. The stream " +
			"has no known end: positions are exchanged as it goes. The expected error is the standard deviation of the mean, computed from the exact counts.",
	}}
}

// plainFunctions is how many hash functions the rows of plainTails use.
const plainFunctions = 64

// plainTails are 2^R of hash functions of their own, R being the longest tail of zeros among the
// hashes of all words: the source's estimates of how many there are, each on its own.
func plainTails(words map[uint64]string, seed uint64) []float64 {
	tails := make([]int, plainFunctions)
	for word := range words {
		for i := range tails {
			tails[i] = max(tails[i], bits.TrailingZeros64(seeded(word, seed^uint64(i)<<32)))
		}
	}
	out := make([]float64, plainFunctions)
	for i, r := range tails {
		out[i] = math.Exp2(float64(r))
	}
	return out
}

// plainRows are the source's three ways to combine them.
func (w *wordCount) plainRows(seed uint64, truth float64) [][]sheet.Cell {
	values := plainTails(w.names, seed)
	size := groupSize(uint64(max(len(w.names), 2)))
	groups := medianOfGroups(values, size)
	name := fmt.Sprintf("2^R of %d hash functions: ", plainFunctions)
	return [][]sheet.Cell{
		estimator(name+"mean, which a single large one spoils", plainFunctions, point(average(values)), truth),
		estimator(name+"median, a power of 2", plainFunctions, point(median(slices.Clone(values))), truth),
		estimator(fmt.Sprintf("%smedian of the means of groups of %d", name, size), plainFunctions, point(groups), truth),
	}
}
