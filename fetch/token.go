package fetch

import "strings"

// browser is what nearly every user agent begins with, so that nobody is called by it.
const browser = "Mozilla"

// ProductToken returns the name in a user agent that robots.txt knows it by: the product token at
// its beginning (RFC 9309, section 2.2.1), "walker" of "walker/1.0 (+https://example.com)". If that
// is "Mozilla" it is the name behind "compatible;", where crawlers that call themselves browsers
// have it: "ExampleBot" of "Mozilla/5.0 (compatible; ExampleBot/0.1; +https://example.com)".
// Without such a name it stays "Mozilla", which no site means. Digits belong to a name that begins
// with one, which the standard does not know and sites do: "360Spider".
func ProductToken(userAgent string) string {
	name := leadingToken(userAgent)
	if !strings.EqualFold(name, browser) {
		return name
	}
	const mark = "compatible;"
	for _, behind := range strings.Split(userAgent, mark)[1:] {
		if bot := leadingToken(strings.TrimLeft(behind, " \t")); bot != "" && !strings.EqualFold(bot, "MSIE") {
			return bot
		}
	}
	return name
}

// IsNobody reports whether a product token names no crawler: sites have no rules for it.
func IsNobody(token string) bool { return token == "" || strings.EqualFold(token, browser) }

// leadingToken cuts the product token off the front of s.
func leadingToken(s string) string {
	digits := s != "" && isDigit(s[0])
	for i := range len(s) {
		if !isIdentifier(s[i]) && !(digits && isDigit(s[i])) {
			return s[:i]
		}
	}
	return s
}

// isAgent reports whether a user-agent line names token, whatever the case. Of
// the value, the product token at its beginning counts: "FooBot/2.1" and
// "FooBot (test)" name FooBot, "FooBot-News" does not (section 2.2.1). Digits end
// a name, as in "FooBot2", but not one that has digits itself.
func isAgent(value []byte, token string) bool {
	if token == "" || len(value) < len(token) || !strings.EqualFold(string(value[:len(token)]), token) {
		return false
	}
	if len(value) == len(token) {
		return true
	}
	next := value[len(token)]
	return !isIdentifier(next) && !(isDigit(next) && strings.ContainsAny(token, "0123456789"))
}

// isIdentifier reports the characters of a product token.
func isIdentifier(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '_'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
