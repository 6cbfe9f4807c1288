package bigsite

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The sizes of a phrasebook.
const (
	passages    = 512
	headlines   = 256
	anchorTexts = 512
)

// passage is a piece of a page's text, as HTML. A link may stand between before and
// after; where it has none, after is empty.
type passage struct {
	before, after []byte
}

// phrasebook is what the pages of Docs are made of, the same for every seed.
type phrasebook struct {
	passages  [passages]passage
	headlines [headlines][]byte // words of headings and titles
	anchors   [anchorTexts][]byte
}

func newPhrasebook(style Style) *phrasebook {
	w := &writer{Rand: rand.New(rand.NewPCG(3, 4))}
	w.zipf = rand.NewZipf(w.Rand, 1.05, 2, vocabulary-1)
	p := new(phrasebook)
	for i := range p.passages {
		if style == Reference {
			p.passages[i] = w.entry(i)
		} else {
			p.passages[i] = w.passage(i)
		}
	}
	for i := range p.headlines {
		p.headlines[i] = []byte(w.headline(2 + w.IntN(4)))
	}
	for i := range p.anchors {
		p.anchors[i] = []byte(w.anchor())
	}
	return p
}

// writer writes text at random.
type writer struct {
	*rand.Rand
	zipf    *rand.Zipf
	accents bool // letters beyond ASCII, which some crawlers take a slower way for
}

// passage writes the kinds of passages by turns. One in 32 has letters beyond ASCII, so
// that about half of the pages of 12 KiB do; the PostgreSQL manual has them on every
// page, the Java API's documentation hardly anywhere.
func (w *writer) passage(i int) passage {
	before, after := "", ""
	w.accents = i%32 == 4
	switch i % 8 {
	case 0:
		before = "<pre class=\"programlisting\">\n" + w.listing(3+w.IntN(6)) + "</pre>\n"
	case 1:
		before = "<div class=\"itemizedlist\"><ul class=\"itemizedlist\" style=\"list-style-type: disc; \">" + w.items(1+w.IntN(3)) + "<li class=\"listitem\"><p>" + w.prose(8)
		after = w.prose(6) + ".</p></li></ul></div>\n"
	case 2:
		before = w.rows(2+w.IntN(3)) + "<tr><td><code class=\"literal\">" + w.word() + "</code></td><td>" + w.prose(5)
		after = w.prose(4) + "</td></tr></tbody></table></div><br class=\"table-break\" />\n"
	case 3:
		before = "<!-- " + w.prose(6) + " <p class=\"old\"> -->\n<p>" + w.prose(30+w.IntN(20)) + ".</p>\n"
	default:
		before = "<p>\n" + w.prose(14+w.IntN(20))
		after = w.prose(14+w.IntN(20)) + ".</p>\n"
	}
	return passage{[]byte(before), []byte(after)}
}

func (w *writer) word() string { return string(appendWord(nil, w.zipf.Uint64())) }

// prose writes about n words with a blank at both ends and inline markup in one of five.
func (w *writer) prose(n int) string {
	var b strings.Builder
	b.WriteByte(' ')
	for range n {
		word := w.word()
		switch w.IntN(20) {
		case 0:
			word = "<em class=\"replaceable\"><code>" + word + "_" + w.word() + "</code></em>"
		case 1:
			word = "<code class=\"literal\">" + strings.ToUpper(word) + "</code>"
		case 2:
			word = "<strong>" + word + "</strong>"
		case 3:
			word += fmt.Sprintf("&nbsp;%d,", w.IntN(1000))
		case 4, 5:
			word += "."
		case 6:
			word = "&#8220;" + word + "&#8221;"
		case 7:
			if word += " &amp;"; w.accents {
				word += " café"
			}
		case 8, 9:
			word = strings.ToUpper(word[:1]) + word[1:] + ","
		}
		b.WriteString(word)
		b.WriteByte(' ')
	}
	return b.String()
}

func (w *writer) headline(n int) string {
	words := make([]string, n)
	for i := range words {
		word := w.word()
		words[i] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, " ")
}

// anchor writes the text of a link, one in three as code.
func (w *writer) anchor() string {
	if w.IntN(3) == 0 {
		return "<code class=\"function\">" + w.word() + "_" + w.word() + "()</code>"
	}
	return w.headline(1 + w.IntN(3))
}

func (w *writer) listing(lines int) string {
	var b strings.Builder
	for range lines {
		fmt.Fprintf(&b, "%s = %s(%s) &lt; %d   -- %s\n", w.word(), w.word(), w.word(), w.IntN(10000), w.word())
	}
	return b.String()
}

func (w *writer) items(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "<li class=\"listitem\"><p><span class=\"term\"><code class=\"option\">--%s</code></span>%s.</p></li>", w.word(), w.prose(10))
	}
	return b.String()
}

// rows begins a table; the last row and its end are the caller's.
func (w *writer) rows(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<div class=\"table\"><table class=\"table\" summary=%q border=\"1\"><colgroup><col /><col /></colgroup><thead><tr><th>%s</th><th>%s</th></tr></thead><tbody>",
		w.headline(3), w.headline(1), w.headline(1))
	for range n {
		fmt.Fprintf(&b, "<tr><td><code class=\"literal\">%s</code></td><td>%s</td></tr>\n", w.word(), w.prose(8))
	}
	return b.String()
}
