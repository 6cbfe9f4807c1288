package stats

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"crawler/internal/splitmix"
)

// occurring returns a shuffled stream in which counts[i] keys occur i times.
func occurring(r *rand.Rand, counts ...int) (hashes []uint64) {
	for times, keys := range counts {
		for range keys {
			h := r.Uint64()
			for range times {
				hashes = append(hashes, h)
			}
		}
	}
	r.Shuffle(len(hashes), func(i, j int) { hashes[i], hashes[j] = hashes[j], hashes[i] })
	return hashes
}

// byPosition returns each position of a stream with probability p: the sample the
// source shows to be wrong.
func byPosition(r *rand.Rand, stream []uint64, p float64) (sample []uint64) {
	for _, h := range stream {
		if r.Float64() < p {
			sample = append(sample, h)
		}
	}
	return sample
}

// onceOf returns how many words of a stream occur once.
func onceOf(hashes []uint64) (n int) {
	for _, count := range exactCounts(hashes).counts {
		if count == 1 {
			n++
		}
	}
	return n
}

// 000, slide 15: of the queries that occur twice, a sample of a tenth of the
// positions shows 2·0.1·0.9 = 18 % exactly once, one of 1 in a hundred twice.
func TestSource000Slide15SampleByPosition(t *testing.T) {
	const keys, seeds = 2000, 200
	once, distinct := 0, 0
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 15))
		sample := byPosition(r, occurring(r, 0, 0, keys), 0.1)
		once += onceOf(sample)
		distinct += exactCounts(sample).Distinct()
	}
	for _, c := range []struct {
		what string
		got  int
		want float64
	}{{"once", once, 0.18}, {"twice", distinct - once, 0.01}} {
		share, n := float64(c.got)/(keys*seeds), float64(keys*seeds)
		if math.Abs(share-c.want) > 4*math.Sqrt(c.want*(1-c.want)/n) {
			t.Errorf("%.4f of them are in the sample %s, want %g", share, c.what, c.want)
		}
	}
}

// 000, slides 14 to 16: by position the share of unique queries comes out 3.7 times
// too high, by key it is right. Where a share s of the queries occurs once and the
// others twice, a sample of positions with probability p has sp + (1-s)2p(1-p)
// queries once, and sp + (1-s)(1-(1-p)²) in all.
func TestSource000Slide16SampleByKey(t *testing.T) {
	const keys, s, p, seeds = 5000, 0.258, 0.1, 200
	single := int(s * keys)
	formula := (s*p + (1-s)*2*p*(1-p)) / (s*p + (1-s)*(1-(1-p)*(1-p)))
	var position, key, square float64
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 16))
		stream := occurring(r, 0, single, keys-single)
		sample := byPosition(r, stream, p)
		position += float64(onceOf(sample)) / float64(exactCounts(sample).Distinct()) / seeds
		k := NewSample(0, p, seed)
		k.AddAll(stream)
		u := k.Unique().Estimate
		key += u / seeds
		square += (u - s) * (u - s) / seeds
	}
	t.Logf("unique share %g: by position %.4f (%+.0f %%), formula %.4f; by key %.4f, rms error %.4f",
		s, position, 100*(position/s-1), formula, key, math.Sqrt(square))
	if math.Abs(position/formula-1) > 0.003 || math.Abs(position/s-3.70) > 0.02 {
		t.Errorf("by position %.4f, formula %.4f, truth %g", position, formula, s)
	}
	if math.Abs(key-s) > 4*math.Sqrt(square/seeds) {
		t.Errorf("by key %.4f on average, truth %g", key, s)
	}
	// The hypergeometric deviation of a sample of keys·p.
	want := math.Sqrt(s * (1 - s) * (1 - p) / (keys * p))
	if rms := math.Sqrt(square); math.Abs(rms/want-1) > 0.2 {
		t.Errorf("by key: rms error %.4f, want %.4f", rms, want)
	}
}

