package fetch

import (
	"bytes"
	"strings"
)

// How a rule's path is compared with a URL's path and query.
//
// Both are brought into one spelling first (RFC 9309, section 2.2.2). What means
// the same is spelt the same: an unreserved character is never percent-encoded,
// octets outside ASCII always are, hexadecimals are upper case. For a reserved
// character (RFC 3986, section 2.2) the section takes "http://" and
// "http%3A%2F%2F" for the same, which is right where the character is data and
// wrong where it is structure. So a reserved character equals its encoding
// except for "/" and "?" in a path, where they end a segment and the path, and
// for "&", "=" and "+" in a query, where forms give them a meaning. The common
// spelling is the plain character.
//
// A "*" that stands for itself must be spelt %2A in a rule, and a "$" at its end
// %24 (section 2.2.3).
//
// What is compared then are the characters of the spelling, as the section has
// it, so that "/*%" is any URL with something encoded in it, and "/*20" one with
// a "%20".

// star separates the pieces of a compiled pattern. It occurs in no spelling.
const star = "\x00"

// A rule is one compiled Allow or Disallow line.
type rule struct {
	pattern string // its pieces, separated by star; the first is a prefix of what matches
	// inQuery is the pattern as it reads if all its pieces but the first lie in
	// the query, when that is another reading; else "". Behind a "*" both
	// readings are possible.
	inQuery string
	length  int // octets, by which rules take precedence
	allow   bool
	ends    bool // by "$"
}

// matches reports whether the rule applies to t. Pieces are looked for from left
// to right, each as early as possible: if they can be placed at all they can be
// placed so, hence nothing is ever tried again.
func (r *rule) matches(t *target) bool {
	piece, rest, more := strings.Cut(r.pattern, star)
	if !strings.HasPrefix(t.text, piece) {
		return false
	}
	at := len(piece)
	if !more {
		return !r.ends || at == len(t.text)
	}
	_, restQ, _ := strings.Cut(r.inQuery, star)
	for more {
		var pieceQ string
		piece, rest, more = strings.Cut(rest, star)
		pieceQ, restQ, _ = strings.Cut(restQ, star)
		if r.inQuery == "" {
			pieceQ = piece
		}
		if r.ends && !more {
			return t.endsWith(piece, pieceQ, at)
		}
		if at = t.find(piece, pieceQ, at); at < 0 || t.work < 0 {
			return false
		}
	}
	return true
}

// maxWork is how many bytes of URLs are searched for the pieces of rules with stars to decide about
// one URL. 500 KiB of such rules search an address of 80 bytes within it and one of 8 KB
// not; honest files are a tenth of that.
const maxWork = 4 << 20

// pieceWork is what a search costs besides, in bytes.
const pieceWork = 32

// A target is a URL's path and query in the common spelling.
type target struct {
	text  string
	query int // where the "?" is, or the end
	work  int // what is left of maxWork; below 0 no rule may be tried any more
}

func newTarget(requestURI string) target {
	text := requestURI
	if text == "" || text[0] != '/' {
		text = "/" + text
	}
	if !isSpelt(text) {
		s := speller{out: make([]byte, 0, len(text)+16)}
		for i := 0; i < len(text); {
			i += put(&s, text[i:])
		}
		text = string(s.out)
	}
	query := strings.IndexByte(text, '?')
	if query < 0 {
		query = len(text)
	}
	return target{text, query, maxWork}
}

// find returns where a piece ends at its first place from at on, or -1. inPath
// and inQuery are its two readings.
func (t *target) find(inPath, inQuery string, at int) int {
	if inPath == inQuery {
		return t.search(inPath, at)
	}
	if start := t.findInPath(inPath, at); start >= 0 {
		t.work -= start - at + pieceWork
		return start + len(inPath)
	}
	t.work -= max(t.query-at, 0)
	return t.search(inQuery, max(at, t.behindQuery()))
}

// search is find for a piece with one reading.
func (t *target) search(piece string, at int) int {
	i := strings.Index(t.text[at:], piece)
	if i < 0 {
		t.work -= len(t.text) - at + pieceWork
		return -1
	}
	t.work -= i + pieceWork
	return at + i + len(piece)
}

func ending(index, beyond int) int {
	if index < 0 {
		return -1
	}
	return index + beyond
}

// findInPath places a piece that begins in the path. If it has a "?", that must
// be the one that begins the query.
func (t *target) findInPath(piece string, at int) int {
	if q := strings.IndexByte(piece, '?'); q >= 0 {
		if start := t.query - q; start >= at && strings.HasPrefix(t.text[start:], piece) {
			return start
		}
		return -1
	}
	if at >= t.query {
		return -1
	}
	return ending(strings.Index(t.text[at:t.query], piece), at)
}

