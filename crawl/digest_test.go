package crawl

import (
	"slices"
	"testing"
)

// One word more or less, another word or two words swapped are another text.
func TestDigestTellsTextsApart(t *testing.T) {
	seen := make(map[uint64][]uint64)
	add := func(words []uint64) {
		d := digest(words, nil)
		if other, found := seen[d]; found && !slices.Equal(words, other) {
			t.Errorf("%d and %d have one digest", words, other)
		}
		seen[d] = slices.Clone(words)
	}
	text := make([]uint64, 14)
	for i := range text {
		text[i] = uint64(i+1) * 0x9e3779b97f4a7c15
	}
	for n := 1; n <= len(text); n++ {
		words := text[:n]
		add(words)
		for i := range words {
			add(slices.Delete(slices.Clone(words), i, i+1))
			for j := range i {
				words[i], words[j] = words[j], words[i]
				add(words)
				words[i], words[j] = words[j], words[i]
			}
			words[i] ^= 1
			add(words)
			words[i] ^= 1
		}
	}
	if a, b := digest(nil, []byte("a picture")), digest(nil, []byte("another")); a == b {
		t.Error("two bodies without words have one digest")
	}
	if digest(text, []byte("<p>")) != digest(text, []byte("<div>")) {
		t.Error("the markup counts")
	}
}
