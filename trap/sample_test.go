package trap_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"crawler/trap"
)

// In scripts without spaces a sampled clause stands for ten words, and a sampled number for one: a
// calendar's numbers would be a text.
func TestNumbersAreWords(t *testing.T) {
	const clauses, joined, numbers, trials = 60, 9, 12, 2000
	u := mustParse(t, "http://a.test/")
	var s trap.Sampler
	r := rand.New(rand.NewPCG(1, 2))
	sum := 0
	for range trials {
		words := make([]uint64, clauses+numbers)
		for i := range words {
			words[i] = r.Uint64()
		}
		without := s.Page(u, 200, words[numbers:], nil, nil, clauses*joined, 0)
		chosen := len(without.Sample)
		numerals := make([]int32, numbers)
		for i := range numerals {
			numerals[i] = int32(i)
		}
		with := s.Page(u, 200, words, numerals, nil, clauses*joined, 0)
		if with.Every != without.Every || !slices.Contains([]int{10, 20, 40}, with.Every) {
			t.Fatalf("one word in %d is sampled, with numbers one in %d", without.Every, with.Every)
		}
		sum += (len(with.Sample) - chosen) / 2 * with.Every
	}
	if mean := float64(sum) / trials; mean < 0.8*numbers || mean > 1.2*numbers {
		t.Errorf("%d numbers are taken for %.1f words", numbers, mean)
	}
}

// A page of numbers only has no clauses.
func TestNumbersOnly(t *testing.T) {
	u := mustParse(t, "http://a.test/")
	words, numerals := make([]uint64, 40), make([]int32, 40)
	for i := range words {
		words[i], numerals[i] = uint64(i)*0x9e3779b97f4a7c15+1, int32(i)
	}
	var s trap.Sampler
	for _, joined := range []int{0, 80} {
		if p := s.Page(u, 200, words, numerals, nil, joined, 0); p.Every < 1 || len(p.Sample) == 0 && joined == 0 {
			t.Errorf("with %d joined words: one in %d, %d grams", joined, p.Every, len(p.Sample))
		}
	}
}
