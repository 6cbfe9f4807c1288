package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// spread is the median of several rounds with the extremes.
type spread struct{ Median, Min, Max float64 }

func spreadOf(values []float64) (s spread, ok bool) {
	values = slices.DeleteFunc(values, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	if len(values) == 0 {
		return s, false
	}
	slices.Sort(values)
	n := len(values)
	return spread{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1]}, true
}

// show prints the median, and the extremes if there were several rounds.
func show(values []float64) string {
	s, ok := spreadOf(values)
	if !ok {
		return "–"
	}
	print := digits
	if s.Median == math.Trunc(s.Median) && s.Min == math.Trunc(s.Min) && s.Max == math.Trunc(s.Max) {
		print = integer
	}
	if s.Min == s.Max {
		return print(s.Median)
	}
	return fmt.Sprintf("%s (%s–%s)", print(s.Median), print(s.Min), print(s.Max))
}

// digits prints a number with three digits or as many as its integer has, and at most
// four decimals.
func digits(x float64) string {
	decimals := 2
	if x != 0 {
		decimals = min(max(0, 2-int(math.Floor(math.Log10(math.Abs(x))))), 4)
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(x, 'f', decimals, 64), ".")
	if fraction == "" {
		return grouped(whole)
	}
	return grouped(whole) + "." + fraction
}

func integer(x float64) string { return grouped(strconv.FormatFloat(x, 'f', 0, 64)) }

// grouped sets commas between groups of three digits.
func grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// The figures of a crawl, each by round.

func (s sample) pagesPerSecond() float64 { return float64(s.Distinct) / s.Took.Seconds() }

// cpu is CPU-seconds for each 1,000 different pages, not a number if there were none.
func (s sample) cpu() float64 {
	if s.Distinct == 0 {
		return math.NaN()
	}
	return s.CPU.Seconds() * 1000 / float64(s.Distinct)
}

func (s sample) mebibytes() float64 { return float64(s.Peak) / (1 << 20) }

func (e *entry) each(figure func(sample) float64) []float64 {
	var all []float64
	for _, s := range e.Samples {
		all = append(all, figure(s))
	}
	return all
}

func (r *race) recall(e *entry) []float64 {
	return e.each(func(s sample) float64 { return 100 * float64(s.Distinct) / float64(r.Pages) })
}

// ratio is the CPU per page of a to that of b, round by round.
func ratio(a, b *entry) []float64 {
	var all []float64
	for i := range min(len(a.Samples), len(b.Samples)) {
		all = append(all, a.Samples[i].cpu()/b.Samples[i].cpu())
	}
	return all
}

// find returns the entry of a name, nil if there is none that ran.
func (r *race) find(name string) *entry {
	for _, e := range r.Entries {
		if e.Name == name && len(e.Samples) > 0 {
			return e
		}
	}
	return nil
}
