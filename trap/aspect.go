package trap

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"crawler/weburl"
)

// aspectChance is the chance of an aspect beside that of another URL: it waits four ranks longer,
// behind patterns that bring nothing until they owe six pages.
const aspectChance = 0.25

// isAspect reports whether u, of pattern p, is an aspect of the page at via, on which it was found:
// one more way to look at what that page is about, such as its history, its printed form, or what
// can be done with it. It names the page again, and no number that the page's URL does not have,
// but for those that all URLs of its pattern have: "limit=50" names nothing.
func (g *Guard) isAspect(u weburl.URL, via string, p *pattern) bool {
	return isAbout(u, via) && !g.hasNewNumber(u, via, p)
}

// added returns a hash of the host and of what the path of u adds to the URL of the page at via, on
// which it was found: the segments of which that URL has no part, in their sequence. All numbers
// are the same there, and all keys. It is 0 if there are no such segments, or u has a query.
func (g *Guard) added(u weburl.URL, via string) (added uint64) {
	if u.HasQuery() {
		return 0
	}
	via = onHost(via, u)
	for segment := range strings.SplitSeq(u.Path()[1:], "/") {
		if !sharesPart(segment, via) {
			added = mixSegment(added, segment)
		}
	}
	if added == 0 {
		return 0
	}
	return mix(added, g.shapes.at(u).host)
}

func mixSegment(h uint64, segment string) uint64 {
	if c := classify(segment); c == digits || c == key {
		return mix(h, uint64(c))
	}
	return mix(h, xxhash.Sum64String(segment))
}

// sharesPart reports whether a segment has a part that s has, too.
func sharesPart(segment, s string) bool {
	for begin := 0; begin < len(segment); {
		end := begin
		for end < len(segment) && !separates(segment[end]) {
			end++
		}
		if hasPart(s, segment[begin:end]) {
			return true
		}
		if begin = end + 1; end+2 < len(segment) && segment[end] == '%' {
			begin = end + 3
		}
	}
	return segment == ""
}

// about reports whether u, which was found on the page at via, may be an aspect of it, and what it
// adds to the page's URL. What no other URL has added yet is a page of a tree, such as a file below
// its directory, or the first aspect of its kind.
func (g *Guard) about(u weburl.URL, via string) (is bool, added uint64) {
	if g.off&ruleAspects != 0 || !isAbout(u, via) || !g.tells(via) {
		return false, 0
	}
	added = g.added(u, via)
	return added == 0 || g.fetched(added) && !g.lists(added), added
}

// lists reports whether the URLs that add the same to pages are lists, such as the issues of each
// repository: for each two of them, at least one page was found there that is worth something.
func (g *Guard) lists(added uint64) bool {
	return 2*g.texts.times(listed(added)) >= max(1, g.texts.times(added))
}

// listed returns the hash by which lists counts the pages that were found there.
func listed(added uint64) uint64 { return mix(added, 20) }

// addedBy returns what the URL of a page has added to that of another one, if pages were fetched
// that add the same: the last segments of its path, as many as are known, maxAdded at most.
func (g *Guard) addedBy(u weburl.URL) (added uint64) {
	if u.HasQuery() {
		return 0
	}
	path, host := u.Path(), g.shapes.at(u).host
	begin := len(path)
	for range maxAdded {
		if begin = strings.LastIndexByte(path[:begin], '/'); begin < 0 {
			break
		}
		h := uint64(0)
		for segment := range strings.SplitSeq(path[begin+1:], "/") {
			h = mixSegment(h, segment)
		}
		if h = mix(h, host); g.texts.has(h) {
			added = h
		}
	}
	return added
}

const maxAdded = 3

// isAbout reports whether u names the page at via, on which it was found, once more: by its last
// segment or a value of its query, in another place or with more behind it. With the same path and
// parameters it is the next one of a list, and with fewer the page itself.
func isAbout(u weburl.URL, via string) bool {
	via = onHost(via, u)
	if via == "" {
		return false
	}
	path, query, _ := strings.Cut(via, "?")
	if path == u.Path() && (path == "/" && query == "" || len(u.RequestURI()) < len(via) || sameNames(query, queryOf(u))) {
		return false
	}
	return namesAgain(u, path, query)
}

