package crawl

import (
	"context"
	"errors"
	"sync"
)

// ErrEnded means that a URL came too late: the crawl is ending or has ended.
var ErrEnded = errors.New("the crawl has ended")

// Inbox takes seeds for a crawl that is running: give it as Config.Inbox. The crawl does
// not end by itself before Close. It serves one crawl. Its methods may be called by several
// goroutines at once, from a Recorder or a hook too, but not from Config.Progress.
type Inbox struct {
	additions chan addition
	closed    chan struct{}
	ended     chan struct{}
	once      sync.Once
}

// addition is a URL on its way into the crawl.
type addition struct {
	url   string
	reply chan error // buffered: the coordinator never waits
}

// NewInbox returns an Inbox for one crawl.
func NewInbox() *Inbox {
	return &Inbox{additions: make(chan addition), closed: make(chan struct{}), ended: make(chan struct{})}
}

// Add gives the crawl one more URL, as if it had been among Config.Seeds: it comes at depth
// 0 and widens the scope; only the guard of addresses stays as it was. A URL that the crawl
// knows already changes nothing else. Add returns after the crawl has admitted the URL; a
// crawl with a durable Store commits that within a tenth of a second. Errors are those of
// an unusable URL, ErrEnded, and ctx's. Before Run, Add waits.
func (in *Inbox) Add(ctx context.Context, url string) error {
	a := addition{url: url, reply: make(chan error, 1)}
	select {
	case in.additions <- a:
		return <-a.reply
	case <-in.ended:
		return ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close says that no more URLs come: the crawl ends when nothing is left.
func (in *Inbox) Close() { in.once.Do(func() { close(in.closed) }) }

// channels returns the channels that the coordinator listens to, nil without an Inbox.
func (in *Inbox) channels() (additions <-chan addition, closed <-chan struct{}) {
	if in == nil {
		return nil, nil
	}
	return in.additions, in.closed
}

// end rejects URLs that come after the coordinator has stopped listening.
func (in *Inbox) end() {
	if in != nil {
		close(in.ended)
	}
}
