package mazes

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// address is how a site names the pages of one kind, by a number from 0: text with a {} for
// each field. The last field counts fastest, the first without end. It can be read back, so
// nothing needs to be stored.
type address struct {
	pieces []string // around the fields
	fields []field
}

// field is one part of a page's number in its address.
type field struct {
	radix int // the values it has; of the first field it does not matter
	width int // bytes, if they may contain the text behind the field; 0 if not
	write func(s *Site, v int) string
	read  func(s *Site, text string) int // may be wrong for text that write does not write
}

func named(pattern string, fields ...field) address {
	pieces := strings.Split(pattern, "{}")
	if len(pieces) != len(fields)+1 {
		panic("mazes: " + pattern + " has another number of fields")
	}
	return address{pieces, fields}
}

// at writes the address of page i.
func (a address) at(s *Site, i int) string {
	var b strings.Builder
	values := make([]int, len(a.fields))
	for k := len(a.fields) - 1; k > 0; k-- {
		values[k], i = i%a.fields[k].radix, i/a.fields[k].radix
	}
	values[0] = i
	for k, f := range a.fields {
		b.WriteString(a.pieces[k])
		b.WriteString(f.write(s, values[k]))
	}
	b.WriteString(a.pieces[len(a.fields)])
	return b.String()
}

// index reads an address; -1 if it is not one of these.
func (a address) index(s *Site, uri string) int {
	if len(a.fields) == 0 {
		return -1
	}
	i := 0
	rest, ok := strings.CutPrefix(uri, a.pieces[0])
	for k, f := range a.fields {
		end := len(rest)
		if next := a.pieces[k+1]; f.width > 0 && f.width < len(rest) {
			end = f.width
		} else if next != "" {
			end = strings.Index(rest, next)
		}
		if !ok || end < 0 {
			return -1
		}
		v := f.read(s, rest[:end])
		if v < 0 || k > 0 && v >= f.radix {
			return -1
		}
		if k > 0 {
			i *= f.radix
		}
		i += v
		rest, ok = strings.CutPrefix(rest[end:], a.pieces[k+1])
	}
	if !ok || rest != "" || a.at(s, i) != uri {
		return -1
	}
	return i
}

// from counts radix numbers from first on.
func from(first, radix int) field {
	return field{radix: radix, write: func(_ *Site, v int) string { return strconv.Itoa(first + v) }, read: func(_ *Site, text string) int {
		return number(text) - first
	}}
}

// padded counts numbers from first on, with zeros in front.
func padded(first, radix, width int) field {
	f := from(first, radix)
	f.write = func(_ *Site, v int) string { return fmt.Sprintf("%0*d", width, first+v) }
	return f
}

// oneOf counts names.
func oneOf(names ...string) field {
	return field{radix: len(names), write: func(_ *Site, v int) string { return names[v%len(names)] }, read: func(_ *Site, text string) int {
		for v, name := range names {
			if name == text {
				return v
			}
		}
		return -1
	}}
}

// slug is words of the vocabulary and a number, with hyphens.
func slug(words, radix int) field {
	return field{radix: radix, write: func(s *Site, v int) string {
		text := s.text("slug "+strconv.Itoa(v), words)
		return strings.ReplaceAll(text, " ", "-") + "-" + strconv.Itoa(v)
	}, read: func(_ *Site, text string) int { return number(text[strings.LastIndexByte(text, '-')+1:]) }}
}

// daily counts days, written in a layout of package time.
func daily(first time.Time, layout string) field {
	return field{width: len(layout), write: func(_ *Site, v int) string { return first.AddDate(0, 0, v).Format(layout) }, read: func(_ *Site, text string) int {
		day, err := time.Parse(layout, text)
		if err != nil {
			return -1
		}
		return int(day.Sub(first).Hours() / 24)
	}}
}

// dated is a day and a slug, for one page a day.
func dated(first time.Time, words int) field {
	day, name := daily(first, "2006/01/02"), slug(words, 0)
	return field{write: func(s *Site, v int) string { return day.write(s, v) + "/" + name.write(s, v) }, read: name.read}
}

// date is the beginning of a day.
func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// monthly counts months, written in a layout.
func monthly(first time.Time, layout string) field {
	width := 0
	if strings.Contains(layout, "/") {
		width = len(layout)
	}
	return field{width: width, write: func(_ *Site, v int) string { return first.AddDate(0, v, 0).Format(layout) }, read: func(_ *Site, text string) int {
		month, err := time.Parse(layout, text)
		if err != nil {
			return -1
		}
		return (month.Year()-first.Year())*12 + int(month.Month()-first.Month())
	}}
}

// keyed writes numbers as keys without order, by a layout with an x for each of at least 16
// hexadecimal digits.
func keyed(layout string) field {
	return field{write: func(_ *Site, v int) string {
		digits, k := hexKey(uint64(v), strings.Count(layout, "x")), -1
		return strings.Map(func(c rune) rune {
			if c != 'x' {
				return c
			}
			k++
			return rune(digits[k])
		}, layout)
	}, read: func(_ *Site, text string) int {
		key, err := strconv.ParseUint(strings.ReplaceAll(text, "-", "")[:min(16, len(text)-strings.Count(text, "-"))], 16, 64)
		if err != nil {
			return -1
		}
		return max(-1, int(unscramble(key)))
	}}
}

// hexKey is scramble(v) in hexadecimal, and as many digits more that depend on it.
func hexKey(v uint64, digits int) string {
	key := fmt.Sprintf("%016x", scramble(v))
	for h := fnv.New128a(); len(key) < digits; {
		h.Write([]byte(key))
		key += hex.EncodeToString(h.Sum(nil))
	}
	return key[:digits]
}

// scramble permutes the 64-bit numbers; unscramble is its inverse.
func scramble(v uint64) uint64 {
	const odd = 0x9E3779B97F4A7C15
	v = (v ^ 0xD1B54A32D192ED03) * odd
	return bits.RotateLeft64(v, 32) * odd
}

func unscramble(v uint64) uint64 {
	const inverse = 0xF1DE83E19937733D // of odd in scramble, modulo 1<<64
	v = bits.RotateLeft64(v*inverse, 32)
	return v*inverse ^ 0xD1B54A32D192ED03
}
