package report

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// Honest sites of very different sizes lie on Heaps' law; a site of few words
// repeated and one of gibberish do not, and the flags say which is which.
func TestFlagsNameTheOddSites(t *testing.T) {
	var sites []Site
	add := func(name string, words, distinct, surprise float64) {
		sites = append(sites, Site{Site: name, Words: int64(words), Distinct: Figure{Estimate: distinct}, Surprise: Figure{Estimate: surprise}})
	}
	for i, n := range []float64{900, 4000, 20_000, 150_000, 1_000_000} {
		add(fmt.Sprintf("honest%d", i), n, 20*math.Pow(n, 0.55), 0.009*n*n)
	}
	add("spam", 30_000, 20, 0.2*30_000*30_000)
	add("gibberish", 30_000, 29_000, 31_000)
	add(OtherSites, 5_000_000, 10, 1e13)
	flag(sites)
	for _, s := range sites {
		got := strings.Join(s.Flags, "; ")
		switch {
		case s.Site == "spam" && strings.Contains(got, "far too few distinct words: 20,") && strings.Contains(got, "repeat far more"):
		case s.Site == "gibberish" && strings.Contains(got, "far too many distinct words: 29,000") && strings.Contains(got, "repeat far less"):
		case s.Site != "spam" && s.Site != "gibberish" && got == "":
		default:
			t.Errorf("%s: flags %q", s.Site, got)
		}
	}
}
