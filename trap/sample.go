package trap

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"crawler/parse"
	"crawler/weburl"
)

// Page is what a Guard wants to know of a fetched page. A Sampler makes one.
type Page struct {
	Status   int
	TextHash uint64   // of the words in any sequence but the URL's; of the body if there are none
	AllHash  uint64   // of all words in any sequence: a URL's words may be the text's by chance
	Every    int      // one of this many words was chosen, on average
	Sample   []uint32 // grams, two for each word that was chosen: see gram
	Pictures uint64   // a hash of those that it shows, 0 for none; not needed without a Sample
	Another  bool     // it says that it is the page of another URL: see NamesAnother
	NoIndex  bool     // it asks not to be indexed
}

// NamesAnother reports whether a page at u, which names canonical as its URL, zero for none, says
// that it is the page of another URL of its domain. One of another domain may never be fetched, and
// that all pages are the start page is a common mistake.
func NamesAnother(u, canonical weburl.URL) bool {
	return !canonical.IsZero() && canonical.Path() != "/" && canonical.RequestURI() != u.RequestURI() &&
		canonical.Domain() == u.Domain()
}

// MaxEvery is the most that Every can be: it is more than any page has words.
const MaxEvery = 1 << 40

// MaxSample is the most grams that are sampled of a page: two for each word.
const MaxSample = 2 * 48

const (
	wantSample  = 24 // least words per page that the sampling rate aims at
	maxURLWords = 64
	maxURLBytes = 1024 // bytes of a URL in which words are looked for
	filterSize  = 512
)

// Sampler turns a page's words into a Page. It belongs to one worker.
type Sampler struct {
	sample []uint32
	digits []int32 // places of the numbers in said; empty if they are sampled like other words
	chosen []int32 // places in said
	own    urlWords
	said   []uint64 // the page's words without its URL's and those of links
	steady []uint64
}

// The numerals that say nothing: those among the words that a page begins and ends with, if there
// are few, such as the time of the day, how long it took to make the page, and how many visitors
// and queries there were. They are other ones with each request, so no page would be a copy of
// another. Where nothing renames pages they count: some pages say no more than that.
const (
	headWords, headNumerals = 16, 4
	footWords, footNumerals = 32, 8
	fewNumerals             = 4 // words for each at least: else the page is about them
)

// Steady returns the words of the page u with one word for all of those numerals, whose places
// parse has noted, if the URL has a key that may be a session's. The result is valid until the next
// call.
func (s *Sampler) Steady(u weburl.URL, words []uint64, numerals []int32) []uint64 {
	if len(numerals) == 0 || !hasKey(u) {
		return words
	}
	head, _ := slices.BinarySearch(numerals, headWords)
	foot, _ := slices.BinarySearch(numerals, int32(max(headWords, len(words)-footWords)))
	if head > headNumerals {
		head = 0
	}
	if len(numerals)-foot > footNumerals {
		foot = len(numerals)
	}
	if n := head + len(numerals) - foot; n == 0 || fewNumerals*n > len(words) {
		return words
	}
	s.steady = append(s.steady[:0], words...)
	for _, at := range numerals[:head] {
		s.steady[at] = numeral
	}
	for _, at := range numerals[foot:] {
		s.steady[at] = numeral
	}
	return s.steady
}

// numeral stands for a word that is a number, whichever.
const numeral = 0x6e756d6572616c

// hasKey reports whether a segment of the path or a value of the query may be a session's key: one
// token, not the name of an article of which words and sizes are joined.
func hasKey(u weburl.URL) bool {
	for segment := range strings.SplitSeq(u.Path(), "/") {
		if isToken(segment) || strings.Contains(segment, ";") { // as in ;jsessionid=
			return true
		}
	}
	if !u.HasQuery() {
		return false
	}
	for pair := range paramsOf(u.Query()) {
		name, value, _ := strings.Cut(pair, "=")
		if isToken(value) || isSession(name) {
			return true
		}
	}
	return false
}

// isToken reports whether s is a key that has no separators, or hexadecimal digits between them.
func isToken(s string) bool {
	if len(s) < leastHex || classify(s) != key {
		return false
	}
	words := false
	for i := range len(s) {
		words = words || byteIs[s[i]]&noHex != 0
	}
	return !words || !strings.ContainsAny(s, "-_.")
}

// Page describes a page by the hashes of its words, where among them numbers and the texts of links
// are, and how many more words it has that are joined to others, as parse computes them. What a
// link says is the name of another page, or the number of the next one, so none of it is in the
// Sample. body is a hash of the body, used if there are no words. It costs some 2 ns a word. The
// Sample is valid until the next call.
func (s *Sampler) Page(u weburl.URL, status int, words []uint64, numerals, linkText []int32, joined int, body uint64) Page {
	if len(words) == 0 {
		return s.Skim(status, words, body)
	}
	s.own.read(u)
	limit := rate(len(words))
	every, number := every(limit, len(words)-len(numerals), joined), limit
	switch {
	case joined > 0:
		number = ^uint64(0) / uint64(every)
	case limit >= coarse:
		numerals = nil
	}
	all, own := s.say(words, numerals, linkText)
	s.choose(limit, number)
	return Page{Status: status, TextHash: mix(all-own, 2), AllHash: mix(all, 2), Every: every, Sample: s.sample}
}

