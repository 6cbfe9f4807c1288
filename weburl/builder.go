package weburl

import (
	"bytes"
	"strings"
)

// maxRaw bounds the work on one reference: a longer one, without its fragment, is
// refused at once.
const maxRaw = 4 * MaxLen

// builder writes one canonical URL, front to back.
type builder struct {
	out               []byte
	host, path, query int // as in URL
}

// url returns the URL of what was built; s is out as a string.
func (b *builder) url(s string) URL {
	return URL{s: s, host: uint16(b.host), path: uint16(b.path), query: uint16(b.query)}
}

// build writes ref, resolved against base unless that is zero.
func (b *builder) build(o Options, base URL, ref string) error {
	if !b.fast(base, ref) {
		if err := b.slow(base, ref); err != nil {
			return err
		}
	}
	b.dropParams(o.DropParams)
	if len(b.out) > MaxLen {
		return ErrTooLong
	}
	return nil
}

// slow writes ref by the full rules.
func (b *builder) slow(base URL, ref string) error {
	ref, err := clean(ref)
	if err != nil {
		return err
	}
	return b.reference(base, ref)
}

// clean cuts what never is part of a reference: controls and spaces around it,
// the fragment, and tabs and line ends anywhere.
func clean(ref string) (string, error) {
	for ref != "" && ref[0] <= ' ' {
		ref = ref[1:]
	}
	for ref != "" && ref[len(ref)-1] <= ' ' {
		ref = ref[:len(ref)-1]
	}
	if i := strings.IndexByte(ref, '#'); i >= 0 {
		ref = ref[:i]
	}
	if len(ref) > maxRaw {
		if _, s := cutScheme(ref); s == schemeOther {
			return "", ErrScheme
		}
		return "", ErrTooLong
	}
	for _, c := range []byte("\t\n\r") {
		if strings.IndexByte(ref, c) >= 0 {
			return tabsAndLineEnds.Replace(ref), nil
		}
	}
	return ref, nil
}

var tabsAndLineEnds = strings.NewReplacer("\t", "", "\n", "", "\r", "")

// reference decides by scheme and leading slashes what ref replaces of base.
func (b *builder) reference(base URL, ref string) error {
	rest, scheme := cutScheme(ref)
	switch {
	case scheme == schemeOther:
		return ErrScheme
	case scheme == schemeNone && base.IsZero():
		return ErrRelative
	case scheme == schemeNone:
		return b.relative(base, ref)
	case scheme == base.Scheme() && !strings.HasPrefix(rest, "//"):
		// "http:foo" on an http page is a relative reference to browsers.
		return b.relative(base, rest)
	}
	return b.authority(scheme, rest)
}

// What cutScheme finds besides "http" and "https".
const (
	schemeNone  = ""
	schemeOther = "other"
)

// cutScheme splits a leading "scheme:" off: "http" and "https" in lower case,
// schemeOther for any other, schemeNone and ref itself when there is none.
func cutScheme(ref string) (rest, scheme string) {
	i := run(ref, 0, inScheme)
	if i == 0 || i == len(ref) || ref[i] != ':' || !is(ref[0], letter) {
		return ref, schemeNone
	}
	switch {
	case equalFold(ref[:i], "http"):
		return ref[i+1:], "http"
	case equalFold(ref[:i], "https"):
		return ref[i+1:], "https"
	}
	return ref[i+1:], schemeOther
}

// equalFold reports whether s, letters and few signs, is lower but for case.
func equalFold(s, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		if s[i]|0x20 != lower[i] {
			return false
		}
	}
	return true
}

// relative writes a reference without scheme.
func (b *builder) relative(base URL, ref string) error {
	switch {
	case ref == "":
		b.inherit(base, len(base.s))
		b.query = int(base.query)
	case ref[0] == '?':
		b.inherit(base, int(base.query))
		b.queryPart(ref)
	case !isSlash(ref[0]):
		b.inherit(base, int(base.path)+base.dir())
		b.pathAndQuery(ref)
	case len(ref) > 1 && isSlash(ref[1]):
		return b.authority(base.Scheme(), ref)
	default:
		b.inherit(base, int(base.path)+1)
		b.pathAndQuery(ref[1:])
	}
	return nil
}

