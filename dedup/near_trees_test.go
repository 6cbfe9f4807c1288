package dedup_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crawler/dedup"
	"crawler/parse"
)

// treeEnv names directories of HTML files, separated as in PATH, on which the
// near-duplicates found are compared with the exact resemblance of all pairs.
const treeEnv = "CRAWLER_HTML_TREES"

// Recall and precision at the default threshold that the default configuration
// must reach on real documents if Shingles confirms what is found.
const (
	wantRecall    = 0.98
	wantPrecision = 0.95
)

func TestNearOnTrees(t *testing.T) {
	trees := os.Getenv(treeEnv)
	if trees == "" {
		t.Skip("set " + treeEnv + " to directories of HTML files")
	}
	for _, dir := range filepath.SplitList(trees) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			c := newCorpus(readTree(t, dir))
			t.Logf("%s: %d pages, %d shingles, %d pairs with J >= %.1f, %d with J >= %.1f",
				dir, len(c.words), c.shingles, c.above(lowest), lowest, c.above(dedup.DefaultThreshold), dedup.DefaultThreshold)
			if len(c.words) == 0 {
				t.Fatal("no pages")
			}
			if c.above(dedup.DefaultThreshold) < 100 {
				t.Skip("too few of them to judge by")
			}
			c.checkPairs(t)
			c.checkVerdicts(t)
		})
	}
}

// readTree returns the words of the HTML files below a directory, in the order
// of their paths.
func readTree(t *testing.T, dir string) (pages [][]uint64) {
	t.Helper()
	p, page := parse.New(parse.Options{}), parse.Page{}
	base := url("http://docs.example/")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".html") {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		page.Reset()
		if err := p.Parse(parse.Input{URL: base, ContentType: "text/html", Body: body}, &page); err != nil {
			return err
		}
		pages = append(pages, slices.Clone(page.Words))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// lowest is the resemblance from which pairs are listed.
const lowest = 0.5

// pair is two pages, the first of lower number.
type pair struct{ a, b uint32 }

// corpus is pages and the exact truth about them.
type corpus struct {
	words    [][]uint64
	sets     [][]uint64
	pairs    map[pair]float64 // with resemblance >= lowest
	shingles int
}

func newCorpus(words [][]uint64) *corpus {
	c := &corpus{words: words, pairs: map[pair]float64{}}
	for _, w := range words {
		c.sets = append(c.sets, dedup.SortSet(dedup.Shingles(nil, w, 0)))
		c.shingles += len(c.sets[len(c.sets)-1])
	}
	c.findPairs()
	return c
}

// findPairs computes the resemblance of all pairs that can reach lowest. Two
// sets with J >= t share at least t times the larger one's size; so of each, the
// rarest (1-t) of its shingles and one more must contain one of the other's
// (Bayardo, Ma and Srikant 2007, "Scaling Up All Pairs Similarity Search").
func (c *corpus) findPairs() {
	count := map[uint64]int{}
	for _, set := range c.sets {
		for _, h := range set {
			count[h]++
		}
	}
	index, seen := map[uint64][]uint32{}, make([]uint32, len(c.sets))
	for i, set := range c.sets {
		rare := slices.Clone(set)
		slices.SortFunc(rare, func(a, b uint64) int {
			return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b))
		})
		rare = rare[:min(len(rare), int((1-lowest)*float64(len(rare)))+2)]
		for _, h := range rare {
			for _, j := range index[h] {
				if seen[j] == uint32(i) {
					continue
				}
				seen[j] = uint32(i)
				short, long := min(len(set), len(c.sets[j])), max(len(set), len(c.sets[j]))
				if float64(short) < lowest*float64(long) {
					continue
				}
				if s := dedup.Jaccard(set, c.sets[j]); s >= lowest {
					c.pairs[pair{j, uint32(i)}] = s
				}
			}
			index[h] = append(index[h], uint32(i))
		}
	}
}

// above counts the pairs of at least some resemblance.
func (c *corpus) above(least float64) (n int) {
	for _, j := range c.pairs {
		if j >= least {
			n++
		}
	}
	return n
}

// checkPairs prints which pairs each method finds, and holds MinHash with LSH,
// confirmed by shingles, to the recall that is promised. (Its precision is 100 %
// here, for the exact resemblance is what confirms.) Buckets have no limit here: on
// pages made by one template it would hide most pairs, as it is meant to.
func (c *corpus) checkPairs(t *testing.T) {
	for _, slots := range []int{128, 256} {
		cfg := dedup.LSHConfig{MinHash: dedup.MinHashConfig{Slots: slots, Seed: 1}, BucketLimit: dedup.MaxBucketLimit}
		candidates, bySignature, byShingles := c.minHashPairs(t, cfg)
		c.printPairs(t, fmt.Sprint("minhash ", slots, ", candidates"), candidates)
		c.printPairs(t, fmt.Sprint("minhash ", slots, ", by signature"), bySignature)
		if recall := c.printPairs(t, fmt.Sprint("minhash ", slots, ", by shingles"), byShingles); recall < wantRecall {
			t.Errorf("%d slots: recall %.2f %%", slots, 100*recall)
		}
	}
	c.printPairs(t, "simhash, distance <= 3", c.simhashPairs(t))
}

