package lab

import (
	"fmt"
	"math"
	"strings"

	"crawler/dedup"
	"crawler/ring"
	"crawler/stats"
)

func spectralClaims() []claim {
	s, err := dedup.NewSpectral(dedup.SpectralConfig{})
	if err != nil {
		return []claim{{"002", "a spectral filter", "", err.Error(), misprint, ""}}
	}
	for _, key := range "AABCC" {
		s.Add(uint64(key) * 0x9e3779b97f4a7c15)
	}
	var counts []string
	for _, key := range "ABC" {
		counts = append(counts, fmt.Sprintf("%c=%d", key, s.Count(uint64(key)*0x9e3779b97f4a7c15)))
	}
	return []claim{{"002", "{A, A, B, C, C}, minimum selection", "A=2 B=1 C=2", strings.Join(counts, " "), agrees, ""}}
}

func samplingClaims() []claim {
	const share = 0.1
	return []claim{
		{"000 slide 14", "sample by position: a query twice in the stream is in it once", "0.18", 2 * share * (1 - share), agrees, "and looks unique"},
		{"000 slide 15", "half the queries once, half twice: share that looks unique", "",
			(share + 2*share*(1-share)) / (share + 2*share*(1-share) + share*share), unsaid,
			"truly 0.5, which a sample by the key's hash keeps"},
	}
}

func distinctClaims() []claim {
	longest := func(i, m float64) float64 { return 1 - math.Pow(1-math.Exp2(-i), m) }
	return []claim{
		{"000 slide 25", "P(a tail of at least 3 zeros)", "", math.Exp2(-3), unsaid, "2^-i"},
		{"000 slide 26", "P(R >= 10) after 1,000 elements", "", longest(10, 1000), unsaid, "1-(1-2^-i)^m"},
		{"000 slide 26", "2^i much larger than m: P(R >= 20)", "", longest(20, 1000), unsaid, "about m/2^i"},
		{"000 slide 26", "2^i much smaller than m: P(R >= 5)", "", longest(5, 1000), unsaid, ""},
		{"000 slide 29", "groups of 16: the median of means is too high by", "", stats.GroupBias, unsaid, "as the mean of 2^R is infinite; crawler lab words shows it"},
	}
}

func momentClaims() []claim {
	unsurprising, surprising := stream(10, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9), stream(90, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
	even, odd := count(unsurprising), count(surprising)
	return []claim{
		{"000 slide 40", "0th moment of the 100 elements", "11", float64(even.Distinct()), agrees, "their different values"},
		{"000 slide 40", "1st moment", "100", float64(even.Total()), agrees, "their number"},
		{"000 slide 41", "surprise number of 10, 9, 9, ...", "910", even.Surprise(), agrees, ""},
		{"000 slide 41", "surprise number of 90, 1, 1, ...", "8110", odd.Surprise(), agrees, ""},
		{"000 slide 44", "mean of n(2c-1) over all positions of the latter", "8110", meanX(surprising), agrees, "the identity 1+3+5+... = m^2"},
		{"000 slide 47", "n = 1000, k = 100: P(position 1 is kept)", "0.1", survival(1000, 100), agrees, "k/n, by the product of all steps"},
	}
}

// stream holds value i as often as counts[i] says, in a fixed order that mixes them.
func stream(counts ...int) []uint64 {
	var out []uint64
	for left := true; left; {
		left = false
		for value, n := range counts {
			if n > 0 {
				out = append(out, uint64(value+1)*0x9e3779b97f4a7c15)
				counts[value]--
				left = true
			}
		}
	}
	return out
}

func count(stream []uint64) *stats.Exact {
	var e stats.Exact
	e.AddAll(stream)
	return &e
}

// meanX is the mean, over all positions, of the source's variable X = n(2c-1), where c
// counts the element at the position from there on.
func meanX(stream []uint64) float64 {
	from, sum := map[uint64]int{}, 0
	for i := len(stream) - 1; i >= 0; i-- {
		from[stream[i]]++
		sum += 2*from[stream[i]] - 1
	}
	return float64(sum)
}

// survival is the chance that the first element is in a reservoir of k after n: each
// later element i comes in with chance k/i and drives out one of k.
func survival(n, k int) float64 {
	p := 1.0
	for i := k + 1; i <= n; i++ {
		p *= 1 - float64(k)/float64(i)/float64(k)
	}
	return p
}

// neighbourhoodClaims is the graph of 000, slide 32. The sketch of n(u,d) is the merge
// of those of u and of its neighbours at distance d-1; below half its registers a
// Distinct is exact.
func neighbourhoodClaims() []claim {
	const names = "ABCDEFG"
	edges := strings.Fields("AB AC BC BD DE DF DG EF FG")
	at := make([]*stats.Distinct, len(names))
	for i := range at {
		at[i] = stats.NewDistinct(64, 1)
		at[i].Add(uint64(names[i]) * 0x9e3779b97f4a7c15)
	}
	var claims []claim
	for d, printed := range []string{"1", "3", "5", "7"} {
		size := at[strings.IndexByte(names, 'E')].Estimate().Estimate
		claims = append(claims, claim{"000 slide 32", fmt.Sprintf("size of n(E,%d)", d), printed, size, agrees, "by merging sketches along the edges"})
		at = spread(at, names, edges)
	}
	return claims
}

// spread takes one more step from every node.
func spread(at []*stats.Distinct, names string, edges []string) []*stats.Distinct {
	next := make([]*stats.Distinct, len(at))
	merge := func(i, j int) {
		if err := next[i].Merge(at[j]); err != nil {
			panic("lab: equal sketches do not merge: " + err.Error())
		}
	}
	for i := range at {
		next[i] = stats.NewDistinct(64, 1)
		merge(i, i)
	}
	for _, e := range edges {
		i, j := strings.IndexByte(names, e[0]), strings.IndexByte(names, e[1])
		merge(i, j)
		merge(j, i)
	}
	return next
}

// machineClaims are two machines that exchange what the other lacks, and many that share a crawl.
func machineClaims() []claim {
	keys := []uint64{1, 9, 22, 25, 40, 54, 57}
	tree := dedup.MerkleTreeAt(dedup.MerklePlaces(len(keys), len(keys)), keys...)
	k := dedup.MerkleK(1_000_000)
	first := ring.At([]ring.Point{{At: 1 << 62, Node: 0}, {At: 3 << 62, Node: 1}})
	return []claim{
		{"002", "set difference, |A| = 7: |A|^2", "49", 49.0, agrees, ""},
		{"002", "its universe h", "64", math.Exp2(float64(dedup.MerklePlaces(len(keys), len(keys)))), agrees, "the least power of two above"},
		{"002", "nodes of a Patricia tree of 7 keys", "", float64(tree.Nodes()), unsaid, "2n-1, as unary nodes are dropped"},
		{"002", "k of the order of log log |B|, |B| = 10^6", "", float64(k), unsaid, "log2 log2, rounded up"},
		{"002", "then the share of leaves found, (1-e)^d", "", math.Pow(1-math.Exp2(-float64(k)), math.Log2(1e6)+0.33), unsaid, "crawler lab reconcile measures it"},
		{"002", "servers at 1/4 and 3/4: who has an item at 3/4", "1", float64(first.Owner(3 << 62)), agrees, "the first with ID >= that of the item"},
		{"002", "and an item behind the last server", "", float64(first.Owner(1<<64 - 1)), unsaid, "the circle begins again"},
		{"002", "log S points of each of S = 30 servers", "", float64(ring.LogPoints(30)), unsaid, "crawler lab ring has their balance"},
	}
}
