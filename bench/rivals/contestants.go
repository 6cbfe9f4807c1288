package main

import "strconv"

// pace says how much of the race a contestant can run in reasonable time.
type pace int

const (
	always pace = iota // every round
	rarely             // the first two rounds
	short              // the first two rounds, and a tenth of the pages
	both               // every round, and in the short race's rounds too
)

// task is one crawl to be done.
type task struct {
	seed        string
	urls        string // file with the addresses of all pages
	dir         string // empty folder for whatever the contestant writes
	connections int
}

func (t task) c() string { return strconv.Itoa(t.connections) }

// contestant is a crawler with its settings.
type contestant struct {
	name  string
	pace  pace
	setup string // its settings where the command does not show them
	docs  string // where its documentation says so
	ours  bool
	// command returns how to start it. It fails where the program is not available.
	command func(k *kit, t task) ([]string, error)
	version func(k *kit) string
}

// contestants lists all, ours first.
func contestants() []contestant {
	return append([]contestant{
		{name: "ours", pace: both, ours: true, version: oursVersion,
			setup:   "links, words, sketches, page records and the crawl's state on disk",
			command: oursCommand()},
		{name: "ours, not durable", pace: always, ours: true, version: oursVersion,
			setup:   "the same with the crawl's state in memory",
			command: oursCommand("--durable=false")},
		{name: "bare", pace: both, version: goVersion,
			setup:   "net/http client over the known URLs, one goroutine a connection, bodies read and thrown away",
			command: func(k *kit, t task) ([]string, error) { return []string{k.self, "bare", t.urls, t.c()}, nil }},
	}, append(library(), programs()...)...)
}

func oursCommand(more ...string) func(*kit, task) ([]string, error) {
	return func(k *kit, t task) ([]string, error) {
		return append([]string{k.bin("crawler"), "crawl", t.seed, "-o", t.dir + "/crawl", "--delay", "0",
			"--per-host", t.c(), "-c", t.c(), "--quiet"}, more...), nil
	}
}

// library lists the Go libraries, built from their modules into programs of ours.
func library() []contestant {
	lib := func(name string) func(*kit, task) ([]string, error) {
		return func(k *kit, t task) ([]string, error) {
			return []string{k.bin("libs"), name, t.seed, t.c()}, k.built("libs")
		}
	}
	return []contestant{
		{name: "fetchbot", pace: rarely, version: module("github.com/PuerkitoBio/fetchbot"), command: lib("fetchbot"),
			setup: "CrawlDelay 0, links by goquery, a map of URLs seen; one worker a host by design",
			docs:  "example/full"},
		{name: "gocrawl", pace: rarely, version: module("github.com/PuerkitoBio/gocrawl"), command: lib("gocrawl"),
			setup: "CrawlDelay 0, default extender; one worker a host by design",
			docs:  "README, Example and Design rationale"},
		{name: "colly", pace: short, version: module("github.com/gocolly/colly/v2"), command: lib("colly"),
			setup: "Async, LimitRule with Parallelism, AllowedDomains, Visit for every link",
			docs:  "_examples/parallel"},
		{name: "colly, queue", pace: short, version: module("github.com/gocolly/colly/v2"), command: lib("colly-queue"),
			setup: "queue with as many threads, AllowedDomains, AddRequest for every link",
			docs:  "_examples/queue"},
		{name: "colly, tuned", pace: short, version: module("github.com/gocolly/colly/v2"), command: lib("colly-tuned"),
			setup: "as colly, but connections stay open and fragments are cut off links"},
		{name: "katana", pace: rarely, version: module("github.com/projectdiscovery/katana"),
			setup: "standard engine, breadth-first, Concurrency, no RateLimit, FieldScope fqdn, MaxDepth 1000; results to /dev/null",
			docs:  "README, Katana as a library",
			command: func(k *kit, t task) ([]string, error) {
				return []string{k.bin("katana"), t.seed, t.c()}, k.built("katana")
			}},
	}
}

// programs lists what is used only where it is installed.
func programs() []contestant {
	return []contestant{
		{name: "wget2", pace: always, version: says("wget2", "--version"), docs: "wget2(1)",
			command: onPath("wget2", func(_ *kit, t task) []string {
				return []string{"--no-config", "-q", "-r", "-l", "inf", "--max-threads", t.c(), "-O", "/dev/null", t.seed}
			})},
		{name: "httrack", pace: rarely, version: says("httrack", "--version"), docs: "httrack(1)",
			command: onPath("httrack", func(_ *kit, t task) []string {
				return []string{t.seed, "-O", t.dir + "/mirror", "-q", "-Q", "-p0", "-I0", "-C0", "--disable-security-limits", "-%c0", "-A0", "-c" + t.c(), "-%k"}
			})},
		{name: "scrapy", pace: short, version: says("scrapy", "version"), docs: "Settings; Broad crawls; CrawlSpider example",
			setup: "CrawlSpider with a LinkExtractor",
			command: onPath("scrapy", func(k *kit, t task) []string {
				return []string{"runspider", k.script("site_spider.py"), "-a", "url=" + t.seed, "-s", "CONCURRENT_REQUESTS=" + t.c(),
					"-s", "CONCURRENT_REQUESTS_PER_DOMAIN=" + t.c(), "-s", "COOKIES_ENABLED=False", "-s", "LOG_LEVEL=ERROR"}
			})},
		{name: "crawlee", pace: short, version: nodeModule("@crawlee/cheerio"), docs: "Guides: CheerioCrawler; Configuration",
			setup:   "CheerioCrawler, minConcurrency and maxConcurrency, enqueueLinks, persistStorage false",
			command: script("@crawlee/cheerio", "crawlee.js")},
		{name: "spider-rs", pace: rarely, version: nodeModule("@spider-rs/spider-rs"), docs: "README",
			setup:   "Website.crawl without a callback, withRespectRobotsTxt, no depth limit; the number of connections is its own",
			command: script("@spider-rs/spider-rs", "spider.js")},
	}
}

func onPath(name string, args func(*kit, task) []string) func(*kit, task) ([]string, error) {
	return func(k *kit, t task) ([]string, error) {
		path, err := lookPath(name)
		return append([]string{path}, args(k, t)...), err
	}
}

func script(module, name string) func(*kit, task) ([]string, error) {
	return func(k *kit, t task) ([]string, error) {
		node, err := lookPath("node")
		if err != nil {
			return nil, err
		}
		folder, err := k.nodeFolder(module)
		if err != nil {
			return nil, err
		}
		return []string{node, k.script(name), folder, t.seed, t.c()}, nil
	}
}
