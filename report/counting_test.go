package report

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"crawler/stats"
)

// wordsOf is the binary form of the sketches of the crawl and of each site.
func wordsOf(t *testing.T, r *Recorder) map[string]string {
	t.Helper()
	r.countWaiting()
	all := map[string]string{}
	add := func(name string, words *stats.Words) {
		data, err := words.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(data)
	}
	add("the crawl", r.total.words)
	for name, s := range r.sites {
		add(name, s.words)
	}
	return all
}

// However many pages are counted together, and however large they are, the sketches of crawl and
// sites are to the bit those of pages counted one by one.
func TestCountedTogetherAsOneByOne(t *testing.T) {
	for _, sites := range []int{1, 2, 50} {
		rng := rand.New(rand.NewPCG(11, uint64(sites)))
		one, together := recorder(t, Config{Seed: 3}), recorder(t, Config{Seed: 3})
		most := 0
		for i := range 400 {
			host := 0
			if i > 30 { // the first site is alone at first
				host = rng.IntN(sites)
			}
			words := rng.IntN(300)
			if i%97 == 5 {
				words = 20_000 // beyond a Bag, and different ones enough not to wait
			}
			var hashes []uint64
			for range words {
				hashes = append(hashes, uint64(rng.ExpFloat64()*2000)*0x9e3779b97f4a7c15)
			}
			for _, r := range []*Recorder{one, together} {
				v := visit(t, fmt.Sprintf("http://h%d.example/%d", host, i), 200)
				v.Page.Words = hashes
				take(t, r, []step{{page: v}})
			}
			one.countWaiting()
			most = max(most, together.waiting.n)
			if w := &together.waiting; w.n >= maxWaiting || w.words >= maxWaitingWords {
				t.Fatalf("%d pages and %d words wait", w.n, w.words)
			}
		}
		if most < maxWaiting-1 {
			t.Errorf("%d sites: at most %d pages waited", sites, most)
		}
		got, want := wordsOf(t, together), wordsOf(t, one)
		if len(got) != 1+sites {
			t.Errorf("sketches of %d, want the crawl's and those of %d sites", len(got), sites)
		}
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%d sites: the sketches of %s differ", sites, name)
			}
		}
	}
}

// A text that waits is not the one in the Visit, which the next page writes over.
func TestWaitingTextsAreTheirOwn(t *testing.T) {
	r, want := recorder(t, Config{Seed: 3}), recorder(t, Config{Seed: 3})
	v := visit(t, "http://a.example/", 200)
	for i := range 40 {
		v.Page.Words = v.Page.Words[:0]
		for n := range 100 {
			v.Page.Words = append(v.Page.Words, uint64(i*50+n)*0x9e3779b97f4a7c15)
		}
		if err := r.Page(v); err != nil {
			t.Fatal(err)
		}
		w := *v
		w.Prepared = nil
		if err := want.Page(&w); err != nil {
			t.Fatal(err)
		}
		want.countWaiting()
	}
	if got, want := wordsOf(t, r)["the crawl"], wordsOf(t, want)["the crawl"]; got != want {
		t.Error("the sketches differ")
	}
}

// Calls share the goroutines' numbers without meeting: each of n is made once, and what a number
// stands for is used by one at a time.
func TestTogether(t *testing.T) {
	for _, n := range []int{0, 1, 3, 1000} {
		calls := make([]int, n)
		var busy [maxTogether]int // the race detector looks at these
		together(n, func(g, i int) {
			busy[g]++
			calls[i]++
		})
		sum := 0
		for _, b := range busy {
			sum += b
		}
		for i, c := range calls {
			if c != 1 {
				t.Errorf("%d calls: number %d was made %d times", n, i, c)
			}
		}
		if sum != n {
			t.Errorf("%d calls: %d were made", n, sum)
		}
	}
}
