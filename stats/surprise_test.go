package stats

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"crawler/internal/splitmix"
)

// stream returns the hashes of a stream in which value i occurs counts[i]
// times.
func stream(counts ...int) (hashes []uint64) {
	for i, count := range counts {
		for range count {
			hashes = append(hashes, splitmix.Finish(uint64(i)))
		}
	}
	return hashes
}

// Slide 41 of 000.
func TestSlide41SurpriseNumber(t *testing.T) {
	for _, c := range []struct {
		name   string
		hashes []uint64
		want   float64
	}{
		{"unsurprising", stream(10, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9), 910},
		{"surprising", stream(90, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), 8110},
	} {
		e := exactCounts(c.hashes)
		if e.Surprise() != c.want || e.Total() != 100 || e.Distinct() != 11 {
			t.Errorf("%s: exact moments %d, %d, %g, want 11, 100, %g", c.name, e.Distinct(), e.Total(), e.Surprise(), c.want)
		}
		for _, head := range []int{11, DefaultHead} {
			s := NewSurprise(head, 256, 1)
			s.AddAll(c.hashes)
			if got := s.Estimate(); got != exactly(c.want) || s.N() != 100 {
				t.Errorf("%s, head %d: %v of %d words, want %g of 100", c.name, head, got, s.N(), c.want)
			}
		}
		r := NewReservoir(256, 1) // 100 positions fit into it
		r.AddAll(c.hashes)
		if got := r.Estimate(); got != exactly(c.want) || r.N() != 100 {
			t.Errorf("%s, reservoir: %v of %d words, want %g of 100", c.name, got, r.N(), c.want)
		}
	}
}

// Slide 44 of 000: over all positions of any stream the mean of n(2c - 1) is
// the second moment. A reservoir that holds all positions computes it.
func TestSlide44MeanOverAllPositions(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		hashes := make([]uint64, 1+r.IntN(300))
		values := 1 + r.IntN(100)
		for i := range hashes {
			hashes[i] = r.Uint64N(uint64(values))
		}
		s := NewReservoir(300, seed)
		s.AddAll(hashes)
		want := exactCounts(hashes).Surprise()
		if got := s.Estimate(); !got.Exact() || math.Abs(got.Estimate/want-1) > 1e-12 {
			t.Errorf("seed %d: %v, want %g", seed, got, want)
		}
	}
}

// Slides 46 and 47 of 000: each of the n positions so far is chosen with
// probability k/n.
func TestSlide47ReservoirIsUniform(t *testing.T) {
	const k, n, rounds = 16, 100, 4000
	var chosen [n]float64
	for seed := range uint64(rounds) {
		r := NewReservoir(k, seed)
		for i := range uint64(n) {
			if r.n++; r.n == r.next {
				*r.place() = position{word: i}
			}
		}
		if len(r.chosen) != k {
			t.Fatalf("%d positions chosen, want %d", len(r.chosen), k)
		}
		for _, p := range r.chosen {
			chosen[p.word]++
		}
	}
	const want = rounds * k / float64(n)
	var chi float64
	for _, c := range chosen {
		chi += (c - want) * (c - want) / (want * (1 - float64(k)/n))
	}
	if chi > n+5*math.Sqrt(2*n) {
		t.Errorf("chi-square %.0f over %d positions; chosen %v, want %.0f each", chi, n, chosen, want)
	}
}

func TestSurpriseExactWhileHeadHoldsAll(t *testing.T) {
	for _, head := range []int{1, 3, 50, 384, 4096} {
		words := different(head)
		hashes := slices.Repeat(words, 1+20_000/head)
		for i := range words { // unevenly
			hashes = append(hashes, slices.Repeat(words[i:i+1], i%7)...)
		}
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(hashes), func(i, j int) { hashes[i], hashes[j] = hashes[j], hashes[i] })
		s := NewSurprise(head, 16, 3)
		s.AddAll(hashes)
		if got, want := s.Estimate(), exactCounts(hashes).Surprise(); got != exactly(want) {
			t.Errorf("head %d: %v, want exactly %g", head, got, want)
		}
	}
	if got := NewSurprise(10, 16, 1).Estimate(); got != exactly(0) {
		t.Errorf("an empty sketch says %v", got)
	}
}

