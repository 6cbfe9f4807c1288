package lab

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// siteMaker makes URLs. All choices are Zipf distributed: a few hosts, directories
// and words make up most of the URLs, and there are always some more.
type siteMaker struct {
	rnd                      *rand.Rand
	host, topic, word, title *rand.Zipf
}

func newSiteMaker(urls int, seed uint64) *siteMaker {
	rnd := rand.New(rand.NewPCG(seed, 3))
	zipf := func(s float64, most int) *rand.Zipf { return rand.NewZipf(rnd, s, 4, uint64(most)) }
	return &siteMaker{
		rnd:   rnd,
		host:  zipf(1.2, 20+urls/400),
		topic: zipf(1.8, 24),
		word:  zipf(1.1, 5000),
		title: zipf(1.05, 1<<20),
	}
}

// url returns a URL, maybe one that was made before. The kind of a site follows from
// its host.
func (m *siteMaker) url() string {
	host := m.host.Uint64()
	origin := "https://www." + term(host, 2) + "." + [...]string{"org", "com", "net", "de"}[host%4]
	if m.rnd.IntN(200) == 0 {
		return origin + "/"
	}
	switch host % 5 {
	case 0:
		return origin + m.manual()
	case 1:
		return origin + "/wiki/" + m.name(2) + "_" + m.name(3)
	case 2:
		return fmt.Sprintf("%s/%d/%02d/%s-%s.html", origin, 2019+m.rnd.IntN(7), 1+m.rnd.IntN(12), m.some(m.word), m.name(2))
	case 3:
		return fmt.Sprintf("%s/shop/%s/item?id=%d", origin, m.some(m.topic), m.title.Uint64())
	}
	return origin + "/" + m.some(m.topic) + "/" + m.some(m.topic) + "/" + m.name(2) + ".html"
}

// manual returns a path in a deep tree whose levels share their names.
func (m *siteMaker) manual() string {
	var b strings.Builder
	b.WriteString("/doc")
	for range 1 + m.rnd.IntN(3) {
		b.WriteString("/" + m.some(m.topic))
	}
	return b.String() + "/" + m.name(2) + ".html"
}

func (m *siteMaker) some(of *rand.Zipf) string { return term(of.Uint64(), 1) }

// name returns one of the many names of pages.
func (m *siteMaker) name(parts int) string { return term(m.title.Uint64(), parts) }

// term spells a number as a word of the given syllables, or more if it needs them.
// Different numbers have different words.
func term(n uint64, parts int) string {
	const first, second = "bcdfghklmnprstvz", "aeiou"
	var b strings.Builder
	for ; n > 0 || parts > 0; parts-- {
		b.WriteByte(first[n%uint64(len(first))])
		n /= uint64(len(first))
		b.WriteByte(second[n%uint64(len(second))])
		n /= uint64(len(second))
	}
	return b.String()
}
