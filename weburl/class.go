package weburl

// What a byte may be, one bit each. Every decision of the package about a
// character is a look into one table.
const (
	inPath      uint16 = 1 << iota // stands for itself in a canonical path segment
	plainPath                      // so too, or a slash, and no '.' (dot segments) or ':' (schemes)
	inQuery                        // stands for itself in a canonical query
	inHost                         // stands for itself in a canonical domain label
	notInDomain                    // the standard's forbidden domain code points
	unreserved                     // RFC 3986, section 2.3: never needs a percent-encoding
	letter                         // ASCII, either case
	inScheme                       // may stand in a scheme behind its first letter
	hexDigit
	upperHex // a hex digit in the canonical spelling
)

// classes maps each byte to its bits. Written once here, then only read.
var classes = makeClasses()

func makeClasses() (t [256]uint16) {
	for c := 0; c <= ' '; c++ {
		t[c] = notInDomain
	}
	t[0x7F] = notInDomain
	for c := '!'; c <= '~'; c++ {
		t[c] = inPath | plainPath | inQuery
	}
	set := func(chars string, bits uint16) {
		for i := range len(chars) {
			t[chars[i]] |= bits
		}
	}
	clear := func(chars string, bits uint16) {
		for i := range len(chars) {
			t[chars[i]] &^= bits
		}
	}
	const lower, upper, digits = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	clear("\"#<>?^`{}%\\", inPath|plainPath)
	clear("/", inPath)
	clear(".:", plainPath)
	clear("\"#<>'%", inQuery)
	set("#/:<>?@[\\]^|%", notInDomain)
	for c := range 0x80 {
		if t[c]&notInDomain == 0 {
			t[c] |= inHost
		}
	}
	clear("."+upper, inHost)
	set(lower+upper+digits+"-._~", unreserved)
	set(lower+upper, letter)
	set(digits+"abcdefABCDEF", hexDigit)
	set(digits+"ABCDEF", upperHex)
	set(lower+upper+digits+"+-.", inScheme)
	return t
}

func is(c byte, bits uint16) bool { return classes[c]&bits != 0 }

// run returns the end of the run of bytes in s, from i on, that have the bit. It
// looks at four at a time while it can.
func run(s string, i int, bit uint16) int {
	for ; len(s)-i >= 4; i += 4 {
		four := s[i : i+4]
		if classes[four[0]]&classes[four[1]]&classes[four[2]]&classes[four[3]]&bit == 0 {
			break
		}
	}
	for i < len(s) && is(s[i], bit) {
		i++
	}
	return i
}

// unhex returns the value of a hex digit of either case.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// triplet reports whether s[i:] begins with a percent sign and two hex digits,
// and the byte they stand for.
func triplet(s string, i int) (byte, bool) {
	if i+2 >= len(s) || s[i] != '%' || !is(s[i+1], hexDigit) || !is(s[i+2], hexDigit) {
		return 0, false
	}
	return unhex(s[i+1])<<4 | unhex(s[i+2]), true
}
