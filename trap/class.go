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

// classify costs a nanosecond a byte.
func classify(s string) class {
	if s == "" {
		return nothing
	}
	letters, numbers, hex := 0, 0, true
	changes := 0 // between letters and digits
	var before byte
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			numbers++
			if before == 'a' {
				changes++
			}
			before = '0'
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
			hex = hex && c|0x20 <= 'f'
			if before == '0' {
				changes++
			}
			before = 'a'
		case c != '-' && c != '_' && c != '.' && c != ':' && c != ',':
			hex = false
		}
	}
	switch {
	case letters == 0 && numbers > 0:
		return digits
	case hex && numbers > 1 && letters > 0 && numbers+letters >= leastHex:
		return key
	case changes >= 3 && numbers+letters >= leastKey:
		return key
	case strings.ContainsAny(s, "+,"):
		return list
	}
	return word
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
