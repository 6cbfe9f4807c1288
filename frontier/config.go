package frontier

import "time"

// Config sets the limits of a Frontier. The zero value is polite: each host gets one
// request at a time, a second apart, and each page is tried once.
type Config struct {
	// Delay is the least time between the starts of two requests to one host; 0 means
	// DefaultDelay, NoDelay none.
	Delay       time.Duration
	MaxDelay    time.Duration // longest Crawl-delay obeyed; 0 means 30 s, NoDelay obeys none
	PerHost     int           // connections per host; below 1 means 1
	Retries     int           // further attempts of a page whose host is well, 0 to 250
	MaxPerHost  int           // URLs admitted per host; 0 means no limit
	MaxFailures int           // failures in a row that close a host that never answered; 0 means 10
	// Patience is how long a host or page in trouble is waited for, from its first failure,
	// before it is given up; 0 means DefaultPatience, NoPatience not at all. A host that asks for
	// a longer wait is closed at once. While no host has answered at all it is a minute at most,
	// unless this machine has no network.
	Patience time.Duration
	// PerIP is how many requests to one IP address may be in flight, of all hosts there; 0 means
	// DefaultPerIP, NoPerIP sets no limit. It is an upper bound: the address gets fewer while
	// more make it slower. IPDelay is the least time between the starts of two of them; without
	// one they are spread by how soon the address answers. With NoDelay addresses do not matter.
	PerIP    int
	IPDelay  time.Duration
	Interval time.Duration // least time between two requests to any hosts; 0 means none
	Slots    int           // workers; up to a quarter are kept for prompt hosts. 0 keeps none
	Disk     Disk          // stores queued URLs beyond Window; nil keeps everything in memory
	Window   int           // bytes of queued URLs in memory beside Disk; 0 means 8 MiB
	Order    Order         // which URL goes first; BreadthFirst unless set
	// OrderPages is how many queued URLs get a score under Order, some 300 bytes each; 0
	// means DefaultOrderPages. The others come breadth-first.
	OrderPages int
	OrderSeed  uint64 // secret: else a site could make up pages that count for many in-links
}

// DefaultDelay is a pause that no small server feels.
const DefaultDelay = time.Second

// DefaultOrderPages is how many queued URLs get a score under an Order: some 64 MiB.
const DefaultOrderPages = 1 << 18

// DefaultPerIP is a Config.PerIP that a large server does not feel, and that a small one never
// gets. At half a second an answer it allows 512 requests a second.
const DefaultPerIP = 256

// NoPerIP is the Config.PerIP for no limit of requests to an address.
const NoPerIP = -1

// NoDelay is the Delay for a crawl of one's own site: requests follow each other without a
// pause.
const NoDelay time.Duration = -1

func (c Config) withDefaults() Config {
	switch {
	case c.Delay == 0:
		c.Delay = DefaultDelay
	case c.Delay < 0:
		c.Delay = 0
	}
	switch {
	case c.MaxDelay == 0:
		c.MaxDelay = 30 * time.Second
	case c.MaxDelay < 0:
		c.MaxDelay = 0
	}
	c.PerHost = max(c.PerHost, 1)
	switch {
	case c.Delay == 0:
		c.PerIP, c.IPDelay = 0, 0
	case c.PerIP == 0:
		c.PerIP = DefaultPerIP
	case c.PerIP < 0:
		c.PerIP = 0
	}
	if c.MaxFailures == 0 {
		c.MaxFailures = 10
	}
	switch {
	case c.Patience == 0:
		c.Patience = DefaultPatience
	case c.Patience < 0:
		c.Patience = 0
	}
	c.Retries = min(c.Retries, 250)
	if c.Window == 0 {
		c.Window = 8 << 20
	}
	if c.OrderPages < 1 {
		c.OrderPages = DefaultOrderPages
	}
	return c
}
