package gate

import (
	"fmt"
	"regexp"
	"strings"

	"crawler/stats"
	"crawler/weburl"
)

// ScopeMode says how far from the seeds a crawl may go.
type ScopeMode string

// The scopes, from the widest to the narrowest.
const (
	ScopeAny    ScopeMode = "any"    // every host
	ScopeDomain ScopeMode = "domain" // the seeds' registrable domains and all their subdomains
	ScopeHost   ScopeMode = "host"   // the seeds' hosts, port included, http and https alike
	ScopePrefix ScopeMode = "prefix" // below the seeds' directories
)

// ParseScopeMode reads the name of a mode.
func ParseScopeMode(s string) (ScopeMode, error) {
	switch m := ScopeMode(s); m {
	case ScopeAny, ScopeDomain, ScopeHost, ScopePrefix:
		return m, nil
	}
	return "", fmt.Errorf("scope %q: want host, domain, prefix or any", s)
}

// Scope selects the links that are followed. Seeds themselves are always fetched, unless their
// hosts are not in the sample.
type Scope struct {
	Mode    ScopeMode        // "" means ScopeHost
	Include []*regexp.Regexp // if any, a URL must match one of them
	Exclude []*regexp.Regexp // a URL must match none of them
	// Follow are, if any, what a URL may match instead of Include: its page is then fetched, but
	// for its links alone. Seeds are records too only if they match Include.
	Follow []*regexp.Regexp
	// HostShare is, between 0 and 1, the share of hosts that is crawled: those whose names'
	// hashes, seeded by Config.Dedup.Seed, are the lowest. So a smaller share is a part of a
	// larger one. It
	// is rounded to 1/65,536; seeds' hosts are in it or not like all others. 0 and 1 mean all.
	HostShare float64
}

// LinksOnly reports whether the page of a URL that is fetched is read for its links alone.
func (s *Scope) LinksOnly(u weburl.URL) bool {
	return len(s.Follow) > 0 && len(s.Include) > 0 && !matches(s.Include, u)
}

// scope is a Scope that knows its seeds.
type scope struct {
	Scope
	journal  Journal
	moves    uint64          // seeds that redirected; the number of the next one's record
	added    uint64          // seeds that were added; likewise
	keys     map[string]bool // hosts or domains
	domains  map[string]bool // of the seeds
	prefixes []string
	hosts    *stats.Sample // of which Accepts alone is used; nil if all hosts are in
}

func newScope(s Scope, j Journal, seeds []weburl.URL) *scope {
	sc := &scope{Scope: s, journal: j, keys: make(map[string]bool), domains: make(map[string]bool)}
	if sc.Mode == "" {
		sc.Mode = ScopeHost
	}
	for _, u := range seeds {
		sc.addSeed(u)
	}
	return sc
}

// addSeed takes what a seed covers into scope.
func (s *scope) addSeed(u weburl.URL) {
	s.add(u)
	s.domains[u.Domain()] = true
}

func (s *scope) add(u weburl.URL) {
	if s.Mode == ScopePrefix {
		s.prefixes = append(s.prefixes, directory(u))
		return
	}
	s.keys[s.key(u)] = true
}

// addRedirected takes the target of a redirecting seed into scope if it is the same
// site under another name: example.com that redirects to www.example.com. A
// redirect to another site is refused like any other link.
func (s *scope) addRedirected(seed, target weburl.URL) {
	if seed.Domain() != target.Domain() || seed.Port() != target.Port() {
		return
	}
	if s.Mode == ScopePrefix { // the seed's directory, not that of the target
		s.prefixes = append(s.prefixes, target.Origin()+strings.TrimPrefix(directory(seed), seed.Origin()))
		return
	}
	s.add(target)
}

// move takes a seed's redirect into scope; that survives a restart.
func (s *scope) move(seed, target weburl.URL) {
	s.addRedirected(seed, target)
	s.journal.Note(numberedKey(keyMoves, s.moves), appendJSON(move{seed.String(), target.String()}))
	s.moves++
}

