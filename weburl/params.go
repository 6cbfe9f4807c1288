package weburl

import (
	"bytes"
	"strings"
)

// dropParams removes the query parameters that one of the patterns names, and
// the "?" when none is left.
func (b *builder) dropParams(patterns []string) {
	if len(patterns) == 0 || b.query == len(b.out) {
		return
	}
	kept := b.query // b.out[:kept] is written
	for rest := b.out[b.query:]; len(rest) > 0; {
		n := bytes.IndexByte(rest[1:], '&') + 1
		if n == 0 {
			n = len(rest)
		}
		param := rest[1:n] // behind its "?" or "&"
		if !dropped(param, patterns) {
			sep := byte('&')
			if kept == b.query {
				sep = '?'
			}
			b.out[kept] = sep
			kept += 1 + copy(b.out[kept+1:], param)
		}
		rest = rest[n:]
	}
	b.out = b.out[:kept]
}

// dropped reports whether a pattern names the parameter.
func dropped(param []byte, patterns []string) bool {
	name, _, _ := bytes.Cut(param, []byte{'='})
	for _, p := range patterns {
		prefix, glob := strings.CutSuffix(p, "*")
		if string(name) == prefix || glob && len(name) > len(prefix) && string(name[:len(prefix)]) == prefix {
			return true
		}
	}
	return false
}
