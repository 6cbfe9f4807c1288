package parse

import "bytes"

// rawEnd returns the index of the end tag that closes raw text of the given
// kind beginning at b[i], or len(b) if there is none.
func rawEnd(b []byte, i int, id tagID) int {
	end := endTagOf(b, i, rawNames[id])
	if id != tagScript {
		return end
	}
	// "<!--" in a script can hide an end tag. It rarely occurs, and then the
	// script is read again from there, state by state.
	if k := bytes.Index(b[i:end], []byte("<!--")); k >= 0 {
		return scriptEnd(b, i+k+len("<!--"))
	}
	return end
}

// endTagOf returns the index of the next "</name" that is an end tag.
func endTagOf(b []byte, i int, name string) int {
	for {
		k := bytes.Index(b[i:], []byte("</"))
		if k < 0 {
			return len(b)
		}
		i += k
		if isEndTag(b, i, name) {
			return i
		}
		i += 2
	}
}

// isEndTag reports whether b[i:], a "</", is an end tag of that name.
func isEndTag(b []byte, i int, name string) bool {
	return namedTag(b, i+2, name)
}

// namedTag reports whether the whole tag name at b[i] is name.
func namedTag(b []byte, i int, name string) bool {
	end := i + len(name)
	return end < len(b) && byteEnds[b[end]]&endsTag != 0 && equalFold(b[i:end], name)
}

// scriptEnd finds the end tag of a script in which "<!--" ends at b[i]. From
// there on the text is "escaped": a <script> in it makes it "double escaped",
// where </script> only leads back to escaped, and "-->" ends both.
func scriptEnd(b []byte, i int) int {
	const name = "script"
	escaped, double, dashes := true, false, 2
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '-':
			dashes++
			continue
		case c == '>' && dashes >= 2:
			escaped, double = false, false
		case c != '<':
		case !escaped:
			if bytes.HasPrefix(b[i:], []byte("<!--")) {
				escaped, dashes = true, 2
				i += len("<!--") - 1
				continue
			}
			if isSlash(b, i) && isEndTag(b, i, name) {
				return i
			}
		case isSlash(b, i) && isEndTag(b, i, name):
			if !double {
				return i
			}
			double = false
		case !double && namedTag(b, i+1, name):
			double = true
		}
		dashes = 0
	}
	return len(b)
}

func isSlash(b []byte, i int) bool { return i+1 < len(b) && b[i+1] == '/' }
