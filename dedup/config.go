package dedup

import "fmt"

// Limits and defaults of a Config.
const (
	DefaultURLs   = 100_000 // Config.ExpectURLs
	DefaultFPRate = 1e-3    // Config.FPRate
	DefaultLayers = 4       // Config.Layers
	MaxURLs       = 1 << 32 // most URLs a filter is sized for; 64-bit fingerprints bear no more
	MaxFPRate     = 0.5     // largest rate a filter may be sized for
	MaxLayers     = 8       // most layers of a Multilayer
	maxBitsPerURL = maxBitsPerKey
)

// Config says how large the filters are. The zero Config is a good one for a
// crawl of unknown size: it takes 0.25 MB and grows by restarts.
type Config struct {
	// ExpectURLs is how many URLs the filter is sized for, 0 for DefaultURLs.
	// An InMemory or a Logged that meets more grows; a Multilayer errs more often.
	ExpectURLs int

	// FPRate is the share of new URLs that the filter may wrongly call "maybe
	// seen" once it holds ExpectURLs: above 0 and at most 0.5, 0 for
	// DefaultFPRate. Where there is an exact log such a URL is not lost: it costs
	// a lookup there.
	FPRate float64

	// BitsPerURL sizes the filter by memory instead of by rate when it is not
	// 0: all layers and the last array together have that many bits for each
	// expected URL, at most 256.
	BitsPerURL float64

	// RestartEvery is after how many admitted URLs a filter is rebuilt with a
	// new seed even if it is not outgrown; 0 for never. A rebuild takes time
	// in proportion to all URLs admitted so far.
	RestartEvery int

	// Layers is how many leading segments of URLs have a layer, 1 to 8; 0 for
	// DefaultLayers.
	Layers int

	// FilterOnly makes a SeenTest that keeps no exact log (see the type FilterOnly):
	// a new URL that the filter calls "maybe seen" is lost. RestartEvery must be 0,
	// as there is nothing to rebuild a filter from.
	FilterOnly bool

	// Seed is the secret of the crawl, from which everything random is derived.
	// Draw it from crypto/rand: whoever knows it can craft URLs that the filter
	// confuses. The same seed gives the same fingerprints. Zero is as good a
	// seed as any other, if it was drawn.
	Seed uint64
}

// withDefaults fills in what is zero and checks what is not.
func (c Config) withDefaults() (Config, error) {
	c.ExpectURLs = or(c.ExpectURLs, DefaultURLs)
	c.FPRate = or(c.FPRate, DefaultFPRate)
	c.Layers = or(c.Layers, DefaultLayers)
	switch {
	case c.ExpectURLs < 1 || int64(c.ExpectURLs) > MaxURLs:
		return c, fmt.Errorf("dedup: Config.ExpectURLs is %d, want 1 to %d, or 0 for %d",
			c.ExpectURLs, int64(MaxURLs), DefaultURLs)
	case !(c.FPRate > 0 && c.FPRate <= MaxFPRate): // so written, it refuses NaN
		return c, fmt.Errorf("dedup: Config.FPRate is %v, want above 0 and at most %v, or 0 for %v",
			c.FPRate, MaxFPRate, DefaultFPRate)
	case !(c.BitsPerURL >= 0 && c.BitsPerURL <= maxBitsPerURL):
		return c, fmt.Errorf("dedup: Config.BitsPerURL is %v, want 0 to %v", c.BitsPerURL, maxBitsPerURL)
	case c.RestartEvery < 0:
		return c, fmt.Errorf("dedup: Config.RestartEvery is %d, want 0 (never) or more", c.RestartEvery)
	case c.FilterOnly && c.RestartEvery != 0:
		return c, fmt.Errorf("dedup: Config.RestartEvery is %d with FilterOnly, which keeps no log to restart from: want 0", c.RestartEvery)
	case c.Layers < 1 || c.Layers > MaxLayers:
		return c, fmt.Errorf("dedup: Config.Layers is %d, want 1 to %d, or 0 for %d",
			c.Layers, MaxLayers, DefaultLayers)
	}
	return c, nil
}

// or returns v, or instead when v is zero.
func or[T comparable](v, instead T) T {
	var zero T
	if v == zero {
		return instead
	}
	return v
}
