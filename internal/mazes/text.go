package mazes

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	vocabularySize = 8000
	zipfExponent   = 1.07
	rankTable      = 1 << 16
)

// vocabulary coins the words of a seed.
func vocabulary(seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 77))
	words := make([]string, vocabularySize)
	for i := range words {
		words[i] = coin(r)
	}
	return words
}

// coin makes a word of two to four syllables.
func coin(r *rand.Rand) string {
	var b strings.Builder
	for range 2 + r.IntN(3) {
		b.WriteByte("bdfghklmnprstvz"[r.IntN(15)])
		b.WriteByte("aeiou"[r.IntN(5)])
	}
	return b.String()
}

// zipf draws ranks of words as uneven as those of a language, once for all: drawing takes
// longer than the rest of a page.
func zipf(seed uint64) []uint16 {
	z := rand.NewZipf(rand.New(rand.NewPCG(seed, 78)), zipfExponent, 3, vocabularySize-1)
	ranks := make([]uint16, rankTable)
	for i := range ranks {
		ranks[i] = uint16(z.Uint64())
	}
	return ranks
}

// prose writes n words of the first few of the vocabulary, as unevenly frequent as
// those of a language.
func (s *Site) prose(r *rand.Rand, n, few int) string {
	b := make([]byte, 0, 8*n)
	for i := range n {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, s.words[int(s.ranks[r.IntN(rankTable)])%few]...)
	}
	return string(b)
}

// text is prose of the page of a name: always the same.
func (s *Site) text(name string, n int) string { return s.prose(s.random(name), n, vocabularySize) }

// doc is a page in the making.
type doc struct{ b strings.Builder }

// begin starts a page with the site's head, whose length is that of real templates.
func (s *Site) begin(title string) *doc {
	d := &doc{}
	d.b.Grow(len(s.template) + 2048)
	fmt.Fprintf(&d.b, "<html><head><title>%s</title></head><body><header>%s</header><h1>%s</h1>\n",
		title, s.template, title)
	return d
}

func (d *doc) say(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }

// link writes a link whose address needs no escapes. Some pages have a hundred.
func (d *doc) link(href, text string) {
	for _, part := range []string{`<a href="`, href, `">`, text, "</a>\n"} {
		d.b.WriteString(part)
	}
}

func (d *doc) answer() Answer {
	d.b.WriteString("</body></html>")
	return Answer{Body: []byte(d.b.String())}
}
