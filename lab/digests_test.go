package lab

import (
	"reflect"
	"testing"

	"crawler/dedup"
)

// The source's case with its own 11-bit filter, by hand: B has 25, 159 and 585, the digest is
// 10100101010. A asks for 159: a hit. For 118, positions 3 and 5: a miss. For 59, which is
// 111011 in binary, so 101 = 5 and 111 = 7: both bits are set, B says no: a false hit. B
// fetches 118 and drops 25: a false miss, and a false hit.
func TestDigestByHand(t *testing.T) {
	digest := dedup.NewClassic(11, 2, 0)
	b := newHolder(3)
	for _, page := range []uint64{25, 159, 585} {
		digest.AddPositions(elevenBits(page))
		b.request(page)
	}
	if h1, h2 := elevenBits(59); h1 != 5 || h2 != 7 || digest.String() != "10100101010" {
		t.Fatalf("59 has %d and %d, the digest is %s", h1, h2, digest)
	}
	var x exchanges
	ask := func(page uint64) {
		h1, h2 := elevenBits(page)
		x.ask(digest.HasPositions(h1, h2), b.has(page))
	}
	ask(159)
	ask(118)
	ask(59)
	if want := (exchanges{hits: 1, misses: 1, falseHits: 1}); x != want {
		t.Errorf("%+v, want %+v", x, want)
	}
	b.request(118)
	ask(118)
	ask(25)
	if want := (exchanges{hits: 1, misses: 1, falseHits: 2, falseMisses: 1}); x != want {
		t.Errorf("%+v, want %+v", x, want)
	}
	if x.share(x.falseHits) != 40 || x.vain() != 100*2.0/3 {
		t.Errorf("%v %% of the questions, %v %% of those asked", x.share(x.falseHits), x.vain())
	}
}

// A cache drops what was used longest ago.
func TestHolder(t *testing.T) {
	h := newHolder(2)
	for _, page := range []uint64{1, 2, 1, 3} {
		h.request(page)
	}
	if !h.has(1) || h.has(2) || !h.has(3) || h.order.Len() != 2 {
		t.Errorf("it has %v", h.at)
	}
}

func TestDigests(t *testing.T) {
	c := DigestsConfig{Held: 5000, Seed: 2}
	s, err := Digests(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"crawl", "cache"} {
		rows := section(t, s, id).Table.Rows
		for i, row := range rows {
			falseHits, falseMisses := row[3].(float64), row[4].(float64)
			switch {
			case i == 0 && falseMisses != 0:
				t.Errorf("%s: a digest just made misses %v %%", id, falseMisses)
			case i > 0 && falseMisses < rows[i-1][4].(float64)-0.3:
				t.Errorf("%s: it misses less when older: %v", id, row)
			case id == "crawl" && falseHits > rows[0][3].(float64):
				t.Errorf("false hits of a crawl grow: %v", row)
			case id == "cache" && i == len(rows)-1 && falseHits < rows[0][3].(float64):
				t.Errorf("false hits of a cache do not grow: %v", row)
			}
		}
	}
	for _, row := range section(t, s, "sizes").Table.Rows {
		if want, got := row[7].(float64), row[8].(float64); got < want/2-0.2 || got > 2*want+0.2 {
			t.Errorf("%v bits: %v %% of the absent, want about %v", row[0], got, want)
		}
	}
	again, err := Digests(t.Context(), c)
	if err != nil || !reflect.DeepEqual(s, again) {
		t.Errorf("the same seed gives other figures: %v", err)
	}
	for _, c := range []DigestsConfig{{Held: 99}, {Held: MaxHeld + 1}, {Bits: 0.5}, {Bits: -1}} {
		if _, err := Digests(t.Context(), c); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}
