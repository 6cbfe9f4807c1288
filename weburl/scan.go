package weburl

import (
	"net/netip"
	"strings"
)

// The fast paths. Most references on real pages are canonical already, or need
// only be joined to the base's directory. One look per byte into the class
// table decides; at the first byte that is not plain they give up, and the slow
// path does everything. Giving up too often costs time, never a wrong result:
// a fuzz test compares fast and slow.

// fast writes ref if that takes no more than copying; otherwise it writes
// nothing.
func (b *builder) fast(base URL, ref string) bool {
	if u, ok := scanAbsolute(ref); ok {
		b.inherit(u, len(u.s))
		b.query = int(u.query)
		return true
	}
	return !base.IsZero() && b.join(base, ref)
}

// scanAbsolute reports whether raw, up to its fragment, is a canonical URL.
func scanAbsolute(raw string) (URL, bool) {
	switch {
	case strings.HasPrefix(raw, "https://"):
		return scanAuthority(raw, len("https://"), ":443")
	case strings.HasPrefix(raw, "http://"):
		return scanAuthority(raw, len("http://"), ":80")
	}
	return URL{}, false
}

// scanAuthority is scanAbsolute from where the host begins; standard is the
// scheme's default port.
func scanAuthority(raw string, start int, standard string) (URL, bool) {
	host := scanHost(raw, start)
	path := scanPort(raw, host)
	if path < 0 || path == len(raw) || raw[path] != '/' || raw[host:path] == standard {
		return URL{}, false
	}
	query := scanPath(raw, path+1)
	end := scanQuery(raw, query)
	if end < 0 || end > MaxLen {
		return URL{}, false
	}
	return URL{s: raw[:end], host: uint16(host), path: uint16(path), query: uint16(query)}, true
}

// Each of the following scans one part of s from i on and returns where it
// ends, or -1 when it is not plainly canonical; from -1 comes -1.

// scanHost accepts lower-case names and IP addresses in canonical form.
func scanHost(s string, i int) int {
	if i < len(s) && s[i] == '[' {
		return scanIPv6(s, i)
	}
	start, label := i, i
	for ; i < len(s); i++ {
		if is(s[i], inHost) {
			continue
		}
		if s[i] != '.' {
			break
		}
		label = i + 1
	}
	if i == label || i-start > maxHost {
		return -1
	}
	if s[label] <= '9' && s[label] >= '0' {
		if ip, err := netip.ParseAddr(s[start:i]); err != nil || !ip.Is4() {
			return -1
		}
	}
	return i
}

// scanIPv6 accepts an address in brackets.
func scanIPv6(s string, i int) int {
	n := strings.IndexByte(s[i:], ']')
	if n < 0 {
		return -1
	}
	ip, err := netip.ParseAddr(s[i+1 : i+n])
	var buf [64]byte
	if err != nil || string(appendIPv6(buf[:0], ip.As16())) != s[i+1:i+n] {
		return -1
	}
	return i + n + 1
}

// scanPort accepts ":1" to ":65535" and the absence of a port.
func scanPort(s string, i int) int {
	if i < 0 || i == len(s) || s[i] != ':' {
		return i
	}
	n := 0
	for i++; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		n = n*10 + int(s[i]-'0')
		if n == 0 || n > 65535 {
			return -1
		}
	}
	if n == 0 {
		return -1
	}
	return i
}

// scanPath accepts the segments behind a slash, up to "?" or "#".
func scanPath(s string, i int) int {
	for from := i; ; {
		if i = run(s, i, plainPath); i == len(s) {
			return i
		}
		switch c := s[i]; {
		case c == '.' && (i > from && s[i-1] != '/' || !dotSegment(s[i:])):
			i++
		case c == ':' && (from > 0 || strings.IndexByte(s[:i], '/') >= 0): // else perhaps a scheme
			i++
		case c == '?' || c == '#':
			return i
		case c == '%' && plainEscape(s, i) > 0:
			i += plainEscape(s, i)
		default:
			return -1
		}
	}
}

// dotSegment reports whether s, which begins with a dot, begins with the
// segment "." or "..".
func dotSegment(s string) bool {
	s = s[1:]
	if s != "" && s[0] == '.' {
		s = s[1:]
	}
	return s == "" || !is(s[0], inPath)
}

// scanQuery accepts a "?" and the query behind it, or the absence of both.
func scanQuery(s string, i int) int {
	if i < 0 || i == len(s) || s[i] != '?' {
		return i
	}
	for i++; ; {
		switch i = run(s, i, inQuery); {
		case i == len(s) || s[i] == '#':
			return i
		case s[i] == '%' && plainEscape(s, i) > 0:
			i += plainEscape(s, i)
		default:
			return -1
		}
	}
}

// plainEscape returns how long the canonical thing is that the percent sign at
// s[i] begins: 3 for an encoding, 1 for a lone percent sign, 0 for neither.
func plainEscape(s string, i int) int {
	c, ok := triplet(s, i)
	switch {
	case !ok:
		return 1
	case is(s[i+1], upperHex) && is(s[i+2], upperHex) && !is(c, unreserved):
		return 3
	}
	return 0
}

// join writes a relative reference that only replaces the end of base.
func (b *builder) join(base URL, ref string) bool {
	var keep, from, query int // base[:keep] stays, ref[from:] follows, its "?" is at query
	switch {
	case ref == "" || ref[0] == '#':
		b.inherit(base, len(base.s))
		b.query = int(base.query)
		return true
	case ref[0] == '?':
		keep = int(base.query)
	case strings.HasPrefix(ref, "//"):
		return b.joinHost(base, ref)
	case strings.HasPrefix(ref, `/\`):
		return false // a host follows
	case ref[0] == '/':
		keep, from = int(base.path)+1, 1
		query = scanPath(ref, from)
	default:
		keep, from = climb(base, ref)
		query = scanPath(ref, from)
	}
	end := scanQuery(ref, query)
	if end < 0 || end > maxRaw {
		return false
	}
	b.inherit(base, keep)
	b.query = len(b.out) + query - from
	b.out = append(b.out, ref[from:end]...)
	return true
}

// joinHost is join for a reference that keeps the scheme only.
func (b *builder) joinHost(base URL, ref string) bool {
	standard := ":80"
	if base.Scheme() == "https" {
		standard = ":443"
	}
	u, ok := scanAuthority(ref, len("//"), standard)
	if !ok {
		return false
	}
	b.out = append(b.out, base.Scheme()...)
	b.out = append(b.out, ':')
	n := len(b.out)
	b.out = append(b.out, u.s...)
	b.host, b.path, b.query = n+int(u.host), n+int(u.path), n+int(u.query)
	return true
}

// climb reads the "./" and "../" that ref begins with, and returns how much of
// base is kept in front and where the rest of ref begins.
func climb(base URL, ref string) (keep, from int) {
	path, dir := base.Path(), base.dir()
	for {
		switch {
		case strings.HasPrefix(ref[from:], "./"):
			from += len("./")
		case strings.HasPrefix(ref[from:], "../"):
			from += len("../")
			dir = max(0, strings.LastIndexByte(path[:dir-1], '/')) + 1
		default:
			return int(base.path) + dir, from
		}
	}
}
