package trap

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"crawler/weburl"
)

// shape is what a URL says about its patterns.
type shape struct {
	fine, wide uint64 // the patterns' names, hashed
	keyed      bool   // it carries a key or a session
	dated      bool   // it has a year and another number, or a date
	form       uint64 // path without the keys, in any sequence
	host       uint64
	domain     uint64
	params     int
	first      [2 * maxParams]value
	doubled    int    // names in the path that it has had before
	size       uint32 // segments and parameters, which grow in Growing
	length     uint32 // in bytes
}

// value is a parameter of the query.
type value struct {
	name, value uint64 // hashed
	class       class
}

// unheard is the chance that a path is not one more way to a known page: half for each name that it
// has had before.
func (s *shape) unheard() float32 { return 1 / float32(int(1)<<min(s.doubled, 16)) }

// values are the first parameters, in the sequence of the URL.
func (s *shape) values() []value { return s.first[:min(s.params, len(s.first))] }

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
	journal  *journal
	last     weburl.URL // whose shape was read last
	lastIs   shape
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
	domain := domainOf(u)
	s.alone = domain != u.Hostname() && s.pages[s.hostHash] >= established
	s.domain = mix(s.hostHash, markWide)
	if !s.alone {
		s.domain = mix(xxhash.Sum64String(domain), markWide)
	}
}

// domainOf returns the registrable domain of a host: for an IP address anyAddress, since hosts may
// be made up by number, too.
func domainOf(u weburl.URL) string {
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return anyAddress
	}
	return u.Domain()
}

const anyAddress = "#.#.#.#"

// learned counts a page of a host.
func (s *shapes) learned(host uint64) {
	n, known := s.pages[host]
	if n >= established || !known && len(s.pages) >= s.most {
		return
	}
	s.pages[host] = n + 1
	if n+1 == established {
		s.host, s.last = "", weburl.URL{} // it is alone from now on
	}
}

// of returns the shape of u, whose directories keep their names if there is room.
func (s *shapes) of(u weburl.URL) shape { return s.read(u, true) }

// at returns the shape of u, and changes nothing: it is what of would return now.
func (s *shapes) at(u weburl.URL) shape { return s.read(u, false) }

func (s *shapes) read(u weburl.URL, keeps bool) shape {
	if u == s.last {
		return s.lastIs
	}
	s.setHost(u)
	b := building{shapes: s, keeps: keeps, shape: shape{fine: s.hostHash, wide: s.domain, length: uint32(len(u.String()))}, named: true}
	b.build(u)
	b.shape.host, b.shape.domain = s.hostHash, s.domain
	b.dated = b.date || b.years > 0 && b.numbers > 1
	if !b.asked {
		s.last, s.lastIs = u, b.shape
	}
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
	s.setHost(u)
	switch domain := domainOf(u); {
	case s.alone:
		b.write(s.host)
	case domain == anyAddress:
		b.write(domain)
	case !strings.Contains(domain, "."): // localhost has no subdomains
		b.write(strings.TrimSuffix(s.host, ":"+u.Port()))
	default:
		b.write("*." + domain)
	}
	b.build(u)
	return name.String()
}

// building is a URL being read.
type building struct {
	shape
	*shapes
	name  *strings.Builder
	keeps bool  // directories keep their names from now on
	asked bool  // one does so only in this shape
	last  class // of the part before, in the wide pattern
	// The class before that. Of segments that alternate, as in /post/1/post/2/post/3, two count.
	beforeLast, fineBefore class
	fineLast               class     // the same in the fine pattern; nothing after a name
	names                  [8]uint64 // of the path, hashed
	nNames                 int
	directory              int
	numbers                int  // parts that are numbers
	years                  int  // of those, the ones that might be years
	date                   bool // one may be a whole date
	named                  bool // all directories so far have their names
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
		b.segment(segment, behind != "" || query)
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
		h := mix(xxhash.Sum64String(s), markClass)
		b.form += h
		b.meet(c, h)
	}
	b.note(c, s)
	if c != b.last && c != b.beforeLast {
		b.wide = mix(b.wide, markClass<<8|uint64(c))
	}
	if c != b.last {
		b.beforeLast, b.last = b.last, c
	}
	if mayName && b.named && c == word && b.directory < maxNamed && b.keep(s) {
		b.write("/" + s)
		b.fineLast, b.fineBefore = nothing, nothing
	} else if c != b.fineLast {
		if c != b.fineBefore {
			b.fine = mix(b.fine, markClass<<8|uint64(c))
			b.write("/" + symbol[c])
		}
		b.fineBefore, b.fineLast = b.fineLast, c
	}
	b.directory++
}

// meet counts a name that the path has had before.
func (b *building) meet(c class, h uint64) {
	if c != word {
		return
	}
	if slices.Contains(b.names[:b.nNames], h) {
		b.doubled++
	} else if b.nNames < len(b.names) {
		b.names[b.nNames] = h
		b.nNames++
	}
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
		if !b.hasRoom(b.fine) {
			b.named = false
			return false
		}
		if b.asked = b.asked || !b.keeps; b.keeps {
			b.keepName(b.fine, h)
			b.journal.keepName(b.fine, h)
		}
	}
	b.fine = mix(h, markName)
	return true
}

// hasRoom reports whether a directory may keep another name.
func (s *shapes) hasRoom(directory uint64) bool {
	return s.children[directory] < maxChildren && len(s.kept) < s.most
}

// keepName has a directory keep a name.
func (s *shapes) keepName(directory, name uint64) {
	s.children[directory]++
	s.kept[name] = struct{}{}
}

// query adds the names of the parameters, each once, in any sequence.
func (b *building) query(query string) {
	var names uint64
	b.wide = mix(b.wide, markQuery)
	b.write("?")
	for pair := range strings.SplitSeq(query, "&") {
		name, text, _ := strings.Cut(pair, "=")
		if b.params >= MaxSegments {
			break
		}
		name = unindexed(name)
		v := value{xxhash.Sum64String(name), xxhash.Sum64String(text), classify(text)}
		if isSession(name) {
			v.class = key
		}
		b.note(v.class, text)
		if !b.met(v.name) {
			names += mix(v.name, markParam)
			if b.params > 0 {
				b.write("&")
			}
			b.write(name)
		}
		if b.params < len(b.first) {
			b.first[b.params] = v
		}
		b.params++
	}
	b.fine = mix(mix(b.fine, names), markQuery)
	b.size += uint32(b.params)
}

// met reports whether the URL had a parameter of that name already.
func (b *building) met(name uint64) bool {
	for _, v := range b.values() {
		if v.name == name {
			return true
		}
	}
	return false
}

// unindexed returns the name of a parameter of several values, f of f[], f[0] and f%5B0%5D.
func unindexed(name string) string {
	if i := strings.IndexAny(name, "[%"); i > 0 && (name[i] == '[' || strings.HasPrefix(name[i:], "%5B") || strings.HasPrefix(name[i:], "%5b")) {
		return name[:i]
	}
	return name
}
