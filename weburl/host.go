package weburl

import (
	"bytes"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// maxHost bounds a host name in bytes, raw and canonical. A name in the DNS has
// at most 253; the bound keeps IDNA's quadratic encoding from being abused.
const maxHost = 1024

// hostAndPort writes what stands between the slashes and the path.
func (b *builder) hostAndPort(scheme, s string) error {
	s = s[strings.LastIndexByte(s, '@')+1:] // user info must not travel
	name, port := splitPort(s)
	if err := b.hostname(name); err != nil {
		return err
	}
	b.host = len(b.out)
	return b.port(scheme, port)
}

// splitPort cuts s at the first colon outside brackets.
func splitPort(s string) (name, port string) {
	inside := false
	for i := range len(s) {
		switch s[i] {
		case '[':
			inside = true
		case ']':
			inside = false
		case ':':
			if !inside {
				return s[:i], s[i+1:]
			}
		}
	}
	return s, ""
}

// port writes ":port" unless s is empty or the scheme's default.
func (b *builder) port(scheme, s string) error {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return ErrPort
		}
		if n = n*10 + int(s[i]-'0'); n > 65535 {
			return ErrPort
		}
	}
	if s == "" || scheme == "http" && n == 80 || scheme == "https" && n == 443 {
		return nil
	}
	b.out = append(b.out, ':')
	b.out = strconv.AppendInt(b.out, int64(n), 10)
	return nil
}

// hostname writes an IP address or a domain name.
func (b *builder) hostname(s string) error {
	switch {
	case s == "" || len(s) > maxHost:
		return ErrHost
	case s[0] == '[':
		return b.ipv6(s)
	}
	start := len(b.out)
	err := b.domain(decodeAll(s))
	if err != nil || !endsInNumber(b.out[start:]) {
		return err
	}
	ip, ok := parseIPv4(b.out[start:])
	if !ok {
		return ErrHost
	}
	b.out = netip.AddrFrom4(ip).AppendTo(b.out[:start])
	return nil
}

// domain writes a domain name. One in ASCII is only lower-cased, whatever its
// xn-- labels decode to: the standard gave up checking them in 2026, since
// browsers follow such links.
func (b *builder) domain(s string) error {
	if !isASCII(s) {
		ascii, err := browserIDNA.ToASCII(s)
		if err != nil || !utf8.ValidString(s) || brokenACE(s) || ascii == "" || len(ascii) > maxHost {
			return ErrHost
		}
		s = ascii
	}
	start := len(b.out)
	b.out = append(b.out, s...)
	for i, c := range b.out[start:] {
		switch {
		case is(c, notInDomain):
			return ErrHost
		case 'A' <= c && c <= 'Z':
			b.out[start+i] = c | 0x20
		}
	}
	return nil
}

// brokenACE reports whether a label of s claims by "xn--" to be encoded, but
// holds characters beyond ASCII or decodes to none: UTS 46 refuses these, while
// x/net/idna repairs them into another name.
//
// Known holes: UTS 46 looks after mapping, so it accepts a label whose odd
// characters map into ASCII, refused here, and refuses one whose "xn--" is
// hidden behind a character that maps to nothing, repaired here.
func brokenACE(s string) bool {
	isDot := func(r rune) bool { return r == '.' || r == '\u3002' || r == '\uFF0E' || r == '\uFF61' }
	for label := range strings.FieldsFuncSeq(s, isDot) {
		if len(label) >= 4 && equalFold(label[:4], "xn--") && (!isASCII(label) || label[len(label)-1] == '-') {
			return true
		}
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// browserIDNA maps names as browsers look them up: UTS 46, non-transitional,
// lenient about hyphens and lengths.
var browserIDNA = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.VerifyDNSLength(false),
	idna.CheckJoiners(true),
	idna.BidiRule(),
)

// decodeAll decodes every percent-encoding of s.
func decodeAll(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c, ok := triplet(s, i)
		if !ok {
			c = s[i]
		} else {
			i += 2
		}
		out = append(out, c)
	}
	return string(out)
}

// endsInNumber reports whether the last label of a lower-case name, a trailing
// dot aside, is a number: such a host is an IPv4 address or an error, never a
// domain.
func endsInNumber(name []byte) bool {
	name = bytes.TrimSuffix(name, []byte{'.'})
	last := name[bytes.LastIndexByte(name, '.')+1:]
	if len(last) == 0 || last[0] < '0' || last[0] > '9' {
		return false
	}
	for _, c := range last {
		if c < '0' || c > '9' {
			_, ok := parseIPv4Part(last)
			return ok
		}
	}
	return true
}

// parseIPv4 reads an address of one to four numbers, of which the last fills
// the bytes that are left.
func parseIPv4(s []byte) (ip [4]byte, ok bool) {
	s = bytes.TrimSuffix(s, []byte{'.'})
	for i := range ip {
		part, rest, more := bytes.Cut(s, []byte{'.'})
		n, ok := parseIPv4Part(part)
		if !more {
			for j := len(ip) - 1; j >= i; j-- {
				ip[j] = byte(n)
				n >>= 8
			}
			return ip, ok && n == 0
		}
		if !ok || n > 255 {
			return ip, false
		}
		ip[i], s = byte(n), rest
	}
	return ip, false // a fifth part
}

// parseIPv4Part reads a decimal, octal (0...) or hexadecimal (0x...) number; "0x"
// alone is zero. Numbers beyond 32 bits stay beyond.
func parseIPv4Part(s []byte) (n uint64, ok bool) {
	base := uint64(10)
	switch {
	case len(s) > 1 && s[0] == '0' && s[1] == 'x':
		s, base = s[2:], 16
	case len(s) > 1 && s[0] == '0':
		s, base = s[1:], 8
	case len(s) == 0:
		return 0, false
	}
	for _, c := range s {
		d := uint64(unhex(c))
		if !is(c, hexDigit) || d >= base {
			return 0, false
		}
		n = min(n*base+d, 1<<32)
	}
	return n, true
}

// ipv6 writes an address in brackets.
func (b *builder) ipv6(s string) error {
	if s[len(s)-1] != ']' {
		return ErrHost
	}
	ip, err := netip.ParseAddr(s[1 : len(s)-1])
	if err != nil || !ip.Is6() || ip.Zone() != "" {
		return ErrHost
	}
	b.out = append(b.out, '[')
	b.out = appendIPv6(b.out, ip.As16())
	b.out = append(b.out, ']')
	return nil
}

// appendIPv6 differs from netip's spelling in that an IPv4 address inside is
// written in hex like the rest, as the URL standard wants it.
func appendIPv6(out []byte, ip [16]byte) []byte {
	from, to := longestZeros(ip)
	for i := 0; i < 16; i += 2 {
		if i == from {
			out = append(out, "::"...)
			i = to - 2
			continue
		}
		if i > 0 && i != to {
			out = append(out, ':')
		}
		out = strconv.AppendUint(out, uint64(ip[i])<<8|uint64(ip[i+1]), 16)
	}
	return out
}

// longestZeros returns the first longest run of at least two zero groups, as
// byte positions; -1, -1 when there is none.
func longestZeros(ip [16]byte) (from, to int) {
	from, to = -1, -1
	for i := 0; i < 16; i += 2 {
		j := i
		for j < 16 && ip[j] == 0 && ip[j+1] == 0 {
			j += 2
		}
		if j-i > 2 && j-i > to-from {
			from, to = i, j
		}
		i = max(i, j-2)
	}
	return from, to
}
