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
	kin        uint64 // the fine one without names that it keeps, 0 if it keeps none
	section    uint64 // the fine one without the last name that it keeps, 0 if it keeps none
	keyed      bool   // it carries a key or a session
	session    bool   // it carries a session, by its name
	dated      bool   // it has a year and another number, or a date
	form       uint64 // path without keys and empty segments; only numbers in a row have a sequence
	host       uint64
	domain     uint64
	params     int
	first      [2 * maxParams]value
	size       uint32 // segments and parameters, which grow in Growing
	length     uint32 // in bytes
	tail       uint64 // the last two segments of the path, 0 unless both are names
	head       uint64 // the form of the path without its last segment, 0 if there is only one
	folded     uint64 // the form of the path in lower case
	terms      terms  // of which the form is the sum
}

// value is a parameter of the query.
type value struct {
	name, value uint64 // hashed
	class       class
}

// values are the first parameters, in the sequence of the URL.
func (s *shape) values() []value { return s.first[:min(s.params, len(s.first))] }

// numbered reports whether a parameter is a number.
func (s *shape) numbered() bool {
	return slices.ContainsFunc(s.values(), func(v value) bool { return v.class == digits })
}

const (
	maxChildren = 16 // names that are kept in one directory
	maxNamed    = 3  // directories from the root that may keep their names
)

// shapes reads URLs. It remembers which directories keep their names.
type shapes struct {
	children  map[uint64]uint8      // by directory: how many of its names are kept
	kept      map[uint64]struct{}   // the names, hashed with their directory
	lately    [mostLately]uint64    // of those, by hash, the ones that were met last
	pages     map[uint64]uint8      // by host: how many were learned, up to established
	most      int                   // of each
	knownHost                       // of the last call
	hosts     [][hostWays]knownHost // by hash, the latest of each
	journal   *journal
	last      weburl.URL // whose shape lastIs is, if the next call finds the same; zero if not
	lastIs    building
}

// knownHost is what follows from a host. It costs a search in the list of public suffixes.
type knownHost struct {
	host     string
	hostHash uint64
	domain   uint64 // hash of the domain, or of the host if alone
	suffix   string // which all hosts of the domain end with; "" of addresses
	alone    bool   // the host does not share the wide patterns of its domain
}

// The sizes of the tables: 80 and 2 KiB.
const (
	hostSets   = 512
	hostWays   = 4 // as sites link to each other, a few that share a place come by turns
	mostLately = 256
)

func newShapes(most int) shapes {
	return shapes{
		children: map[uint64]uint8{}, kept: map[uint64]struct{}{}, pages: map[uint64]uint8{}, most: most,
		hosts: make([][hostWays]knownHost, hostSets),
	}
}

// Marks that keep the parts of a pattern apart in its hash.
const (
	markClass = 3 + iota
	markName
	markQuery
	markParam
	markWide
	markChoice
)

// established is how many pages of a subdomain must be learned before it no longer shares
// the wide patterns of its domain, which are meant for hosts that are made up.
const established = 16

// setHost notes the hashes of a host and its registrable domain.
func (s *shapes) setHost(u weburl.URL) {
	host := u.Host()
	if host == s.knownHost.host && host != "" {
		return
	}
	hash := xxhash.Sum64String(host)
	set := &s.hosts[hash%hostSets]
	for i := range set {
		if set[i].hostHash == hash && set[i].host == host && host != "" {
			s.knownHost = set[i]
			return
		}
	}
	s.knownHost = s.readHost(u, hash)
	copy(set[1:], set[:])
	set[0] = s.knownHost
}

// hostOf returns what is known of a URL's host.
func (s *shapes) hostOf(u weburl.URL) knownHost {
	s.setHost(u)
	return s.knownHost
}

// sameDomain reports whether u shares the wide patterns of a host's domain. Most others are known
// by how their host ends.
func (s *shapes) sameDomain(u weburl.URL, as *knownHost) bool {
	if u.Host() == as.host {
		return true
	}
	return strings.HasSuffix(u.Hostname(), as.suffix) && s.hostOf(u).domain == as.domain
}

func (s *shapes) readHost(u weburl.URL, hash uint64) knownHost {
	h := knownHost{host: strings.Clone(u.Host()), hostHash: hash, domain: mix(hash, markWide)}
	domain := domainOf(u)
	if domain != anyAddress {
		h.suffix = strings.Clone(domain)
	}
	h.alone = domain != u.Hostname() && s.pages[hash] >= established
	if !h.alone {
		h.domain = mix(xxhash.Sum64String(domain), markWide)
	}
	return h
}

// forgetHosts has all hosts read again.
func (s *shapes) forgetHosts() {
	clear(s.hosts)
	s.knownHost, s.last = knownHost{}, weburl.URL{}
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
		s.hosts[host%hostSets] = [hostWays]knownHost{} // it is alone from now on
		s.knownHost, s.last = knownHost{}, weburl.URL{}
	}
}

