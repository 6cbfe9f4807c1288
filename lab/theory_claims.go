package lab

import (
	"fmt"
	"math"
	"strings"

	"crawler/dedup"
	"crawler/graph"
	"crawler/internal/sheet"
)

// whereFiltersHold are statements about when filters are good, with figures against them.
func whereFiltersHold() (claims []claim) {
	before := 0
	for i, k := range []int{1, 2, 3, 8} {
		c := claim{"001", fmt.Sprintf("m/n = 2, k = %d: rate", k), "", dedup.ClassicRate(2, k), unsaid, ""}
		if i > 0 {
			c.source, c.printed, c.verdict, c.note = "003", "less", refuted, "more; it is least at k = 1"
			c.what = fmt.Sprintf("\"large k, less false positive\": m/n = 2, k = %d against %.3f at k = %d", k, dedup.ClassicRate(2, before), before)
		}
		before = k
		claims = append(claims, c)
	}
	return append(claims[1:],
		claim{"003", "the space of a table of hashes, bits a URL", "too costly", 64.0, refuted,
			fmt.Sprintf("a filter that errs as seldom (2.7 %% to lose one of 10^9 URLs) takes %.0f", dedup.BitsFor(dedup.CollisionProbability(1e9)/1e9))},
		claim{"002", "mean length of a URL, bytes", "1000", measuredURL, refuted, "measured: 81,915 URLs in the documents of Debian packages; crawler lab filters FILE says it of yours"},
		claim{"001", "the least rate is (1/2)^k: at m/n = 8, k = 8 ln 2", "", math.Pow(0.5, dedup.OptimalK(8)), unsaid, fmt.Sprintf("as %.4f by the formula with a whole k of 6", dedup.ClassicRate(8, 6))},
		claim{"001, 004", "ln f = -(m/n) ln p ln(1-p): at p = 1/2, m/n = 8", "-3.844", -8 * math.Ln2 * math.Ln2, agrees, "computed from the formula as printed; the logarithm of the rate above"},
		claim{"001", "limit of (1-1/x)^-x, at x = 10^6", "", math.Pow(1-1e-6, -1e6), unsaid, "the source says e, 2.71828"},
		claim{"004", "a larger m, fewer false positives: k = 3, m/n = 16", "", dedup.ClassicRate(16, 3), unsaid, fmt.Sprintf("%.4f at m/n = 8: so it is", dedup.ClassicRate(8, 3))},
		claim{"002", "m/n = 30: best k", "", dedup.OptimalK(30), unsaid, "(m/n) ln 2"},
		claim{"004", "zeros left of m = 10^6 bits, k = 3, n = 10^5: expected", "", 1e6 * dedup.ZeroShare(1e6, 1e5, 3), unsaid, "m e^(-kn/m)"},
	)
}

// comparisons are the counts of 004's first section.
func comparisons() []claim {
	const urls = 1e6
	probes := math.Ceil(math.Log2(urls + 1))
	return []claim{
		{"004", "linear search, a URL that is last or absent: comparisons", "1000000", urls, agrees, fmt.Sprintf("%.1f on average for one that is there", (urls+1)/2)},
		{"004", "binary search: O(log 1000000) comparisons", "", probes, unsaid, "at most"},
		{"004", "hash table: O(1) comparisons", "", 1.0, unsaid, "on average, plus those with keys in the same slot; crawler lab filters measures times"},
	}
}

// algorithmClaims run 004's algorithms to the letter.
func algorithmClaims() []claim {
	const urls = 1000
	known, found := algorithm1(urls), algorithm3(urls)
	return []claim{
		{"004", "algorithm 1 clears B at each insert: of 1,000 URLs inserted, found afterwards", "all", fmt.Sprint(known), refuted, "only the last"},
		{"004", "algorithms 3 and 4 never reset LAddr: of 1,000 URLs inserted, found afterwards", "all", fmt.Sprint(found), refuted, "those that the last array knows by chance"},
		{"004", "multilayer, the fewest false positives: at 80 bits a URL, segments known", "fewer", publishedRate(1, 1, 1, 1), refuted,
			fmt.Sprintf("a plain filter of that memory and k = 3: %.1e; crawler lab filters measures both", dedup.ClassicRate(80, 3))},
	}
}

// toyURL is a URL of three segments; its directory and its name recur.
func toyURL(i int) []string {
	return []string{fmt.Sprintf("host%d", i), fmt.Sprintf("dir%d", i%7), fmt.Sprintf("page%d", i%90)}
}

// toyBits are those of each array, 16 for each of 1,000 URLs; a power of two, so that an XOR of
// addresses is one.
const toyBits = 1 << 14

func toyAddress(segment string, j int) uint64 {
	return seeded(fingerprint(segment), uint64(j)) % toyBits
}

