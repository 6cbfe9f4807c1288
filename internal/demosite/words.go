package demosite

import (
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The vocabulary is coined from these syllables, once and alike for every seed,
// so that the demo always speaks the same language.
const (
	onsets    = "b br c cl d dr f fl g gr h j k kr l m n p pl pr qu r s sk sl st t th tr v vr w z"
	nuclei    = "a e i o u ai ea ei io oa ou"
	joints    = "b d g l ll m mb n nd nt r rd rk rv s sk st t v z"
	nounEnds  = "ade al an ard ax el en er et in ine ion ir it on or um une"
	verbEnds  = "ade ate ete ide ile ine ise ode ose ure"
	adjEnds   = "al an ent esque ic id ile ine ish ous"
	numNouns  = 3200
	numVerbs  = 600
	numAdjs   = 900
	vocabSeed = 0x6465_6d6f // "demo"
)

// foreign words keep a crawler honest about letters beyond ASCII: Latin with
// accents, composed and decomposed, and other scripts. None holds a letter whose
// lower case depends on language or position.
const foreign = "brönn façel naïvor señel ålund ørske lodář œlven žarek şimel " +
	"ve\u0301let карвел голен λογαρ θεμον 日向 한빛 שלון"

// patterns are the sentences of the demo language, most frequent first. A verb
// of the pattern stands for a word: n noun, N plural, v verb, V its plural, d its
// past, a adjective, r adverb, t article or the like, p preposition, m number, A
// an upper-case name, u a measure.
const patterns = `%t %n %p %t %n %v %t %n.
%t %n %v %t %a %n and %v %t %n %p %t %n.
%N and %N %V %p %t %a %n.
It %v %t %n %p %t %n and %d %p the %N.
%t %n is %a and the %n %p it %v %r.
The %N of %A are %a %p %t %n, and %t %n %v them.
When a %n %v, the %N %p it %V and no %n is %d.
%t %n %d %m %N %p %t %a %n.
The %n was %a to %t %n, for it %d the %N of %A.
%N %V the %N %p %a order: %n, %n, %n and %n.
Most %N are %a; some are %a, %a or even %a.
If %A %v, %t %n of the %n %d %t %N & the %n.
The %n %v %r – about %u from %t %a %n.
“%n” means a %n with %m %a %N, as %A %v.
Here %A shows how %N %V %p %t %n (see %A).
Without %N there would be %m %N %p %t %n, all %a.
Nobody %d the %n, because %A had %d every %n it could find.
For %m %N out of %m, a %n %v better than %a %N do.`

// The little words, most frequent first. A word stands twice to be frequent.
const (
	articles     = "the the a this its each every another that any one some"
	prepositions = "of of in to from with by on at under over near through behind between without"
)

// vocabulary is every word of the demo language, most frequent first.
type vocabulary struct {
	nouns, verbs, adjectives []string
	patterns, articles       []string
	prepositions             []string
}

// newVocabulary coins the words. It takes a few milliseconds.
func newVocabulary() *vocabulary {
	r := rand.New(rand.NewPCG(vocabSeed, numNouns))
	taken := map[string]bool{}
	v := &vocabulary{
		nouns:      coin(r, numNouns, nounEnds, taken),
		verbs:      coin(r, numVerbs, verbEnds, taken),
		adjectives: coin(r, numAdjs, adjEnds, taken),
		patterns:   strings.Split(patterns, "\n"), articles: strings.Fields(articles),
		prepositions: strings.Fields(prepositions),
	}
	for i, word := range strings.Fields(foreign) {
		v.nouns[20+7*i] = word // frequent enough to be met, too rare to lead
	}
	return v
}

// coin makes n words that end like one of ends and are not taken yet. There are
// millions of combinations, so the loop ends soon.
func coin(r *rand.Rand, n int, ends string, taken map[string]bool) []string {
	parts := [][]string{strings.Fields(onsets), strings.Fields(nuclei), strings.Fields(joints), strings.Fields(ends)}
	words := make([]string, 0, n)
	for len(words) < n {
		var b strings.Builder
		for _, part := range parts {
			b.WriteString(part[r.IntN(len(part))])
		}
		if word := b.String(); !taken[word] {
			taken[word] = true
			words = append(words, word)
		}
	}
	return words
}

// zipf draws ranks with probability proportional to 1/(rank+3), the law of
// Zipf and Mandelbrot. It counts in integers, so every processor draws alike.
type zipf struct{ sums []uint64 }

func newZipf(n int) zipf {
	z := zipf{make([]uint64, n)}
	var sum uint64
	for i := range z.sums {
		sum += 1 << 32 / uint64(i+3)
		z.sums[i] = sum
	}
	return z
}

func (z zipf) rank(r *rand.Rand) int {
	x := r.Uint64N(z.sums[len(z.sums)-1])
	return sort.Search(len(z.sums), func(i int) bool { return z.sums[i] > x })
}

// writer writes the prose of one site. Each site has its own favourite nouns,
// as real sites have their own subject. Not safe for concurrent use.
type writer struct {
	r     *rand.Rand
	v     *vocabulary
	nouns []string
	laws  map[int]zipf    // by number of ranks
	taken map[string]bool // slugs given out
}

func newWriter(r *rand.Rand, v *vocabulary) *writer {
	nouns := append([]string(nil), v.nouns...)
	own := nouns[160:] // the most frequent nouns, the foreign ones among them, are common to all
	r.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
	return &writer{r: r, v: v, nouns: nouns, laws: map[int]zipf{}, taken: map[string]bool{}}
}

// draw draws from words whose order is that of their frequency.
func (w *writer) draw(words []string) string {
	law, ok := w.laws[len(words)]
	if !ok {
		law = newZipf(len(words))
		w.laws[len(words)] = law
	}
	return words[law.rank(w.r)]
}

// sentence writes one sentence, beginning with an upper-case letter if it
// begins with a letter at all.
func (w *writer) sentence() string {
	pattern := w.draw(w.v.patterns)
	var b strings.Builder
	for {
		plain, rest, more := strings.Cut(pattern, "%")
		b.WriteString(plain)
		if !more {
			return capital(b.String())
		}
		b.WriteString(w.word(rest[0]))
		pattern = rest[1:]
	}
}

// word coins what the pattern's verb stands for.
func (w *writer) word(verb byte) string {
	switch verb {
	case 'n', 'N':
		return pluralIf(verb == 'N', w.draw(w.nouns))
	case 'v':
		return w.action() + "s"
	case 'V':
		return w.action()
	case 'd':
		return w.action() + "d"
	case 'a':
		return w.quality()
	case 'r':
		return w.quality() + "ly"
	case 't':
		return w.draw(w.v.articles)
	case 'p':
		return w.draw(w.v.prepositions)
	case 'm':
		return strconv.Itoa(2 + w.r.IntN(98))
	case 'A':
		return strings.ToUpper(w.ascii())
	case 'u':
		return w.word('m') + "\u00a0km"
	}
	panic("demosite: unknown verb in pattern: " + string(verb))
}

func (w *writer) action() string  { return w.draw(w.v.verbs) }
func (w *writer) quality() string { return w.draw(w.v.adjectives) }

// ascii draws nouns until one is fit for a slug or a name.
func (w *writer) ascii() string {
	for {
		if n := w.draw(w.nouns); isASCII(n) {
			return n
		}
	}
}

// paragraph writes whole sentences until there are at least n words.
func (w *writer) paragraph(n int) string {
	var sentences []string
	for words := 0; words < n; {
		s := w.sentence()
		words += strings.Count(s, " ") + 1
		sentences = append(sentences, s)
	}
	return strings.Join(sentences, " ")
}

// title is a short headline.
func (w *writer) title() string {
	return capital(w.quality()) + " " + pluralIf(w.r.IntN(2) == 0, w.draw(w.nouns))
}

// slug is a path segment that this writer has not given out before.
func (w *writer) slug() string {
	for {
		slug := w.ascii()
		if w.r.IntN(3) > 0 {
			slug += "-" + w.ascii()
		}
		if !w.taken[slug] {
			w.taken[slug] = true
			return slug
		}
	}
}

// edit replaces one word in a hundred, and at least one, by another: the
// smallest change that makes a near-duplicate.
func (w *writer) edit(text string) string {
	words := strings.Split(text, " ")
	for range len(words)/100 + 1 {
		words[w.r.IntN(len(words))] = w.v.nouns[len(w.v.nouns)-1-w.r.IntN(200)]
	}
	return strings.Join(words, " ")
}

func pluralIf(many bool, noun string) string {
	if many {
		return noun + "s"
	}
	return noun
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// splitWords returns the lower-cased words of a text: maximal runs of letters,
// marks and digits.
func splitWords(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.Nd)
	})
	for i, w := range words {
		words[i] = strings.ToLower(w)
	}
	return words
}