// forgetNames forgets which directories keep their names.
func (s *shapes) forgetNames() {
	s.children, s.kept, s.last = map[uint64]uint8{}, map[uint64]struct{}{}, weburl.URL{}
	s.lately = [mostLately]uint64{}
}

// of returns the shape of u, whose directories keep their names if there is room. It is valid until
// the next call.
func (s *shapes) of(u weburl.URL) *shape { return s.read(u, true) }

// at returns the shape of u, and changes nothing: it is what of would return now.
func (s *shapes) at(u weburl.URL) *shape { return s.read(u, false) }

func (s *shapes) read(u weburl.URL, keeps bool) *shape {
	b := &s.lastIs
	if u == s.last {
		return &b.shape
	}
	s.setHost(u)
	*b = building{}
	b.shapes, b.keeps, b.named = s, keeps, true
	b.kin = s.hostHash
	b.fine, b.wide, b.length = s.hostHash, s.knownHost.domain, uint32(len(u.String()))
	b.build(u)
	b.shape.host, b.shape.domain = s.hostHash, s.knownHost.domain
	if b.kin == b.fine { // it keeps no name
		b.kin, b.section = 0, 0
	}
	b.dated = b.date || b.years > 0 && b.numbers > 1
	s.last = u
	if b.asked {
		s.last = weburl.URL{}
	}
	return &b.shape
}

// wideOf returns the wide pattern of u, without the rest of its shape, and changes nothing.
func (s *shapes) wideOf(u weburl.URL) uint64 {
	wide := s.hostOf(u).domain
	var classes inRow
	for rest, more := u.Path()[1:], true; more; {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		segment = withoutSession(segment)
		if c := classify(segment); classes.changes(c) {
			wide = mixClass(wide, c)
		}
		if !more {
			wide = mixKind(wide, fileKind(segment))
		}
	}
	if !u.HasQuery() {
		return wide
	}
	wide = mix(wide, markQuery)
	if _, _, several := cutParam(u.Query()); several {
		wide = mix(wide, markParam)
	}
	return wide
}

// nameOf writes the fine pattern of u.
func (s *shapes) nameOf(u weburl.URL) string {
	s.setHost(u)
	var name strings.Builder
	b := building{shapes: s, name: &name, shape: shape{fine: s.hostHash}, named: true}
	b.write(s.knownHost.host)
	b.build(u)
	return name.String()
}

// wideName writes the wide pattern of u.
func (s *shapes) wideName(u weburl.URL) string {
	var name strings.Builder
	b := building{shapes: s, name: &name, nameless: true}
	s.setHost(u)
	switch domain := domainOf(u); {
	case s.alone:
		b.write(s.knownHost.host)
	case domain == anyAddress:
		b.write(domain)
	case !strings.Contains(domain, "."): // localhost has no subdomains
		b.write(strings.TrimSuffix(s.knownHost.host, ":"+u.Port()))
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
	name        *strings.Builder
	nameless    bool  // parameters have none in it
	keeps       bool  // directories keep their names from now on
	asked       bool  // one does so only in this shape
	classes     inRow // in the wide pattern
	fineClasses inRow // in the fine one, after a name
	directory   int
	numbers     int  // parts that are numbers
	years       int  // of those, the ones that might be years
	date        bool // one may be a whole date
	named       bool // all directories so far have their names
}

// inRow are the classes of the last two parts of a path.
type inRow struct{ last, before class }

// changes reports whether a part's class is another than those of the last two, and notes it. Of
// parts that alternate, as in /post/1/post/2/post/3, two count.
func (r *inRow) changes(c class) bool {
	if c == r.last {
		return false
	}
	is := c != r.before
	r.before, r.last = r.last, c
	return is
}

// mixClass adds a class to a pattern.
func mixClass(pattern uint64, c class) uint64 { return mix(pattern, markClass<<8|uint64(c)) }

// withoutSession returns a segment without what may follow a semicolon.
func withoutSession(segment string) string {
	if i := strings.IndexByte(segment, ';'); i >= 0 {
		return segment[:i]
	}
	return segment
}

func (b *building) build(u weburl.URL) {
	b.path(u.Path(), u.HasQuery())
	if u.HasQuery() {
		b.query(u.Query())
	}
}

func (b *building) write(parts ...string) {
	if b.name == nil {
		return
	}
	for _, s := range parts {
		b.name.WriteString(s)
	}
}

// path goes through the segments. The last one is a file, whose name is kept only if a
// query makes it a program; of others its kind is.
func (b *building) path(path string, query bool) {
	var last [2]uint64
	for rest := path[1:]; ; {
		segment, behind, more := strings.Cut(rest, "/")
		if segment != "" {
			b.head = b.form
		}
		kind := ""
		if !more {
			kind = fileKind(withoutSession(segment))
		}
		name := b.segment(segment, kind, behind != "" || query)
		switch {
		case more:
			last = [2]uint64{last[1], name}
			rest = behind
			continue
		case segment == "":
			b.tail = both(last[0], last[1])
		default:
			b.tail = both(last[1], name)
		}
		return
	}
}

// fileKind returns the end of a file's name that says which part of a server answers, "" if that is
// not known. Any other end may be a part of the name, such as that of a domain.
func fileKind(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return ""
	}
	switch kind := name[dot:]; kind {
	case ".html", ".htm", ".xhtml", ".shtml", ".phtml", ".php", ".asp", ".aspx", ".jsp", ".jspx", ".do", ".action", ".cfm",
		".cgi", ".pl", ".py", ".dll", ".exe", ".xml", ".rss", ".atom", ".json", ".txt", ".md", ".pdf":
		return kind
	}
	return ""
}

