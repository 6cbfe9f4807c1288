package trap

import "iter"

// cutParam cuts the first parameter off a query, before the next "&" or ";": forums, gitweb and
// older scripts write the latter.
func cutParam(query string) (pair, rest string, more bool) {
	for i := range len(query) {
		if query[i] == '&' || query[i] == ';' {
			return query[:i], query[i+1:], true
		}
	}
	return query, "", false
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
