package sheet

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// text returns a cell as people read it.
func (c Column) text(v Cell) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case string:
		return printable(v)
	case bool:
		return yesNo(v)
	case int:
		return Group(int64(v))
	case int64:
		return Group(v)
	case uint64:
		return strconv.FormatUint(v, 10)
	case float64:
		if c.Format != "" && finite(v) {
			return grouped(fmt.Sprintf(c.Format, v))
		}
		return number(v)
	}
	return printable(fmt.Sprint(v))
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// numeric reports for each column whether it is one of figures, which stand right
// in it.
func (t *Table) numeric() []bool {
	list := make([]bool, len(t.Columns))
	for i := range list {
		list[i] = true
		for _, row := range t.Rows {
			list[i] = list[i] && (i >= len(row) || figure(row[i]))
		}
	}
	return list
}

func figure(c Cell) bool {
	switch c.(type) {
	case nil, int, int64, uint64, float64:
		return true
	}
	return false
}

// cell returns the text of a figure, "-" beyond the end of a row.
func (t *Table) cell(row []Cell, i int) string {
	if i >= len(row) {
		return "-"
	}
	return t.Columns[i].text(row[i])
}

// number writes three significant digits, or four.
func number(x float64) string {
	switch a := math.Abs(x); {
	case x == 0:
		return "0"
	case !finite(x):
		return strconv.FormatFloat(x, 'g', -1, 64)
	case a < 1e-3 || a >= 1e15:
		return exponent(x, 2)
	case a < 999.95: // which is rounded to 999.9
		return strconv.FormatFloat(x, 'f', max(1, 2-int(math.Floor(math.Log10(a/0.9995)))), 64)
	}
	return Group(int64(math.Round(x)))
}

// exponent writes 1.23e-5, without the zero that strconv has in the exponent.
func exponent(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'e', digits, 64)
	s = strings.Replace(s, "e-0", "e-", 1)
	return strings.Replace(s, "e+0", "e+", 1)
}

// grouped puts commas into what Sprintf made, if it is a whole number.
func grouped(s string) string {
	if strings.Trim(strings.TrimPrefix(s, "-"), "0123456789") != "" {
		return s
	}
	return commas(s)
}

// Group writes a number with commas, as tables show it.
func Group(n int64) string { return commas(strconv.FormatInt(n, 10)) }

func commas(s string) string {
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// printable shows what cannot be printed as U+FFFD. Nor could XML hold it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}

// shorten cuts the middle out of a text of more than n runes, five at least.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	head := (n - 2) / 2
	return string(r[:head]) + ".." + string(r[len(r)-(n-2-head):])
}
