package lab

import (
	"strings"
	"testing"
)

// printed are the figures that the five sources print, each with a part of what it is about: every
// one has its row. Left out are dates, numbers of slides and of downloads, and what is a term of a
// formula.
var printed = map[string][]string{
	"000": {
		"11 bits|5, 2: 00100100000", "11 bits|7, 0: 10100101000", "11 bits|9, 7: 10100101010", "118|3, 5", "118: h1|14", "darts at|0.368", "darts|5e8",
		"zeros|0.607", "ones|0.393", "false positives|0.00937", "asked once|0.10", "twice in the stream|0.18", "10 buckets|", "100 buckets|0.10",
		"tail of at least 3|", "P(R >= 10)|", "P(R >= 20)|", "P(R >= 5)|", "share of 2^R's mean|", "n(E,0)|E", "n(E,1)|D E F", "n(E,2)|B D E F G", "n(E,3)|A B C D E F G",
		"size of n(E,0)|1", "size of n(E,1)|3", "size of n(E,2)|5", "size of n(E,3)|7", "0th moment|11", "1st moment|100", "10, 9, 9|910", "90, 1, 1|8110",
		"2c-1|8110", "P(position 1|0.1", "(n-k)/n|0.1", "100 variables|", "mean over all samples|", "median of means|",
	},
	"001": {
		"two ones|2/23", "limit of|", "least rate|", "ln f|-3.844",
		"m/n = 2: best k|1.39", "m/n = 3: best k|2.08", "m/n = 4: best k|2.77", "m/n = 5: best k|3.46", "m/n = 6: best k|4.16", "m/n = 7: best k|4.85", "m/n = 8: best k|5.55",
		"m/n = 2, k = 1: |0.393", "m/n = 2, k = 2: |0.400", "m/n = 3, k = 1: |0.283", "m/n = 3, k = 2: |0.237", "m/n = 3, k = 3: |0.253",
		"m/n = 4, k = 1: |0.221", "m/n = 4, k = 2: |0.155", "m/n = 4, k = 3: |0.147", "m/n = 4, k = 4: |0.160",
		"m/n = 5, k = 1: |0.181", "m/n = 5, k = 2: |0.109", "m/n = 5, k = 3: |0.092", "m/n = 5, k = 4: |0.0920", "m/n = 5, k = 5: |0.101",
		"m/n = 6, k = 1: |0.154", "m/n = 6, k = 2: |0.0804", "m/n = 6, k = 3: |0.0609", "m/n = 6, k = 4: |0.0561", "m/n = 6, k = 5: |0.0578",
		"m/n = 7, k = 1: |0.133", "m/n = 7, k = 2: |0.0618", "m/n = 7, k = 3: |0.0423", "m/n = 7, k = 4: |0.0359", "m/n = 7, k = 5: |0.0347",
		"m/n = 8, k = 1: |0.118", "m/n = 8, k = 2: |0.0489", "m/n = 8, k = 3: |0.0306", "m/n = 8, k = 4: |0.024", "m/n = 8, k = 5: |0.0217",
		"10000 and 9001|", "4000 and 5000|", "Zoie|",
	},
	"002": {
		"500 billion URLs|500000", "mean length|1000", "for each of 5e11|80", "on 1,000 machines|30", "Tbit|500", "500 Tbit, TB|50", "filled positions|1 2 4 9 10 11", "known besides S|AAA",
		"rate at the best k|0.62", "30 bits a key|4e-11", "m/n = 30|", "50 billion pages of|50000", "50 * X|", "URLs a page|", "|A|^2|49", "log2 log2 |B|", "leaf at depth|(1 e)^d",
		"{A, A, B, C, C}|A=2 B=1 C=2", "power law of exponent 2.1|", "21 million pages, 150 million|", "isolated URLs|0",
		"node 15: outdegree|11", "node 16: outdegree|10", "node 17: outdegree|0", "node 18: outdegree|5", "node 16 by node 15: copy list|01110011010",
		"node 16 by node 15: extra|22, 316, 317, 3041", "node 18 by node 15: copy list|11110000000", "node 18 by node 15: extra|50",
		"node 16 by node 15: number of blocks|7", "node 16 by node 15: copy blocks|0,0,2,1,1,0,0", "node 18 by node 15: number of blocks|2", "node 18 by node 15: copy blocks|1,3",
		"reference of node 16|1",
	},
	"003": {"large k|less", "table of hashes|too costly", "ln 2 (m/n)|", "three hashes|AAA"},
	"004": {
		"linear search|1000000", "binary search: O(log 1000000)|", "hash table: O(1)|", "ln f|-3.844", "zeros left|", "larger m|", "rate of L|(1-e^(-kn/m))^(kL)", "algorithm 1|all",
		"algorithms 3 and 4|all", "fewest false positives|fewer", "time of a query|more; the same",
	},
}

func allClaims() (list []claim) {
	for _, part := range [][]claim{
		bloomExamples(), bloomRates(), bloomTable(), crawlSizes(), multilayerClaims(), spectralClaims(), samplingClaims(), distinctClaims(), momentClaims(),
		neighbourhoodClaims(), streamDetails(), whereFiltersHold(), comparisons(), algorithmClaims(), zoieClaims(), webGraphClaims(),
	} {
		list = append(list, part...)
	}
	return list
}

// Every figure that a source prints has a row of crawler lab theory.
func TestEveryPrintedFigureHasARow(t *testing.T) {
	claims, figures := allClaims(), 0
	for source, list := range printed {
		for _, f := range list {
			figures++
			cut := strings.LastIndexByte(f, '|')
			what, figure := f[:cut], f[cut+1:]
			found := false
			for _, c := range claims {
				found = found || strings.Contains(c.source, source) && strings.Contains(c.what, what) && (figure == "" || strings.HasPrefix(c.printed, figure))
			}
			if !found {
				t.Errorf("%s prints %q of %q: there is no row", source, figure, what)
			}
		}
	}
	if figures < 120 {
		t.Errorf("only %d figures", figures)
	}
}

// 002's copy lists by hand: 15 has 13 15 16 17 18 19 23 24 203 315 1034, of which 16 has 15 16 17,
// 23 24 and 315; so 0 111 00 11 0 1 0. The first bit is 0; the runs less one, without the last,
// are 0 2 1 1 0 0.
func TestCopyListByHand(t *testing.T) {
	list, extras, blocks := copyList(webGraphLists[15], webGraphLists[16])
	if list != "01110011010" || extras != "22, 316, 317, 3041" || blocks != "0,0,2,1,1,0,0" {
		t.Errorf("%s; %s; %s", list, extras, blocks)
	}
	if list, extras, blocks := copyList([]uint32{1, 2}, nil); list != "00" || extras != "" || blocks != "0" {
		t.Errorf("of nothing: %s; %s; %s", list, extras, blocks)
	}
}

// Algorithm 1 to the letter keeps the last URL, and those that consist of its segments: none other.
func TestAlgorithmsToTheLetter(t *testing.T) {
	if known := algorithm1(1000); known != 1 {
		t.Errorf("algorithm 1 finds %d", known)
	}
	if found := algorithm3(1000); found > 50 {
		t.Errorf("algorithm 3 finds %d", found)
	}
}
