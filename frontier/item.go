package frontier

import (
	"time"

	"crawler/weburl"
)

// Item is one URL on its way through the crawl.
type Item struct {
	URL     weburl.URL
	Via     string // page with the link here, or to First or From; "" for a seed
	From    string // URL that redirects here, "" if none does
	First   string // URL that the link was to, if Hops is more than 1
	Depth   int    // links followed from a seed; redirects do not count
	Attempt int    // attempts before this one that count towards Config.Retries
	Hops    uint16 // redirects followed since the link
	Rank    uint8  // of two URLs of a host, the one of the lower rank is served first
	Sitemap bool   // requested as a sitemap: the URLs it lists are entry points
	NewAt   uint8  // where it became new when it was admitted; see gate.NewAt

	Lease Lease // set by Next

	Since time.Time // first failed attempt; zero if there was none

	cash float32 // under an Order: the cash it gives to its links
}

// Lease says what the lease of an Item is for.
type Lease struct {
	// An answer stands now although it is no good, any or one that is Faulty. It is for whoever
	// fetches to say so: with Outcome.Retry there is no other attempt.
	Last, LastFaulty bool

	// The network seems to be away: the host must first be asked for something that it has
	// answered before, such as robots.txt. If it answers, see Heard.
	Outage bool

	// The host's address is not known: see Located. Whoever cannot find it out goes on.
	Locate bool

	// It was leased before and given back.
	Again bool

	// More hosts wait for their first request than there are slots, this one among them.
	// Whoever fetches waits but briefly for a connection, and else gives the item back by Return:
	// the others are asked first, then this one with all the time that a connection may take.
	Brief bool

	// Its page waits for memory and has no slot: see Away.
	Away bool
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

// OutcomeKind says how an attempt ended, as far as the host's clock is concerned.
type OutcomeKind uint8

const (
	Answered  OutcomeKind = iota // the host answered
	Unasked                      // no request was sent, so the host's clock is not charged
	Faulty                       // an answer that the page, or the host, is broken: 500
	Throttled                    // an answer that the host cannot now: 429, 502, 503, 504
	Failed                       // no answer: no connection, a broken one, or a timeout
)

// Outcome ends a lease.
type Outcome struct {
	Kind       OutcomeKind
	Retry      bool          // worth another attempt, if Retries and Patience allow one
	Gone       bool          // Failed, no such name: worth one if the host has answered before
	Offline    bool          // Failed: there is no way to the host from here, or no resolver
	Robots     bool          // robots.txt was asked for, and not the page
	Why        string        // in a word, what is wrong; kept while the host is in trouble
	Started    time.Time     // when the attempt began; zero counts from the lease
	Sent       time.Time     // when the request was sent, after name and handshake; zero: unknown
	Latency    time.Duration // from Sent to the answer's first byte; zero: unknown
	RetryAfter time.Duration // wait the host asked for, 0 if none
	Heavy      bool          // an answer so large that it may have waited for memory
	NoPage     bool          // a redirect or a refusal: gives its place in the page budget back
}

// Asked returns the moment that the time to the host's next request counts from.
func (o *Outcome) Asked() time.Time { return later(o.Started, o.Sent) }

// Disposition is what became of an item, and of its host, when its lease ended.
type Disposition struct {
	Again  bool // the URL is queued for another attempt
	Closed bool // the host is closed: Drain its queue
}
