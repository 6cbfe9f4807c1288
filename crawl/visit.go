package crawl

import (
	"net/netip"
	"time"

	"crawler/fetch"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/room"
	"crawler/parse"
	"crawler/weburl"
)

// Visit is one URL's way round the ring: a task, then its result. Visits are
// reused; a Recorder copies what it keeps.
type Visit struct {
	gate.Task
	End     End
	Outcome frontier.Outcome // for the host's clock

	Status       int
	Proto        string // "HTTP/1.1", "HTTP/2.0"
	MediaType    string // lower-case type/subtype
	Server       string // the Server field
	Challenge    string // fetch.Challenge of the answer
	ETag         string
	LastModified string        // as it was sent
	Started      time.Time     // of the request
	FirstByte    time.Duration // from Started to the header's end; with Response, to its first byte
	Elapsed      time.Duration // from Started to the last byte
	Bytes        int64         // decoded body
	WireBytes    int64         // body as it came over the wire
	Truncated    bool          // the body was longer than the limit, or broke off
	CutOff       bool          // it broke off, also at the last attempt: it may be had later
	Digest       uint64        // hash of the page's words in sequence, of the body without words
	Page         parse.Page
	ParseErr     error

	// Prepared is what a Preparer has made of the page. A Visit that is used again still has what
	// it was left with: the memory can be used again, too.
	Prepared any

	// Response is the answer itself: for OnPage always, for the Recorder with
	// Config.KeepResponse. Its body must not be used any more once they have returned.
	Response *fetch.Response

	Target      weburl.URL // of a redirect; zero if it leads to no URL, and Detail says why
	AskedRobots bool       // this visit asked for robots.txt, and for nothing else
	Requests    int        // that were sent

	LinksOnly bool // fetched, but not to be recorded: gate.Scope.LinksOnly

	Reason gate.Reason  // of a refusal or a failure
	Robots gate.Robots  // of gate.Disallowed: what robots.txt said
	Detail string       // in words
	Rules  *fetch.Rules // of robots.txt, if this visit has read it

	sample    gate.Sample
	exchanges []Exchange // if the Recorder wants them
	reserved  int64      // bytes taken from the budget of bodies
	declined  bool       // Config.Follow is against Target
	answers   int        // to requests, of robots.txt too
	address   netip.Addr // of a Located one
	hookErr   error      // of OnPage
	stay      room.Stay  // in the room that pages under way share
	place     int        // among those under way; owned by the coordinator
	refused   error      // by the Recorder: the visit does not count as done
}

// End says how a visit ended.
type End uint8

// The ends of a visit. A Fetched one is recorded as a page, a Redirected one as a redirect.
const (
	Fetched    End = iota // an answer that stands, whatever its status
	Redirected            // to Target, if it has one
	RobotsRead            // robots.txt was fetched; the page's turn comes
	Heard                 // robots.txt was asked for to see whether the network is back: it is
	Located               // nothing was asked for: the host's address was not known, and is now
	Refused               // by Reason, without asking
	Deferred              // the server asked for a wait or failed; another attempt will follow
	Failed                // no answer, for Reason
	Aborted               // not carried out: the end, a host to be left alone, or a brief try
)

func (v *Visit) reset(t gate.Task) {
	page, sample, exchanges := v.Page, v.sample.Sample[:0], v.exchanges[:0]
	page.Reset()
	*v = Visit{Task: t, Page: page, Prepared: v.Prepared, sample: gate.Sample{Sample: sample}, exchanges: exchanges}
}

// visits are those that are free for reuse: at most three per worker are ever made, and one for
// each page that waits for room.
type visits []*Visit

// take returns a Visit for t.
func (vs *visits) take(t gate.Task) *Visit {
	n := len(*vs)
	if n == 0 {
		return &Visit{Task: t}
	}
	v := (*vs)[n-1]
	*vs = (*vs)[:n-1]
	v.reset(t)
	return v
}

func (vs *visits) put(v *Visit) {
	if len(*vs) >= maxWarm {
		v.Page = parse.Page{}
	}
	*vs = append(*vs, v)
}

// maxWarm is how many visits that wait for reuse keep the memory of their pages.
const maxWarm = 64

// maxKeptLinks and maxKeptWords bound what a Visit keeps after a large page, 192 KiB; what is
// beyond them goes back to the readers.
const (
	maxKeptLinks = 1 << 11
	maxKeptWords = 1 << 14
)
