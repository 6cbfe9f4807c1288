package frontier

import (
	"time"

	"crawler/weburl"
)

// Item is one URL on its way through the crawl.
type Item struct {
	URL     weburl.URL
	Via     string // page on which the link stood, to this URL or to the one that redirects led here from; "" for a seed
	From    string // URL that redirects here, "" if none does
	First   string // URL that the link was to, if Hops is more than 1
	Depth   int    // links followed from a seed; redirects do not count
	Hops    int    // redirects followed since the link
	Sitemap bool   // asked for as a sitemap: what it lists are entry points
	Attempt int    // tries made before this one
	Last    bool   // set by Next: a failure now is final

	cash float32 // under an Order: what it gives to its links
}

// Linked returns the URL as it stands in the page Via, or as the seed that it is.
func (it *Item) Linked() string {
	switch {
	case it.First != "":
		return it.First
	case it.From != "":
		return it.From
	}
	return it.URL.String()
}

// Verdict says how a try went, as far as the host is concerned.
type Verdict uint8

const (
	Answered  Verdict = iota // the host answered
	Unasked                  // no request was sent, so the host's clock is not charged
	Throttled                // 429 or 503: the host asks for patience
	Failed                   // no answer came: no connection, a timeout, a broken one
)

// Outcome ends a lease.
type Outcome struct {
	Verdict    Verdict
	Retry      bool          // worth another try, if the budget has one left
	Started    time.Time     // when the request left; zero counts from the lease
	RetryAfter time.Duration // wait the host asked for, 0 if it named none
	NoPage     bool          // a redirect or a refusal: gives its place in the page budget back
}

// Settled is Done's answer.
type Settled struct {
	Again  bool // the URL is queued for another try
	Closed bool // this outcome closed the host: Drain what it has queued
}
