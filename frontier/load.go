package frontier

import "time"

// Busiest returns the n hosts with most queued URLs, most first. Cost: O(hosts * n).
func (f *Frontier) Busiest(n int) []HostLoad {
	var top []HostLoad
	for _, h := range f.hosts {
		l := HostLoad{Host: h.name, Queued: h.queued(), Spacing: h.spacing()}
		i := len(top)
		for i > 0 && l.before(top[i-1]) {
			i--
		}
		if l.Queued == 0 || i == n {
			continue
		}
		top = append(top, HostLoad{})
		copy(top[i+1:], top[i:])
		top[i] = l
		top = top[:min(len(top), n)]
	}
	return top
}

// HostLoad is a host's part of the queue.
type HostLoad struct {
	Host    string
	Queued  int
	Spacing time.Duration // present time between two requests, back-off included
}

func (l HostLoad) before(o HostLoad) bool {
	return l.Queued > o.Queued || l.Queued == o.Queued && l.Host < o.Host
}
