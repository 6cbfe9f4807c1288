package settings

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"crawler/cmd/crawler/internal/procinfo"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/dedup"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/gate"
	"crawler/parse"
	"crawler/trap"
	"crawler/weburl"
)

// Engine turns the options into the engine's configuration.
func (o *Options) Engine(seeds []string) (crawl.Config, error) {
	mode, err := gate.ParseScopeMode(o.Scope.Value)
	if err != nil {
		return crawl.Config{}, shell.UsageError("", "%w", err)
	}
	if err := o.check(); err != nil {
		return crawl.Config{}, err
	}
	order, err := frontier.ParseOrder(o.Order.Value)
	if err != nil {
		return crawl.Config{}, shell.UsageError("", "%w", err)
	}
	trust, err := o.Trusted()
	if err != nil {
		return crawl.Config{}, err
	}
	client, err := o.fetch(seeds)
	if err != nil {
		return crawl.Config{}, err
	}
	return crawl.Config{
		Seeds: seeds,
		Gate: gate.Config{
			Scope: gate.Scope{Mode: mode, Include: o.Include, Exclude: o.Exclude, Follow: o.Follow, HostShare: o.SampleHosts.Share()}, MaxDepth: o.maxDepth(),
			IgnoreRobots: o.Robots.Value == "ignore", FollowTraps: o.Traps.Value == "follow", Traps: trap.Config{Trust: trust, Budget: o.TrapBudget},
			Dedup: dedup.Config{
				ExpectURLs: o.ExpectURLs, FPRate: o.FPRate, RestartEvery: o.RestartEvery, Seed: o.Seed, FilterOnly: o.Dedup.Value == "filter",
			},
			Frontier: frontier.Config{
				Delay: orNone(o.Delay), MaxDelay: orNone(o.MaxDelay), PerHost: o.PerHost, Retries: o.Retries, Patience: orNone(o.Patience),
				PerIP: cmp.Or(o.PerIP, frontier.NoPerIP), IPDelay: time.Duration(o.IPDelay),
				MaxPerHost: o.MaxPagesPerHost, Interval: o.interval(), Order: order, OrderPages: o.OrderPages,
			},
		},
		MinFree:    int64(o.MinFree),
		MaxPages:   o.MaxPages,
		MaxBytes:   int64(o.MaxBytes),
		TimeLimit:  time.Duration(o.TimeLimit),
		Grace:      orNone(o.Grace),
		Workers:    o.Concurrency,
		Sitemaps:   o.Sitemap,
		PageMemory: pageMemory(int64(o.MaxMemory), procinfo.Memory()),
		Fetch:      client,
		Robots:     fetch.RobotsConfig{Token: o.RobotsToken, MaxMemory: robotsMemory(int64(o.MaxMemory))},
		Parse:      parse.Options{Assets: o.Assets, Anchors: o.Edges != "", Rules: o.Extract.parsed, URL: weburl.Options{DropParams: o.DropParams}},
	}, nil
}

// productToken is a name in robots.txt; empty, it comes from the user agent.
var productToken = regexp.MustCompile(`^[A-Za-z0-9_-]*$`)

// check refuses numbers that make no sense, naming the flag and its range.
func (o *Options) check() error {
	for _, n := range []struct {
		flag      string
		value     int
		low, high int
	}{
		{"depth", o.Depth, -1, 1 << 20}, {"max-pages", o.MaxPages, 0, math.MaxInt}, {"max-pages-per-host", o.MaxPagesPerHost, 0, math.MaxInt},
		{"concurrency", o.Concurrency, 1, 10_000}, {"per-host", o.PerHost, 1, 1000}, {"per-ip", o.PerIP, 0, 10_000}, {"retries", o.Retries, 0, 100},
		{"max-sites", o.MaxSites, 1, 1_000_000}, {"inlinks", o.InLinks, 0, 1_000_000_000}, {"order-pages", o.OrderPages, 1, 1 << 26}, {"restart-every", o.RestartEvery, 0, math.MaxInt},
		{"expect-urls", o.ExpectURLs, 0, int(min(dedup.MaxURLs, int64(math.MaxInt)))},
	} {
		if n.value < n.low || n.value > n.high {
			return shell.UsageError("", "--%s %d: want %d to %d", n.flag, n.value, n.low, n.high)
		}
	}
	if o.RateLimit != 0 && !(o.RateLimit >= 0.001 && o.RateLimit <= 1e6) {
		return shell.UsageError("", "--rate-limit %v: want 0.001 to 1000000 pages a second, or 0 for no limit", o.RateLimit)
	}
	if !(o.FPRate >= 0 && o.FPRate <= dedup.MaxFPRate) { // so written, it refuses NaN
		return shell.UsageError("", "--fp-rate %v: want above 0 and at most %v", o.FPRate, dedup.MaxFPRate)
	}
	if len(o.Follow) > 0 && len(o.Include) == 0 {
		return shell.UsageError("give --include for what is recorded, or leave --follow out: all pages in scope are followed and recorded", "--follow widens what --include allows, and there is none")
	}
	if o.Out == "-" && o.Edges != "" {
		return shell.UsageError("give -o DIR, or leave --edges out", "--edges writes files, and -o - none")
	}
	if err := o.checkArchive(); err != nil {
		return err
	}
	if o.RestartEvery > 0 && o.Dedup.Value == "filter" {
		return shell.UsageError("leave one of them out: a filter is restarted from the exact log, which --dedup filter does not keep",
			"--restart-every %d needs --dedup exact", o.RestartEvery)
	}
	if !productToken.MatchString(o.RobotsToken) {
		return shell.UsageError("the name alone: ExampleBot, not ExampleBot/1.0", "--robots-token %q: want letters, digits, - and _", o.RobotsToken)
	}
	if o.Timeout == 0 || o.MaxSize == 0 {
		return shell.UsageError("", "--timeout and --max-size must be above 0")
	}
	return nil
}

