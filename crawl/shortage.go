package crawl

import (
	"time"

	"crawler/fetch"
	"crawler/gate"
)

// localPause is how long nothing is asked after this machine has run out of file
// descriptors, ports or memory. Pages that fail because of it keep their tries until no page
// has been fetched for localPatience.
const (
	localPause    = time.Second
	localPatience = time.Minute
)

// shortage is since when this machine has lacked something; zero if it does not.
type shortage struct{ since time.Time }

// meet takes in how a visit went. pause says that it failed because this machine ran out of
// something, so that all others would; excused, that it has not had its try.
func (s *shortage) meet(v *Visit, now time.Time) (excused, pause bool) {
	if v.Reason != gate.Reason(fetch.ReasonLocal) {
		if v.End != Aborted {
			s.since = time.Time{}
		}
		return false, false
	}
	if s.since.IsZero() {
		s.since = now
	}
	return now.Sub(s.since) < localPatience, true
}