// algorithm1 inserts URLs as 004's algorithm 1 does, which begins with "B[i] = 0 for all i", and
// returns how many of them algorithm 2 finds.
func algorithm1(urls int) (found int) {
	var b *dedup.Classic
	for i := range urls {
		b = dedup.NewClassic(toyBits, paperHashes, 0)
		for _, segment := range toyURL(i) {
			for j := range paperHashes {
				b.AddPositions(toyAddress(segment, j))
			}
		}
	}
	for i := range urls {
		all := true
		for _, segment := range toyURL(i) {
			for j := range paperHashes {
				all = all && b.HasPositions(toyAddress(segment, j))
			}
		}
		if all {
			found++
		}
	}
	return found
}

// algorithm3 inserts URLs as 004's algorithm 3 does and returns how many algorithm 4 finds. Neither
// sets LAddr to 0: it keeps what the URLs before have left.
func algorithm3(urls int) (found int) {
	var layers [4]*dedup.Classic // the fourth is the last array
	for i := range layers {
		layers[i] = dedup.NewClassic(toyBits, paperHashes, 0)
	}
	var address [paperHashes]uint64
	for i := range urls {
		for layer, segment := range toyURL(i) {
			for j := range address {
				layers[layer].AddPositions(toyAddress(segment, j))
				address[j] ^= toyAddress(segment, j)
			}
		}
		layers[3].AddPositions(address[:]...)
	}
	for i := range urls {
		all := true
		for layer, segment := range toyURL(i) {
			for j := range address {
				all = all && layers[layer].HasPositions(toyAddress(segment, j))
				address[j] ^= toyAddress(segment, j)
			}
		}
		if all && layers[3].HasPositions(address[:]...) {
			found++
		}
	}
	return found
}

// zoieClaims are the places of two numbers by the code of 001's last slide.
func zoieClaims() (claims []claim) {
	for _, uid := range []uint64{1, 2, 1 << 32} {
		word, bit1, bit2 := zoiePlaces(uid, 1<<20-1)
		claims = append(claims, claim{"001", fmt.Sprintf("Zoie, 2^20 words: word and bits of %d", uid), "", fmt.Sprintf("%d: %d, %d", word, bit1, bit2), unsaid, "by the slide's code, with Zoie's factor"})
	}
	return append(claims,
		claim{"001", "Zoie's rate at 3 keys a word: 2^20 words", "", zoieRate(20, 3), unsaid, fmt.Sprintf("2^26 words: %.3f, as both use the same bits of the hash; crawler lab filters measures it", zoieRate(26, 3))},
		claim{"001", "HBase's filters made for 10000 and 9001 keys, with 4000 and 5000 in them: times they fold at 1 %", "", foldsOf(10000, 4000) + ", " + foldsOf(9001, 5000), unsaid, "the source has the numbers in a picture, without words"})
}

// foldsOf is how often a filter for n keys can be folded when it has fewer.
func foldsOf(n, has float64) string {
	bits, k, folds := dedup.BitsFor(foldTarget)*n, dedup.BestK(dedup.BitsFor(foldTarget)), 0
	for ; dedup.ClassicRate(bits/2/has, k) <= foldTarget; folds++ {
		bits /= 2
	}
	return fmt.Sprint(folds)
}

// webGraphLists are the lists of 002's copy lists.
var webGraphLists = map[int][]uint32{
	15: {13, 15, 16, 17, 18, 19, 23, 24, 203, 315, 1034},
	16: {15, 16, 17, 22, 23, 24, 315, 316, 317, 3041},
	17: nil,
	18: {13, 15, 16, 17, 50},
}

