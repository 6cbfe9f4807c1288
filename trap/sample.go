package trap

import (
	"math/bits"
	"slices"

	"crawler/parse"
	"crawler/weburl"
)

// Page is what a Guard wants to know of a fetched page. A Sampler makes one.
type Page struct {
	Status   int
	TextHash uint64   // of the words in any sequence but the URL's; of the body if there are none
	AllHash  uint64   // of all words in any sequence: a URL's words may be the text's by chance
	Every    int      // one of this many words was chosen, on average
	Sample   []uint64 // grams, two for each word that was chosen: see gram
}

// MaxEvery is the most that Every can be: it is more than any page has words.
const MaxEvery = 1 << 40

// MaxSample is the most grams that are sampled of a page: two for each word.
const MaxSample = 2 * 48

const (
	wantSample  = 24 // least words per page that the sampling rate aims at
	maxURLWords = 64
	maxURLBytes = 1024 // bytes of a URL in which words are looked for
	maxScratch  = 1 << 14
)

// Sampler turns a page's words into a Page. It belongs to one worker.
type Sampler struct {
	sample []uint64
	words  []uint64 // scratch
	own    urlWords
}

// Page describes a page by the hashes of its words, as parse computes them. body is a hash
// of the body, used if there are no words. It costs some 3 ns a word. The Sample is valid
// until the next call.
func (s *Sampler) Page(u weburl.URL, status int, words []uint64, body uint64) Page {
	p := Page{Status: status, TextHash: body, AllHash: body}
	if len(words) == 0 {
		return p
	}
	s.own.read(u)
	s.sample = s.sample[:0]
	limit := rate(len(words))
	p.Every = int(^uint64(0) / limit)
	var sum, all uint64
	kept := slices.Grow(s.words[:0], len(words)) // without the URL's own
	for _, w := range words {
		own := s.own.has(w)
		w = mix(w, 1)
		all += w
		if !own {
			sum += w
			kept = append(kept, w)
		}
	}
	s.words = kept
	for i, w := range kept {
		if w <= limit && len(s.sample) < MaxSample {
			s.sample = append(s.sample, hashGram(kept[max(i-gram+1, 0):i+1]), hashGram(kept[i:min(i+gram, len(kept))]))
		}
	}
	if cap(s.words) > maxScratch {
		s.words = nil // one enormous page must not keep its memory for ever
	}
	p.TextHash, p.AllHash, p.Sample = mix(sum, uint64(2)), mix(all, uint64(2)), s.sample
	return p
}

// gram is how many neighbouring words make a gram.
const gram = 4

// hashGram hashes a gram; at the ends of a page it has fewer words.
func hashGram(words []uint64) (h uint64) {
	for _, w := range words {
		h = mix(h, w)
	}
	return h
}

// rate is the largest hash that is sampled: a power of two, so that pages of about the same
// length have the same words sampled.
func rate(words int) uint64 {
	return ^uint64(0) >> max(0, bits.Len(uint(words)/wantSample)-1)
}

// mix is one-to-one in each of its arguments, except for rare collisions.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(bits.RotateLeft64(a, 32)^0x9e3779b97f4a7c15, b^0xd1342543de82ef95)
	x := hi ^ lo
	return x ^ x>>29
}

// urlWords are the hashes of a URL's words, to recognize them among a page's.
type urlWords struct {
	filter [4]uint64 // a bit for each, so that most words need no search
	hashes [2 * maxURLWords]uint64
	n      int
	word   [parse.MaxWordRunes]byte
}

// read replaces the words by those of u: its runs of letters and digits, in lower case, and
// each number also without its leading zeros.
func (o *urlWords) read(u weburl.URL) {
	o.filter, o.n = [4]uint64{}, 0
	text := u.RequestURI()
	text = text[:min(len(text), maxURLBytes)]
	n := 0
	for i := range len(text) {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			if n < len(o.word) {
				o.word[n] = c
			}
			n++
			continue
		}
		o.end(n)
		n = 0
	}
	o.end(n)
}

// end adds the word that has ended, of n bytes.
func (o *urlWords) end(n int) {
	if n == 0 || n > len(o.word) || o.n+2 > len(o.hashes) {
		return
	}
	o.add(o.word[:n])
	zeros := 0
	for zeros < n-1 && o.word[zeros] == '0' {
		zeros++
	}
	if zeros > 0 {
		o.add(o.word[zeros:n])
	}
}

func (o *urlWords) add(word []byte) {
	h := parse.HashWord(word)
	o.hashes[o.n] = h
	o.n++
	o.filter[h>>6&3] |= 1 << (h & 63)
}

func (o *urlWords) has(h uint64) bool {
	if o.filter[h>>6&3]&(1<<(h&63)) == 0 {
		return false
	}
	for _, own := range o.hashes[:o.n] {
		if own == h {
			return true
		}
	}
	return false
}