// checkSample holds a sample against its definition: with all keys and their
// counts, what is accepted is in with its whole count and nothing else is, and the
// bucket above would have been too much.
func checkSample(t *testing.T, s *Sample, counts map[uint64]uint64) {
	t.Helper()
	if s.Len() > s.Limit() {
		t.Fatalf("%d keys, limit %d", s.Len(), s.Limit())
	}
	in := 0
	for h, count := range s.All {
		in++
		if !s.Accepts(h) || counts[h] != count {
			t.Fatalf("key %x: %d times, want %d; accepted: %v", h, count, counts[h], s.Accepts(h))
		}
	}
	want := 0
	for h := range counts {
		if s.Accepts(h) {
			want++
		}
	}
	if in != want || in != s.Len() || s.counts.used != in {
		t.Fatalf("%d keys in the sample, Len %d, table %d, want %d", in, s.Len(), s.counts.used, want)
	}
	for i := 1; i < in; i++ {
		if s.keys[i].mixed > s.keys[(i-1)/2].mixed {
			t.Fatal("no heap")
		}
	}
}

// 000, slides 17 and 18: begin with the lowest tenth of the buckets; when the
// sample gets too big, give up the highest, and so on.
func TestSource000Slide18LimitedSample(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 18))
		stream := occurring(r, 0, 9000, 4000, 1000, 0, 0, 100)
		s := NewSample(300, 0.1, seed)
		if s.Share() != math.Round(0.1*65536)/65536 {
			t.Fatalf("begins with a share of %v", s.Share())
		}
		share := s.Share()
		for i, h := range stream {
			s.Add(h)
			if s.Share() > share || s.Len() > 300 {
				t.Fatalf("seed %d, key %d: %d keys, share %v after %v", seed, i, s.Len(), s.Share(), share)
			}
			share = s.Share()
		}
		e := exactCounts(stream)
		checkSample(t, s, e.counts)
		if s.N() != e.Total() {
			t.Errorf("N is %d, want %d", s.N(), e.Total())
		}
		above := 0 // with the bucket given up last
		for h := range e.counts {
			if mix(h, s.key) <= s.last+1<<48 {
				above++
			}
		}
		if (s.last+1)%(1<<48) != 0 || above <= 300 {
			t.Errorf("seed %d: gave up to %x too early: %d keys with one bucket more", seed, s.last, above)
		}
	}
}

// When there is one bucket left it is cut finer, down to one hash a bucket.
func TestSampleLimitHoldsWithinABucket(t *testing.T) {
	for _, step := range []uint64{1, 3 << 20, 5 << 36} {
		s := NewSample(100, 1, 1)
		for i := range uint64(5000) {
			v := (i*2000003%5000)*2*step | 1
			s.count(v, v, 1)
			if s.Len() > 100 || s.Len() < 1 {
				t.Fatalf("step %d: %d keys", step, s.Len())
			}
		}
		if step == 1 && s.Len() != 100 {
			t.Errorf("%d keys though buckets are single hashes", s.Len())
		}
		for _, k := range s.keys {
			if k.mixed > s.last {
				t.Errorf("step %d: %x is above %x", step, k.mixed, s.last)
			}
		}
	}
}

