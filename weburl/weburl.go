package weburl

import "strings"

// MaxLen is the length in bytes of the longest canonical URL; what would be
// longer is refused with ErrTooLong. Servers commonly stop at 8 KiB too.
const MaxLen = 8192

// URL is an absolute http or https URL in canonical form, without user info
// and without fragment. It is an immutable value of 24 bytes: two URLs are the
// same resource, as far as spelling shows it, exactly when == says so, and a
// URL may be the key of a map. The zero URL is no URL; its parts are empty.
//
// A URL shares the memory of the string it was made from (see Clone).
type URL struct {
	s     string
	host  uint16 // where the host name ends
	path  uint16 // the path's first "/"
	query uint16 // the "?", or len(s) when there is none
}

// String returns the whole URL, such as "https://go.dev:8443/doc/?q=1".
func (u URL) String() string { return u.s }

// IsZero reports whether u is the zero URL.
func (u URL) IsZero() bool { return u.s == "" }

// Clone returns u with a string of its own. Keep the clone when one URL of many
// that were cut from one page or one chunk is to live long: the others' memory
// can then be freed.
func (u URL) Clone() URL {
	u.s = strings.Clone(u.s)
	return u
}

// Scheme returns "http" or "https".
func (u URL) Scheme() string {
	if u.IsZero() {
		return ""
	}
	return u.s[:u.hostStart()-len("://")]
}

// Host returns the host name, and ":port" unless the port is the scheme's
// default: the key by which a crawler is polite. An IPv6 address stands in
// brackets.
func (u URL) Host() string { return u.s[u.hostStart():u.path] }

// Hostname returns the host name without port, an IPv6 address without its
// brackets.
func (u URL) Hostname() string {
	name := u.s[u.hostStart():u.host]
	if name != "" && name[0] == '[' {
		return name[1 : len(name)-1]
	}
	return name
}

// Port returns the port in decimal, "" when it is the scheme's default.
func (u URL) Port() string {
	if u.host == u.path {
		return ""
	}
	return u.s[u.host+1 : u.path]
}

// Origin returns scheme://host[:port], the unit of robots.txt.
func (u URL) Origin() string { return u.s[:u.path] }

// Path returns the path, which begins with "/".
func (u URL) Path() string { return u.s[u.path:u.query] }

// HasQuery reports whether there is a "?", be the query empty or not.
func (u URL) HasQuery() bool { return int(u.query) < len(u.s) }

// Query returns what follows the "?".
func (u URL) Query() string {
	if !u.HasQuery() {
		return ""
	}
	return u.s[u.query+1:]
}

// RequestURI returns path[?query], what an HTTP request line carries and
// robots.txt rules are matched against.
func (u URL) RequestURI() string { return u.s[u.path:] }

// dir returns the length of the path up to its last slash, with it.
func (u URL) dir() int { return strings.LastIndexByte(u.Path(), '/') + 1 }

// Segments yields the parts that deduplication works on: the origin, each path
// segment between slashes ("/a/" gives "a" and ""), and "?" with the query when
// there is one. Different URLs yield different sequences.
func (u URL) Segments(yield func(string) bool) {
	if u.IsZero() || !yield(u.Origin()) {
		return
	}
	rest := u.s[u.path+1 : u.query]
	for {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			break
		}
		if !yield(rest[:i]) {
			return
		}
		rest = rest[i+1:]
	}
	if yield(rest) && u.HasQuery() {
		yield(u.s[u.query:])
	}
}

// hostStart returns where the host begins: behind "http://" or "https://".
func (u URL) hostStart() int {
	switch {
	case u.s == "":
		return 0
	case u.s[4] == 's':
		return len("https://")
	default:
		return len("http://")
	}
}
