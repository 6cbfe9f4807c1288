package crawl

import (
	"time"

	"crawler/fetch"
	"crawler/frontier"
	"crawler/parse"
	"crawler/trap"
	"crawler/weburl"
)

// Visit is one URL's way round the ring: a task, then what came of it. Visits are
// reused; a Recorder copies what it keeps.
type Visit struct {
	frontier.Item
	End     End
	Outcome frontier.Outcome // for the host's clock

	Status    int
	MediaType string // lower-case type/subtype
	Started   time.Time
	Elapsed   time.Duration
	Bytes     int64  // decoded body
	WireBytes int64  // body as it came over the wire
	Truncated bool   // the body was longer than the limit
	Digest    uint64 // of the page's words in order, or of the body where there are none
	Page      parse.Page
	ParseErr  error
	Trap      trap.Page // what the guard against traps wants to know

	Target      weburl.URL // of a redirect
	AskedRobots bool       // this visit asked for robots.txt

	Reason  Reason       // of a refusal or a failure
	Detail  string       // in words
	Rules   *fetch.Rules // what robots.txt said, if it was asked for on this visit or the one before
	look    bool         // a closed pattern has another look at this page, which is not judged again
	refused error        // by the Recorder: the visit does not count as done
}

// End says how a visit ended.
type End uint8

// The ends of a visit. Only a Fetched visit is recorded as a page.
const (
	Fetched    End = iota // an answer that stands, whatever its status
	Redirected            // to Target
	RobotsRead            // robots.txt was fetched; the page's turn comes
	Refused               // by Reason, without asking
	Deferred              // the server asked for patience or failed; another try is due
	Failed                // no answer, for Reason
	Aborted               // not carried out: the crawl ends, or the host is to be left alone
)

func (v *Visit) reset(it frontier.Item) {
	page, sample := v.Page, v.Trap.Sample[:0]
	page.Reset()
	*v = Visit{Item: it, Page: page, Trap: trap.Page{Sample: sample}}
}

// maxKeptLinks and maxKeptWords bound what a reused Visit holds on to after one
// enormous page (about 1 MiB each).
const (
	maxKeptLinks = 1 << 11
	maxKeptWords = 1 << 14
)

// trim lets go of rules, and of buffers that one enormous page has grown.
func (v *Visit) trim() {
	v.Rules = nil
	if cap(v.Page.Links) > maxKeptLinks || cap(v.Page.Words) > maxKeptWords {
		v.Page = parse.Page{}
	}
}