// inherit copies the first n bytes of base, at least its origin.
func (b *builder) inherit(base URL, n int) {
	b.out = append(b.out, base.s[:n]...)
	b.host, b.path = int(base.host), int(base.path)
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

// authority writes the scheme, then host, path and query of rest, which may
// begin with any number of slashes.
func (b *builder) authority(scheme, rest string) error {
	b.out = append(b.out, scheme...)
	b.out = append(b.out, "://"...)
	for rest != "" && isSlash(rest[0]) {
		rest = rest[1:]
	}
	end := 0
	for end < len(rest) && !isSlash(rest[end]) && rest[end] != '?' {
		end++
	}
	if err := b.hostAndPort(scheme, rest[:end]); err != nil {
		return err
	}
	if rest = rest[end:]; rest != "" && isSlash(rest[0]) {
		rest = rest[1:]
	}
	b.path = len(b.out)
	b.out = append(b.out, '/')
	b.pathAndQuery(rest)
	return nil
}

// pathAndQuery writes a path's segments, behind the slash that ends out, and
// the query if there is one.
func (b *builder) pathAndQuery(s string) {
	q := strings.IndexByte(s, '?')
	if q < 0 {
		b.segments(s)
		b.query = len(b.out)
		return
	}
	b.segments(s[:q])
	b.queryPart(s[q:])
}

// segments writes path segments behind the slash that ends out.
func (b *builder) segments(s string) {
	start := len(b.out)
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case is(c, inPath):
			end := run(s, i, inPath)
			b.out = append(b.out, s[i:end]...)
			i = end
		case isSlash(c):
			b.endSegment(start, true)
			start = len(b.out)
			i++
		case c == '%':
			i = b.escape(s, i)
		default:
			b.encode(c)
			i++
		}
	}
	b.endSegment(start, false)
}

// endSegment closes the segment that began at start. "." vanishes, ".." takes
// the segment before it along; both leave the path ending in a slash.
func (b *builder) endSegment(start int, slash bool) {
	switch string(b.out[start:]) {
	case ".":
		b.out = b.out[:start]
	case "..":
		parent := bytes.LastIndexByte(b.out[b.path:start-1], '/') // none above the root
		b.out = b.out[:b.path+max(0, parent)+1]
	default:
		if slash {
			b.out = append(b.out, '/')
		}
	}
}

// queryPart writes s, which begins with "?".
func (b *builder) queryPart(s string) {
	b.query = len(b.out)
	b.out = append(b.out, '?')
	for i := 1; i < len(s); {
		switch c := s[i]; {
		case is(c, inQuery):
			end := run(s, i, inQuery)
			b.out = append(b.out, s[i:end]...)
			i = end
		case c == '%':
			i = b.escape(s, i)
		default:
			b.encode(c)
			i++
		}
	}
}

// encode writes a byte as a percent-encoding.
func (b *builder) encode(c byte) {
	const digits = "0123456789ABCDEF"
	b.out = append(b.out, '%', digits[c>>4], digits[c&15])
}

// escape writes what the percent sign at s[i] begins and returns where that
// ends.
func (b *builder) escape(s string, i int) int {
	c, ok := triplet(s, i)
	switch {
	case !ok:
		b.out = append(b.out, '%')
		return i + 1
	case is(c, unreserved) && !(is(c, hexDigit) && b.endsInLonePercent()):
		b.out = append(b.out, c)
	default:
		b.encode(c)
	}
	return i + 3
}

// endsInLonePercent reports whether out ends in a percent sign that begins no
// encoding, or in one and a hex digit. A digit decoded behind it would make an
// encoding that was not there ("%%34%31" must not become "%41", which is "A").
func (b *builder) endsInLonePercent() bool {
	n := len(b.out) // well above 2: a URL begins with its scheme
	return b.out[n-1] == '%' || b.out[n-2] == '%' && is(b.out[n-1], hexDigit)
}
