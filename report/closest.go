package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"crawler/weburl"
)

// closest returns the URLs with records that are most like u: on the same host, or else
// the hosts spelled most like its; of these the ones whose path begins alike for longest;
// of these the ones with the fewest letters changed.
func closest(dirs []string, u weburl.URL) ([]string, error) {
	host, path := split([]byte(u.String()))
	n := &nearest{host: host, path: path}
	for _, name := range []string{PagesFile, RedirectsFile, SkippedFile} {
		if err := eachIn(dirs, name, n.lookAt); err != nil {
			return nil, err
		}
	}
	out := make([]string, len(n.best))
	for i, b := range n.best {
		out[i] = b.url
	}
	return out, nil
}

// nearest keeps the URLs most like one that is not there.
type nearest struct {
	host, path []byte
	best       []alike // at most maxOthers, the best first
	rows       [2][]int

	lastHost []byte // of the URL before, and its distance
	lastDist int
}

// alike is a URL and how much it is like the one asked for.
type alike struct {
	url    string
	host   int // letters by which the host differs
	prefix int // bytes that the paths have in common
	edits  int // letters by which the paths differ
}

func (a alike) compare(b alike) int {
	return cmp.Or(cmp.Compare(a.host, b.host), cmp.Compare(b.prefix, a.prefix), cmp.Compare(a.edits, b.edits))
}

// lookAt looks at the URL that a line is a record of.
func (n *nearest) lookAt(line []byte) error {
	n.look(unescaped(urlOf(line)))
	return nil
}

// unescaped returns the value of a JSON string without its quotes, nil if it has none.
func unescaped(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	var value string
	if json.Unmarshal(slices.Concat([]byte{'"'}, s, []byte{'"'}), &value) != nil {
		return nil
	}
	return []byte(value)
}

// look takes a URL in if it is closer than the ones there are. What is far off by its
// host or prefix, as most are, is not looked at letter by letter.
func (n *nearest) look(url []byte) {
	host, path := split(url)
	if len(host) == 0 {
		return
	}
	if !bytes.Equal(host, n.lastHost) {
		n.lastHost, n.lastDist = append(n.lastHost[:0], host...), n.distance(host, n.host, len(host)+len(n.host))
	}
	a := alike{host: n.lastDist, prefix: common(path, n.path)}
	limit := len(path) + len(n.path)
	if len(n.best) == maxOthers {
		worst := n.best[maxOthers-1]
		if a.compare(alike{host: worst.host, prefix: worst.prefix}) > 0 {
			return
		}
		if a.host == worst.host && a.prefix == worst.prefix {
			limit = worst.edits - 1
		}
	}
	if a.edits = n.distance(path[a.prefix:], n.path[a.prefix:], limit); a.edits > limit {
		return
	}
	if slices.ContainsFunc(n.best, func(b alike) bool { return b.url == string(url) }) {
		return
	}
	a.url = string(url)
	i, _ := slices.BinarySearchFunc(n.best, a, func(b, a alike) int { return cmp.Or(b.compare(a), -1) })
	n.best = slices.Insert(n.best, i, a)
	n.best = n.best[:min(len(n.best), maxOthers)]
}

// distance returns how many letters must be changed, put in or left out to make one
// string of the other (Levenshtein 1966), or some number above limit if there are more
// (Ukkonen 1985: only cells within limit of the diagonal are filled).
func (n *nearest) distance(a, b []byte, limit int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > limit {
		return limit + 1
	}
	over := limit + 1
	for i := range n.rows {
		n.rows[i] = slices.Grow(n.rows[i][:0], len(b)+2)[:len(b)+2]
	}
	row, next := n.rows[0], n.rows[1]
	for j := range row {
		row[j] = min(j, over)
	}
	for i := range len(a) {
		from, to := max(0, i-limit), min(len(b), i+limit+1)
		next[from] = over
		if from == 0 {
			next[0] = min(i+1, over)
		}
		least := next[from]
		for j := from; j < to; j++ {
			d := row[j]
			if a[i] != b[j] {
				d = 1 + min(d, row[j+1], next[j])
			}
			next[j+1] = min(d, over)
			least = min(least, d)
		}
		next[min(to+1, len(b)+1)] = over // what the next row may look at beyond the band
		if least >= over {
			return over
		}
		row, next = next, row
	}
	return row[len(b)]
}

// common returns how many bytes two strings begin with in common.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// split returns the host of a canonical URL, with its port, and what follows it.
func split(url []byte) (host, path []byte) {
	_, rest, _ := bytes.Cut(url, []byte("://"))
	i := bytes.IndexByte(rest, '/')
	if i < 0 {
		return rest, nil
	}
	return rest[:i], rest[i:]
}
