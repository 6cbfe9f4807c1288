package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"crawler/internal/splitmix"
)

// figuresOf sketches a site and returns its figures.
func figuresOf(text []uint64, seed uint64) Figures {
	w := NewWords(SiteConfig(seed))
	w.AddAll(text)
	return Figures{float64(w.N()), w.Distinct().Estimate, w.Surprise().Estimate}
}

// honest returns the words of a site of its own subject: a language, in which
// half of the rarer words are another site's, and some of the frequent ones are
// more frequent here.
func honest(n int, seed uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, 9))
	text := english().text(n, seed)
	own := map[uint64]uint64{}
	favourites := english().text(10, ^seed)
	for i, h := range text {
		if _, met := own[h]; !met {
			own[h] = h
			if r.IntN(2) == 0 && len(own) > 300 {
				own[h] = splitmix.Finish(h ^ seed)
			}
		}
		text[i] = own[h]
		if r.IntN(25) == 0 {
			text[i] = favourites[r.IntN(10)]
		}
	}
	return text
}

// spam returns n words of a kind of artificial text.
func spam(kind string, n int, seed uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, 10))
	page := english().text(300, seed)
	text := make([]uint64, n)
	for i := range text {
		switch kind {
		case "twenty words":
			text[i] = uint64(r.IntN(20))
		case "one page":
			text[i] = page[i%len(page)]
		case "gibberish":
			text[i] = r.Uint64()
		case "one word in two":
			text[i] = []uint64{7, page[r.IntN(300)]}[i%2]
		case "one word":
			text[i] = 7
		}
	}
	return text
}

func TestOutliersFindSpam(t *testing.T) {
	rounds := seeds()/50 + 1
	for _, kind := range []string{"twenty words", "one page", "gibberish", "one word in two", "one word"} {
		for _, many := range []int{3, 4, 6, 10} {
			for seed := range rounds {
				r := rand.New(rand.NewPCG(seed, uint64(many)))
				var sites []Figures
				for i := range many {
					n := int(math.Exp(7.5 + 4*r.Float64())) // 1,800 to 98,000
					sites = append(sites, figuresOf(honest(n, seed<<8|uint64(i)), seed))
				}
				at := r.IntN(many + 1)
				sites = slices.Insert(sites, at, figuresOf(spam(kind, 40_000, seed), seed))
				found := false
				for _, o := range Outliers(sites) {
					if o.Site != at {
						t.Errorf("%s among %d, seed %d: honest site %+v flagged: %+v", kind, many, seed, sites[o.Site], o)
					}
					found = true
				}
				if !found {
					t.Errorf("%s among %d, seed %d: %+v not flagged among %+v", kind, many, seed, sites[at], sites)
				}
			}
		}
	}
}

func TestOutliersSayWhatIsWrong(t *testing.T) {
	var sites []Figures
	for i := range uint64(5) {
		sites = append(sites, figuresOf(honest(5000<<i, i), 1))
	}
	sites = append(sites, figuresOf(spam("one page", 40_000, 1), 1), figuresOf(spam("gibberish", 40_000, 1), 1))
	got := map[string]float64{}
	for _, o := range Outliers(sites) {
		got[fmt.Sprint(o.Site, o.Measure)] = o.Score
		value := sites[o.Site].Distinct
		if o.Measure == MeasureSurprise {
			value = sites[o.Site].Surprise
		}
		if o.Value != value || (o.Score > 0) != (o.Value > o.Expected) {
			t.Errorf("%+v does not describe %+v", o, sites[o.Site])
		}
	}
	for what, sign := range map[string]float64{"5distinct": -1, "6distinct": 1, "6surprise": -1} {
		if score, ok := got[what]; !ok || score*sign < maxScore {
			t.Errorf("%s scores %g, want %g or beyond; all: %v", what, score, sign*maxScore, got)
		}
	}
}

func TestOutliersAmongHonestSites(t *testing.T) {
	flagged, all := 0, 0
	for seed := range seeds() / 4 {
		r := rand.New(rand.NewPCG(seed, 11))
		var sites []Figures
		for i := range 3 + r.IntN(8) {
			n := int(math.Exp(6.5 + 5.5*r.Float64())) // 650 to 160,000
			sites = append(sites, figuresOf(honest(n, seed<<8|uint64(i)), seed))
		}
		all += len(sites)
		flagged += len(Outliers(sites))
	}
	if flagged > 0 {
		t.Errorf("%d of %d honest sites flagged", flagged, all)
	}
}

func TestOutliersNeedPeers(t *testing.T) {
	good := Figures{10_000, 1500, 9e5}
	bad := Figures{10_000, 20, 5e6}
	small := Figures{400, 5, 3e4}
	for _, c := range []struct {
		name  string
		sites []Figures
		want  int
	}{
		{"none", nil, 0},
		{"two and spam", []Figures{good, good, bad}, 0},
		{"three and spam", []Figures{good, good, good, bad}, 2},
		{"small sites do not count", []Figures{good, good, bad, small, small, small}, 0},
		{"small sites are not judged", []Figures{good, good, good, good, small}, 0},
		{"empty sites", []Figures{good, good, good, good, {}, {1000, 0, 0}}, 0},
		{"no word twice", []Figures{good, good, good, good, {5000, 5000, 5000}}, 2},
		{"an estimate below the possible", []Figures{good, good, good, good, {5000, 5000, 4000}}, 2},
	} {
		got := Outliers(c.sites)
		if len(got) != c.want {
			t.Errorf("%s: %+v, want %d", c.name, got, c.want)
		}
		for _, o := range got {
			if math.IsInf(o.Score, 0) || math.IsNaN(o.Score) || math.IsNaN(o.Expected) {
				t.Errorf("%s: %+v", c.name, o)
			}
		}
	}
}

// The repeat rate of one language hardly depends on the length of the text,
// F2/n² does.
func TestRepeatRateIgnoresLength(t *testing.T) {
	text := english().text(100_000, 12)
	rate := func(n int) float64 {
		return Figures{float64(n), 0, exactCounts(text[:n]).Surprise()}.RepeatRate()
	}
	for _, n := range []int{500, 3000, 20_000} {
		if got, want := rate(n), rate(100_000); math.Abs(got/want-1) > 0.2 {
			t.Errorf("%d words have a repeat rate of %.5f, 100,000 words %.5f", n, got, want)
		}
	}
	if got := (Figures{}).RepeatRate(); got != 0 {
		t.Errorf("an empty text has a repeat rate of %g", got)
	}
}