// minHashPairs returns the pairs that share a bucket, those of them whose
// estimate reaches the threshold, and those that are confirmed by the exact
// resemblance, if the estimate is at most three standard errors below.
func (c *corpus) minHashPairs(t *testing.T, cfg dedup.LSHConfig) (candidates, bySignature, byShingles map[pair]bool) {
	t.Helper()
	index, err := dedup.NewLSH(cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg = index.Config()
	m, err := dedup.NewMinHash(cfg.MinHash)
	if err != nil {
		t.Fatal(err)
	}
	candidates, bySignature, byShingles = map[pair]bool{}, map[pair]bool{}, map[pair]bool{}
	least := dedup.DefaultThreshold - 3*cfg.MinHash.StandardError(dedup.DefaultThreshold)
	for i, words := range c.words {
		s := m.SketchWords(dedup.Signature{}, words)
		found, err := index.Similar(nil, s, -1)
		if err == nil {
			err = index.Add(uint32(i), s)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			p := pair{f.ID, uint32(i)}
			candidates[p] = true
			if f.Similarity >= dedup.DefaultThreshold {
				bySignature[p] = true
			}
			if f.Similarity >= least && c.pairs[p] >= dedup.DefaultThreshold {
				byShingles[p] = true
			}
		}
	}
	return candidates, bySignature, byShingles
}

func (c *corpus) simhashPairs(t *testing.T) map[pair]bool {
	t.Helper()
	var index dedup.HammingIndex
	pairs := map[pair]bool{}
	for i, words := range c.words {
		h := dedup.Simhash(dedup.Shingles(nil, words, 0))
		for _, id := range index.Find(nil, h, dedup.MaxHamming) {
			pairs[pair{id, uint32(i)}] = true
		}
		if err := index.Add(uint32(i), h); err != nil {
			t.Fatal(err)
		}
	}
	return pairs
}

// printPairs prints the share of the pairs that were found by their
// resemblance, and returns the recall at DefaultThreshold.
func (c *corpus) printPairs(t *testing.T, name string, found map[pair]bool) (recall float64) {
	t.Helper()
	right := 0
	var all, hit [6]float64 // 0.5 to 0.6, ..., 0.9 to 1, 1
	for p, j := range c.pairs {
		i := int((j - lowest) * 10)
		all[i]++
		if found[p] {
			hit[i]++
			if j >= dedup.DefaultThreshold {
				right++
			}
		}
	}
	recall = float64(right) / float64(c.above(dedup.DefaultThreshold))
	precision := float64(right) / float64(max(len(found), 1))
	row := fmt.Sprintf("%-26s %8d pairs, recall %6.2f %%, precision %6.2f %%, of J from 0.5:", name, len(found), 100*recall, 100*precision)
	for i := range all {
		row += fmt.Sprintf(" %5.1f", 100*hit[i]/max(all[i], 1))
	}
	t.Log(row, "%")
	return recall
}

// checkVerdicts runs Duplicates over the pages, as a crawl would, and holds the
// verdicts against the truth: is there an earlier page as similar as that, and
// is the one that is named.
func (c *corpus) checkVerdicts(t *testing.T) {
	shingles := func(id uint32) []uint64 { return c.sets[id] }
	for _, v := range []struct {
		name string
		cfg  dedup.DuplicatesConfig
		held bool
	}{
		{"128 slots, by signature", dedup.DuplicatesConfig{}, false},
		{"256 slots, by signature", dedup.DuplicatesConfig{MinHash: dedup.MinHashConfig{Slots: 256}}, false},
		{"128 slots, by shingles", dedup.DuplicatesConfig{Shingles: shingles}, true},
		{"256 slots, by shingles", dedup.DuplicatesConfig{MinHash: dedup.MinHashConfig{Slots: 256}, Shingles: shingles}, true},
		{"the same, leaders only", dedup.DuplicatesConfig{MinHash: dedup.MinHashConfig{Slots: 256}, Shingles: shingles, LeadersOnly: true}, false},
	} {
		recall, precision := c.verdicts(t, v.name, v.cfg)
		if v.held && (recall < wantRecall || precision < wantPrecision) {
			t.Errorf("%s: recall %.2f %%, precision %.2f %%", v.name, 100*recall, 100*precision)
		}
	}
}

func (c *corpus) verdicts(t *testing.T, name string, cfg dedup.DuplicatesConfig) (recall, precision float64) {
	t.Helper()
	d, err := dedup.NewDuplicates(cfg)
	if err != nil {
		t.Fatal(err)
	}
	similar := make([]bool, len(c.words)) // to an earlier page
	for p, j := range c.pairs {
		similar[p.b] = similar[p.b] || j >= dedup.DefaultThreshold
	}
	var count [3]int
	truth, found, right := 0, 0, 0
	for i, words := range c.words {
		f, err := d.Add(uint32(i), words)
		if err != nil {
			t.Fatal(err)
		}
		count[f.Verdict]++
		if similar[i] {
			truth++
			if f.Verdict != dedup.NewText {
				found++
			}
		}
		if f.Verdict != dedup.NewText && c.resemblance(f.Of, i) >= dedup.DefaultThreshold {
			right++
		}
	}
	recall = float64(found) / float64(max(truth, 1))
	precision = float64(right) / float64(max(len(c.words)-count[dedup.NewText], 1))
	t.Logf("%-26s %v new, near, same; %d similar to an earlier page, recall %.2f %%, precision %.2f %%",
		name, count, truth, 100*recall, 100*precision)
	return recall, precision
}

// resemblance returns that of an earlier page and a later one.
func (c *corpus) resemblance(a uint32, b int) float64 { return dedup.Jaccard(c.sets[a], c.sets[b]) }
