package bigsite

import (
	"math"

	"crawler/internal/splitmix"
)

// The words of Dense: rank r, from 0, comes as often as 1/(r+zipfShift)^zipfPower (Mandelbrot).
const (
	denseWords   = 50_000
	zipfShift    = 2.7
	zipfPower    = 1.07
	quantiles    = 1 << 20 // enough that the rarest word has one
	wordsOfLine  = 12      // between two breaks of a line
	wordsOfProse = 60      // of a paragraph
)

// lexicon has the words, and their ranks in the proportions in which they come.
type lexicon struct {
	words [denseWords]string
	rank  [quantiles]uint16
}

func newLexicon() *lexicon {
	l := new(lexicon)
	known := make(map[string]bool, denseWords)
	for i, n := 0, uint64(0); i < denseWords; n++ {
		b := appendWord(nil, n)
		if n%3 == 0 {
			b = append(b, onsets[n/3%uint64(len(onsets))])
		}
		if n%5 == 0 {
			b = appendWord(b, n/5%97)
		}
		if w := string(b); !known[w] {
			known[w], l.words[i] = true, w
			i++
		}
	}
	sum := 0.0
	for r := range denseWords {
		sum += weight(r)
	}
	r, below := 0, weight(0)
	for i := range l.rank {
		for (float64(i)+0.5)*sum > below*quantiles && r < denseWords-1 {
			r++
			below += weight(r)
		}
		l.rank[i] = uint16(r)
	}
	return l
}

func weight(rank int) float64 { return math.Pow(float64(rank)+zipfShift, -zipfPower) }

// append appends a word.
func (l *lexicon) append(b []byte, draw uint64) []byte {
	return append(b, l.words[l.rank[draw%quantiles]]...)
}

// appendProse is appendPassages for Dense: paragraphs with a link in each.
func (s *Site) appendProse(b []byte, page, end int) ([]byte, int) {
	l, links := s.words(), 0
	draw := s.mix(page, forPassage)
	for len(b)+(s.Links-links)*linkBytes < end {
		b = append(b, "<p>"...)
		for n := 1; n <= wordsOfProse; n++ {
			draw += splitmix.Golden
			z := splitmix.Finish(draw)
			first := len(b)
			b = l.append(b, z)
			switch z >> 32 % 16 {
			case 0:
				b[first] -= 'a' - 'A'
			case 1:
				b = append(b, ',')
			case 2:
				b = append(b, '.')
			}
			if n%wordsOfLine == 0 {
				b = append(b, '\n')
			} else {
				b = append(b, ' ')
			}
		}
		if links < s.Links {
			b = s.appendReference(b, page, s.linked(page, links), uint64(s.Branch+links))
			links++
		}
		b = append(b, ".</p>\n"...)
	}
	return b, links
}