// join takes a later seed into scope; that survives a restart.
func (s *scope) join(u weburl.URL) {
	s.addSeed(u)
	s.journal.Note(numberedKey(keyAdded, s.added), []byte(u.String()))
	s.added++
}

// restoreScope returns the scope of the seeds, their redirects and later seeds.
func restoreScope(cfg Scope, j Journal, r Reader) (*scope, error) {
	seeds, err := ReadSeeds(r)
	if err != nil {
		return nil, err
	}
	s := newScope(cfg, j, seeds)
	if err := s.restoreHosts(r); err != nil {
		return nil, err
	}
	err = r.Scan(recordKey(keyMoves), func(_, value []byte) error {
		from, to, err := readMove(value)
		if err == nil {
			s.addRedirected(from, to)
			s.moves++
		}
		return err
	})
	if err != nil {
		return nil, damaged(keyMoves, err)
	}
	err = r.Scan(recordKey(keyAdded), func(_, value []byte) error {
		u, err := weburl.Parse(string(value))
		if err == nil {
			s.addSeed(u)
			s.added++
		}
		return err
	})
	if err != nil {
		return nil, damaged(keyAdded, err)
	}
	return s, nil
}

// sameSite reports whether u might come into scope by addRedirected.
func (s *scope) sameSite(u weburl.URL) bool { return s.domains[u.Domain()] }

// refusesSitemap returns why a sitemap named by robots.txt is not read: it need only
// be on a host that the scope covers in part.
func (s *scope) refusesSitemap(u weburl.URL) Reason {
	if s.Mode != ScopePrefix {
		if !s.covers(u) {
			return OutOfScope
		}
		return ""
	}
	for _, p := range s.prefixes {
		if strings.HasPrefix(p, u.Origin()+"/") {
			return ""
		}
	}
	return OutOfScope
}

// refusesURL returns why u is not followed, "" if it is.
func (s *scope) refusesURL(u weburl.URL) Reason {
	if !s.covers(u) {
		return OutOfScope
	}
	if len(s.Include) > 0 && !matches(s.Include, u) && !matches(s.Follow, u) || matches(s.Exclude, u) {
		return Excluded
	}
	return ""
}

func (s *scope) covers(u weburl.URL) bool {
	switch s.Mode {
	case ScopeAny:
		return true
	case ScopePrefix:
		for _, p := range s.prefixes {
			if strings.HasPrefix(u.String(), p) {
				return true
			}
		}
		return false
	}
	return s.keys[s.key(u)]
}

func (s *scope) key(u weburl.URL) string {
	if s.Mode == ScopeDomain {
		return u.Domain()
	}
	return u.Host()
}

// directory is u up to the last slash of its path.
func directory(u weburl.URL) string {
	path := u.Path()
	return u.Origin() + path[:strings.LastIndexByte(path, '/')+1]
}

func matches(res []*regexp.Regexp, u weburl.URL) bool {
	for _, re := range res {
		if re.MatchString(u.String()) {
			return true
		}
	}
	return false
}

// refuses returns why a URL is not followed, "" if it is. Seeds define the scope, so of it the
// sample of hosts alone applies to them. A sitemap is no page, so its entries are judged.
func (s *scope) refuses(o *offer) (r Reason) {
	switch {
	case o.seed():
		return s.refusesHost(o.URL)
	case o.Hops > MaxRedirects:
		return RedirectLimit
	case o.Sitemap && o.Depth > MaxSitemapNesting:
		return SitemapLimit
	case o.Sitemap:
		r = s.refusesSitemap(o.URL)
	default:
		r = s.refusesURL(o.URL)
	}
	if r == "" {
		r = s.refusesHost(o.URL)
	}
	switch {
	case r != "":
		return r
	case o.declined:
		return Excluded
	case o.nofollow:
		return Nofollow
	}
	return ""
}
