package crawl

import (
	"context"

	"golang.org/x/sync/semaphore"

	"crawler/fetch"
	"crawler/weburl"
)

// ExchangeRecorder is a Recorder that gets every exchange with a server, not only the pages:
// redirects, robots.txt and its redirects, answers that are followed by another attempt,
// errors and failures. An exchange given before a Cut belongs to that commit; after a crash
// those given after the last commit come again.
type ExchangeRecorder interface {
	Recorder
	// Exchange takes one exchange of a visit, before its Page. Neither may be kept, nor the
	// Response.
	Exchange(v *Visit, x *Exchange) error
}

// Exchange is one request and its result.
type Exchange struct {
	URL      weburl.URL
	Robots   bool            // of robots.txt, or where it redirects to
	Response *fetch.Response // nil if there was no answer
	Err      error           // what went wrong, also with an answer's body
}

// exchange keeps the result of a request for the Recorder, if that wants it, and reports
// whether it did.
func (r *ring) exchange(v *Visit, x Exchange) (keeps bool) {
	if r.exchanges == nil {
		return false
	}
	v.exchanges = append(v.exchanges, x)
	return true
}

// hold takes the bytes of the visit's bodies from the budget of all bodies that wait for the
// recorder, and waits until there is room. A visit with more than the budget takes all of it.
func (r *ring) hold(v *Visit) {
	if r.bodies == nil {
		return
	}
	n := int64(0)
	if v.Response != nil {
		n = int64(len(v.Response.Body))
	}
	for i := range v.exchanges {
		if res := v.exchanges[i].Response; res != nil && res != v.Response {
			n += int64(len(res.Body))
		}
	}
	v.reserved = min(n, r.cfg.BodyBudget)
	// The recorder takes visits until the last worker has ended, so room comes.
	if err := r.bodies.Acquire(context.Background(), v.reserved); err != nil {
		panic("crawl: the background context ended: " + err.Error())
	}
}

// release ends the visit's use of its answers.
func (v *Visit) release(bodies *semaphore.Weighted) {
	v.Response.Release()
	v.Response = nil
	for i := range v.exchanges {
		v.exchanges[i].Response.Release()
	}
	clear(v.exchanges)
	v.exchanges = v.exchanges[:0]
	if bodies != nil {
		bodies.Release(v.reserved)
		v.reserved = 0
	}
}
