package main

import (
	"fmt"
	"math"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"time"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/gate"
	"crawler/parse"
	"crawler/trap"
	"crawler/weburl"
)

// crawl turns the options into the engine's configuration.
func (o *Options) crawl(seeds []string) (crawl.Config, error) {
	mode, err := gate.ParseScopeMode(o.scope.value)
	if err != nil {
		return crawl.Config{}, usage("", "%w", err)
	}
	if err := o.check(); err != nil {
		return crawl.Config{}, err
	}
	order, err := frontier.ParseOrder(o.order.value)
	if err != nil {
		return crawl.Config{}, usage("", "%w", err)
	}
	trust, err := o.trusted()
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
			Scope: gate.Scope{Mode: mode, Include: o.include, Exclude: o.exclude}, MaxDepth: o.maxDepth(),
			IgnoreRobots: o.robots.value == "ignore", FollowTraps: o.traps.value == "follow", Traps: trap.Config{Trust: trust},
			Dedup: dedup.Config{
				ExpectURLs: o.expectURLs, FPRate: o.fpRate, RestartEvery: o.restartEvery, Seed: o.seed, FilterOnly: o.dedup.value == "filter",
			},
			Frontier: frontier.Config{
				Delay: orNone(o.delay), MaxDelay: orNone(o.maxDelay), PerHost: o.perHost, Retries: o.retries,
				MaxPerHost: o.maxPagesPerHost, Interval: o.interval(), Order: order, OrderPages: o.orderPages,
			},
		},
		MinFree:   int64(o.minFree),
		MaxPages:  o.maxPages,
		MaxBytes:  int64(o.maxBytes),
		TimeLimit: time.Duration(o.timeLimit),
		Grace:     orNone(o.grace),
		Workers:   o.concurrency,
		Sitemaps:  o.sitemap,
		Fetch:     client,
		Parse:     parse.Options{Assets: o.assets, Anchors: o.edges != "", Rules: o.extract.parsed, URL: weburl.Options{DropParams: o.dropParams}},
	}, nil
}

// check refuses numbers that make no sense, naming the flag and its range.
func (o *Options) check() error {
	for _, n := range []struct {
		flag      string
		value     int
		low, high int
	}{
		{"depth", o.depth, -1, 1 << 20}, {"max-pages", o.maxPages, 0, math.MaxInt}, {"max-pages-per-host", o.maxPagesPerHost, 0, math.MaxInt},
		{"concurrency", o.concurrency, 1, 10_000}, {"per-host", o.perHost, 1, 1000}, {"retries", o.retries, 0, 100},
		{"max-sites", o.maxSites, 1, 1_000_000}, {"order-pages", o.orderPages, 1, 1 << 26}, {"restart-every", o.restartEvery, 0, math.MaxInt},
		{"expect-urls", o.expectURLs, 0, int(min(dedup.MaxURLs, int64(math.MaxInt)))},
	} {
		if n.value < n.low || n.value > n.high {
			return usage("", "--%s %d: want %d to %d", n.flag, n.value, n.low, n.high)
		}
	}
	if o.rateLimit != 0 && !(o.rateLimit >= 0.001 && o.rateLimit <= 1e6) {
		return usage("", "--rate-limit %v: want 0.001 to 1000000 pages a second, or 0 for no limit", o.rateLimit)
	}
	if !(o.fpRate >= 0 && o.fpRate <= dedup.MaxFPRate) { // so written, it refuses NaN
		return usage("", "--fp-rate %v: want above 0 and at most %v", o.fpRate, dedup.MaxFPRate)
	}
	if o.restartEvery > 0 && o.dedup.value == "filter" {
		return usage("leave one of them out: a filter is restarted from the exact log, which --dedup filter does not keep",
			"--restart-every %d needs --dedup exact", o.restartEvery)
	}
	if o.timeout == 0 || o.maxSize == 0 {
		return usage("", "--timeout and --max-size must be above 0")
	}
	return nil
}

