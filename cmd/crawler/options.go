package main

import (
	"time"

	"github.com/spf13/pflag"

	"crawler/fetch"
	"crawler/frontier"
)

// Options is every setting of a crawl, as flags fill it: each field is named as its flag,
// in their order. A key of the configuration file is a flag's name, and so is CRAWLER_ with
// the name in capitals.
type Options struct {
	seeds  string
	out    string
	config string
	dryRun bool
	jsonl  bool

	scope           choice
	include         regexps
	exclude         regexps
	depth           int
	maxPages        int
	maxPagesPerHost int
	maxBytes        size
	timeLimit       seconds
	failOnLimit     bool
	sitemap         bool
	assets          bool
	order           choice
	orderPages      int
	dropParams      []string

	delay       seconds
	maxDelay    seconds
	concurrency int
	perHost     int
	rateLimit   float64
	retries     int
	robots      choice

	traps     choice
	trapTrust []string

	contact      string
	userAgent    string
	header       []string
	cookies      string
	proxy        string
	resolve      []string
	allowPrivate bool
	allowNet     nets
	ports        ports
	insecure     bool
	timeout      seconds
	minRate      size
	maxSize      size
	grace        seconds

	extract      rules
	edges        edges
	exactStats   bool
	maxSites     int
	expectURLs   int
	fpRate       float64
	restartEvery int

	durable   bool
	dedup     choice
	minFree   size
	maxMemory memorySize
	seed      uint64

	quiet     bool
	verbose   bool
	logFormat choice
	noColor   bool
}

