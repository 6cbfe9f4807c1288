package lab

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"crawler/dedup"
	"crawler/weburl"
	"github.com/cespare/xxhash/v2"
)

// class is a kind of questions about URLs that were never inserted.
type class struct {
	name string
	urls []weburl.URL
}

// asker makes questions out of the URLs that were inserted.
type asker struct {
	rnd    *rand.Rand
	in     []weburl.URL // inserted
	known  *standing    // what the inserted ones have in common
	layers int          // of the published filter
	most   int          // questions of a class
}

// triesPerQuestion bounds the search for questions that a corpus has few of.
const triesPerQuestion = 20

// knownSwapped is the class that the published filter answers "seen" always.
const knownSwapped = "swapped, both known in new places"

// edits are the ways in which a new URL can be made of known parts. Each returns the
// URL for the parts between slashes (the first is the host), or none.
//
// A filter that looks at whole URLs cannot distinguish them from other new ones. The
// published multilayer filter must answer "seen" to three of them: its last array
// knows nothing of order, equal segments cancel in it, and it ends where its layers do.
var edits = []struct {
	name string
	edit func(a *asker, parts []string) []string
}{
	{"two segments swapped", (*asker).swapped},
	{knownSwapped, (*asker).swappedKnown},
	{"a segment repeated", (*asker).repeated},
	{"a pair of equal segments exchanged", (*asker).pairExchanged},
	{"another end below the layers", (*asker).otherEnd},
	{"known path on another known host", (*asker).otherHost},
	{"known path on a new host", (*asker).newHost},
}

// classes returns all questions but the real ones.
func (a *asker) classes() []class {
	list := []class{{"all segments new", a.fresh()}}
	for _, e := range edits {
		list = append(list, class{e.name, a.edited(e.edit)})
	}
	return list
}

// fresh makes URLs that share no segment with any other.
func (a *asker) fresh() []weburl.URL {
	return a.collect(func() string {
		return fmt.Sprintf("https://%x.example/%x/%x", a.rnd.Uint64(), a.rnd.Uint64(), a.rnd.Uint64())
	})
}

func (a *asker) edited(edit func(*asker, []string) []string) []weburl.URL {
	return a.collect(func() string {
		u := a.any()
		parts := edit(a, segments(u))
		if parts == nil {
			return ""
		}
		return u.Scheme() + "://" + strings.Join(parts, "/")
	})
}

// collect keeps the different canonical URLs that were not inserted.
func (a *asker) collect(make func() string) []weburl.URL {
	var list []weburl.URL
	var asked dedup.Set
	for i := 0; i < triesPerQuestion*a.most && len(list) < a.most; i++ {
		raw := make()
		u, err := weburl.Parse(raw)
		if err != nil || u.String() != raw || a.known.has(u) || !asked.Add(fingerprint(u.String())) {
			continue
		}
		list = append(list, u)
	}
	return list
}

func (a *asker) any() weburl.URL { return a.in[a.rnd.IntN(len(a.in))] }

// swapped exchanges two neighbours.
func (a *asker) swapped(parts []string) []string {
	if len(parts) < 3 {
		return nil
	}
	i := 1 + a.rnd.IntN(len(parts)-2)
	return swap(parts, i, i+1)
}

// swappedKnown exchanges two segments each of which some URL has in the other's place.
func (a *asker) swappedKnown(parts []string) []string {
	n := min(len(parts), a.layers)
	if n < 3 {
		return nil
	}
	i := 1 + a.rnd.IntN(n-2)
	j := i + 1 + a.rnd.IntN(n-i-1)
	if !a.known.at(i, parts[j]) || !a.known.at(j, parts[i]) {
		return nil
	}
	return swap(parts, i, j)
}

func swap(parts []string, i, j int) []string {
	parts[i], parts[j] = parts[j], parts[i]
	return parts
}

// repeated doubles a segment, as wrong relative links do without end.
func (a *asker) repeated(parts []string) []string {
	if len(parts) < 3 {
		return nil
	}
	i := 1 + a.rnd.IntN(len(parts)-2)
	return append(parts[:i+1:i+1], parts[i:]...)
}

// pairExchanged puts two other equal segments in the place of two equal ones, known in
// these places too.
func (a *asker) pairExchanged(parts []string) []string {
	for i := 1; i+1 < min(len(parts), a.layers); i++ {
		if parts[i] != parts[i+1] {
			continue
		}
		for range triesPerQuestion {
			other := segments(a.any())
			if i < len(other) && a.known.at(i+1, other[i]) {
				parts[i], parts[i+1] = other[i], other[i]
				return parts
			}
		}
	}
	return nil
}

// otherEnd changes the last segment of a URL that has more than there are layers.
func (a *asker) otherEnd(parts []string) []string {
	if len(parts) <= a.layers {
		return nil
	}
	parts[len(parts)-1] = fmt.Sprintf("%x", a.rnd.Uint64())
	return parts
}

func (a *asker) otherHost(parts []string) []string {
	parts[0] = segments(a.any())[0]
	return parts
}

func (a *asker) newHost(parts []string) []string {
	parts[0] = fmt.Sprintf("%x.example", a.rnd.Uint64())
	return parts
}

// segments cuts a URL at its slashes as the published filter does: host, path
// segments, the query with the last of them.
func segments(u weburl.URL) []string {
	_, rest, _ := strings.Cut(u.String(), "://")
	return strings.Split(rest, "/")
}

// fingerprint hashes a segment or a URL, the same way for every structure.
func fingerprint(s string) uint64 { return xxhash.Sum64String(s) }

// standing is what is exactly known of the URLs inserted: the truth from which the
// rates of the filters follow. It takes 10 bytes for each URL and for each different
// segment in each place.
type standing struct {
	n        int // URLs
	urls     dedup.Set
	segments dedup.Set // in any place
	places   [dedup.MaxLayers]dedup.Set
	sums     dedup.Set // XOR of the first segments, as many as there are layers
	layers   int
}

// add adds the URLs behind the first k.n.
func (k *standing) add(urls []weburl.URL) {
	for _, u := range urls[k.n:] {
		k.urls.Add(fingerprint(u.String()))
		for i, s := range segments(u) {
			x := fingerprint(s)
			k.segments.Add(x)
			if i < k.layers {
				k.places[i].Add(x)
			}
		}
		k.sums.Add(k.sum(u))
	}
	k.n = len(urls)
}

func (k *standing) has(u weburl.URL) bool { return k.urls.Has(fingerprint(u.String())) }

// at reports whether a URL has the segment at place i; 0 is the host.
func (k *standing) at(i int, segment string) bool {
	return i < k.layers && k.places[i].Has(fingerprint(segment))
}

// sum is equal for URLs that the last array of the published filter confuses.
func (k *standing) sum(u weburl.URL) uint64 {
	x, parts := uint64(0), segments(u)
	for _, s := range parts[:min(len(parts), k.layers)] {
		x ^= fingerprint(s)
	}
	return x
}
