package trap

import "strings"

// class is what kind of thing a path segment or a parameter's value is.
type class uint8

const (
	nothing class = iota // empty
	word                 // a name
	digits               // numbers, dates
	key                  // generated: hexadecimal, a UUID, a session id
	list                 // several words, a+b
)

// symbol is the spelling of each class in a pattern.
var symbol = [...]string{nothing: "", word: "*", digits: "#", key: "@", list: "+"}

const (
	leastHex = 8  // letters and digits of the shortest hexadecimal key
	leastKey = 16 // of the shortest other key
	longID   = 6  // digits of a number that may name a session
)

// What a byte is, in a table since a branch for each costs more than all else.
const (
	isDigit = 1 << iota
	isLetter
	noHex  // stands in no hexadecimal key
	isList // between the words of a list
)

var byteIs = func() (table [256]uint8) {
	for c := range table {
		switch low := c | 0x20; {
		case c >= '0' && c <= '9':
			table[c] = isDigit
		case low >= 'a' && low <= 'f':
			table[c] = isLetter
		case low > 'f' && low <= 'z':
			table[c] = isLetter | noHex
		case c >= 0x80:
			table[c] = isLetter | noHex
		case c == ',':
			table[c] = isList
		case c == '+':
			table[c] = isList | noHex
		case c != '-' && c != '_' && c != '.' && c != ':':
			table[c] = noHex
		}
	}
	return table
}()

// classify costs a nanosecond a byte. Bytes that are written as "%D0" count as what they are: most
// are letters of other scripts.
func classify(s string) class {
	if s == "" {
		return nothing
	}
	var letters, numbers, changes, most int // changes between letters and digits, in a part
	var all, before uint8
	for i := 0; i < len(s); i++ {
		is := byteIs[s[i]]
		if s[i] == '%' && i+2 < len(s) {
			is = byteIs[unhex(s[i+1])<<4|unhex(s[i+2])]
			i += 2
		}
		all |= is
		is &= isDigit | isLetter
		numbers += int(is & isDigit)
		letters += int(is >> 1)
		if is^before == isDigit|isLetter {
			changes++
		}
		if is == 0 { // behind it another word begins: in vld1q_f32_x3 no part is a key
			changes = 0
		}
		most, before = max(most, changes), is
	}
	hex := all&noHex == 0
	switch {
	case letters == 0 && numbers > 0:
		return digits
	case hex && numbers > 1 && letters > 0 && numbers+letters >= leastHex:
		return key
	case most >= 3 && numbers+letters >= leastKey:
		return key
	case all&isList != 0:
		return list
	}
	return word
}

// unhex returns the value of a hexadecimal digit.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// isSession reports whether a parameter has one of the usual names of session ids.
func isSession(name string) bool {
	if len(name) == 3 {
		return strings.EqualFold(name, "sid")
	}
	for i := range len(name) {
		if name[i]|0x20 == 's' && len(name)-i >= 4 && strings.EqualFold(name[i:i+4], "sess") {
			return true
		}
	}
	return false
}