// The counts of the chosen positions against a recount of the stream from each
// of them on.
func TestReservoirCountsAgainstRecount(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 4))
		s := NewReservoir(20, seed)
		var stream []uint64
		var since []int // of each place, the position it holds
		for range 2000 {
			h := uint64(15 * r.ExpFloat64())
			before, next := slices.Clone(s.chosen), s.next
			stream = append(stream, h)
			s.Add(h)
			if s.next == next {
				continue
			}
			if len(since) < len(s.chosen) {
				since = append(since, 0)
			}
			since[placeFilled(before, s.chosen, mix(h, s.key))] = len(stream) - 1
		}
		for i, p := range s.chosen {
			var want uint64
			for _, h := range stream[since[i]:] {
				if h == stream[since[i]] {
					want++
				}
			}
			if got := s.words.count(p.word) - p.before; got != want {
				t.Fatalf("seed %d: place %d counts %d from position %d on, want %d", seed, i, got, since[i], want)
			}
		}
	}
}

// placeFilled returns the place that a position with the word v has taken.
func placeFilled(before, after []position, v uint64) int {
	for i, p := range after {
		if i == len(before) || p != before[i] {
			return i
		}
	}
	// The only position of a word was replaced by another of the same word.
	return slices.Index(after, position{v, 0})
}

// Without any head, on a stream where every word may be replaced in the
// reservoir many times, the mean over many seeds must be the truth.
func TestSurpriseUnbiased(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var hashes []uint64
	for range 3000 {
		hashes = append(hashes, uint64(20*r.ExpFloat64()))
	}
	want := exactCounts(hashes).Surprise()
	for name, add := range map[string]func(seed uint64) Interval{
		"reservoir": func(seed uint64) Interval { return secondMoment(NewReservoir(MinReservoir, seed), hashes) },
		"rows":      func(seed uint64) Interval { return secondMoment(NewSurprise(0, MinTail, seed), hashes) },
		"head":      func(seed uint64) Interval { return secondMoment(NewSurprise(10, MinTail, seed), hashes) },
	} {
		var a tally
		for seed := range 10 * seeds() {
			a.add(add(seed), want)
		}
		t.Logf("%s: bias %.2f %%, rms %.1f %%", name, 100*a.meanError(), 100*a.rms())
		if math.Abs(a.meanError()) > 4*a.rms()/math.Sqrt(a.n) {
			t.Errorf("%s: bias %.2f %%", name, 100*a.meanError())
		}
	}
}

// secondMoment is what a sketch says of a stream.
func secondMoment(s interface {
	Add(h uint64)
	Estimate() Interval
}, hashes []uint64) Interval {
	for _, h := range hashes {
		s.Add(h)
	}
	return s.Estimate()
}

// The source's estimator, on text.
func TestReservoirAgainstTruth(t *testing.T) {
	name, text := longText(t, 300_000)
	sizes := sizesOf(text)
	estimates, medians := make([]tally, len(sizes)), make([]tally, len(sizes))
	truths := truthsOf(text, sizes)
	for seed := range seeds() {
		s, n := NewReservoir(1024, seed), 0
		for i, size := range sizes {
			s.AddAll(text[n:size])
			n = size
			estimates[i].add(s.Estimate(), truths[i].Surprise)
			medians[i].add(exactly(s.GroupMedian()), truths[i].Surprise)
		}
	}
	t.Logf("%s: %10s %10s | mean: bias, rms, coverage | group median: bias, rms", name, "n", "different")
	var all tally
	for i, a := range estimates {
		t.Logf("%10d %10.0f | %s | %s", sizes[i], truths[i].Distinct, &a, &medians[i])
		what := fmt.Sprintf("%s, n=%d", name, sizes[i])
		a.checkRMS(t, what, 0.08)
		a.checkBias(t, what)
		all.merge(a)
	}
	all.checkCoverage(t, name)
}

