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

// ExchangePreparer is an ExchangeRecorder that does its work on an exchange in the worker that has
// carried it out: there are as many of these as cores can use, and one recorder.
type ExchangePreparer interface {
	ExchangeRecorder
	// PrepareExchange gets every exchange before Exchange does, when its page has been read, in
	// several goroutines at once. What it makes it keeps in x.Prepared; it returns how many bytes
	// that takes. Afterwards the Response is released: Exchange gets none.
	PrepareExchange(v *Visit, x *Exchange) (bytes int64)
}

// Exchange is one request and its result.
type Exchange struct {
	URL      weburl.URL
	Robots   bool            // of robots.txt, or where it redirects to
	Response *fetch.Response // nil if there was no answer
	Err      error           // what went wrong, also with an answer's body
	Prepared any             // by an ExchangePreparer

	bytes int64 // of Prepared
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

// prepareExchanges has the Recorder do its work on the visit's exchanges, if it wants that.
func (r *ring) prepareExchanges(v *Visit) {
	if r.exchangePreparer == nil {
		return
	}
	for i := range v.exchanges {
		x := &v.exchanges[i]
		x.bytes = r.exchangePreparer.PrepareExchange(v, x)
		if x.Response != v.Response {
			x.Response.Release()
		}
		x.Response = nil
	}
}

// exchangeBytes is what the visit's answers take, and what was made of them; the bodies of pages
// that the Recorder gets too are not among them.
func (v *Visit) exchangeBytes() (n int64) {
	for i := range v.exchanges {
		n += v.exchanges[i].bytes
		if res := v.exchanges[i].Response; res != nil {
			n += int64(len(res.WireRequest) + len(res.WireResponse))
			if res != v.Response {
				n += int64(len(res.Body))
			}
		}
	}
	return n
}

// hold takes the bytes of the visit's bodies from the budget of all bodies that wait for the
// recorder, and waits until there is room. A visit with more than the budget takes all of it.
func (r *ring) hold(v *Visit) {
	if r.bodies == nil {
		return
	}
	n := v.exchangeBytes()
	if v.Response != nil {
		n += int64(len(v.Response.Body))
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
