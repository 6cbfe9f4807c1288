package sheet

import (
	"strings"
	"unicode/utf8"
)

// fitting returns the columns' widths: as wide as their cells, and if that is too
// much for a line less, the widest first, down to what cannot be broken. These
// are figures, and words of up to 30 runes.
func fitting(rows [][]string, head int, right []bool) []int {
	widths, least := make([]int, len(right)), make([]int, len(right))
	for n, row := range rows {
		for i, s := range row {
			runes := utf8.RuneCountInString(s)
			widths[i] = max(widths[i], runes)
			if !right[i] || n < head {
				runes = min(longestWord(s), wordWidth)
			}
			least[i] = max(least[i], runes)
		}
	}
	total := gap * (len(widths) - 1)
	for _, n := range widths {
		total += n
	}
	for ; total > width; total-- {
		i := widestAbove(widths, least)
		if i < 0 {
			break
		}
		widths[i]--
	}
	return widths
}

// widestAbove returns the widest column that may be made narrower, -1 for none.
func widestAbove(widths, least []int) int {
	best := -1
	for i, n := range widths {
		if n > least[i] && (best < 0 || n > widths[best]) {
			best = i
		}
	}
	return best
}

// longestWord counts the runes that the longest word needs on a line of its own.
func longestWord(s string) int {
	most := 0
	for i, word := range strings.Fields(s) {
		n := utf8.RuneCountInString(word)
		if i > 0 {
			n += hanging
		}
		most = max(most, n)
	}
	return most
}

// pieces cuts a cell into lines of at most n runes at its spaces, and where a word
// is longer than a line, inside it.
func pieces(s string, n int) []string {
	if utf8.RuneCountInString(s) <= n {
		return []string{s}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > n {
			lines, line = append(lines, line), ""
		}
		switch {
		case line != "":
			line += " "
		case len(lines) > 0:
			line = indent(n)
		}
		r := []rune(line + word)
		for len(r) > n {
			lines = append(lines, string(r[:n]))
			r = append([]rune(indent(n)), r[n:]...)
		}
		line = string(r)
	}
	return append(lines, line)
}

// indent is what stands before the later lines of a cell n runes wide.
func indent(n int) string {
	if n < 3*hanging {
		return ""
	}
	return strings.Repeat(" ", hanging)
}
