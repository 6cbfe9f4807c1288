package frontier

import (
	"time"

	"crawler/weburl"
)

// Item is one URL on its way through the crawl.
type Item struct {
	URL     weburl.URL
	Via     string // page that the link was on, "" for a seed
	From    string // URL requested first, if its redirects lead to this one
	Depth   int    // links followed from a seed; redirects do not count
	Hops    int    // redirects followed from From to here
	Sitemap bool   // requested as a sitemap: the URLs it lists are entry points
	Attempt int    // attempts before this one
	Last    bool   // set by Next: a failure now is final

	cash float32 // under an Order: the cash it gives to its links
}

// OutcomeKind says how an attempt ended, as far as the host's clock is concerned.
type OutcomeKind uint8

const (
	Answered  OutcomeKind = iota // the host answered
	Unasked                      // no request was sent, so the host's clock is not charged
	Throttled                    // 429 or 503: the host asks for a wait
	Failed                       // no answer: no connection, a broken one, or a timeout
)

// Outcome ends a lease.
type Outcome struct {
	Kind       OutcomeKind
	Retry      bool          // worth another attempt, if Config.Retries allows one
	Started    time.Time     // when the request was sent; zero counts from the lease
	RetryAfter time.Duration // wait the host asked for, 0 if none
	NoPage     bool          // a redirect or a refusal: gives its place in the page budget back
}

// Disposition is what became of an item, and of its host, when its lease ended.
type Disposition struct {
	Again  bool // the URL is queued for another attempt
	Closed bool // the host is closed: Drain its queue
}