func TestAddAllEqualsAdd(t *testing.T) {
	text := english().text(60_000, 2)
	for _, c := range []struct{ head, width int }{{0, 16}, {1, 64}, {100, 128}, {DefaultHead, DefaultTail}} {
		all, single := NewSurprise(c.head, c.width, 4), NewSurprise(c.head, c.width, 4)
		for rest := text; len(rest) > 0; {
			n := min(len(rest), 1+len(rest)%777)
			all.AddAll(rest[:n])
			rest = rest[n:]
		}
		for _, h := range text {
			single.Add(h)
		}
		if !bytes.Equal(marshaled(t, all), marshaled(t, single)) {
			t.Errorf("%v: AddAll gives %v, Add %v", c, all.Estimate(), single.Estimate())
		}
	}
}

// However Add takes turns with AddAll and the binary form, the sketch must be that of AddAll to
// the bit.
func TestAddAmongOthers(t *testing.T) {
	text := english().text(200_000, 3)
	for seed, head := range []int{0, 1, 30, 300, 2000} {
		random := rand.New(rand.NewPCG(uint64(seed), 5))
		all, turns := NewSurprise(head, 16, 4), NewSurprise(head, 16, 4)
		for rest := text; len(rest) > 0; {
			n := min(len(rest), 1+random.IntN(3000))
			all.AddAll(rest[:n])
			switch random.IntN(8) {
			case 0:
				turns.AddAll(rest[:n])
			case 1:
				form := marshaled(t, turns)
				turns = new(Surprise)
				if err := turns.UnmarshalBinary(form); err != nil {
					t.Fatal(err)
				}
				fallthrough
			default:
				for _, h := range rest[:n] {
					turns.Add(h)
				}
			}
			rest = rest[n:]
		}
		if !bytes.Equal(marshaled(t, turns), marshaled(t, all)) {
			t.Errorf("head %d: %v, by AddAll %v", head, turns.Estimate(), all.Estimate())
		}
	}
}

// The order of the tail does not matter, to the bit.
func TestSurpriseOrderOfTail(t *testing.T) {
	head, tail := different(500), slices.Concat(english().text(20_000, 3), stream(900, 3, 700, 1, 1))
	var first []byte
	for seed := range uint64(5) {
		s := NewSurprise(100, 64, 4)
		s.AddAll(head) // fills all slots but a few, if any
		for s.front.free > 0 {
			s.AddAll(crowdingOut(s))
		}
		r := rand.New(rand.NewPCG(seed, 6))
		r.Shuffle(len(tail), func(i, j int) { tail[i], tail[j] = tail[j], tail[i] })
		s.AddAll(tail)
		if form := marshaled(t, s); first == nil {
			first = form
		} else if !bytes.Equal(form, first) {
			t.Errorf("order %d gives %v", seed, s.Estimate())
		}
	}
}

// crowdingOut returns words for the free slots.
func crowdingOut(s *Surprise) (hashes []uint64) {
	for h := uint64(1) << 60; len(hashes) < s.front.free; h++ {
		if s.front.pair(mix(h, s.key) & s.known)[1] == 0 {
			hashes = append(hashes, h)
		}
	}
	return hashes
}

// The counts of the front are short; what they cannot hold must not be lost,
// nor reach their neighbours.
func TestSurpriseCountsBeyondSlots(t *testing.T) {
	words := different(2000)
	var hashes []uint64
	for i, h := range words[:20] {
		hashes = append(hashes, slices.Repeat([]uint64{h}, 100_000*(i%5))...)
	}
	hashes = append(append(slices.Repeat(words[:1], 900_000), hashes...), words...)
	want := exactCounts(hashes).Surprise()
	for name, s := range map[string]*Surprise{
		"counts from before the front": NewSurprise(2000, 16, 1),
		"counts in the front":          NewSurprise(2000, 16, 1),
	} {
		if name == "counts in the front" {
			s.AddAll(words)
			s.AddAll(hashes[:len(hashes)-len(words)])
		} else {
			s.AddAll(hashes)
		}
		if got := s.Estimate(); got != exactly(want) {
			t.Errorf("%s: %v, want exactly %g", name, got, want)
		}
	}
}