// trusted is where nothing is taken for a trap, without schemes.
func (o *Options) trusted() ([]string, error) {
	var all []string
	for _, t := range o.trapTrust {
		t = strings.TrimPrefix(strings.TrimPrefix(t, "https://"), "http://")
		if t == "" || t[0] == '/' {
			return nil, usage("to fetch whatever looks like a trap: --traps follow", "--trap-trust %q: want the beginning of a URL, host first, or of a pattern in the report", t)
		}
		all = append(all, t)
	}
	return all, nil
}

func (o *Options) maxDepth() int {
	switch o.depth {
	case -1:
		return 0
	case 0:
		return gate.SeedsOnly
	}
	return o.depth
}

// orNone turns the flag's 0, which means none, into the engine's value for that: its
// 0 means the default.
func orNone(d seconds) time.Duration {
	if d == 0 {
		return frontier.NoDelay
	}
	return time.Duration(d)
}

func (o *Options) interval() time.Duration {
	if o.rateLimit == 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / o.rateLimit)
}

// How many idle connections are kept. Hosts are asked by turns, and one whose connection
// was closed meanwhile costs twice the CPU and a round trip more: so many hosts are in
// turn that a connection in four is at work.
const (
	minIdle     = 256
	maxIdle     = 4096
	idlePerConn = 4
)

// idleConns leaves half of the descriptors to everything else.
func idleConns(conns, descriptors int) int {
	return max(conns, min(max(minIdle, idlePerConn*conns), maxIdle, descriptors/2))
}

func (o *Options) fetch(seeds []string) (fetch.Config, error) {
	cfg := fetch.Config{
		UserAgent: o.agentText(),
		Timeout:   time.Duration(o.timeout),
		MaxBody:   int64(o.maxSize),
		MaxConns:  idleConns(o.concurrency, maxDescriptors()),
		PerHost:   o.perHost,
	}
	err := o.access(&cfg, seeds)
	if err != nil {
		return cfg, err
	}
	if cfg.Header, err = parseHeaders(o.header); err != nil {
		return cfg, err
	}
	if o.proxy != "" {
		if cfg.Proxy, err = url.Parse(o.proxy); err != nil || cfg.Proxy.Host == "" {
			return cfg, usage("write it like http://127.0.0.1:3128 or socks5://127.0.0.1:1080", "--proxy %q is no proxy URL", o.proxy)
		}
	}
	if o.cookies != "" {
		if cfg.Jar, err = loadCookies(o.cookies); err != nil {
			return cfg, usage("the file is in the Netscape format that browsers' add-ons and curl -c write", "--cookies: %w", err)
		}
	}
	for _, r := range o.resolve {
		from, to, err := fetch.ParseResolve(r)
		if err != nil {
			return cfg, usage("write it like example.com:443:127.0.0.1", "--%w", err)
		}
		if cfg.Resolve == nil {
			cfg.Resolve = map[string]string{}
		}
		cfg.Resolve[from] = to
	}
	// Let the client have its say before anything is created.
	c, err := fetch.New(cfg)
	if err != nil {
		return cfg, usage("", "%w", err)
	}
	c.Close()
	return cfg, nil
}

func (o *Options) agentText() string {
	switch {
	case o.userAgent != "":
		return o.userAgent
	case o.contact != "":
		return fmt.Sprintf("crawler/%s (+%s)", version, o.contact)
	}
	return "crawler/" + version
}

func parseHeaders(lines []string) (http.Header, error) {
	h := http.Header{}
	for _, l := range lines {
		name, value, ok := strings.Cut(l, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, usage(`write it like -H "Accept-Language: en"`, "--header %q has no name and colon", l)
		}
		h.Add(textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value))
	}
	return h, nil
}

func loadCookies(name string) (http.CookieJar, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return fetch.LoadCookies(f)
}