// onHost returns path and query of a URL, or "" if that is on another host than u.
func onHost(url string, u weburl.URL) string {
	host := u.Host()
	_, url, _ = strings.Cut(url, "://")
	if len(url) <= len(host) || url[:len(host)] != host || url[len(host)] != '/' {
		return ""
	}
	return url[len(host):]
}

// hasNewNumber reports whether u has a number that via does not have, or not as often if it is a
// short one, and that not all URLs of its pattern have.
func (g *Guard) hasNewNumber(u weburl.URL, via string, p *pattern) bool {
	via = onHost(via, u)
	if hasOtherNumber(u.Path(), via) {
		return true
	}
	for query := queryOf(u); query != ""; {
		var pair string
		pair, query, _ = cutParam(query)
		if (hasOtherNumber(pair, via) || hasOnceMore(pair, u, via)) && !g.isUsual(pair, p) {
			return true
		}
	}
	return false
}

// hasOnceMore reports whether the value of a parameter is a number of one or two digits that u has
// more often than via: page 2 of list 2. A longer one would hardly be the same by chance.
func hasOnceMore(pair string, u weburl.URL, via string) bool {
	_, value, _ := strings.Cut(pair, "=")
	if value == "" || len(value) > 2 || strings.Trim(value, "0123456789") != "" {
		return false
	}
	return countPart(u.RequestURI(), value) > countPart(via, value)
}

// isUsual reports whether all URLs of a pattern have had a parameter with the same value.
func (g *Guard) isUsual(pair string, p *pattern) bool {
	if p == nil || p.pages < settled {
		return false
	}
	name, value, _ := strings.Cut(pair, "=")
	hash := xxhash.Sum64String(unindexed(name))
	i := slices.Index(p.params[:], hash)
	return i >= 0 && p.values[i] == 1 && g.texts.has(p.valued(hash, xxhash.Sum64String(value)))
}

func queryOf(u weburl.URL) string {
	if u.HasQuery() {
		return u.Query()
	}
	return ""
}

// sameNames reports whether two queries have the same parameters.
func sameNames(a, b string) bool {
	for {
		first, restA, moreA := cutParam(a)
		second, restB, moreB := cutParam(b)
		first, _, _ = strings.Cut(first, "=")
		second, _, _ = strings.Cut(second, "=")
		if first != second || moreA != moreB {
			return false
		}
		if !moreA {
			return true
		}
		a, b = restA, restB
	}
}

// namesAgain reports whether u has what distinguishes the page at a path and a query: a value of
// the query, or the last segment unless that is a program.
func namesAgain(u weburl.URL, path, query string) bool {
	uri := u.RequestURI()
	for query != "" {
		var pair string
		pair, query, _ = cutParam(query)
		if _, value, _ := strings.Cut(pair, "="); hasPart(uri, value) {
			return true
		}
		if query == "" && strings.Contains(path[strings.LastIndexByte(path, '/'):], ".") {
			return false
		}
	}
	if path == u.Path() {
		return true
	}
	name, _, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ".")
	return name != "index" && hasPart(uri, name)
}

// hasOtherNumber reports whether uri has a part with a digit that via does not have.
func hasOtherNumber(uri, via string) bool {
	for begin := 0; begin < len(uri); {
		end := begin
		for end < len(uri) && !separates(uri[end]) {
			end++
		}
		if part := uri[begin:end]; strings.ContainsAny(part, "0123456789") && !hasPart(via, part) {
			return true
		}
		if begin = end + 1; end+2 < len(uri) && uri[end] == '%' {
			begin = end + 3
		}
	}
	return false
}

// hasPart reports whether s has a part, which is not empty, between two characters that separate.
func hasPart(s, part string) bool { return part != "" && countPart(s, part) > 0 }

// countPart returns how often s has a part, which must not be empty.
func countPart(s, part string) (n int) {
	for at := 0; ; at++ {
		i := strings.Index(s[at:], part)
		if i < 0 {
			return n
		}
		at += i
		end := at + len(part)
		begins := at == 0 || separates(s[at-1]) || at > 2 && s[at-3] == '%'
		if begins && (end == len(s) || separates(s[end])) {
			n++
		}
	}
}

func separates(c byte) bool {
	switch c {
	case '/', '?', '&', '=', ';', '.', '%', ',', '+':
		return true
	}
	return false
}