// Trusted is where nothing is taken for a trap, without schemes.
func (o *Options) Trusted() ([]string, error) {
	var all []string
	for _, t := range o.TrapTrust {
		t = strings.TrimPrefix(strings.TrimPrefix(t, "https://"), "http://")
		if t == "" || t[0] == '/' {
			return nil, shell.UsageError("to fetch whatever looks like a trap: --traps follow", "--trap-trust %q: want the beginning of a URL, host first, or of a pattern in the report", t)
		}
		all = append(all, t)
	}
	return all, nil
}

func (o *Options) maxDepth() int {
	switch o.Depth {
	case -1:
		return 0
	case 0:
		return gate.SeedsOnly
	}
	return o.Depth
}

// orNone turns the flag's 0, which means none, into the engine's value for that: its
// 0 means the default.
func orNone(d shell.Seconds) time.Duration {
	if d == 0 {
		return frontier.NoDelay
	}
	return time.Duration(d)
}

func (o *Options) interval() time.Duration {
	if o.RateLimit == 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / o.RateLimit)
}

// How many idle connections are kept. Hosts are asked by turns, and one whose connection was
// closed meanwhile costs twice the CPU and one more round trip, or three with TLS: so each host
// should keep its own until its next turn, however many hosts there are.
const (
	maxIdle = 8192
	// idleMemory is about what an idle connection takes with TLS, a record's buffer included.
	idleMemory = 24 << 10
	// idleShare divides the memory: idle connections may take that part of it, an eighth.
	idleShare = 8
)

// OpenConns returns how many connections may be open at once, given the number of descriptors that
// the process may have. The rest is for the crawl's own files, of which the database opens more as
// the crawl grows, and for questions to name servers and second addresses of a host, which are
// asked and dialled at the same time.
func OpenConns(descriptors int) int {
	const files = 22 // that are open in any crawl
	return max((descriptors-files)/2, 1)
}

// idleConns leaves room for the files, and most of the memory. 0 bytes of memory are no limit.
func idleConns(conns, descriptors int, memory int64) int {
	most := min(maxIdle, OpenConns(descriptors))
	if memory > 0 {
		most = min(most, int(memory/(idleShare*idleMemory)))
	}
	return max(conns, most)
}

// How much memory the bodies, words and links of pages under way may take together: a tenth of
// what the crawl may have, as the garbage of large pages takes as much again, and so does what one
// of them may take beyond that.
const (
	maxPages     = 128 << 20
	leastPages   = 8 << 20
	pageShare    = 10
	machineShare = 16
)

// pageMemory is that of a crawl under --max-memory, if there is one, on a machine with so many
// bytes, if that is known.
func pageMemory(most, machine int64) int64 {
	n := int64(maxPages)
	if machine > 0 {
		n = min(n, machine/machineShare)
	}
	if most > 0 {
		n = min(n, most/pageShare)
	}
	return max(n, leastPages)
}

// robotsMemory is how many bytes the rules of robots.txt files may take.
func robotsMemory(most int64) int64 {
	if most > 0 {
		return min(fetch.DefaultRobotsMemory, most/pageShare)
	}
	return fetch.DefaultRobotsMemory
}

func (o *Options) fetch(seeds []string) (fetch.Config, error) {
	cfg := fetch.Config{
		UserAgent: o.userAgent(),
		Timeout:   time.Duration(o.Timeout),
		MaxBody:   int64(o.MaxSize),
		MaxConns:  idleConns(o.Concurrency, procinfo.Descriptors(), int64(o.MaxMemory)),
		PerHost:   o.PerHost,
		MaxOpen:   OpenConns(procinfo.Descriptors()),
		HTTP2:     o.HTTP.Value == "2",
	}
	err := o.access(&cfg, seeds)
	if err != nil {
		return cfg, err
	}
	if err := o.headers(&cfg); err != nil {
		return cfg, err
	}
	if o.Proxy != "" {
		if cfg.Proxy, err = url.Parse(o.Proxy); err != nil || cfg.Proxy.Host == "" {
			return cfg, shell.UsageError("write it like http://127.0.0.1:3128 or socks5://127.0.0.1:1080", "--proxy %q is no proxy URL", o.Proxy)
		}
	}
	if o.Cookies != "" {
		if cfg.Jar, err = loadCookies(o.Cookies); err != nil {
			return cfg, shell.UsageError("the file is in the Netscape format that browsers' add-ons and curl -c write", "--cookies: %w", err)
		}
	}
	for _, r := range o.Resolve {
		from, to, err := fetch.ParseResolve(r)
		if err != nil {
			return cfg, shell.UsageError("write it like example.com:443:127.0.0.1", "--%w", err)
		}
		if cfg.Resolve == nil {
			cfg.Resolve = map[string]string{}
		}
		cfg.Resolve[from] = to
	}
	// Let the client have its say before anything is created.
	c, err := fetch.New(cfg)
	if err != nil {
		return cfg, shell.UsageError("", "%w", err)
	}
	c.Close()
	return cfg, nil
}

func (o *Options) userAgent() string {
	switch {
	case o.UserAgent != "":
		return o.UserAgent
	case o.Contact != "":
		return fmt.Sprintf("crawler/%s (+%s)", shell.Version, o.Contact)
	}
	return "crawler/" + shell.Version
}

func loadCookies(name string) (http.CookieJar, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return fetch.LoadCookies(f)
}
