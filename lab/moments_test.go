package lab

import (
	"math"
	"strings"
	"testing"
)

// X = n(c^k - (c-1)^k), by hand: for c = 3 and k = 0 to 4 it is 0, 1, 5, 19 and 65 times n; for
// c = 1 it is n, whatever k. Over the positions of an element that occurs 3 times the terms add up
// to 3^k, and to 1 for k = 0.
func TestRiseByHand(t *testing.T) {
	for k, want := range []float64{0, 1, 5, 19, 65} {
		if got := rise(3, k); got != want || rise(1, k) != 1 {
			t.Errorf("3^%d - 2^%d is %v, want %v; 1^%d - 0^%d is %v", k, k, got, want, k, k, rise(1, k))
		}
		sum := rise(1, k) + rise(2, k) + rise(3, k)
		if want := math.Pow(3, float64(k)); sum != want {
			t.Errorf("order %d: the terms add up to %v, want %v", k, sum, want)
		}
	}
}

// The source's streams of 100 elements. Moments by hand: 11, 100 and 910, and 10·10² + 90·9² =
// 8,290 of order 3; 11, 100, 8,110, and 90³ + 10 = 729,010. Held are all positions, so that each
// estimate is the moment itself; a stream without end holds k of n.
func TestMomentsOfTheSource(t *testing.T) {
	for _, c := range []struct {
		counts []int
		want   []float64
	}{
		{[]int{10, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, []float64{11, 100, 910, 8290}},
		{[]int{90, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, []float64{11, 100, 8110, 729_010}},
	} {
		all := newVariables(100, 1)
		exact := map[uint64]uint64{}
		for _, x := range stream(c.counts...) {
			all.add(x)
			exact[x]++
		}
		for k, want := range c.want {
			truth, _ := exactMoment(exact, k)
			if got := average(all.values(k)); math.Abs(got-want) > 1e-6*want || truth != want {
				t.Errorf("%v: moment %d is %v, and by all positions %v; want %v", exact, k, truth, got, want)
			}
		}
	}
}

// The deviation by hand: a a b has X = 3·3, 3·1, 3·1 of order 2, whose mean is 5 and whose variance
// is (81 + 9 + 9)/3 - 25 = 8.
func TestDeviationByHand(t *testing.T) {
	if moment, deviation := exactMoment(map[uint64]uint64{1: 2, 2: 1}, 2); moment != 5 || math.Abs(deviation-math.Sqrt(8)) > 1e-12 {
		t.Errorf("%v ± %v", moment, deviation)
	}
}

// Over many seeds the estimates of all orders are unbiased, and as far off as computed.
func TestVariables(t *testing.T) {
	words := stream(200, 100, 50, 25, 12, 6, 3, 2, 1, 1)
	exact := map[uint64]uint64{}
	for _, x := range words {
		exact[x]++
	}
	const runs, k = 400, 20
	for moment := range 5 {
		truth, deviation := exactMoment(exact, moment)
		sum, squares := 0.0, 0.0
		for seed := range uint64(runs) {
			v := newVariables(k, seed)
			for _, x := range words {
				v.add(x)
			}
			estimate := average(v.values(moment))
			sum += estimate / runs
			squares += (estimate - truth) * (estimate - truth) / runs
		}
		expected := deviation / math.Sqrt(k) * math.Sqrt(1-k/400.0) // drawn without replacement
		if off := math.Abs(sum - truth); off > 4*expected/math.Sqrt(runs)+1e-9 {
			t.Errorf("order %d: the mean estimate is %v, the moment %v", moment, sum, truth)
		}
		if got := math.Sqrt(squares); got > 1.25*expected+1e-9 || got < 0.75*expected-1e-9 {
			t.Errorf("order %d: off by %v, computed %v", moment, got, expected)
		}
	}
}

// Each of n positions is held with the chance k/n, the first as the last.
func TestEveryPositionIsHeldAlike(t *testing.T) {
	const runs, k, n = 4000, 5, 40
	held := make([]int, n)
	for seed := range uint64(runs) {
		v := newVariables(k, seed)
		for i := range uint64(n) {
			v.add(i)
		}
		for _, x := range v.held {
			held[x.element]++
		}
	}
	for i, got := range held {
		if want := float64(runs*k) / n; math.Abs(float64(got)-want) > 5*math.Sqrt(want) {
			t.Errorf("position %d is held %d times, want about %v", i, got, want)
		}
	}
}

// Of the source's ways to combine 2^R the median is a power of two, and the plain mean is above the
// median of the means.
func TestPlainTails(t *testing.T) {
	words := map[uint64]string{}
	for i := range uint64(1000) {
		words[i] = ""
	}
	over := 0
	for seed := range uint64(20) {
		values := plainTails(words, seed)
		mean, groups := average(values), medianOfGroups(values, groupSize(1000))
		middle := median(append([]float64{}, values...))
		if _, rest := math.Modf(math.Log2(middle)); rest != 0 && middle != 768 && middle != 1536 && middle != 384 {
			t.Errorf("the median is %v", middle)
		}
		if middle < 256 || middle > 4096 || groups < middle {
			t.Errorf("seed %d: median %v, of groups %v", seed, middle, groups)
		}
		if mean > groups {
			over++
		}
	}
	if over < 12 {
		t.Errorf("the mean is above the median of means for %d of 20 seeds", over)
	}
}

func TestWordsMoments(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.txt", zipf())
	s, err := Words(t.Context(), WordsConfig{Path: dir + "/a.txt", Seed: 1, Moments: []int{0, 1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	rows := section(t, s, "moments").Table.Rows
	if len(rows) != 4*5 || figure(rows[0][3]) != 3000 {
		t.Errorf("%v", rows)
	}
	for _, row := range rows {
		expected, ok := row[7].(float64)
		if off := math.Abs(row[6].(float64)); ok && off > 4*expected+1e-9 {
			t.Errorf("%v", row)
		}
	}
	if _, err := Words(t.Context(), WordsConfig{Path: dir + "/a.txt", Moments: []int{17}}); err == nil || !strings.Contains(err.Error(), "17, want 0 to 16") {
		t.Error(err)
	}
}