// webGraphClaims are the figures of 002 about the web graph and its compression.
func webGraphClaims() []claim {
	var claims []claim
	for _, c := range []struct {
		node, ref                         int
		list, extras, blocks, count, note string
	}{
		{16, 1, "01110011010", "22, 316, 317, 3041", "0,0,2,1,1,0,0", "7", "a comma is missing in the source"},
		{18, 3, "11110000000", "50", "1,3", "2", "in WebGraph's files a single block, 4"},
	} {
		list, extras, blocks := copyList(webGraphLists[c.node-c.ref], webGraphLists[c.node])
		name := fmt.Sprintf("node %d by node %d: ", c.node, c.node-c.ref)
		claims = append(claims,
			claim{"002", name + "copy list", c.list, list, agrees, ""},
			claim{"002", name + "extra nodes", c.extras, extras, agrees, ""},
			claim{"002", name + "copy blocks", c.blocks, blocks, agrees, c.note},
			claim{"002", name + "number of blocks", c.count, fmt.Sprint(1 + strings.Count(blocks, ",")), agrees, ""})
	}
	for node, printed := range []string{"11", "10", "0", "5"} {
		claims = append(claims, claim{"002", fmt.Sprintf("node %d: outdegree", 15+node), printed, float64(len(webGraphLists[15+node])), agrees, ""})
	}
	with, err1 := graph.ListBits(3042, 16, 1, webGraphLists[15], webGraphLists[16], graph.DefaultParams())
	without, err2 := graph.ListBits(3042, 16, 0, nil, webGraphLists[16], graph.DefaultParams())
	if err1 != nil || err2 != nil {
		return []claim{{"002", "the web graph's example", "", fmt.Sprint(err1, err2), misprint, ""}}
	}
	return append(claims,
		claim{"002", "the reference of node 16 is the one that compresses best", "1", bestReference(with, without), refuted, fmt.Sprintf("%d bits by node 15, %d without a reference", with, without)},
		claim{"002", "21 million pages, 150 million links: links a page", "", 150.0 / 21, unsaid, ""},
		claim{"002", "power law of exponent 2.1: pages with twice as many links are fewer by", "", math.Exp2(2.1), unsaid, "crawler graph stats fits the exponent"},
		claim{"002", "isolated URLs are ignored: of 782 in a crawl of the demo's web", "0", float64(measuredIsolated), refuted,
			"measured, docs/figures.md: URLs without links in or out. They are fetched, and fill filters, as others do; crawler graph stats counts them"},
		claim{"002", "50 billion pages of 1,000 bytes, billion bytes", "50000", 50e9 * 1000 / 1e9, agrees, ""},
		claim{"002", "50 * X billion bytes by a filter: X at a rate of 1 %, bytes a page", "", dedup.BitsFor(0.01) / 8, unsaid, "0.62^(m/n) = 0.01 takes 9.6 bits"},
		claim{"002", "50 billion pages, 500 billion URLs: URLs a page", "", 500.0 / 50, unsaid, ""},
		claim{"002", "the Merkle tree's universe 64 is more than |A|^2, |A| = 7", "49", 49.0, agrees, ""},
		claim{"002", "k = log2 log2 |B|, |B| = 2^20: error (1/2)^k = 1/log2 |B|", "", math.Pow(0.5, math.Log2(20)), unsaid, ""},
	)
}

// Figures that were measured once; docs/figures.md says how.
const (
	measuredURL      = 45.6 // bytes, mean of 81,915 URLs
	measuredIsolated = 11   // of 782 URLs of crawler demo
)

func bestReference(with, without int) string {
	if with < without {
		return "1"
	}
	return "0"
}

// copyList writes a list by another as 002 does: a bit for each node of the other, the nodes that
// are not in it, and the runs of the bits, each less one, without the last, behind the first bit.
func copyList(from, list []uint32) (bits, extras, blocks string) {
	in, copied := map[uint32]bool{}, map[uint32]bool{}
	for _, x := range list {
		in[x] = true
	}
	var b strings.Builder
	for _, x := range from {
		copied[x] = in[x]
		bit := byte('0')
		if in[x] {
			bit = '1'
		}
		b.WriteByte(bit)
	}
	bits = b.String()
	var rest []string
	for _, x := range list {
		if !copied[x] {
			rest = append(rest, fmt.Sprint(x))
		}
	}
	runs := []string{bits[:1]}
	for start := 0; start < len(bits); {
		end := start + 1
		for end < len(bits) && bits[end] == bits[start] {
			end++
		}
		if end < len(bits) {
			runs = append(runs, fmt.Sprint(end-start-1))
		}
		start = end
	}
	return bits, strings.Join(rest, ", "), strings.Join(runs, ",")
}

