package crawl

import (
	"time"

	"crawler/fetch"
	"crawler/gate"
)

// localPause is how long no host is asked after this machine has run out of file
// descriptors, ports or memory. A page that fails because of that does not use up an
// attempt, until no page has been fetched for as long as Config.Gate.Frontier.Patience.
const localPause = time.Second

// shortage is the time since when this machine has lacked something; zero if it does not.
type shortage struct{ since time.Time }

// meet records how a visit ended. pause is true if it failed because this machine ran out
// of something, as all others would; excused, if it did not use up an attempt.
func (s *shortage) meet(v *Visit, now time.Time, patience time.Duration) (excused, pause bool) {
	if v.Reason != gate.Reason(fetch.ReasonLocal) {
		if v.End != Aborted && v.End != Located {
			s.since = time.Time{}
		}
		return false, false
	}
	if s.since.IsZero() {
		s.since = now
	}
	return now.Sub(s.since) < patience, true
}