func TestSquaresIn128Bits(t *testing.T) {
	var q squares
	for range 3 {
		q.add(1 << 63)
	}
	if got, want := q.float(), 3*math.Pow(2, 126); got != want {
		t.Errorf("%g, want %g", got, want)
	}
}

// The sum is rounded once: a half is a tie only if nothing stands behind it.
func TestSquaresAreRoundedOnce(t *testing.T) {
	for _, q := range []squares{
		{0, 0}, {0, 1}, {0, math.MaxUint64}, {1, 0}, {1, 1}, {1<<53 + 1, 0}, {1<<53 + 1, 1}, {1<<53 - 1, 1 << 63},
		{1<<53 - 1, 1<<63 - 1}, {1<<53 + 1, math.MaxUint64}, {math.MaxUint64, math.MaxUint64}, {1 << 11, 1 << 22}, {1 << 11, 1<<22 + 1},
	} {
		sum := new(big.Int).SetUint64(q.hi)
		sum.Lsh(sum, 64).Add(sum, new(big.Int).SetUint64(q.lo))
		if want, _ := new(big.Float).SetInt(sum).Float64(); q.float() != want {
			t.Errorf("%v: %v, want %v", q, q.float(), want)
		}
	}
}

// A reservoir in which no chosen word has come twice yet does not prove that none
// has.
func TestReservoirOfNearlyDifferentWords(t *testing.T) {
	words := different(30_000)
	var a tally
	for seed := range seeds() {
		hashes := slices.Clone(words)
		r := rand.New(rand.NewPCG(seed, 1))
		for range 150 { // one word in a hundred comes twice
			hashes[r.IntN(len(hashes))] = hashes[r.IntN(len(hashes))]
		}
		s := NewReservoir(256, seed)
		s.AddAll(hashes)
		a.add(s.Estimate(), exactCounts(hashes).Surprise())
		if got := s.Estimate(); got.Low < float64(len(hashes)) {
			t.Errorf("seed %d: %v, less than if no word came twice", seed, got)
		}
	}
	t.Logf("bias %.2f %%, rms %.2f %%, coverage %.1f %%", 100*a.meanError(), 100*a.rms(), 100*a.coverage())
	a.checkCoverageOf(t, "nearly different words", 0.92, 1)
}

// One word alone in the tail is known exactly: it is in one counter of each row.
func TestSurpriseOfOneWord(t *testing.T) {
	for _, head := range []int{0, 4} {
		s := NewSurprise(head, 64, 5)
		for range 1000 {
			s.AddAll(slices.Repeat([]uint64{17}, 100))
		}
		got, want := s.Estimate(), 1e10
		if !got.Contains(want) || got.Low < 0.8e10 || got.High > 1e10 || got.Estimate != want {
			t.Errorf("head %d: %v, want %g", head, got, want)
		}
	}
}

// The least k that Skellam's distribution exceeds in 2.5 % of the cases, against draws.
func TestSkellamQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	poisson := func(mean float64) (n int) {
		for x := r.ExpFloat64(); x < mean; x += r.ExpFloat64() {
			n++
		}
		return n
	}
	for _, mean := range []float64{0, 0.01, 0.02, 0.03, 0.1, 0.2, 0.3, 0.5, 1, 1.5} {
		const draws = 100_000
		var above [25]float64
		for range draws {
			first, second := poisson(mean), poisson(mean)
			for k := range max(0, first-second) {
				above[k]++ // exceeds k
			}
		}
		k := skellamQuantile(mean)
		chance := 4 * math.Sqrt(0.025/draws)
		if above[k]/draws > 0.025+chance || k > 0 && above[k-1]/draws < 0.025-chance {
			t.Errorf("mean %v: k = %d is exceeded in %.4f, k-1 in %.4f", mean, k, above[k]/draws, above[max(0, k-1)]/draws)
		}
	}
}
