package crawl

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	"crawler/fetch"
	"crawler/frontier"
	"crawler/gate"
	"crawler/weburl"
)

// ParseSeed reads a seed as people write it: an absolute http or https URL, or a bare one, a host
// with or without port and path, such as example.com or localhost:8080/docs. A bare one is https,
// unless it names port 80; Run crawls it over http if https does not answer. So that a slip of the
// hand is no host, a bare one has a dot in its name, is localhost, or an IP address written in
// full.
func ParseSeed(opts weburl.Options, text string) (u weburl.URL, bare bool, err error) {
	if u, err = opts.Parse(text); err == nil || strings.Contains(text, "://") {
		return u, false, err
	}
	b, failed := opts.Parse("https://" + text)
	if failed != nil || !namesHost(text, b.Hostname()) {
		return u, false, err
	}
	if b.Port() != "80" {
		return b, true, nil
	}
	u, err = overHTTP(opts, b)
	return u, false, err
}

// namesHost reports whether text begins with a host, which was read as name, and with no mere word.
func namesHost(text, name string) bool {
	host, _, _ := strings.Cut(text, "/")
	host, _, _ = strings.Cut(host, "?")
	if host == "" || strings.IndexFunc(host, notOfHosts) >= 0 || strings.Contains("."+host, "..") {
		return false
	}
	if _, err := netip.ParseAddr(name); err == nil { // 1.5 and 0x7f.1 are read as addresses, too
		return strings.HasPrefix(strings.TrimPrefix(host, "["), name)
	}
	return name == "localhost" || strings.Contains(strings.TrimSuffix(name, "."), ".")
}

// notOfHosts reports whether a character stands in no host and port; those outside ASCII may.
func notOfHosts(c rune) bool {
	return c < utf8.RuneSelf && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.ContainsRune("-._:[]", c))
}

// overHTTP is an https URL with the other scheme.
func overHTTP(opts weburl.Options, u weburl.URL) (weburl.URL, error) {
	return opts.Parse("http" + strings.TrimPrefix(u.String(), "https"))
}

// seed reports whether the visit is of a seed.
func (v *Visit) seed() bool { return v.Via == "" && v.From == "" }

// silent reports whether a visit of a bare seed shows that https does not answer there. A network
// or resolver that is away shows nothing, and a name that does not exist has no http either.
func (c *coordinator) silent(v *Visit) bool {
	if v.End != Failed || !v.seed() || !c.bare[v.URL.String()] || v.Outcome.Offline {
		return false
	}
	switch fetch.Reason(v.Reason) {
	case fetch.ReasonConnect, fetch.ReasonTLS, fetch.ReasonHandshake, fetch.ReasonTimeout, fetch.ReasonReset, fetch.ReasonProtocol:
		return true
	}
	return false
}

// replaced makes a failed visit of a bare seed one whose place another URL takes. The attempt is no
// evidence about the host, of which nothing is known yet.
func (v *Visit) replaced(by weburl.URL) {
	v.Detail = string(v.Reason) + ": " + v.Detail + "; " + by.String() + " is asked in its place"
	v.End, v.Reason, v.Outcome = Refused, gate.NoHTTPS, frontier.Outcome{Kind: frontier.Unasked, NoPage: true}
}
