package dedup

import (
	"fmt"
	"slices"
	"strings"

	"crawler/weburl"
)

// query is a class of questions about URLs that were not added. make makes one out
// of a known URL, or none ("") out of one that is not of the right shape.
type query struct {
	name string
	make func(w *web, known weburl.URL) string
}

// queries are the classes that a filter of URLs must answer well. The published
// filter is wrong for 11 percent of the swapped ones and for most that repeat a
// segment; where pairs of equal segments are exchanged, or what stands below its
// layers is another, it always is.
var queries = []query{
	{"random", func(w *web, _ weburl.URL) string {
		return fmt.Sprintf("https://%x.net/%x/%x", w.r.Uint32(), w.r.Uint64(), w.r.Uint64())
	}},
	{"held out", func(w *web, _ weburl.URL) string { return w.url() }},
	{"swapped segments", func(w *web, u weburl.URL) string {
		parts := strings.Split(u.Path()[1:], "/")
		w.r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return u.Origin() + "/" + strings.Join(parts, "/")
	}},
	{"repeated segments", func(w *web, u weburl.URL) string {
		a := "/" + name(w.r.Uint64(), 4)
		return u.String() + strings.Repeat(a, 2*(1+w.r.IntN(3)))
	}},
	{"cancelled segments", func(w *web, u weburl.URL) string {
		a := "/" + w.word(10, 2)
		return u.Origin() + strings.Repeat(a, 2) + u.Path()
	}},
	{"known path on a new host", func(w *web, u weburl.URL) string {
		return fmt.Sprintf("https://new%d.example.net%s", w.r.IntN(1e6), u.RequestURI())
	}},
	{"known path on another known host", func(w *web, u weburl.URL) string {
		host := w.pick(w.hosts)
		return fmt.Sprintf("https://%s%d.example.org%s", name(uint64(host), 2), host, u.RequestURI())
	}},
	{"sibling pages", func(w *web, u weburl.URL) string {
		return fmt.Sprintf("%s%sx%d", u.Origin(), u.Path()[:strings.LastIndexByte(u.Path(), '/')+1], w.r.IntN(1e9))
	}},
	{"below a known page", func(w *web, u weburl.URL) string {
		return fmt.Sprintf("%s%s/%d", u.Origin(), u.Path(), w.r.IntN(1e9))
	}},
	{"another query", func(w *web, u weburl.URL) string {
		return fmt.Sprintf("%s%s?id=%d", u.Origin(), u.Path(), w.r.IntN(1e9))
	}},
	{"both segments known in their new places", func(w *web, u weburl.URL) string {
		parts := slashed(u)
		n := min(len(parts), DefaultLayers)
		if n < 3 {
			return ""
		}
		i := 1 + w.r.IntN(n-2)
		j := i + 1 + w.r.IntN(n-i-1)
		if !w.stands[placed{i, parts[j]}] || !w.stands[placed{j, parts[i]}] {
			return ""
		}
		parts[i], parts[j] = parts[j], parts[i]
		return u.Scheme() + "://" + strings.Join(parts, "/")
	}},
	{"pair of equal segments exchanged", func(w *web, u weburl.URL) string {
		parts, other := slashed(u), w.facet()
		for i := 1; i+1 < min(len(parts), DefaultLayers); i++ {
			if parts[i] == parts[i+1] && w.stands[placed{i, other}] && w.stands[placed{i + 1, other}] {
				parts[i], parts[i+1] = other, other
				return u.Scheme() + "://" + strings.Join(parts, "/")
			}
		}
		return ""
	}},
	{"another end below the layers", func(w *web, u weburl.URL) string {
		parts := slashed(u)
		if len(parts) <= DefaultLayers {
			return ""
		}
		parts[len(parts)-1] = fmt.Sprintf("%x", w.r.Uint64())
		return u.Scheme() + "://" + strings.Join(parts, "/")
	}},
}

// slashed cuts a URL at its slashes: host, path segments, the query with the last.
func slashed(u weburl.URL) []string { return strings.Split(behindScheme(u), "/") }

// placed is a segment and where it stands; 0 is the host.
type placed struct {
	at      int
	segment string
}

// facet returns a property of goods, which stand in URLs in any order.
func (w *web) facet() string { return w.word(300, 2) }

// crawled returns n distinct URLs, a fifth of them with facets, and has w know them:
// no question is about them.
func (w *web) crawled(n int) []weburl.URL {
	list := w.urls(n - n/5)
	for _, u := range list {
		w.know(u)
	}
	for len(list) < n {
		host := w.pick(w.hosts)
		a, b, c := w.facet(), w.facet(), w.facet()
		if w.r.IntN(3) == 0 {
			b = a
		}
		u := mustParse(fmt.Sprintf("https://%s%d.example.org/%s/%s/%s", name(uint64(host), 2), host, a, b, c))
		if w.know(u) {
			list = append(list, u)
		}
	}
	w.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return slices.Clip(list)
}

// know reports whether u is new.
func (w *web) know(u weburl.URL) bool {
	if !w.known.Add(hashOf(u)) {
		return false
	}
	if w.stands == nil {
		w.stands = map[placed]bool{}
	}
	for i, s := range slashed(u) {
		w.stands[placed{i, s}] = true
	}
	return true
}

// ask asks n different questions, or all if there are fewer, and returns
// how many.
func (w *web) ask(q query, list []weburl.URL, n int, question func(u weburl.URL)) (asked int) {
	var before Set
	for range 30 * n {
		raw := q.make(w, list[w.r.IntN(len(list))])
		if raw == "" {
			continue
		}
		u := mustParse(raw)
		if h := hashOf(u); w.known.Has(h) || !before.Add(h) {
			continue
		}
		question(u)
		if asked++; asked == n {
			break
		}
	}
	return asked
}
