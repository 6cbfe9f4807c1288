package trap

import "iter"

// cutParam cuts the first parameter off a query, before the next "&", or before a ";" behind which
// another name and a "=" follow: forums, gitweb and older scripts write so, but others write values
// with it, as in at=1.1;4.7.
func cutParam(query string) (pair, rest string, more bool) {
	for i := range len(query) {
		if query[i] == '&' || query[i] == ';' && beginsParam(query[i+1:]) {
			return query[:i], query[i+1:], true
		}
	}
	return query, "", false
}

// beginsParam reports whether s begins with a name and a "=".
func beginsParam(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '=':
			return i > 0
		case '&', ';':
			return false
		}
	}
	return false
}

// paramsOf iterates over the parameters of a query.
func paramsOf(query string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for more := true; more; {
			var pair string
			pair, query, more = cutParam(query)
			if !yield(pair) {
				return
			}
		}
	}
}
