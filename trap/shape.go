package trap

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"crawler/weburl"
)

// shape is what a URL says about its patterns.
type shape struct {
	fine, wide uint64 // the patterns' names, hashed
	keyed      bool   // it carries a key or a session
	dated      bool   // it has a year and another number, or a date
	form       uint64 // path and query without the keys
	host       uint64
	params     int
	size       uint32 // segments and parameters, which grow in Growing
	length     uint32 // in bytes
}

const (
	maxChildren = 16 // names that are kept in one directory
	maxNamed    = 3  // directories from the root that may keep their names
)

// shapes reads URLs. It remembers which directories keep their names.
type shapes struct {
	children map[uint64]uint8    // by directory: how many of its names are kept
	kept     map[uint64]struct{} // the names, hashed with their directory
	pages    map[uint64]uint8    // by host: how many were learned, up to established
	most     int                 // of each
	host     string              // of the last call, with what follows from it
	hostHash uint64
	domain   uint64 // hash of the domain, or of the host if alone
	alone    bool   // the host does not share the wide patterns of its domain
}

func newShapes(most int) shapes {
	return shapes{children: map[uint64]uint8{}, kept: map[uint64]struct{}{}, pages: map[uint64]uint8{}, most: most}
}

// Marks that keep the parts of a pattern apart in its hash.
const (
	markClass = 3 + iota
	markName
	markQuery
	markParam
	markWide
)

// established is how many pages of a subdomain must be learned before it no longer shares
// the wide patterns of its domain, which are meant for hosts that are made up.
const established = 16

// setHost notes the hashes of a host and its registrable domain.
func (s *shapes) setHost(u weburl.URL) {
	host := u.Host()
	if host == s.host && host != "" {
		return
	}
	s.host = strings.Clone(host)
	s.hostHash = xxhash.Sum64String(host)
	domain := u.Domain()
	s.alone = domain != u.Hostname() && s.pages[s.hostHash] >= established
	s.domain = mix(s.hostHash, markWide)
	if !s.alone {
		s.domain = mix(xxhash.Sum64String(domain), markWide)
	}
}

// learned counts a page of a host.
func (s *shapes) learned(host uint64) {
	n, known := s.pages[host]
	if n >= established || !known && len(s.pages) >= s.most {
		return
	}
	s.pages[host] = n + 1
	if n+1 == established {
		s.host = "" // it is alone from now on
	}
}

// of returns the shape of u.
func (s *shapes) of(u weburl.URL) shape {
	s.setHost(u)
	b := building{shapes: s, shape: shape{fine: s.hostHash, wide: s.domain, length: uint32(len(u.String()))}, named: true}
	b.build(u)
	b.shape.host, b.dated = s.hostHash, b.date || b.years > 0 && b.numbers > 1
	return b.shape
}

// nameOf writes the fine pattern of u.
func (s *shapes) nameOf(u weburl.URL) string {
	s.setHost(u)
	var name strings.Builder
	b := building{shapes: s, name: &name, shape: shape{fine: s.hostHash}, named: true}
	b.write(s.host)
	b.build(u)
	return name.String()
}

// wideName writes the wide pattern of u.
func (s *shapes) wideName(u weburl.URL) string {
	var name strings.Builder
	b := building{shapes: s, name: &name}
	if s.setHost(u); s.alone {
		b.write(s.host)
	} else {
		b.write("*." + u.Domain())
	}
	b.build(u)
	return name.String()
}

// building is a URL being read.
type building struct {
	shape
	*shapes
	name      *strings.Builder
	last      class // of the part before, in the wide pattern
	fineLast  class // the same in the fine pattern; nothing after a name
	directory int
	numbers   int  // parts that are numbers
	years     int  // of those, the ones that might be years
	date      bool // one may be a whole date
	named     bool // all directories so far have their names
}

func (b *building) build(u weburl.URL) {
	b.path(u.Path(), u.HasQuery())
	if u.HasQuery() {
		b.query(u.Query())
	}
}

func (b *building) write(s string) {
	if b.name != nil {
		b.name.WriteString(s)
	}
}

// path goes through the segments. The last one is a file, whose name is kept only if a
// query makes it a program.
func (b *building) path(path string, query bool) {
	for rest := path[1:]; ; {
		segment, behind, more := strings.Cut(rest, "/")
		b.segment(segment, more || query)
		if !more {
			return
		}
		rest = behind
	}
}

func (b *building) segment(s string, mayName bool) {
	if i := strings.IndexByte(s, ';'); i >= 0 {
		b.keyed = b.keyed || isSession(s[i:])
		s = s[:i]
	}
	c := classify(s)
	b.size++
	if c != key {
		b.form = mix(b.form, xxhash.Sum64String(s))
	}
	b.note(c, s)
	if c != b.last {
		b.wide = mix(b.wide, markClass<<8|uint64(c))
		b.last = c
	}
	if mayName && b.named && c == word && b.directory < maxNamed && b.keep(s) {
		b.write("/" + s)
		b.fineLast = nothing
	} else if c != b.fineLast {
		b.fine = mix(b.fine, markClass<<8|uint64(c))
		b.write("/" + symbol[c])
		b.fineLast = c
	}
	b.directory++
}

// note records whether a segment or a value is a key, a number or a date.
func (b *building) note(c class, s string) {
	if c == key {
		b.keyed = true
		return
	}
	if c != digits {
		return
	}
	b.numbers++
	if year := len(s) >= 4 && (s[:2] == "19" || s[:2] == "20" || s[:2] == "21"); year {
		if len(s) == 4 {
			b.years++
		}
		b.date = b.date || len(s) >= 7 && len(s) <= 10 && s[4] == '-'
	}
}

// keep reports whether the directory read so far keeps the name s.
func (b *building) keep(s string) bool {
	h := mix(b.fine, xxhash.Sum64String(s))
	if _, ok := b.kept[h]; !ok {
		if b.children[b.fine] >= maxChildren || len(b.kept) >= b.most {
			b.named = false
			return false
		}
		b.children[b.fine]++
		b.kept[h] = struct{}{}
	}
	b.fine = mix(h, markName)
	return true
}

// query adds the names of the parameters, in any sequence.
func (b *building) query(query string) {
	var names, pairs uint64
	b.wide = mix(b.wide, markQuery)
	b.write("?")
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if b.params++; b.params > MaxSegments {
			break
		}
		hash, c := xxhash.Sum64String(name), classify(value)
		if isSession(name) {
			c = key
		}
		b.note(c, value)
		if c != key {
			pairs += mix(hash, xxhash.Sum64String(value))
		}
		names += mix(hash, markParam)
		if b.params > 1 {
			b.write("&")
		}
		b.write(name)
	}
	b.fine = mix(mix(b.fine, names), markQuery)
	b.form = mix(b.form, pairs)
	b.size += uint32(b.params)
}