// flags declares them all, with their defaults. What each means to a resumed crawl
// stands in the table kinds.
func (o *Options) flags(f *pflag.FlagSet) {
	o.dedup = choice{value: "exact", of: []string{"exact", "filter"}}
	o.logFormat = choice{value: "text", of: []string{"text", "json"}}
	o.robots = choice{value: "obey", of: []string{"obey", "ignore"}}
	o.traps = choice{value: "avoid", of: []string{"avoid", "follow"}}
	o.order = choice{value: "bfs", of: []string{"bfs", "opic", "inlinks", "opic+inlinks"}}
	o.scope = choice{value: "host", of: []string{"host", "domain", "prefix", "any"}}
	o.minFree, o.minRate = 256<<20, fetch.DefaultMinRate
	o.maxSize, o.timeout, o.grace, o.delay, o.maxDelay = 10<<20, seconds(30*time.Second), seconds(5*time.Second), seconds(time.Second), seconds(30*time.Second)

	f.StringVar(&o.seeds, "seeds", "", "read seed URLs from `FILE`, one a line, # begins a comment; - is standard input")
	f.StringVarP(&o.out, "out", "o", "", "write pages.jsonl, skipped.jsonl, report.json and report.txt into `DIR` (default crawl-HOST-TIME)")
	f.StringVar(&o.config, "config", "", "read settings from a YAML `FILE` whose keys are these flags' names")
	f.BoolVar(&o.dryRun, "dry-run", false, "print the effective configuration and the first decisions, fetch nothing")
	f.BoolVar(&o.jsonl, "jsonl", false, "print page records on standard output as they come, and the report on standard error")

	f.Var(&o.scope, "scope", "follow links within the seeds' `host|domain|prefix|any`")
	f.Var(&o.include, "include", "follow only URLs matching `REGEXP` (repeatable: any of them)")
	f.Var(&o.exclude, "exclude", "follow no URL matching `REGEXP` (repeatable)")
	f.IntVar(&o.depth, "depth", -1, "follow at most `N` links from a seed; 0 fetches the seeds alone, -1 has no limit")
	f.IntVar(&o.maxPages, "max-pages", 0, "fetch at most `N` pages, over all runs of a resumed crawl; 0 has no limit")
	f.IntVar(&o.maxPagesPerHost, "max-pages-per-host", 0, "admit at most `N` URLs of a host; 0 has no limit")
	f.Var(&o.maxBytes, "max-bytes", "stop after `SIZE` of bodies, such as 2GiB, over all runs; 0 has no limit")
	f.Var(&o.timeLimit, "time-limit", "stop after `TIME`, such as 90s or 2h, of each run; 0 has no limit")
	f.BoolVar(&o.failOnLimit, "fail-on-limit", false, "exit with 5 when a limit ended the crawl")
	f.BoolVar(&o.sitemap, "sitemap", false, "enter by the sitemaps that robots.txt names, too")
	f.BoolVar(&o.assets, "assets", false, "fetch images, scripts and style sheets, too")
	f.Var(&o.order, "order", "which pages of a host come first, and of the hosts that may be asked: `bfs|opic|inlinks|opic+inlinks`: near the seeds, or what much leads to so far")
	f.IntVar(&o.orderPages, "order-pages", frontier.DefaultOrderPages, "keep at most `N` queued pages in that order, 246 bytes each; the others come breadth-first")
	f.StringSliceVar(&o.dropParams, "drop-params", nil, "drop these query `PARAMETERS` from every URL, such as utm_*,fbclid")

	f.Var(&o.delay, "delay", "least `TIME` between two requests to one host; 0 is for your own site")
	f.Var(&o.maxDelay, "max-delay", "longest robots.txt Crawl-delay that is obeyed, `TIME`")
	f.IntVarP(&o.concurrency, "concurrency", "c", 64, "fetch at most `N` pages at the same time")
	f.IntVar(&o.perHost, "per-host", 1, "open at most `N` connections to one host")
	f.Float64Var(&o.rateLimit, "rate-limit", 0, "fetch at most `N` pages a second from all hosts together; 0 has no limit")
	f.IntVar(&o.retries, "retries", 2, "try a page `N` more times after a failure that may pass")
	f.Var(&o.robots, "robots", "`obey|ignore` robots.txt, meta robots and rel=nofollow; ignore is for your own site")

	f.Var(&o.traps, "traps", "`avoid|follow` pages that a server seems to make up without end: calendars, session ids, mazes")
	f.StringArrayVar(&o.trapTrust, "trap-trust", nil, "take nothing for a trap whose URL, or pattern in the report, begins with `PREFIX`, such as shop.test/list (repeatable)")

	f.StringVar(&o.contact, "contact", "", "how a site's owner reaches you, a `URL` or mail address; part of the user agent")
	f.StringVar(&o.userAgent, "user-agent", "", "the whole User-Agent `TEXT` (default crawler/VERSION (+CONTACT)); its first word is looked up in robots.txt")
	f.StringArrayVarP(&o.header, "header", "H", nil, "send `\"Name: value\"` with every request (repeatable)")
	f.StringVar(&o.cookies, "cookies", "", "send the cookies of a Netscape cookies.txt `FILE`, and keep those that sites set")
	f.StringVar(&o.proxy, "proxy", "", "fetch through a http, https or socks5 proxy `URL`")
	f.StringArrayVar(&o.resolve, "resolve", nil, "connect to `HOST:PORT:ADDR` instead of looking HOST up (repeatable)")
	f.BoolVar(&o.allowPrivate, "allow-private", false, "connect to private, loopback and other special addresses wherever a link leads there; else only to those that a seed names by host and port")
	f.Var(&o.allowNet, "allow-net", "connect to special addresses in `CIDR`, such as 10.1.0.0/16 (repeatable)")
	f.Var(&o.ports, "ports", "connect to these `PORTS` only, and to those of seeds, such as 80,443,8000-8999 (default all but those browsers refuse, such as 25)")
	f.BoolVar(&o.insecure, "insecure", false, "accept any certificate: expired, self-signed or for another name")
	f.Var(&o.timeout, "timeout", "longest `TIME` for one page, from connecting to the last byte")
	f.Var(&o.minRate, "min-rate", "give up a page whose body, 10s after its header, came more slowly than `SIZE` a second; 0 is off")
	f.Var(&o.maxSize, "max-size", "cut bodies at `SIZE`, decoded; those of images, films, archives and other binaries at 256KiB at most")
	f.Var(&o.grace, "grace", "give pages in flight `TIME` to finish when the crawl is stopped")

	f.Var(&o.extract, "extract", "put the text (or attribute) of CSS matches into the page records: `NAME=CSS[@ATTR]` (repeatable)")
	f.Var(&o.edges, "edges", "write every page's links as `jsonl|csv`, too: edges.jsonl, or with --edges=csv edges.csv")
	f.Lookup("edges").NoOptDefVal = edgesJSONL
	f.BoolVar(&o.exactStats, "exact-stats", false, "count words exactly too, and report both (memory grows with the words)")
	f.IntVar(&o.maxSites, "max-sites", 1000, "report the words of `N` sites; the others share one line")
	f.IntVar(&o.expectURLs, "expect-urls", 100_000, "size the filter of seen URLs for `N`; it grows by restarts, with --dedup filter it stays")
	f.Float64Var(&o.fpRate, "fp-rate", 0.001, "size the filter for this `RATE` of false positives, each of which costs a check; with --dedup filter, a page")
	f.IntVar(&o.restartEvery, "restart-every", 0, "restart the filter every `N` URLs, too; 0 restarts when it is full (not with --dedup filter)")

	f.BoolVar(&o.durable, "durable", true, "keep the crawl's state on disk, so that crawler resume can go on after a stop or a crash; =false keeps it in memory")
	f.Var(&o.dedup, "dedup", "`exact|filter`: exact settles every doubt of the filter against a log of all URLs; filter bounds the memory and may lose pages, the report says how many")
	f.Var(&o.minFree, "min-free", "stop when the disk has less than `SIZE` free; 0 is off")
	f.Var(&o.maxMemory, "max-memory", "fetch fewer pages at once, and collect garbage harder, as memory nears `SIZE`, such as 512MiB; at least 64MiB, 0 leaves it to GOMEMLIMIT")
	f.Uint64Var(&o.seed, "seed", 0, "derive every hash from `N`, for runs to compare; 0 draws a secret one, which no site can play against")

	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress and no warnings")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log every page and every refusal")
	f.Var(&o.logFormat, "log-format", "write logs as `text|json`")
	f.BoolVar(&o.noColor, "no-color", false, "no live progress block, even on a terminal")
	plainErrors(f)
}