// The sample depends on the set of keys, not on their order or the machine; Merge
// makes what one machine would have kept, bit for bit.
func TestSampleMerge(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		stream := occurring(r, 0, 500, 300, 200, 10)
		a, b, whole := NewSample(100, 0.5, seed), NewSample(100, 0.5, seed), NewSample(100, 0.5, seed)
		cut := r.IntN(len(stream))
		a.AddAll(stream[:cut])
		b.AddAll(stream[cut:])
		whole.AddAll(stream)
		for h := range exactCounts(stream).counts {
			if whole.Accepts(h) && !(a.Accepts(h) && b.Accepts(h)) {
				t.Fatalf("seed %d: a part gave up a key that both together keep", seed)
			}
		}
		if err := a.Merge(b); err != nil {
			t.Fatal(err)
		}
		checkSample(t, a, exactCounts(stream).counts)
		got, _ := a.MarshalBinary()
		if want, _ := whole.MarshalBinary(); !bytes.Equal(got, want) {
			t.Errorf("seed %d: the merged sample is another", seed)
		}
		r.Shuffle(len(stream), func(i, j int) { stream[i], stream[j] = stream[j], stream[i] })
		again := NewSample(100, 0.5, seed)
		again.AddAll(stream)
		if got, _ := again.MarshalBinary(); !bytes.Equal(got, mustForm(whole)) {
			t.Errorf("seed %d: another sample in another order", seed)
		}
		before := mustForm(a)
		if err := a.Merge(NewSample(100, 0.5, seed+1)); !errors.Is(err, ErrMerge) || !bytes.Equal(before, mustForm(a)) {
			t.Errorf("another seed: %v", err)
		}
		n := a.Total().Estimate
		if err := a.Merge(a); err != nil || a.Total().Estimate != 2*n || a.N() != 2*whole.N() {
			t.Errorf("merged with itself: %v, %v", a.Total(), err)
		}
	}
}

// mustForm returns a binary form.
func mustForm(s interface{ MarshalBinary() ([]byte, error) }) []byte {
	form, err := s.MarshalBinary()
	if err != nil {
		panic(err)
	}
	return form
}

// The estimates over many seeds, of samples with a fixed share and of samples that
// had to shrink, and their intervals.
func TestSampleAgainstTruth(t *testing.T) {
	sampleAgainstTruth(t, 1, 2*seeds()) // an interval a quarter too narrow passes with half as many
	if os.Getenv("STATS_LONG") != "" {
		sampleAgainstTruth(t, 60, min(seeds(), 200))
	}
}

// sampleAgainstTruth tries streams of the given multiples of 10,000 keys.
func sampleAgainstTruth(t *testing.T, size int, seeds uint64) {
	counts := []int{0, 6000, 2500, 900, 300, 200, 50, 30, 15, 5}
	for i := range counts {
		counts[i] *= size
	}
	stream := occurring(rand.New(rand.NewPCG(1, 4)), counts...)
	e := exactCounts(stream)
	unique := float64(counts[1]) / float64(e.Distinct())
	t.Logf("%6s %6s | %-24s | %-24s | %-24s", "limit", "share", "unique: bias rms coverage", "distinct", "total")
	var pooled [3]tally
	for _, c := range []struct {
		limit int
		share float64
	}{{MaxSample, 0.02}, {MaxSample, 0.2}, {100, 1}, {1000, 1}, {400, 0.06}} {
		var a [3]tally
		for seed := range seeds {
			s := NewSample(c.limit, c.share, seed)
			for h, n := range e.counts { // the order does not matter
				s.n += n
				if s.Accepts(h) {
					s.count(mix(h, s.key), h, n)
				}
			}
			for i, x := range []struct {
				got  Interval
				want float64
			}{{s.Unique(), unique}, {s.Distinct(), float64(e.Distinct())}, {s.Total(), float64(e.Total())}} {
				a[i].add(x.got, x.want)
				if x.got.Low > x.got.Estimate || x.got.High < x.got.Estimate {
					t.Fatalf("limit %d, seed %d: interval %v", c.limit, seed, x.got)
				}
			}
		}
		row := fmt.Sprintf("%6d %6g", min(c.limit, 9999), c.share)
		for i, what := range []string{"unique", "distinct", "total"} {
			row += fmt.Sprintf(" | %6.2f %% %6.2f %% %5.1f %%", 100*a[i].meanError(), 100*a[i].rms(), 100*a[i].coverage())
			what = fmt.Sprintf("limit %d, share %g: %s", c.limit, c.share, what)
			a[i].checkBias(t, what)
			pooled[i].merge(a[i])
			if i == 2 { // which is stretched to what is known
				if a[i].coverage() < 1 {
					t.Errorf("%s: the interval holds in %.1f %%", what, 100*a[i].coverage())
				}
				continue
			}
			a[i].checkCoverage(t, what)
		}
		t.Log(row)
		// Theory: 1/√n for n keys in the sample, less what drawing without
		// replacement saves.
		share := c.share
		if n := float64(c.limit) / float64(e.Distinct()); n < share {
			share = n
		}
		a[1].checkRMS(t, "distinct", math.Sqrt((1-share)/(share*float64(e.Distinct())))*1.02)
	}
	for i, what := range []string{"unique", "distinct"} {
		pooled[i].checkCoverage(t, "all together: "+what)
	}
}

