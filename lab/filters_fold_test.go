package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"crawler/dedup"
	"crawler/weburl"
)

// In an array that is no power of two the published filter errs as FoldFactor says. The
// factor is that of independent addresses, so no host and no path recurs here; its
// largest is near three quarters of a power. The questions pass all layers: the path of
// one URL on the host of another. Margin: five standard deviations and 1.5 percent, of
// a factor that is above 1.1. LAB_LONG=1 takes 20 seeds.
func TestPublishedFilterErrsByFoldFactor(t *testing.T) {
	const urls, questions, array = 20_000, 60_000, 3 << 15
	seeds := uint64(2)
	if os.Getenv("LAB_LONG") != "" {
		seeds = 20
	}
	for seed := range seeds {
		hosts, paths := make([]string, urls), make([]string, urls)
		corpus := &Corpus{URLs: make([]weburl.URL, urls)}
		for i := range urls {
			hosts[i], paths[i] = fmt.Sprintf("https://h%d-%d.example/", seed, i), fmt.Sprintf("p%d-%d", seed, i)
			corpus.URLs[i] = mustURL(t, hosts[i]+paths[i])
		}
		corpus.URLs, corpus.HeldOut = corpus.URLs[:urls-1], corpus.URLs[urls-1:]
		cfg, err := FiltersConfig{Corpus: corpus}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		c := &comparison{cfg: cfg, known: standing{layers: cfg.Layers}}
		c.known.add(corpus.URLs)
		x, plain := c.published(array), c.published(1<<17)
		fill(x.set, corpus.URLs)
		fill(plain.set, corpus.URLs)
		rnd := rand.New(rand.NewPCG(seed, 7))
		var asked []weburl.URL
		for len(asked) < questions {
			if i, j := rnd.IntN(urls-1), rnd.IntN(urls-1); i != j {
				asked = append(asked, mustURL(t, hosts[i]+paths[j]))
			}
		}
		a := x.ask(asked)
		mean, unfolded := a.expected, x.set.(filter).filter.(*dedup.PublishedMultilayer).ExpectedRate()
		if mean < 1.1*unfolded {
			t.Errorf("seed %d: %.4f is expected, and %.4f without the factor", seed, mean, unfolded)
		}
		if off := math.Abs(a.share() - mean); off > 5*math.Sqrt(mean*(1-mean)/questions)+0.015*mean {
			t.Errorf("seed %d: %.4f answered seen, expected %.4f", seed, a.share(), mean)
		}
		t.Logf("seed %d: %.4f answered seen, expected %.4f, without the factor %.4f; of 2^17 bits %.4f, expected %.4f",
			seed, a.share(), mean, unfolded, plain.ask(asked).share(), plain.ask(asked).expected)
	}
}

func mustURL(t *testing.T, text string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