// endsWith reports whether a piece lies at the end of the text, behind at.
func (t *target) endsWith(inPath, inQuery string, at int) bool {
	if inPath == inQuery {
		return t.hasSuffix(inPath, at)
	}
	if start := len(t.text) - len(inPath); start >= at && t.findInPath(inPath, start) == start {
		return true
	}
	return t.hasSuffix(inQuery, max(at, t.behindQuery()))
}

// behindQuery is where characters are read as those of a query.
func (t *target) behindQuery() int { return min(t.query+1, len(t.text)) }

func (t *target) hasSuffix(piece string, at int) bool {
	return len(t.text)-len(piece) >= at && strings.HasSuffix(t.text, piece)
}

// add compiles the path of one line. An empty path is no rule, and one that
// begins neither with "/" nor with "*" could match nothing.
func (p *patterns) add(path []byte, allow bool) {
	if len(path) == 0 || path[0] != '/' && path[0] != '*' {
		return
	}
	body, dollar := bytes.CutSuffix(path, []byte("$"))
	fixed := bytes.TrimRight(body, "*") // a "*" at the end says nothing, and undoes the "$"
	s := span{from: len(p.text), allow: allow, ends: dollar && len(fixed) == len(body)}

	p.text, s.length = spell(p.text, fixed, false)
	s.length += len(path) - len(fixed)
	s.mid = len(p.text)
	if bytes.IndexByte(fixed, '*') >= 0 && bytes.IndexByte(fixed, '%') >= 0 {
		p.text, _ = spell(p.text, fixed, true)
		if bytes.Equal(p.text[s.from:s.mid], p.text[s.mid:]) {
			p.text = p.text[:s.mid]
		}
	}
	s.to = len(p.text)
	p.spans = append(p.spans, s)
}

// spell appends a rule's path in the common spelling, with star for "*". In
// queryAfterStar what follows the first "*" is read as part of a query. octets is
// the path's length as rules take precedence by it.
func spell(out, path []byte, queryAfterStar bool) (text []byte, octets int) {
	s := speller{out: out}
	for len(path) > 0 {
		if path[0] != '*' {
			path = path[put(&s, path):]
			continue
		}
		if n := len(s.out); n == len(out) || s.out[n-1] != star[0] {
			s.out = append(s.out, star...)
		}
		s.octets++
		s.query = s.query || queryAfterStar
		path = path[1:]
	}
	return s.out, s.octets
}

// A speller writes the common spelling.
type speller struct {
	out    []byte
	octets int  // as written, but with every octet outside ASCII as three
	query  bool // behind the "?"
}

// put takes one character or percent-encoded octet off the front of in, and
// returns its length there.
func put[T string | []byte](s *speller, in T) int {
	c := in[0]
	if c == '%' && len(in) >= 3 && is(in[1], hexDigit) && is(in[2], hexDigit) {
		return s.putEncoded(unhex(in[1])<<4 | unhex(in[2]))
	}
	s.octets++
	switch {
	case is(c, unreserved|delimiter), c == '%':
		s.out = append(s.out, c)
		s.query = s.query || c == '?'
	case c >= 0x80:
		s.octets += 2
		fallthrough
	default:
		s.escape(c)
	}
	return 1
}

func (s *speller) putEncoded(c byte) int {
	switch {
	case is(c, unreserved):
		s.octets++
		s.out = append(s.out, c)
	case is(c, delimiter) && !s.isStructure(c):
		s.octets += 3
		s.out = append(s.out, c)
	default:
		s.octets += 3
		s.escape(c)
	}
	return 3
}

// isStructure reports whether the plain character would mean another thing than
// its encoding.
func (s *speller) isStructure(c byte) bool {
	if s.query {
		return c == '&' || c == '=' || c == '+' || c == '#'
	}
	return c == '/' || c == '?' || c == '#'
}

func (s *speller) escape(c byte) {
	const digits = "0123456789ABCDEF"
	s.out = append(s.out, '%', digits[c>>4], digits[c&15])
}

// isSpelt reports whether s surely is in the common spelling already.
func isSpelt(s string) bool {
	for i := range len(s) {
		if !is(s[i], unreserved|delimiter) {
			return false
		}
	}
	return true
}

// What RFC 3986 calls a byte, one bit each.
const (
	unreserved = 1 << iota
	delimiter  // gen-delims and sub-delims
	hexDigit
)

// classes maps each byte to its bits. Written once here, then only read.
var classes = makeClasses()

func makeClasses() (t [256]uint8) {
	set := func(chars string, bits uint8) {
		for i := range len(chars) {
			t[chars[i]] |= bits
		}
	}
	set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~", unreserved)
	set(":/?#[]@!$&'()*+,;=", delimiter)
	set("0123456789abcdefABCDEF", hexDigit)
	return t
}

func is(c byte, bits uint8) bool { return classes[c]&bits != 0 }

// unhex returns the value of a hexadecimal digit.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}
