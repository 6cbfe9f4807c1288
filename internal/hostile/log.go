package hostile

import (
	"slices"
	"time"
)

// Hits is what the farm saw of one URL.
type Hits struct {
	Requests  int
	Redirects int // answered by a redirect and nothing else
	Unheard   int // got no byte on a connection that had worked: net/http may have repeated them
}

// Pace is how fast a host was asked, robots.txt apart: a crawler reads that over
// redirects at once.
type Pace struct {
	Requests    int
	Unheard     int // of them, as in Hits
	First, Last time.Time
}

// maxViolations bounds how many are kept.
const maxViolations = 20

// asked counts a request and returns how many there were before it.
func (f *Farm) asked(x *exchange) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := entry(f.log, x.address())
	h.Requests++
	if x.URL.Path != robotsPath {
		p := entry(f.paces, x.Host)
		p.Requests++
		if p.Last = time.Now(); p.Requests == 1 {
			p.First = p.Last
		}
	}
	return h.Requests - 1
}

// answered notes what became of a request.
func (f *Farm) answered(x *exchange, reused bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.log[x.address()]
	if x.redirect {
		h.Redirects++
	}
	if reused && x.wrote == 0 {
		h.Unheard++
		if p, ok := f.paces[x.Host]; ok && x.URL.Path != robotsPath {
			p.Unheard++
		}
	}
}

// entry returns what is at a key, new if there was nothing.
func entry[V any](m map[string]*V, key string) *V {
	v, ok := m[key]
	if !ok {
		v = new(V)
		m[key] = v
	}
	return v
}

// Hits returns what was asked for so far, by URL. Whether requests were answered is
// certain after Close only.
func (f *Farm) Hits() map[string]Hits {
	f.mu.Lock()
	defer f.mu.Unlock()
	return snapshot(f.log)
}

// Paces returns how fast the hosts that answer HTTP were asked, by name and port.
func (f *Farm) Paces() map[string]Pace {
	f.mu.Lock()
	defer f.mu.Unlock()
	return snapshot(f.paces)
}

func snapshot[V any](m map[string]*V) map[string]V {
	all := make(map[string]V, len(m))
	for key, v := range m {
		all[key] = *v
	}
	return all
}

func (f *Farm) violate(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.violations) < maxViolations && !slices.Contains(f.violations, what) {
		f.violations = append(f.violations, what)
	}
}

// Violations returns the first few things that no crawler may do: fetching what
// robots.txt forbids or, unreadable, must be taken to forbid, and connecting where no
// seed allows it.
func (f *Farm) Violations() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.violations)
}
