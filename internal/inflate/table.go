package inflate

import "math/bits"

// A table decodes one Huffman code. Its first 1<<width entries are found by the next width bits
// of the input; codewords that are longer lead from there to a table of their own behind these.
// Entries:
//
//	bits 0–7    bits to take from the input: the codeword and the extra bits behind it
//	bits 8–11   bits of the codeword alone; of a link, the width of the table it leads to
//	bits 16–30  its meaning: a byte, the least length or distance, where the table is
//
// and the flags below.
type entry = uint32

const (
	literal entry = 1 << 31 // a byte
	special entry = 1 << 15 // neither byte nor length nor distance: end, link, or no codeword
	link    entry = 1 << 14
	end     entry = 1 << 13 // of the block
)

// Widths, and how many entries the worst of all codes needs (enough.c of zlib).
const (
	litWidth   = 11
	litEntries = 2342
	offWidth   = 8
	offEntries = 402
	preWidth   = 7
	preEntries = 128

	maxCode    = 15 // bits of a codeword
	litSymbols = 288
	offSymbols = 32
	preSymbols = 19
	maxLits    = 286 // symbols with a meaning
	maxOffs    = 30
	endSymbol  = 256
)

// meanings of the symbols of a code, without the codeword's length.
type meanings [litSymbols]entry

// value is the meaning of a symbol that has a base and extra bits.
func value(base, extra int) entry { return entry(base)<<16 | entry(extra) }

// litMeanings are those of literals and lengths (RFC 1951, section 3.2.5).
var litMeanings = func() (m meanings) {
	for i := range 256 {
		m[i] = literal | value(i, 0)
	}
	m[endSymbol] = special | end
	base := 3
	for i := 257; i < maxLits-1; i++ {
		extra := max(0, (i-257)/4-1)
		m[i] = value(base, extra)
		base += 1 << extra
	}
	m[maxLits-1] = value(258, 0)
	m[286], m[287] = special, special
	return m
}()

// offMeanings are those of distances.
var offMeanings = func() (m meanings) {
	base := 1
	for i := range maxOffs {
		extra := max(0, i/2-1)
		m[i] = value(base, extra)
		base += 1 << extra
	}
	m[30], m[31] = special, special
	return m
}()

// preMeanings are those of the code in which the lengths of the codewords come.
var preMeanings = func() (m meanings) {
	for i := range preSymbols {
		m[i] = value(i, 0)
	}
	return m
}()

// build makes the table of a code from the lengths of its codewords; 0 is a symbol that does not
// occur. It reports whether there is such a code: complete, or of one codeword of one bit, or of
// none.
func build(table []entry, width int, lengths []uint8, of *meanings) bool {
	var count [maxCode + 1]int
	for _, n := range lengths {
		count[n]++
	}
	most, room := 0, 1
	for n := 1; n <= maxCode; n++ {
		if room = room<<1 - count[n]; room < 0 {
			return false
		}
		if count[n] > 0 {
			most = n
		}
	}
	if most <= 1 && room > 0 { // room, in units of the longest codeword, is not used up
		short(table[:1<<width], lengths, of)
		return true
	}
	if room > 0 {
		return false
	}
	var sorted [litSymbols]uint16
	var next [maxCode + 2]int
	for n := 1; n <= maxCode; n++ {
		next[n+1] = next[n] + count[n]
	}
	for symbol, n := range lengths {
		if n > 0 {
			sorted[next[n]] = uint16(symbol)
			next[n]++
		}
	}
	fill(table, width, most, &count, sorted[:next[most]], of)
	return true
}

// short makes the table of a code with at most one codeword, of one bit.
func short(table []entry, lengths []uint8, of *meanings) {
	for i := range table {
		table[i] = special
	}
	for symbol, n := range lengths {
		if n == 1 {
			for i := 0; i < len(table); i += 2 {
				table[i] = with(of[symbol], 1)
			}
		}
	}
}

// with is a meaning with the length of its codeword.
func with(m entry, bits int) entry { return m + entry(bits)<<8 + entry(bits) }

// fill makes the table of a complete code whose symbols are sorted by the length of their
// codewords. Codewords come with their first bit lowest, so that the next one follows by a carry
// from above. The table doubles as codewords become longer: what is known of the
// shorter ones holds whatever bit comes next.
func fill(table []entry, width, most int, count *[maxCode + 1]int, sorted []uint16, of *meanings) {
	code, size := 0, 1
	for n := 1; n <= min(most, width); n++ {
		copy(table[size:], table[:size])
		size *= 2
		for range count[n] {
			table[code] = with(of[sorted[0]], n)
			sorted = sorted[1:]
			code = after(code, n)
		}
	}
	for ; size < 1<<width; size *= 2 {
		copy(table[size:], table[:size])
	}
	at, prefix, subWidth := 1<<width, -1, 0
	for n := width + 1; n <= most; n++ {
		for left := count[n]; left > 0; left-- {
			if p := code & (1<<width - 1); p != prefix {
				if prefix >= 0 {
					at += 1 << subWidth
				}
				prefix = p
				// As wide as its longest codeword needs: it has room for those that are left.
				subWidth = n - width
				for used := left; used < 1<<subWidth && subWidth+width < most; {
					subWidth++
					used = used<<1 + count[width+subWidth]
				}
				table[p] = special | link | entry(at)<<16 | entry(subWidth)<<8 | entry(width)
			}
			e := with(of[sorted[0]], n-width)
			sorted = sorted[1:]
			for i := code >> width; i < 1<<subWidth; i += 1 << (n - width) {
				table[at+i] = e
			}
			code = after(code, n)
		}
	}
}

// after returns the codeword of n bits that follows, 0 after the last. Both have their first
// bit lowest.
func after(code, n int) int {
	if code == 1<<n-1 {
		return code
	}
	bit := 1 << (bits.Len(uint(code^(1<<n-1))) - 1) // the highest that is 0
	return code&(bit-1) | bit
}
