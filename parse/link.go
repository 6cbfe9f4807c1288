package parse

import (
	"bytes"

	"crawler/weburl"
)

// link yields the link that raw, a value as it stands in the document, makes.
func (p *Parser) link(raw []byte, kind LinkKind, nofollow bool) {
	if !isPlain(raw) {
		p.value = appendDecoded(p.value[:0], raw, true)
		p.decodedLink(p.value, kind, nofollow)
		return
	}
	if !p.room() {
		return
	}
	// Without its fragment a reference is found again more often. A space in
	// front of the "#" belongs to the URL and must not come to stand at the end.
	if k := bytes.IndexByte(raw, '#'); k == 0 || k > 0 && raw[k-1] > ' ' {
		raw = raw[:k]
	}
	e := p.links.find(raw)
	if string(e.ref) == string(raw) && !e.url.IsZero() {
		p.page.Links = append(p.page.Links, Link{URL: e.url, Kind: kind, NoFollow: nofollow, noscript: p.noscript > 0})
		return
	}
	if u := p.resolve(raw, kind, nofollow); !u.IsZero() {
		e.ref, e.url = raw, u
	}
}

// decodedLink is link for a value that was decoded already.
func (p *Parser) decodedLink(ref []byte, kind LinkKind, nofollow bool) {
	if p.room() {
		p.resolve(p.dec.query(ref), kind, nofollow)
	}
}

// resolve makes the link absolute and appends it to the page's.
func (p *Parser) resolve(ref []byte, kind LinkKind, nofollow bool) weburl.URL {
	u, err := p.res.Resolve(ref)
	if err != nil {
		p.page.BadLinks++
		return weburl.URL{}
	}
	p.page.Links = append(p.page.Links, Link{URL: u, Kind: kind, NoFollow: nofollow, noscript: p.noscript > 0})
	return u
}

// room reports whether the page may have another link.
func (p *Parser) room() bool {
	if len(p.page.Links) >= p.opt.MaxLinks {
		p.page.LinksCut = true
		return false
	}
	return true
}

// linkCache remembers the references a page repeats, navigation and types in
// documentation above all, so that they are resolved once. It is a table with
// one place for each hash value: a newcomer drives out the one before.
type linkCache [256]cachedLink

type cachedLink struct {
	ref []byte // in the document
	url weburl.URL
}

// reset forgets everything: another document, or another base.
func (c *linkCache) reset() { clear(c[:]) }

// find returns the place of ref.
func (c *linkCache) find(ref []byte) *cachedLink { return &c[hashBytes(ref)%uint64(len(c))] }

// hasToken reports whether the space-separated list s has the token, in any
// case.
func hasToken(s []byte, token string) bool {
	for len(s) >= len(token) {
		s = s[pastSpace(s, 0):]
		n := 0
		for n < len(s) && !isSpace(s[n]) {
			n++
		}
		if equalFold(s[:n], token) {
			return true
		}
		s = s[n:]
	}
	return false
}

// linkHeaders yields the links of Link headers (RFC 8288) that a <link> could
// have made. They are relative to the document's URL, whatever its base.
func (p *Parser) linkHeaders(values []string) {
	for _, v := range values {
		for v != "" {
			var ref, rel string
			ref, rel, v = nextHeaderLink(v)
			kind, ok := linkRel([]byte(rel))
			if !ok || !p.room() {
				continue
			}
			u := p.resolve([]byte(ref), kind, hasToken([]byte(rel), "nofollow"))
			if kind == Canonical && p.page.Canonical.IsZero() {
				p.page.Canonical = u
			}
		}
	}
}
