package gate

import "crawler/weburl"

// Permission is the decision of robots.txt about one URL. The rules themselves, which a
// hostile file can make large, stay with their reader, under one memory bound.
type Permission struct {
	Robots Robots // why the URL must not be fetched, "" if it may
	Detail string // in words, the reason
}

// permits are the decisions of robots.txt about the pages that it was read for, until their
// turn, by origin.
type permits map[string]permit

type permit struct {
	url        weburl.URL
	permission *Permission
}

// put keeps what is known about a task that goes back to its queue.
func (p permits) put(t *Task) {
	if t.Permission != nil {
		p[t.URL.Origin()] = permit{t.URL, t.Permission}
	}
}

// take returns what is known about a URL whose turn has come, nil if nothing.
func (p permits) take(u weburl.URL) *Permission {
	if len(p) == 0 {
		return nil
	}
	k, ok := p[u.Origin()]
	if !ok || k.url != u {
		return nil
	}
	delete(p, u.Origin())
	return k.permission
}
