package dedup

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"crawler/weburl"
)

func mustMultilayer(t testing.TB, cfg Config) *Multilayer {
	t.Helper()
	m, err := NewMultilayer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMultilayerForgetsNothing(t *testing.T) {
	const n = 2000
	for seed := range uint64(40) {
		w := newWeb(seed, 1+int(seed)*10)
		list := w.urls(n)
		m := mustMultilayer(t, Config{
			ExpectURLs: 1 + w.r.IntN(2*n),
			BitsPerURL: 1 + 30*w.r.Float64(),
			Layers:     1 + int(seed)%MaxLayers,
			Seed:       seed,
		})
		for _, u := range list {
			had := m.Has(u)
			if m.Add(u) == had {
				t.Fatalf("seed %d: Has(%v) was %v and Add agreed not", seed, u, had)
			}
		}
		for _, u := range list {
			if !m.Has(u) || m.LayerOf(u) != 0 {
				t.Fatalf("seed %d: %v lost", seed, u)
			}
		}
	}
}

func TestLayerOf(t *testing.T) {
	m := mustMultilayer(t, Config{Layers: 3})
	for _, s := range []string{"https://a.org/doc/api/java/lang/String.html", "https://a.org/x?y=z", "http://b.org/"} {
		m.Add(mustParse(s))
	}
	for _, c := range []struct {
		url  string
		want int
	}{
		{"https://a.org/doc/api/java/lang/String.html", 0},
		{"https://a.org/x?y=z", 0},
		{"https://c.org/", 1},
		{"http://a.org/doc/api/", 1}, // another scheme is another origin
		{"https://a.org/", 2},        // the origin is known, with no empty segment
		{"https://a.org/doc", 2},     // known as a prefix only, and so new itself
		{"https://a.org/new/api/java/", 2},
		{"https://a.org/x", 2},
		{"https://a.org/x?y", 3},
		{"https://a.org/doc/new/java/", 3},
		{"https://a.org/doc/api/java/lang/Object.html", 6}, // beyond the layers
		{"https://a.org/doc/api/new/lang/String.html", 6},
		{"http://b.org/doc", 2},
	} {
		u := mustParse(c.url)
		if got := m.LayerOf(u); got != c.want {
			t.Errorf("LayerOf(%v) = %d, want %d", u, got, c.want)
		}
		if got, want := m.Has(u), c.want == 0; got != want {
			t.Errorf("Has(%v) = %v", u, got)
		}
	}
}

// SKETCHES section 2: at 10, 16 and 24 bits a URL the measured rate of every class
// is at most 1.2 times what was stated before the first URL was added, and what the
// fill says afterwards.
func TestMultilayerRate(t *testing.T) {
	known, questions := 15_000, 15_000
	if testing.Short() {
		known, questions = 10_000, 10_000
	}
	w := newWeb(42, known/100)
	list := w.crawled(known)
	filters := []*Multilayer{}
	for _, perURL := range []float64{10, 16, 24} {
		m := mustMultilayer(t, Config{ExpectURLs: known, BitsPerURL: perURL, Seed: 1})
		for _, u := range list {
			m.Add(u)
		}
		filters = append(filters, m)
	}
	for _, q := range queries {
		t.Run(q.name, func(t *testing.T) {
			wrong := make([]int64, len(filters))
			asked := w.ask(q, list, questions, func(u weburl.URL) {
				for i, m := range filters {
					wrong[i] += int64(count(m.Has(u)))
				}
			})
			if asked < questions/4 {
				t.Errorf("only %d questions", asked)
			}
			for i, m := range filters {
				rate := min(m.last.size().Rate(int64(known)), m.ExpectedRate())
				what := fmt.Sprintf("%.0f bits a URL", float64(m.Bits())/float64(known))
				atMost(t, what, wrong[i], asked, 1.2*rate)
				if q.name == "known path on a new host" {
					// The first layer knows better than the last array.
					atMost(t, what+", denied by the origin", wrong[i], asked, 0.05*rate)
				}
			}
			t.Logf("%d of %d wrong", wrong, asked)
		})
	}
}

// The stated rate is what a plain filter of the last array's size would have:
// the repair costs nothing but the layers' memory.
func TestMultilayerStatesItsRate(t *testing.T) {
	const n = 30_000
	list := newWeb(9, 500).urls(n)
	for _, c := range []struct {
		rate  float64
		lines int
	}{{0.5, 1}, {0.1, 1}, {1e-2, 1}, {1e-3, 1}, {1e-4, 2}} {
		m := mustMultilayer(t, Config{ExpectURLs: n, FPRate: c.rate})
		for _, u := range list {
			m.Add(u)
		}
		if got := m.ExpectedRate(); got > 1.1*c.rate || got < 0.8*c.rate {
			t.Errorf("asked for %g, states %g", c.rate, got)
		}
		if got := m.last.size().Lines; got != c.lines {
			t.Errorf("rate %g: %d lines, want %d", c.rate, got, c.lines)
		}
	}
}

func TestMultilayerMemory(t *testing.T) {
	for _, c := range []struct {
		cfg       Config
		low, high float64 // bits a URL
	}{
		{Config{ExpectURLs: 1e6}, 17, 18.5}, // 15.7 and 2 for the layers
		{Config{ExpectURLs: 1e6, Layers: 8}, 17, 18.5},
		{Config{ExpectURLs: 1e6, BitsPerURL: 2}, 2, 2.01},
		{Config{ExpectURLs: 1e6, BitsPerURL: 16}, 16, 16.01},
		{Config{ExpectURLs: 1e6, BitsPerURL: 24}, 24, 24.01},
		{Config{ExpectURLs: 1e6, BitsPerURL: 256}, 256, 256.01},
	} {
		m := mustMultilayer(t, c.cfg)
		got := float64(m.Bits()) / 1e6
		if got < c.low || got > c.high {
			t.Errorf("%+v: %.2f bits a URL, want %v to %v", c.cfg, got, c.low, c.high)
		}
	}
	m := mustMultilayer(t, Config{})
	if m.Bits()/8 > 300_000 {
		t.Errorf("an empty default filter takes %d bytes", m.Bits()/8)
	}
}

func TestMultilayerSeedsErrDifferently(t *testing.T) {
	list := newWeb(3, 100).urls(20_000)
	wrong := func(seed uint64) (list2 []int) {
		m := mustMultilayer(t, Config{ExpectURLs: 10_000, FPRate: 0.05, Seed: seed})
		for _, u := range list[:10_000] {
			m.Add(u)
		}
		for i, u := range list[10_000:] {
			if m.Has(u) {
				list2 = append(list2, i)
			}
		}
		return list2
	}
	one, again, other := wrong(1), wrong(1), wrong(2)
	if !slices.Equal(one, again) {
		t.Error("the same seed errs differently")
	}
	common := 0
	for _, i := range one {
		if slices.Contains(other, i) {
			common++
		}
	}
	if len(one) < 200 || common*4 > len(one) {
		t.Errorf("of %d errors, %d are those of another seed", len(one), common)
	}
}

func TestMultilayerAllocatesNothing(t *testing.T) {
	list := newWeb(1, 50).urls(1000)
	list = append(list, oddURLs()...)
	m := mustMultilayer(t, Config{})
	r := rand.New(rand.NewPCG(1, 1))
	if n := testing.AllocsPerRun(5000, func() {
		u := list[r.IntN(len(list))]
		m.Has(u)
		m.Add(u)
		m.LayerOf(u)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestConfig(t *testing.T) {
	if math.MaxInt < MaxURLs {
		t.Skip("an int is too small for too many URLs")
	}
	tooMany := int64(MaxURLs) + 1
	for _, c := range []struct {
		cfg  Config
		want string // part of the error; "" for none
	}{
		{Config{}, ""},
		{Config{ExpectURLs: 1, FPRate: 0.5, Layers: 1, RestartEvery: 1, BitsPerURL: 0.01}, ""},
		{Config{FPRate: 1e-300, ExpectURLs: 1, Layers: 8, BitsPerURL: 256}, ""},
		{Config{ExpectURLs: -1}, "Config.ExpectURLs is -1, want 1 to 4294967296, or 0 for 100000"},
		{Config{ExpectURLs: int(tooMany)}, "Config.ExpectURLs is 4294967297, want 1 to 4294967296"},
		{Config{FPRate: -0.1}, "Config.FPRate is -0.1, want above 0 and at most 0.5, or 0 for 0.001"},
		{Config{FPRate: 0.51}, "Config.FPRate is 0.51, want above 0 and at most 0.5"},
		{Config{FPRate: nan()}, "Config.FPRate is NaN"},
		{Config{BitsPerURL: -1}, "Config.BitsPerURL is -1, want 0 to 256"},
		{Config{BitsPerURL: 257}, "Config.BitsPerURL is 257, want 0 to 256"},
		{Config{BitsPerURL: nan()}, "Config.BitsPerURL is NaN"},
		{Config{RestartEvery: -3}, "Config.RestartEvery is -3, want 0 (never) or more"},
		{Config{Layers: 9}, "Config.Layers is 9, want 1 to 8, or 0 for 4"},
		{Config{Layers: -1}, "Config.Layers is -1, want 1 to 8"},
	} {
		_, err1 := NewMultilayer(c.cfg)
		_, err2 := NewSeenTest(c.cfg)
		_, err3 := NewDurable(c.cfg)
		for _, err := range []error{err1, err2, err3} {
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v: error %v, want %q", c.cfg, err, c.want)
			}
		}
	}
}

func nan() float64 {
	zero := 0.0
	return zero / zero
}
