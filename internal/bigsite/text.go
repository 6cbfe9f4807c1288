package bigsite

import "math/rand/v2"

// The language of all sites, so that their words are the same whatever their seed.
const (
	onsets     = "bdfghklmnprstvz"
	nuclei     = "aeiou"
	vocabulary = 4000
	sentences  = 1024
	wordsEach  = 14
)

// newSentences makes the sentences that pages are made of. The words' frequencies fall
// as in real text: the n-th is about as frequent as 1/n (Zipf).
func newSentences() [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.05, 2, vocabulary-1)
	all := make([][]byte, sentences)
	for i := range all {
		b := []byte("<p>")
		for w := range wordsEach {
			if w > 0 {
				b = append(b, ' ')
			}
			b = appendWord(b, zipf.Uint64())
		}
		all[i] = append(b, ".</p>\n"...)
	}
	return all
}

// appendWord spells a number in syllables of two letters.
func appendWord(b []byte, n uint64) []byte {
	const syllables = uint64(len(onsets) * len(nuclei))
	for n += syllables; n > 0; n /= syllables { // two syllables at least
		x := n % syllables
		b = append(b, onsets[x/uint64(len(nuclei))], nuclei[x%uint64(len(nuclei))])
	}
	return b
}

// appendName appends a word that hardly any other page has.
func appendName(b []byte, draw uint64) []byte { return appendWord(b, draw>>24|1<<39) }

// appendText appends the text of a page: its name, and sentences of it from a sixth of
// Text to the whole.
func (s *Site) appendText(b []byte, page int) []byte {
	least := uint64(s.Text / 6)
	size := int(least + s.mix(page, forSize)%(uint64(s.Text)-least+1))
	b = append(b, "<h1>"...)
	b = appendName(b, s.mix(page, forText))
	b = append(b, "</h1>\n"...)
	draw := s.mix(page, forSentence)
	for end := len(b) + size; len(b) < end; {
		b = append(b, s.sentences[draw%sentences]...)
		draw = draw*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
		draw ^= draw >> 29
	}
	return b
}
