package mazes

import "strings"

// mixed returns honest sites with a trap behind the same host.
func mixed(size int) []*Site {
	join := func(name string, honest func(s *Site, host, uri string) Answer, dir string, trap func(s *Site, uri string) Answer) *Site {
		return &Site{Name: name, Trap: true, page: func(s *Site, host, uri string) Answer {
			if uri == dir || strings.HasPrefix(uri, dir+"/") || strings.HasPrefix(uri, dir+"?") {
				a := trap(s, uri)
				a.Trap = a.Status != 404
				return a
			}
			a := honest(s, host, uri)
			a.Body = append(a.Body, `<a href="`+dir+`"></a>`...)
			return a
		}}
	}
	return []*Site{
		join("blog with a maze", archive(size/10), "/deep", func(s *Site, uri string) Answer { return s.mazeBelow("/deep/", uri) }),
		join("manual with a calendar", documentation(size/10), "/calendar", func(s *Site, uri string) Answer {
			if uri == "/calendar" {
				uri = "/"
			}
			return months(s, uri)
		}),
		join("wiki with a soft 404", wiki(size/20), "/lost", softNotFound),
	}
}
