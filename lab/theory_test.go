package lab

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"testing"
)

// Every figure of the sources is what its row says: right ones agree to the last
// digit, misprints do not, and what was measured is within one percent.
func TestTheory(t *testing.T) {
	all := map[string]func() []claim{
		"bloom examples": bloomExamples, "bloom rates": bloomRates, "bloom table": bloomTable, "sizes": crawlSizes,
		"multilayer": multilayerClaims, "spectral": spectralClaims, "sampling": samplingClaims,
		"distinct": distinctClaims, "moments": momentClaims, "neighbourhoods": neighbourhoodClaims,
		"stream details": streamDetails, "where filters hold": whereFiltersHold, "comparisons": comparisons,
		"algorithms": algorithmClaims, "search engines": zoieClaims, "web graph": webGraphClaims,
		"machines": machineClaims,
	}
	verdicts := map[verdict]int{}
	for name, claims := range all {
		for _, c := range claims() {
			verdicts[c.verdict]++
			switch c.verdict {
			case agrees:
				if !c.holds() {
					t.Errorf("%s: %s: %s is printed, %s computed", name, c.what, c.printed, c.shown())
				}
			case measured:
				printed, err := strconv.ParseFloat(c.printed, 64)
				if err != nil || math.Abs(printed/c.computed.(float64)-1) > 0.01 {
					t.Errorf("%s: %s: %s was measured, %s computed", name, c.what, c.printed, c.shown())
				}
			case rounded:
				printed, err := strconv.ParseFloat(c.printed, 64)
				if err != nil || c.holds() || math.Abs(printed/c.computed.(float64)-1) > 0.05 {
					t.Errorf("%s: %s: %s is no rounding of %s", name, c.what, c.printed, c.shown())
				}
			case misprint, refuted:
				if c.holds() {
					t.Errorf("%s: %s: %s does hold", name, c.what, c.printed)
				}
			case contradiction:
				if !strings.Contains(c.printed, "; ") {
					t.Errorf("%s: %s: the source says %s only", name, c.what, c.printed)
				}
			case unsaid:
				if c.printed != "" {
					t.Errorf("%s: %s: the source says %s", name, c.what, c.printed)
				}
			}
		}
	}
	if verdicts[agrees] < 50 || verdicts[misprint] < 8 || verdicts[measured] != 6 || verdicts[contradiction] != 1 || verdicts[refuted] < 10 || len(verdicts) != 7 {
		t.Errorf("rows by verdict: %v", verdicts)
	}
}

func TestTheorySheet(t *testing.T) {
	var text bytes.Buffer
	if err := Theory().Text(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"10100101010", "222", "0.00943", "3.466", "49.8 bits", "8110", "0.6236", "n(E,3)"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// holds reports whether the computed value is the printed one in all its digits.
func (c claim) holds() bool {
	x, ok := c.computed.(float64)
	if !ok {
		return c.computed == c.printed
	}
	if mantissa, _, scientific := strings.Cut(c.printed, "e"); scientific {
		return sameNumber(strconv.FormatFloat(x, 'e', decimals(mantissa), 64), c.printed)
	}
	return strconv.FormatFloat(x, 'f', decimals(c.printed), 64) == c.printed
}

// sameNumber compares "4e-11" with "4e-11", but also "1.0e+03" with "1.0e3".
func sameNumber(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && x == y
}
