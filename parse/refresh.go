package parse

import "bytes"

// refreshURL returns the URL of a meta refresh's content, nil if it only
// reloads the page. The steps are the standard's ("shared declarative refresh
// steps"): a time, then a separator, then perhaps "url=", perhaps quoted.
func refreshURL(s []byte) []byte {
	s = s[pastSpace(s, 0):]
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	if n == 0 && (len(s) == 0 || s[0] != '.') {
		return nil
	}
	for n < len(s) && ('0' <= s[n] && s[n] <= '9' || s[n] == '.') {
		n++
	}
	if s = s[n:]; len(s) == 0 || s[0] != ';' && s[0] != ',' && !isSpace(s[0]) {
		return nil
	}
	s = s[pastSpace(s, 0):]
	if len(s) > 0 && (s[0] == ';' || s[0] == ',') {
		s = s[1+pastSpace(s[1:], 0):]
	}
	if len(s) == 0 {
		return nil
	}
	return unquoteRefresh(cutURLWord(s))
}

// cutURLWord removes "url =" from the front of s, if it is there.
func cutURLWord(s []byte) []byte {
	if len(s) < 3 || !equalFold(s[:3], "url") {
		return s
	}
	rest := s[3+pastSpace(s[3:], 0):]
	if len(rest) == 0 || rest[0] != '=' {
		return s
	}
	return rest[1+pastSpace(rest[1:], 0):]
}

// unquoteRefresh takes the text up to the closing quote if s begins with one.
func unquoteRefresh(s []byte) []byte {
	if len(s) == 0 || s[0] != '"' && s[0] != '\'' {
		return s
	}
	quote := s[0]
	s = s[1:]
	if k := bytes.IndexByte(s, quote); k >= 0 {
		s = s[:k]
	}
	return s
}

// srcset yields the images of a srcset attribute's decoded value: URLs, each
// followed by descriptors up to the next comma outside parentheses.
func (p *Parser) srcset(s []byte) {
	for {
		for len(s) > 0 && (isSpace(s[0]) || s[0] == ',') {
			s = s[1:]
		}
		if len(s) == 0 {
			return
		}
		n := 0
		for n < len(s) && !isSpace(s[n]) {
			n++
		}
		url := bytes.TrimRight(s[:n], ",")
		p.decodedLink(url, Asset, false)
		if s = s[n:]; len(url) == n {
			s = s[descriptorsEnd(s):]
		}
	}
}

// descriptorsEnd returns the index of the comma that ends an image's
// descriptors.
func descriptorsEnd(s []byte) int {
	inside := false
	for i, c := range s {
		switch {
		case c == '(':
			inside = true
		case c == ')':
			inside = false
		case c == ',' && !inside:
			return i
		}
	}
	return len(s)
}
