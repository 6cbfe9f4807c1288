package dedup

import "crawler/weburl"

// Answer is what a SeenTest says about a URL.
type Answer uint8

const (
	New   Answer = iota // it was never admitted before
	Seen                // it was admitted before (by a FilterOnly: probably)
	Maybe               // only the log on disk knows (only a Logged answers this)
)

// SeenTest admits every URL once: the URL-seen test of a crawl (Heydon and Najork 1999,
// "Mercator"). What a crawl must remember decides which of the three it is:
//
//   - InMemory keeps an exact log beside the filter, in memory. It knows every answer,
//     and the crawl ends with its process.
//   - Logged keeps the exact log on disk, where the caller writes and reads it, and only
//     the latest part in memory. It may answer Maybe.
//   - FilterOnly keeps no log. A new URL that the filter takes for a known one is lost,
//     and Stats says how many that may be.
//
// A SeenTest is not safe for concurrent use: two goroutines that ask about one URL at the
// same time would both get New. Two SeenTests cannot be merged, as their accounts cannot.
type SeenTest interface {
	// Admit asks about u and admits it if it is new. It is one question of the account.
	//
	//   - New: u was admitted by this call.
	//   - Seen: it was admitted before; by a FilterOnly, probably.
	//   - Maybe: only the log on disk knows. u is not admitted, and p is the pending
	//     check, for Logged.Found or NotFound. Several may be pending at a time, even
	//     about one URL.
	//
	// Otherwise p is the zero Pending. Admit allocates only when something grows.
	Admit(u weburl.URL) (p Pending, a Answer)

	// Peek gives Admit's answer, but admits nothing and is no question of the account.
	Peek(u weburl.URL) (p Pending, a Answer)

	// LastKnown returns how much was known of the URL that was admitted last: its segments
	// (origin, path segments, query) that some other URL had before it, in the same places.
	LastKnown() KnownPrefix

	// Config returns the settings, with the defaults filled in. The secret seed is among
	// them.
	Config() Config

	// Stats returns the account so far. It costs as much as Bloom.ExpectedRate: a few
	// milliseconds at most, so ask every second, not for every URL.
	Stats() Stats
}

// NewSeenTest returns a SeenTest for a crawl that does not survive its process: an
// InMemory, or a FilterOnly with Config.FilterOnly. It has admitted nothing.
func NewSeenTest(cfg Config) (SeenTest, error) {
	c, err := newCore(cfg)
	switch {
	case err != nil:
		return nil, err
	case c.cfg.FilterOnly:
		return newFilterOnly(c, newLists{}), nil
	}
	return newInMemory(c), nil
}

// Durable is a SeenTest for a crawl that survives its process. The caller saves what
// TakeNew and AppendAccount return, both at once; Reopen continues from there.
type Durable interface {
	SeenTest

	// TakeNew returns what was admitted since the last call, in that order: the URLs'
	// fingerprints, and for each layer those of the prefixes to be logged. A prefix may
	// come more than once over several calls. The slices are valid until the next call.
	// Until they are taken they grow by 8 bytes for each URL and each new prefix.
	//
	// Everything that TakeNew ever returned, in any order, is what Reopened.Add needs.
	TakeNew() (urls []uint64, prefixes [][]uint64)

	// AppendAccount appends to dst the binary form of everything but the filter, the log
	// and the lists of TakeNew: the Config with the secret seed, and the account; of a
	// FilterOnly the samples too. It has at most 300 bytes, or 330 kB with the samples,
	// which take a millisecond to sort.
	AppendAccount(dst []byte) ([]byte, error)
}

// NewDurable returns a Durable that has admitted nothing: a Logged, or with
// Config.FilterOnly a FilterOnly that keeps the lists of TakeNew.
func NewDurable(cfg Config) (Durable, error) {
	c, err := newCore(cfg)
	switch {
	case err != nil:
		return nil, err
	case c.cfg.FilterOnly:
		return newFilterOnly(c, keepLists(c.cfg.Layers)), nil
	}
	return newLogged(c), nil
}

// Pending is a question that only the log on disk can answer. Admit and Peek return one
// with the answer Maybe, and Reopened.Pending makes those that were open before. It
// belongs to the crawl it comes from.
type Pending struct {
	fp  uint64
	url weburl.URL
}

// Fingerprint returns what to look for in the log.
func (p Pending) Fingerprint() uint64 { return p.fp }

// URL returns the URL that the question is about.
func (p Pending) URL() weburl.URL { return p.url }