// The interval of the total is the usual one where that holds the truth, and reaches to the truth
// where a frequent key is missing, or is there by chance.
func TestSampleTotal(t *testing.T) {
	keys := different(4000)
	for seed := range uint64(60) {
		s := NewSample(MaxSample, 0.02, seed)
		s.AddAll(keys)
		often, n := keys[seed], 90_000
		even := s.Total()
		if half := z95 * math.Sqrt(float64(s.Len())*s.correction()) / s.Share(); math.Abs(even.High-max(even.Estimate+half, 4000)) > 1e-6 {
			t.Errorf("seed %d: %v, want ±%v", seed, even, half)
		}
		for range n {
			s.Add(often)
		}
		got, truth := s.Total(), float64(n+4000)
		if !got.Contains(truth) || got.High < truth || s.Accepts(often) == (got.Estimate < truth) || !s.Accepts(often) && got.High != truth {
			t.Errorf("seed %d: %v, truly %v", seed, got, truth)
		}
	}
}

func TestSampleOfEverythingIsExact(t *testing.T) {
	stream := occurring(rand.New(rand.NewPCG(1, 5)), 0, 30, 10, 0, 5)
	s := NewSample(45, 1, 7)
	if got := s.Unique(); got != (Interval{0, 0, 1}) {
		t.Errorf("the unique share of nothing is %v", got)
	}
	if got := s.Distinct(); got != exactly(0) {
		t.Errorf("an empty sample has %v keys", got)
	}
	s.AddAll(stream)
	if s.Unique() != exactly(30./45) || s.Distinct() != exactly(45) || s.Total() != exactly(70) {
		t.Errorf("%v, %v, %v; want 30/45, 45, 70, exactly", s.Unique(), s.Distinct(), s.Total())
	}
	s.Add(1)
	if s.Share() == 1 || s.Distinct().Exact() || s.Len() > 45 {
		t.Errorf("one key more: share %v, %v", s.Share(), s.Distinct())
	}
}

func TestNewSampleArguments(t *testing.T) {
	for _, c := range []struct {
		limit     int
		share     float64
		wantLimit int
		wantShare float64
	}{
		{0, 1, DefaultSample, 1},
		{-1, 2, DefaultSample, 1},
		{1, -1, MinSample, 1},
		{1 << 30, math.NaN(), MaxSample, 1},
		{100, 0, 100, 1. / 65536},
		{100, 1e-9, 100, 1. / 65536},
		{100, 0.25, 100, 0.25},
		{100, 1 - 1e-9, 100, 1},
	} {
		s := NewSample(c.limit, c.share, 1)
		if s.Limit() != c.wantLimit || s.Share() != c.wantShare {
			t.Errorf("NewSample(%d, %v): limit %d, share %v", c.limit, c.share, s.Limit(), s.Share())
		}
	}
}

func TestSampleAddDoesNotAllocate(t *testing.T) {
	s := NewSample(1000, 1, 1)
	s.AddAll(different(20_000))
	next := uint64(1 << 40)
	if n := testing.AllocsPerRun(1000, func() { s.Add(splitmix.Finish(next)); s.Add(splitmix.Finish(next)); next++ }); n != 0 {
		t.Errorf("%v allocations a key", n)
	}
}
