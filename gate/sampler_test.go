package gate_test

import (
	"slices"
	"testing"

	"crawler/frontier"
	"crawler/gate"
	"crawler/weburl"
)

// sampled returns what samples a page, whose memory is not used again.
func sampled(t *testing.T) func(gate.Text) gate.Sample {
	t.Helper()
	u, err := weburl.Parse("http://a.test/")
	if err != nil {
		t.Fatal(err)
	}
	sampler, task := new(gate.Config).NewSampler(), &gate.Task{Item: frontier.Item{URL: u}}
	return func(text gate.Text) gate.Sample { return sampler.Page(task, 200, text, 1, gate.Sample{}) }
}

// What links say is not in the sample, wherever they are; the rest is, and so is the same text
// where it is in no link.
func TestSampleLeavesLinksOut(t *testing.T) {
	page := sampled(t)
	sample := func(words []uint64, linkText []int32) []uint32 {
		return page(gate.Text{Words: words, LinkText: linkText}).Sample
	}
	own, link := []uint64{1001, 1002, 1003, 1004, 1005, 1006}, []uint64{2001, 2002}
	want := sample(own, nil)
	for _, at := range []int32{0, 3, 6} {
		with := slices.Insert(slices.Clone(own), int(at), link...)
		if got := sample(with, []int32{at, at + 2}); !slices.Equal(got, want) {
			t.Errorf("a link at %d: %x, want %x", at, got, want)
		}
		if got := sample(with, nil); slices.Equal(got, want) {
			t.Errorf("text at %d is not in the sample", at)
		}
	}
	both := slices.Concat(link, own, link)
	if got := sample(both, []int32{0, 2, 8, 10}); !slices.Equal(got, want) {
		t.Errorf("two links: %x, want %x", got, want)
	}
}

// What a page has in place of text tells it from others.
func TestSamplerTakesWhatStandsInPlaceOfText(t *testing.T) {
	page := sampled(t)
	with := func(instead ...uint64) gate.Sample {
		return page(gate.Text{Words: []uint64{1, 2, 3}, Instead: instead})
	}
	plain, one, other := with(), with(7), with(8)
	if plain.TextHash == one.TextHash || one.TextHash == other.TextHash || one.TextHash != with(7).TextHash {
		t.Errorf("hashes %x, %x and %x", plain.TextHash, one.TextHash, other.TextHash)
	}
	if len(one.Sample) <= len(plain.Sample) {
		t.Errorf("%d grams, %d without", len(one.Sample), len(plain.Sample))
	}
}