// streamDetails are the statements of 000 on samples, tails, variables and neighbourhoods that
// stand in no other part.
func streamDetails() []claim {
	const k, n = 100.0, 1000.0
	tails := 1 - math.Pow(1-math.Exp2(-20), 1000)
	claims := []claim{
		{"000 slide 12", "10^8 keys, 5 hash functions: darts", "5e8", 5 * 1e8, agrees, "d = kn"},
		{"000 slide 14", "a query asked once is in a tenth of the positions with", "0.10", 0.1, agrees, ""},
		{"000 slide 15", "10 buckets, one of them taken: share of the keys", "", 1.0 / 10, unsaid, "crawler lab sample draws it"},
		{"000 slide 17", "100 buckets, 0 to 9 taken: share of the keys", "0.10", 10.0 / 100, agrees, "the source begins with 10 %"},
		{"000 slide 19", "ranges 20, 45 and 0: the mean over all samples of two departments", "", meanOfPairs(20, 45, 0), unsaid, "21.67 exactly: unbiased"},
		{"000 slide 9", "118: h1 before it is taken modulo 11", "14", float64(oddBits(118)), agrees, ""},
		{"000 slide 26", "P(R >= 20) after 1,000 elements, over m/2^20", "", tails / (1000 * math.Exp2(-20)), unsaid, "the limit is 1"},
		{"000 slide 28", "share of 2^R's mean that tails of 20 to 29 zeros add, m = 1,000", "", tailShare(20, 30) / tailShare(30, 40), unsaid, "over that of 30 to 39: no tail is too long to count, the mean is infinite"},
		{"000 slide 43", "(n-k)/n k/(n-1) + k/n k/(n-1) (k-1)/k, n = 1000, k = 100", "0.1", (n-k)/n*k/(n-1) + k/n*k/(n-1)*(k-1)/k, agrees, "k/n"},
	}
	for _, c := range []struct {
		name   string
		counts []int
	}{{"10, 9, 9, ...", []int{10, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}}, {"90, 1, 1, ...", []int{90, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}} {
		exact := map[uint64]uint64{}
		for i, n := range c.counts {
			exact[uint64(i)] = uint64(n)
		}
		moment, deviation := exactMoment(exact, 2)
		claims = append(claims, claim{"000 slide 44", "100 variables on a long stream of shares " + c.name + ": error of their mean, %", "", 100 * deviation / moment / 10, unsaid, "standard deviation"})
	}
	for d, printed := range []string{"E", "D E F", "B D E F G", "A B C D E F G"} {
		claims = append(claims, claim{"000 slide 29", fmt.Sprintf("n(E,%d)", d), printed, within("E", d), agrees, ""})
	}
	return claims
}

// oddBits is h1 of 000 before the remainder.
func oddBits(x uint64) (h uint64) {
	for i := 0; x>>(2*i) != 0; i++ {
		h |= x >> (2 * i) & 1 << i
	}
	return h
}

// meanOfPairs is the mean of the means of all pairs.
func meanOfPairs(x ...float64) float64 {
	sum, n := 0.0, 0.0
	for i := range x {
		for j := range i {
			sum += (x[i] + x[j]) / 2
			n++
		}
	}
	return sum / n
}

// tailShare is what R from low to high-1 adds to the mean of 2^R after 1,000 elements.
func tailShare(low, high int) (sum float64) {
	atLeast := func(i int) float64 { return -math.Expm1(1000 * math.Log1p(-math.Exp2(-float64(i)))) }
	for r := low; r < high; r++ {
		sum += (atLeast(r) - atLeast(r+1)) * math.Exp2(float64(r))
	}
	return sum
}

// within is the neighbourhood of a node in the graph of 000, slide 29.
func within(node string, distance int) string {
	in := map[string]bool{node: true}
	for range distance {
		next := map[string]bool{}
		for _, e := range strings.Fields("AB AC BC BD DE DF DG EF FG") {
			if in[e[:1]] || in[e[1:]] {
				next[e[:1]], next[e[1:]] = true, true
			}
		}
		for v := range in {
			next[v] = true
		}
		in = next
	}
	var out []string
	for _, v := range strings.Split("ABCDEFG", "") {
		if in[v] {
			out = append(out, v)
		}
	}
	return strings.Join(out, " ")
}

// worthSection is the table of "advantageous when m/n is far below the key's bits + log n".
func worthSection() sheet.Section {
	t := &sheet.Table{Columns: []sheet.Column{{Name: "keys"}, {Name: "key", Unit: "bits", Key: "key_bits"}, {Name: "n", Format: "%.0e"}, {Name: "key bits + log2 n", Key: "limit", Format: "%.1f"},
		{Name: "rate", Format: "%.0e"}, {Name: "m/n", Format: "%.1f"}, {Name: "share", Unit: "%", Format: "%.2f"}, {Name: "worth it"}}}
	for _, keys := range []struct {
		name string
		bits int
	}{{"32-bit numbers", 32}, {"64-bit fingerprints", 64}, {"URLs of 46 bytes", 368}, {"URLs of 1000 bytes, as the source has them", 8000}} {
		for _, n := range []float64{1e6, 5e11} {
			for _, rate := range []float64{1e-2, 1e-6, 4e-11} {
				limit, bits := float64(keys.bits)+math.Log2(n), dedup.BitsFor(rate)
				worth := "yes"
				switch {
				case bits > limit:
					worth = "no"
				case bits > limit/4:
					worth = "hardly"
				}
				t.Rows = append(t.Rows, []sheet.Cell{keys.name, keys.bits, n, limit, rate, bits, 100 * bits / limit, worth})
			}
		}
	}
	return sheet.Section{ID: "worth", Title: "When a filter is worth it: m/n << key bits + log n", Table: t, Notes: []string{
		"Sources 002 and 003: a filter is advantageous when its bits a key are far fewer than those of the key itself and of a pointer to it. \"hardly\": more than a quarter. For URLs it nearly " +
			"always is; for fingerprints, which need no more than their own 64 bits and are exact to a chance of 2^-64, only at rates that lose pages."}}
}
