package lab

import (
	"bytes"
	"compress/flate"
	"fmt"
	"math"

	"crawler/dedup"
	"crawler/internal/sheet"
)

// compressedURLs is how many URLs the compressed filters hold at most.
const compressedURLs = 20_000

// shapes are the filters of Mitzenmacher's tables, which are sent in about 8 and 16 bits a key.
var shapes = []struct {
	bits float64
	k    int
}{{8, 6}, {14, 2}, {92, 1}, {16, 11}, {28, 4}, {48, 3}}

// compressedSection compares filters that are larger, and compressed before they are sent, with
// plain ones (Mitzenmacher 2002, "Compressed Bloom filters").
func (c *comparison) compressedSection(keys []uint64) (sheet.Section, error) {
	keys = keys[:min(len(keys), compressedURLs)]
	t := &sheet.Table{Columns: []sheet.Column{{Name: "bits a URL in memory", Key: "bits_a_url", Format: "%.3g"}, {Name: "k"}, {Name: "ones", Unit: "share", Format: "%.4f"},
		{Name: "entropy", Unit: "bits a URL", Format: "%.3f"}, {Name: "sent, coded", Key: "sent", Unit: "bits a URL", Format: "%.3f"},
		{Name: "sent, deflated", Key: "deflated", Unit: "bits a URL", Format: "%.3f"}, {Name: "rate", Format: "%.6f"}, {Name: "expected", Format: "%.6f"},
		{Name: "plain filter of the sent size", Key: "plain", Unit: "rate", Format: "%.6f"}}}
	n := float64(max(len(keys), 1))
	for _, shape := range shapes {
		f := dedup.NewClassic(int64(shape.bits*n+0.5), shape.k, c.cfg.Seed)
		for _, key := range keys {
			f.Add(key)
		}
		text := f.String()
		coded := encodeBits(text, f.Fill())
		if decodeBits(coded, len(text), f.Fill()) != text {
			return sheet.Section{}, fmt.Errorf("lab: a filter of %d bits does not survive its compression", len(text))
		}
		sent := 8 * float64(len(coded)) / n
		t.Rows = append(t.Rows, []sheet.Cell{shape.bits, shape.k, f.Fill(), entropy(f.Fill()) * float64(f.Bits()) / n, sent, 8 * deflated(text) / n,
			c.absent(f, 27).share(), dedup.ClassicRate(shape.bits, shape.k), dedup.ClassicRate(sent, dedup.BestK(sent))})
	}
	return sheet.Section{ID: "compressed", Title: "Compressed Bloom filters", Table: t, Notes: []string{
		"A filter with the best k is half full of ones: nothing can be compressed. One with more bits and fewer hash functions is mostly zeros, and where it is sent (as a digest is), " +
			"it is smaller on the way, and errs less often, than the plain filter of that size; in memory it is larger. The first row of each three is the plain one.",
		"Coded: by an arithmetic coder that is told the share of ones, and decoded again. Deflate, which looks for repetitions, gains less.",
	}}, nil
}

// entropy is how many bits a bit is worth that is set with the chance p.
func entropy(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log2(p) - (1-p)*math.Log2(1-p)
}

// scaleBits is the precision of the coder's chance.
const scaleBits = 16

// zeros is the chance of a zero, scaled.
func zeros(ones float64) uint32 {
	return uint32(min(max(math.Round((1-ones)*(1<<scaleBits)), 1), 1<<scaleBits-1))
}

// encodeBits compresses zeros and ones of which the share of ones is known, by a range coder
// with carries (Martin 1979, "Range encoding"; the form is that of LZMA's).
func encodeBits(text string, ones float64) []byte {
	var out []byte
	low, width, bound := uint64(0), uint32(math.MaxUint32), zeros(ones)
	for _, bit := range []byte(text) {
		part := width >> scaleBits * bound
		if bit == '0' {
			width = part
		} else {
			low += uint64(part)
			width -= part
		}
		for width < 1<<24 {
			out = shiftLow(out, &low)
			width <<= 8
		}
	}
	for range 5 {
		out = shiftLow(out, &low)
	}
	return out
}

// shiftLow writes the highest byte of low, and carries into those written.
func shiftLow(out []byte, low *uint64) []byte {
	if *low>>32 != 0 {
		for i := len(out) - 1; i >= 0; i-- {
			if out[i]++; out[i] != 0 {
				break
			}
		}
	}
	out = append(out, byte(*low>>24))
	*low = *low << 8 & math.MaxUint32
	return out
}

// decodeBits undoes encodeBits.
func decodeBits(coded []byte, n int, ones float64) string {
	at := func(i int) uint32 {
		if i < len(coded) {
			return uint32(coded[i])
		}
		return 0
	}
	code, next := uint32(0), 4
	for i := range 4 {
		code = code<<8 | at(i)
	}
	width, bound, text := uint32(math.MaxUint32), zeros(ones), make([]byte, n)
	for i := range text {
		part := width >> scaleBits * bound
		if code < part {
			text[i], width = '0', part
		} else {
			text[i], code, width = '1', code-part, width-part
		}
		for width < 1<<24 {
			code, width = code<<8|at(next), width<<8
			next++
		}
	}
	return string(text)
}

// deflated is how many bytes Deflate makes of the bits.
func deflated(text string) float64 {
	packed := make([]byte, (len(text)+7)/8)
	for i := range text {
		packed[i/8] |= (text[i] - '0') << (i % 8)
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		panic(err) // the level is right
	}
	if _, err := w.Write(packed); err != nil {
		panic(err) // a Buffer takes all
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return float64(b.Len())
}