// choose fills the sample with the grams of those words in said whose hash is below the limit. Of
// long pages a number is chosen by its gram, by a limit of its own: what a table says from day to
// day may be a few numbers behind the same names, of which none was one that is sampled. In scripts
// without spaces a clause stands for several words, but a number for one.
func (s *Sampler) choose(limit, number uint64) {
	s.chosen, s.sample = s.chosen[:0], s.sample[:0]
	digits := s.digits
	for i, w := range s.said {
		h, most := mix(w, 1), limit
		if len(digits) > 0 && int(digits[0]) == i {
			h, most, digits = hashGram(s.said[max(0, i-gram+1):i+1]), number, digits[1:]
		}
		if h <= most {
			s.chosen = append(s.chosen, int32(i))
		}
	}
	var often frequent
	if 2*len(s.chosen) > MaxSample {
		often.count(s.said, s.chosen)
	}
	for _, at := range s.chosen {
		i, w := int(at), s.said[at]
		a := hashGram(s.said[max(0, i-gram+1) : i+1])
		if len(s.sample) == MaxSample || often.skips(w, a) {
			continue
		}
		b := hashGram(s.said[i:min(len(s.said), i+gram)])
		is := limit < coarse || mix(w, 1) <= coarse
		s.sample = append(s.sample, flagged(a, is), flagged(b, is))
	}
}

// frequent are the words of a page that fill its sample: of one that occurs n times some n/2 to n
// occurrences are left out, whichever of their grams. Else an article of a template might leave no
// room for what a page says below it.
type frequent struct {
	words [MaxSample]uint64
	times [MaxSample]uint16
	n     int
}

func (f *frequent) count(said []uint64, chosen []int32) {
	for _, at := range chosen {
		i := slices.Index(f.words[:f.n], said[at])
		if i < 0 && f.n < len(f.words) {
			i = f.n
			f.words[i] = said[at]
			f.n++
		}
		if i >= 0 {
			f.times[i] = min(f.times[i], math.MaxUint16-1) + 1
		}
	}
}

// skips reports whether an occurrence of a word is left out that is the last of a gram.
func (f *frequent) skips(word, gram uint64) bool {
	i := slices.Index(f.words[:f.n], word)
	return i >= 0 && gram>>(64-bits.Len16(f.times[i]-1)) != 0
}

// say fills said and digits, from one link's text to the next. It returns the sums of all words,
// and of those that are the URL's.
func (s *Sampler) say(words []uint64, numerals, linkText []int32) (all, own uint64) {
	s.digits = s.digits[:0]
	said := slices.Grow(s.said[:0], len(words))[:len(words)]
	n, at := 0, 0
	for at < len(words) {
		begin, end := len(words), len(words)
		if len(linkText) > 1 {
			begin, end = int(linkText[0]), int(linkText[1])
			linkText = linkText[2:]
		}
		for i, w := range words[at:begin] {
			all += w
			if s.own.has(w) {
				own += w
				continue
			}
			for len(numerals) > 0 && int(numerals[0]) <= at+i {
				if int(numerals[0]) == at+i {
					s.digits = append(s.digits, int32(n))
				}
				numerals = numerals[1:]
			}
			said[n] = w
			n++
		}
		for _, w := range words[begin:end] {
			all += w
			if s.own.has(w) {
				own += w
			}
		}
		at = end
	}
	s.said = said[:n]
	return all, own
}

// Skim describes a page for Guard.Skim, by all its words, those of its URL too, and without a
// Sample.
func (s *Sampler) Skim(status int, words []uint64, body uint64) Page {
	if len(words) == 0 {
		return Page{Status: status, TextHash: body, AllHash: body}
	}
	var all uint64
	for _, w := range words {
		all += w
	}
	return Page{Status: status, TextHash: mix(all, 2), AllHash: mix(all, 2)}
}

// coarse is the largest hash of words that are sampled of all pages of up to 768 words, so that
// pages of different lengths can be compared by them. Their grams have an odd hash.
const (
	everyCoarse = 16
	coarse      = ^uint64(0) / everyCoarse
)

func isCoarse(gram uint32) bool { return gram&1 == 1 }

// flagged folds a gram, since no memory has more of it than that, and marks it.
func flagged(gram uint64, is bool) uint32 {
	if is {
		return fold(gram)
	}
	return fold(gram) &^ 1
}

// gram is how many neighbouring words make a gram.
const gram = 4

// hashGram hashes a gram, which is shorter where the page begins or ends.
func hashGram(words []uint64) (h uint64) {
	for _, w := range words {
		h = mix(h, w)
	}
	return h
}

// every returns one of how many words is sampled, in a text of which some words are joined: of
// clauses of ten words each sampled one stands for ten, and more.
func every(limit uint64, words, joined int) int {
	words = max(words, 1)
	return (int(^uint64(0)/limit)*(words+joined) + words/2) / words
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
	filter [filterSize]bool // one for each, so that most words need no search
	hashes [2 * maxURLWords]uint64
	n      int
	word   [parse.MaxWordRunes]byte
}

// read replaces the words by those of u: its runs of letters and digits, in lower case, and
// each number also without its leading zeros.
func (o *urlWords) read(u weburl.URL) {
	o.filter, o.n = [filterSize]bool{}, 0
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
	o.filter[h%filterSize] = true
}

// may reports whether h may be a word of the URL.
func (o *urlWords) may(h uint64) bool { return o.filter[h%filterSize] }

func (o *urlWords) has(h uint64) bool {
	if !o.may(h) {
		return false
	}
	for _, own := range o.hashes[:o.n] {
		if own == h {
			return true
		}
	}
	return false
}
