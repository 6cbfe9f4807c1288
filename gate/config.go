package gate

import (
	"crawler/dedup"
	"crawler/frontier"
	"crawler/trap"
	"crawler/weburl"
)

// Config says which URLs are followed, and which comes first. The zero value stays on the
// seeds' hosts, asks each of them once a second, and guards against traps.
type Config struct {
	Scope        Scope           // which links are followed; the zero value: on the seeds' hosts
	MaxDepth     int             // most links from a seed; 0 means no limit, SeedsOnly none
	IgnoreRobots bool            // on one's own site: fetch and follow whatever robots.txt says
	Dedup        dedup.Config    // the filter of admitted URLs; its Seed must be random
	Frontier     frontier.Config // politeness, retries, budgets per host
	Traps        trap.Config     // the zero value guards against all traps of package trap
	FollowTraps  bool            // refuse no URL as a trap's
	MaxSitemaps  int             // most sitemaps that are read; 0 means DefaultMaxSitemaps
	MoreSeeds    bool            // Add is called: what it may lift is final only at Finish

	// Mine reports whether this shard of a larger crawl decides about u; see Arrive. All hosts of
	// a registrable domain have one owner. nil: all URLs are this crawl's.
	Mine func(u weburl.URL) bool

	form formPolicy // of the guard; tests have another one
}

// SeedsOnly is the MaxDepth that follows no link.
const SeedsOnly = -1

// DefaultMaxSitemaps is as many as one index may list by the protocol of sitemaps.org.
const DefaultMaxSitemaps = 50_000

// MaxSitemapNesting is how many sitemap indexes may lead from a sitemap that robots.txt names, or
// that is a seed, to another. The protocol has one; sites that nest them more than once have been
// seen, those that need four have not.
const MaxSitemapNesting = 3

// MaxRedirects is the longest chain of redirects that is followed.
const MaxRedirects = 10

// Journal notes what changes between two commits. The Gate of a crawl that does not
// survive its process has none.
type Journal interface {
	// Note writes a record with the next commit, or deletes it if value is nil. The slices
	// are the Journal's from then on.
	Note(key, value []byte)
	// Changed says that the next commit has something to write: a number of new URLs, or 0
	// for anything else.
	Changed(urls int)
}

// Writer takes the records of a commit. A store.Batch is one.
type Writer interface {
	Put(key, value []byte)
	Delete(key []byte)
	DeleteRange(from, to []byte)
}

// Reader reads the records of the last commit. A store.DB is one.
type Reader interface {
	Get(key []byte) ([]byte, error)
	Scan(prefix []byte, fn func(key, value []byte) error) error
}

// forgetful is the Journal of a crawl that does not survive its process.
type forgetful struct{}

func (forgetful) Note(_, _ []byte) {}
func (forgetful) Changed(int)      {}

// FilterStats is the account of the filter of admitted URLs.
type FilterStats = dedup.Stats

// DefaultLayers is what Config.Dedup.Layers stands for if it is zero.
const DefaultLayers = dedup.DefaultLayers
