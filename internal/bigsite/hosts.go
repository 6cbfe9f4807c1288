package bigsite

import (
	"fmt"
	"net"
	"net/http"
)

// indexHosts fills hostOf. Some crawlers leave a port out of the Host header, so a name
// without it counts if only one host has it.
func (s *Site) indexHosts() error {
	s.hostOf = map[string]int{}
	names := map[string]int{}
	for i, h := range s.Hosts {
		if _, ok := s.hostOf[h]; ok {
			return fmt.Errorf("bigsite: host %q is named twice", h)
		}
		s.hostOf[h] = i
		if name, _, err := net.SplitHostPort(h); err == nil {
			names[name]++
		}
	}
	for i, h := range s.Hosts {
		if name, _, err := net.SplitHostPort(h); err == nil && names[name] == 1 {
			s.hostOf[name] = i
		}
	}
	return nil
}

// hosts is the number of hosts, at least 1. The pages up to it have the path "/", each
// on its own host.
func (s *Site) hosts() int { return max(1, len(s.Hosts)) }

// locate is find for a request: the host decides, too.
func (s *Site) locate(r *http.Request) (k kind, page int, ok bool) {
	if len(s.Hosts) == 0 {
		return s.find(r.URL.Path)
	}
	host, ok := s.hostOf[r.Host]
	if !ok {
		return 0, 0, false
	}
	if r.URL.Path == "/" {
		return tree, host, host < s.Pages
	}
	k, page, ok = s.find(r.URL.Path)
	if k != tree || page < len(s.Hosts) || page%len(s.Hosts) != host {
		return 0, 0, false
	}
	return k, page, ok
}

// appendURL appends the address under which All lists a page.
func (s *Site) appendURL(b []byte, page int) []byte {
	if len(s.Hosts) == 0 {
		return s.appendLink(b, page)
	}
	if s.TLS {
		b = append(b, "https://"...)
	} else {
		b = append(b, "http://"...)
	}
	b = append(b, s.Hosts[page%len(s.Hosts)]...)
	return s.appendTreePath(b, page)
}

// appendTreePath appends the path of a page on its host.
func (s *Site) appendTreePath(b []byte, page int) []byte {
	if page < s.hosts() {
		return append(b, '/')
	}
	return appendPath(b, tree, page)
}
