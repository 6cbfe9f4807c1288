package lab

import (
	"fmt"
	"math"
	"strings"

	"crawler/dedup"
)

// elevenBits are the two hash functions of 000, slide 6: the bits of x with odd
// numbers from the right, read as a number, modulo 11, and those with even numbers.
func elevenBits(x uint64) (h1, h2 uint64) {
	for i := 0; x>>(2*i) != 0; i++ {
		h1 |= (x >> (2 * i) & 1) << i
		h2 |= (x >> (2*i + 1) & 1) << i
	}
	return h1 % 11, h2 % 11
}

func bloomExamples() []claim {
	f := dedup.NewClassic(11, 2, 0)
	var claims []claim
	for _, c := range []struct {
		x       uint64
		printed string
	}{{25, "5, 2: 00100100000"}, {159, "7, 0: 10100101000"}, {585, "9, 7: 10100101010"}} {
		h1, h2 := elevenBits(c.x)
		f.AddPositions(h1, h2)
		claims = append(claims, claim{"000 slide 7", fmt.Sprintf("11 bits: the positions of %d, and the filter with it", c.x), c.printed,
			fmt.Sprintf("%d, %d: %s", h1, h2, f), agrees, ""})
	}
	h1, h2 := elevenBits(118)
	known := 0
	for x := range uint64(1024) {
		if f.HasPositions(elevenBits(x)) {
			known++
		}
	}
	return append(claims,
		claim{"000 slide 9", "is 118 known?", "3, 5: no", fmt.Sprintf("%d, %d: %s", h1, h2, yesNo(f.HasPositions(h1, h2))), agrees, ""},
		claim{"000 slide 8", "false positives among the 1,021 other numbers below 1024", "", float64(known - 3), unsaid, ""},
		threeHashes("filled positions", "1 2 4 9 10 11", func(f *dedup.Classic, _ map[string][]uint64) string { return filled(f) }),
		threeHashes("known besides S", "AAA", othersKnown),
	)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// threeHashes is the example of 002 and 003, whose positions count from 1: the filter
// holds TTA, TCT and ATA.
func threeHashes(what, printed string, f func(*dedup.Classic, map[string][]uint64) string) claim {
	positions := map[string][]uint64{
		"ACG": {3, 6, 4}, "ATA": {2, 11, 10}, "CGA": {11, 9, 6}, "TTA": {1, 10, 9},
		"TTT": {6, 2, 1}, "CGC": {9, 3, 3}, "AAA": {4, 1, 2}, "TCT": {10, 4, 11},
	}
	filter := dedup.NewClassic(12, 3, 0)
	for _, key := range []string{"TTA", "TCT", "ATA"} {
		filter.AddPositions(positions[key]...)
	}
	return claim{"002, 003", "three hashes, S = {TTA, TCT, ATA}: " + what, printed, f(filter, positions), agrees, ""}
}

func filled(f *dedup.Classic) string {
	var out []string
	for i := range uint64(f.Bits()) {
		if f.HasPositions(i, i, i) {
			out = append(out, fmt.Sprint(i))
		}
	}
	return strings.Join(out, " ")
}

func othersKnown(f *dedup.Classic, positions map[string][]uint64) string {
	var out []string
	for _, key := range []string{"ACG", "CGA", "TTT", "CGC", "AAA"} {
		if f.HasPositions(positions[key]...) {
			out = append(out, key)
		}
	}
	return strings.Join(out, " ")
}

func bloomRates() []claim {
	const m, n = 1e9, 1e8
	return []claim{
		{"000 slide 11", "d darts at d targets leave empty", "0.368", 1 - dedup.Occupancy(1e6, 1e6), agrees, "1/e"},
		{"000 slide 12", "10^9 bits, k = 5, 10^8 keys: zeros", "0.607", dedup.ZeroShare(m, n, 5), agrees, ""},
		{"000 slide 12", "ones", "0.393", dedup.Occupancy(5*n, m), agrees, ""},
		{"000 slide 12", "false positives", "0.00937", dedup.ClassicRate(m/n, 5), rounded, "the source takes 0.393 to the fifth power"},
		{"001", "two ones in the 24 bits shown: false positives", "2/23", shownArray(), misprint, "the array has 24 positions"},
		{"002", "rate at the best k, m/n = 1", "0.62", dedup.BestRate(1), agrees, "so the rate is 0.62^(m/n)"},
		{"002", "rate at 30 bits a key", "4e-11", dedup.BestRate(30), misprint, fmt.Sprintf("4e-11 takes %.1f bits", dedup.BitsFor(4e-11))},
		{"003", "10 bits a key, k = ln 2 (m/n)", "", dedup.OptimalK(10), unsaid, fmt.Sprintf("so %d hash functions", dedup.BestK(10))},
	}
}

// shownArray is the filter of 001 with one hash function: its share of ones.
func shownArray() string {
	const array = "000000010000010000000000"
	f := dedup.NewClassic(int64(len(array)), 1, 0)
	for i, bit := range array {
		if bit == '1' {
			f.AddPositions(uint64(i))
		}
	}
	return fmt.Sprintf("%.0f/%d", f.ExpectedRate()*float64(f.Bits()), f.Bits())
}

func bloomTable() (claims []claim) {
	for _, row := range []string{
		"2 1.39 0.393 0.400", "3 2.08 0.283 0.237 0.253", "4 2.77 0.221 0.155 0.147 0.160",
		"5 3.46 0.181 0.109 0.092 0.0920 0.101", "6 4.16 0.154 0.0804 0.0609 0.0561 0.0578",
		"7 4.85 0.133 0.0618 0.0423 0.0359 0.0347", "8 5.55 0.118 0.0489 0.0306 0.024 0.0217",
	} {
		fields := strings.Fields(row)
		bits := float64(fields[0][0] - '0')
		best := claim{"001", "m/n = " + fields[0] + ": best k", fields[1], dedup.OptimalK(bits), agrees, ""}
		if fields[1] == "3.46" {
			best.verdict, best.note = misprint, "5 ln 2 = 3.4657, cut instead of rounded"
		}
		claims = append(claims, best)
		for i, printed := range fields[2:] {
			claims = append(claims, claim{"001", fmt.Sprintf("m/n = %s, k = %d: rate", fields[0], i+1), printed,
				dedup.ClassicRate(bits, i+1), agrees, ""})
		}
	}
	return claims
}

func crawlSizes() []claim {
	const urls = 5e11
	const year = 365.25 * 24 * 3600
	return []claim{
		{"002", "500 billion URLs of 1000 bytes, TB", "500000", urls * 1000 / 1e12, misprint, "500 TB, not 500 PB"},
		{"002", "5 ms for each of 5e11 checks, years", "80", urls * 0.005 / year, rounded, ""},
		{"002", "on 1,000 machines, days", "30", urls * 0.005 / 86400 / 1000, rounded, ""},
		{"002", "Bloom filter of 500 Tbit, TB", "50", 500.0 / 8, misprint, "a byte has eight bits"},
		{"002", "Bloom filter a thousandth of the URLs' bytes, Tbit", "500", urls * 1000 / 1000 * 8 / 1e12, misprint,
			"8 bits a URL; 500 TB is a thousandth of the misprinted 500 PB"},
		{"002", "set difference by a tree: chance to find a leaf at depth d", "(1 e)^d",
			fmt.Sprintf("(1-e)^d; %.3f at e = 1/20, d = 20", math.Pow(0.95, 20)), misprint, "the minus sign is lost"},
	}
}

// multilayerClaims compares the formula that 004 prints, and the plain filter's column of
// its paper, with the theory.
func multilayerClaims() []claim {
	claims := []claim{
		{"004", "rate of L = 4 layers, k = 3, 16 bits a URL and layer", "(1-e^(-kn/m))^(kL)",
			fmt.Sprintf("%.2e, if all segments are new", dedup.PublishedRateAsPrinted(16, 3, 4)), misprint,
			"a known segment passes its layer; the last array is missing"},
		{"004", "the same, all segments known", "the same", fmt.Sprintf("%.2e", publishedRate(1, 1, 1, 1)), misprint,
			"a plain filter of a fifth of the memory"},
		{"004", "time of a query and an insertion, beside a plain filter", "more; the same",
			fmt.Sprintf("%d bits instead of %d, if L = 4, k = 3", 5*3, 3), contradiction,
			"\"will be more\" by its figures 4 and 5, \"same time\" in its conclusion"},
	}
	const m, k = 16_829_152, 3
	for i, printed := range []string{"4380", "19374", "54041", "116710", "213640", "350513"} {
		n := 1e6 + 5e5*float64(i)
		claims = append(claims, claim{"CXS", fmt.Sprintf("plain filter, m = %d, k = 3, n = %.1f M: false positives", m, n/1e6),
			printed, n * dedup.ClassicRate(m/n, k), measured, "of as many absent URLs"})
	}
	return claims
}

func publishedRate(standing ...float64) float64 {
	rate := dedup.ClassicRate(16, 3)
	return dedup.PublishedRate(standing, []float64{rate, rate, rate, rate}, rate)
}
