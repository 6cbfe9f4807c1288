package parse

import "strings"

// nextHeaderLink cuts the first link off a Link header's value:
//
//	<https://example.com/2>; rel="next"; title="a, b", <...
//
// Of several rel parameters the first counts (RFC 8288, section 3.3). What is
// no link is skipped up to the next comma.
func nextHeaderLink(s string) (ref, rel, rest string) {
	s = strings.TrimLeft(s, " \t,")
	if !strings.HasPrefix(s, "<") {
		_, rest, _ = strings.Cut(s, ",")
		return "", "", rest
	}
	ref, s, ok := strings.Cut(s[1:], ">")
	if !ok {
		return "", "", ""
	}
	seen := false
	for {
		s = strings.TrimLeft(s, " \t")
		if s == "" || s[0] == ',' {
			return ref, rel, s
		}
		var name, value string
		name, value, s = nextParam(strings.TrimLeft(s, "; \t"))
		if !seen && strings.EqualFold(name, "rel") {
			rel, seen = value, true
		}
	}
}

// nextParam cuts `name=value` or `name="value"` off s, which ends at ';' or ','.
func nextParam(s string) (name, value, rest string) {
	k := strings.IndexAny(s, "=;,")
	if k < 0 {
		return strings.TrimSpace(s), "", ""
	}
	name, rest = strings.TrimSpace(s[:k]), s[k:]
	if rest[0] != '=' {
		return name, "", rest
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	if strings.HasPrefix(rest, `"`) {
		value, rest = quoted(rest[1:])
		return name, value, rest
	}
	k = strings.IndexAny(rest, ";,")
	if k < 0 {
		k = len(rest)
	}
	return name, strings.TrimSpace(rest[:k]), rest[k:]
}

// quoted reads a quoted string behind its opening quote.
func quoted(s string) (value, rest string) {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return out.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String(), ""
}

// mediaType returns the lower-cased type/subtype and the charset parameter of
// a Content-Type header's value.
func mediaType(v string) (media, charset string) {
	media, rest, _ := strings.Cut(v, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	for rest != "" {
		var name, value string
		name, value, rest = nextParam(strings.TrimLeft(rest, "; \t,"))
		if charset == "" && strings.EqualFold(name, "charset") {
			charset = value
		}
	}
	return media, charset
}