// mixKind adds the kind of a file to a pattern.
func mixKind(pattern uint64, kind string) uint64 {
	if kind == "" {
		return pattern
	}
	return mix(pattern, xxhash.Sum64String(kind))
}

// both is the hash of two names, 0 if one is none.
func both(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return 0
	}
	return mix(a, b)
}

// segment returns the hash of what is a name.
func (b *building) segment(s, kind string, mayName bool) (name uint64) {
	if bare := withoutSession(s); len(bare) < len(s) {
		b.session = b.session || isSession(s[len(bare):])
		b.keyed = b.keyed || b.session
		s = bare
	}
	c, hash := classify(s), uint64(0)
	b.size++
	if c != key {
		hash = xxhash.Sum64String(s)
	}
	if c != key && s != "" {
		in := hash
		if c == digits && b.classes.last == digits { // the third of May is not the fifth of March
			in = mix(hash, uint64(b.directory))
		}
		term := mix(in, markClass)
		b.form += term
		b.terms.add(term)
		b.folded += mix(lowered(s, c, in), markClass)
	}
	b.note(c, s)
	if b.classes.changes(c) {
		b.wide = mixClass(b.wide, c)
	}
	b.wide = mixKind(b.wide, kind)
	directory := b.fine
	if mayName && b.named && c == word && b.directory < maxNamed && b.keep(hash) {
		b.write("/", s)
		b.fineClasses = inRow{}
		b.kin, b.section = mixKind(mix(b.kin, markName), kind), mixKind(mix(directory, markName), kind)
	} else {
		if b.fineClasses.changes(c) {
			b.fine, b.kin, b.section = mixClass(b.fine, c), mixClass(b.kin, c), mixClass(b.section, c)
			b.write("/", symbol[c])
		}
		b.fine, b.kin, b.section = mixKind(b.fine, kind), mixKind(b.kin, kind), mixKind(b.section, kind)
		b.write(kind)
	}
	b.directory++
	if c != word {
		return 0
	}
	return hash
}

// lowered returns the hash of a segment of a class in lower case, given how it is hashed as it is.
func lowered(s string, c class, in uint64) uint64 {
	if c == digits || !hasUpper(s) {
		return in
	}
	var hash xxhash.Digest // each link is read, so nothing is allocated
	var lower [64]byte
	for hash.Reset(); len(s) > 0; {
		n := copy(lower[:], s)
		for i, c := range lower[:n] {
			lower[i] = toLower(c)
		}
		hash.Write(lower[:n])
		s = s[n:]
	}
	return hash.Sum64()
}

func hasUpper(s string) bool {
	for i := range len(s) {
		if s[i]-'A' < 26 {
			return true
		}
	}
	return false
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

// keep reports whether the directory read so far keeps a name.
func (b *building) keep(name uint64) bool {
	h := mix(b.fine, name)
	if !b.isKept(h) {
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

// isKept reports whether a name is kept.
func (s *shapes) isKept(name uint64) bool {
	lately := &s.lately[name%mostLately]
	if *lately == name && name != 0 {
		return true
	}
	_, ok := s.kept[name]
	if ok {
		*lately = name
	}
	return ok
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
	for pair := range paramsOf(query) {
		name, text, _ := strings.Cut(pair, "=")
		if b.params >= MaxSegments {
			break
		}
		name = unindexed(name)
		v := value{xxhash.Sum64String(name), xxhash.Sum64String(text), classify(text)}
		if isSession(name) {
			v.class, b.session = key, true
		}
		b.note(v.class, text)
		again := b.met(v.name)
		if !again {
			names += mix(v.name, markParam)
		}
		b.writeParam(name, again)
		if b.params < len(b.first) {
			b.first[b.params] = v
		}
		b.params++
	}
	for _, pattern := range [...]*uint64{&b.fine, &b.kin, &b.section} {
		*pattern = mix(mix(*pattern, names), markQuery)
	}
	if b.params >= facetParams {
		b.wide = mix(b.wide, markParam)
	}
	b.size += uint32(b.params)
}

// writeParam writes the name of a parameter, once. A wide pattern says only whether there are
// several.
func (b *building) writeParam(name string, again bool) {
	if b.nameless {
		name, again = "*", b.params >= facetParams
	}
	switch {
	case again:
		return
	case b.params > 0:
		b.write("&")
	}
	b.write(name)
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
