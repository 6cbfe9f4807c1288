// Package settings is the flags of a crawl: their values, where these come from (the command
// line, the environment, a configuration file, the crawl.json of a crawl that is resumed),
// which of them a resume may change, and the engine's configuration that they make.
package settings

import (
	"time"

	"github.com/spf13/pflag"

	"crawler/archive"
	"crawler/cmd/crawler/internal/shell"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/trap"
	"crawler/warc"
)

// Options is every setting of a crawl, as flags fill it: each field is named as its flag,
// in their order. A key of the configuration file is a flag's name, and so is CRAWLER_ with
// the name in capitals.
type Options struct {
	Seeds  string
	Out    string
	Config string
	DryRun bool
	JSONL  bool

	Scope            shell.Choice
	SampleHosts      shell.Percent
	Include          regexps
	Exclude          regexps
	Follow           regexps
	Depth            int
	MaxPages         int
	MaxPagesPerHost  int
	MaxBytes         shell.Size
	TimeLimit        shell.Seconds
	FailOnLimit      bool
	FailOnIncomplete bool
	FailOnBroken     bool
	Sitemap          bool
	Assets           bool
	Order            shell.Choice
	OrderPages       int
	DropParams       []string

	Delay       shell.Seconds
	MaxDelay    shell.Seconds
	Concurrency int
	PerHost     int
	PerIP       int
	IPDelay     shell.Seconds
	RateLimit   float64
	Retries     int
	Patience    shell.Seconds
	Robots      shell.Choice

	Traps      shell.Choice
	TrapTrust  []string
	TrapBudget int

	Contact      string
	UserAgent    string
	RobotsToken  string
	Header       []string
	Cookies      string
	HTTP         shell.Choice
	Proxy        string
	Resolve      []string
	AllowPrivate bool
	AllowNet     nets
	Ports        ports
	Insecure     bool
	Timeout      shell.Seconds
	MinRate      shell.Size
	MaxSize      shell.Size
	Grace        shell.Seconds

	Extract      rules
	Edges        edges
	ExactStats   bool
	InLinks      int
	MaxSites     int
	ExpectURLs   int
	FPRate       float64
	RestartEvery int

	Warc           bool
	WarcSize       shell.Size
	WarcCompress   shell.Choice
	WarcDictionary string
	WarcSecrets    bool

	Durable   bool
	Dedup     shell.Choice
	MinFree   shell.Size
	MaxMemory memorySize
	Seed      uint64

	Quiet     bool
	Verbose   bool
	LogFormat shell.Choice
	NoLive    bool
	NoColor   bool

	// ForeignSeeds is no flag: the seeds were not given by who runs this process, so they allow
	// no special address, and no secret goes to them.
	ForeignSeeds bool
}

// Declare declares them all, with their defaults. What each means to a resumed crawl
// stands in the table kinds.
func (o *Options) Declare(f *pflag.FlagSet) {
	o.Dedup = shell.Choice{Value: "exact", Of: []string{"exact", "filter"}}
	o.LogFormat = shell.Choice{Value: "text", Of: []string{"text", "json"}}
	o.Robots = shell.Choice{Value: "obey", Of: []string{"obey", "ignore"}}
	o.Traps = shell.Choice{Value: "avoid", Of: []string{"avoid", "follow"}}
	o.Order = shell.Choice{Value: "bfs", Of: []string{"bfs", "opic", "inlinks", "opic+inlinks"}}
	o.Scope = shell.Choice{Value: "host", Of: []string{"host", "domain", "prefix", "any"}}
	o.HTTP = shell.Choice{Value: "1", Of: []string{"1", "2"}}
	o.WarcCompress = shell.Choice{Value: string(warc.Gzip), Of: []string{string(warc.Gzip), string(warc.Zstd)}}
	o.WarcSize = archive.DefaultSize
	o.MinFree, o.MinRate = 256<<20, fetch.DefaultMinRate
	o.SampleHosts = shell.AllPercent
	o.Patience = shell.Seconds(frontier.DefaultPatience)
	o.MaxSize, o.Timeout, o.Grace, o.Delay, o.MaxDelay = 10<<20, shell.Seconds(30*time.Second), shell.Seconds(5*time.Second), shell.Seconds(time.Second), shell.Seconds(30*time.Second)

	f.StringVar(&o.Seeds, "seeds", "", "read seeds from `FILE`, which may be gzipped: a URL or host a line, or a rank and a host; # begins a comment; - is standard input")
	f.StringVarP(&o.Out, "out", "o", "", "write pages.jsonl, redirects.jsonl, skipped.jsonl, report.json and report.txt into `DIR` (default crawl-HOST-TIME); - prints page records on standard output alone and keeps nothing")
	f.StringVar(&o.Config, "config", "", "read settings from a YAML `FILE` whose keys are these flags' names")
	f.BoolVar(&o.DryRun, "dry-run", false, "print the effective configuration and the first decisions, fetch nothing")
	f.BoolVar(&o.JSONL, "jsonl", false, "print page records on standard output as they come, and the report on standard error")
	shell.Group(f, "Seeds and output")

	f.Var(&o.Scope, "scope", "follow links within the seeds' `host|domain|prefix|any`")
	f.Var(&o.SampleHosts, "sample-hosts", "crawl only the hosts in a random sample of `PERCENT` of all, by their names, seeds' hosts included; the report then estimates all hosts")
	f.Var(&o.Include, "include", "fetch and record only URLs matching `REGEXP` (repeatable: any of them); seeds are fetched in any case")
	f.Var(&o.Exclude, "exclude", "fetch no URL matching `REGEXP` (repeatable)")
	f.Var(&o.Follow, "follow", "with --include: also read pages matching `REGEXP`, for their links alone, without recording them (repeatable; . is all)")
	f.IntVar(&o.Depth, "depth", -1, "follow at most `N` links from a seed; 0 fetches the seeds alone, -1 has no limit")
	f.IntVar(&o.MaxPages, "max-pages", 0, "fetch at most `N` pages, sitemaps apart, over all runs of a resumed crawl; 0 has no limit")
	f.IntVar(&o.MaxPagesPerHost, "max-pages-per-host", 0, "admit at most `N` URLs of a host; 0 has no limit")
	f.Var(&o.MaxBytes, "max-bytes", "stop after `SIZE` of bodies, such as 2GiB, over all runs; 0 has no limit")
	f.Var(&o.TimeLimit, "time-limit", "stop after `TIME`, such as 90s or 2h, of each run; 0 has no limit")
	f.BoolVar(&o.FailOnLimit, "fail-on-limit", false, "exit with 5 when a limit ended the crawl")
	f.BoolVar(&o.FailOnIncomplete, "fail-on-incomplete", false, "exit with 6 when pages were given up that may be had later")
	f.BoolVar(&o.FailOnBroken, "fail-on-broken", false, "exit with 7 when a link leads to an error: 404, no such host, a loop of redirects")
	f.BoolVar(&o.Sitemap, "sitemap", false, "also start from the sitemaps that robots.txt names")
	f.BoolVar(&o.Assets, "assets", false, "fetch images, scripts and style sheets, too")
	f.Var(&o.Order, "order", "pages of a host, and hosts that may be asked, in this `ORDER`: bfs, those near the seeds first; opic, inlinks or opic+inlinks, the most linked-to so far")
	f.IntVar(&o.OrderPages, "order-pages", frontier.DefaultOrderPages, "keep at most `N` queued pages in that order, 246 bytes each; the others come breadth-first")
	f.StringSliceVar(&o.DropParams, "drop-params", nil, "drop these query `PARAMETERS` from every URL, such as utm_*,fbclid")
	shell.Group(f, "Which pages, and how many")

	f.Var(&o.Delay, "delay", "least `TIME` between two requests to one host; 0 is for your own site")
	f.Var(&o.MaxDelay, "max-delay", "longest robots.txt Crawl-delay that is obeyed, `TIME`")
	f.IntVarP(&o.Concurrency, "concurrency", "c", 64, "fetch at most `N` pages at the same time")
	f.IntVar(&o.PerHost, "per-host", 1, "open at most `N` connections to one host")
	f.IntVar(&o.PerIP, "per-ip", frontier.DefaultPerIP, "have at most `N` requests in flight to one IP address, and fewer while they make it slower, whatever the hosts there; 0 has no limit, nor is there one with --delay 0 or a proxy")
	f.Var(&o.IPDelay, "ip-delay", "least `TIME` between two requests to one IP address; 0 lets it follow how soon the address answers")
	f.Float64Var(&o.RateLimit, "rate-limit", 0, "fetch at most `N` pages a second from all hosts together; 0 has no limit")
	f.IntVar(&o.Retries, "retries", 2, "ask for a page `N` more times when it answers with an error and its host is well otherwise")
	f.Var(&o.Patience, "patience", "wait this `TIME` for hosts and pages that do not answer, from their first failure; 0 waits for nothing")
	f.Var(&o.Robots, "robots", "`obey|ignore` robots.txt, meta robots and rel=nofollow; ignore is for your own site")
	shell.Group(f, "Pace and politeness")

	f.Var(&o.Traps, "traps", "`avoid|follow` pages that a server seems to make up without end: calendars, session ids, mazes")
	f.StringArrayVar(&o.TrapTrust, "trap-trust", nil, "never treat URLs, or patterns in the report, that start with `PREFIX` as traps, such as shop.test/list (repeatable)")
	f.IntVar(&o.TrapBudget, "trap-budget", trap.DefaultBudget, "fetch `N` pages of one shape without anything new, where a copy counts as two, before its others are refused as a trap")
	shell.Group(f, "Traps")

	f.StringVar(&o.Contact, "contact", "", "how a site's owner reaches you, a `URL` or mail address; part of the user agent")
	f.StringVar(&o.UserAgent, "user-agent", "", "the whole User-Agent `TEXT` (default crawler/VERSION (+CONTACT))")
	f.StringVar(&o.RobotsToken, "robots-token", "", "obey the groups of robots.txt for `NAME` (default the user agent's name: ExampleBot of ExampleBot/1, and of Mozilla/5.0 (compatible; ExampleBot/1))")
	f.StringArrayVarP(&o.Header, "header", "H", nil, "send `\"Name: value\"` with every request (repeatable); Authorization, Cookie and other secrets to the seeds' origins only; \"HOST: Name: value\" to that host only")
	f.StringVar(&o.Cookies, "cookies", "", "send the cookies of a Netscape cookies.txt `FILE`, and keep those that sites set")
	f.Var(&o.HTTP, "http", "speak HTTP/`1|2`: 1 is HTTP/1.1 alone, half the CPU of a fetch; 2 speaks HTTP/2 to https servers that offer it")
	f.StringVar(&o.Proxy, "proxy", "", "fetch through a http, https or socks5 proxy `URL`")
	f.StringArrayVar(&o.Resolve, "resolve", nil, "connect to `HOST:PORT:ADDR` instead of looking HOST up (repeatable)")
	f.BoolVar(&o.AllowPrivate, "allow-private", false, "connect to private, loopback and other special addresses wherever a link leads there; else only to those that a seed names by host and port")
	f.Var(&o.AllowNet, "allow-net", "connect to special addresses in `CIDR`, such as 10.1.0.0/16 (repeatable)")
	f.Var(&o.Ports, "ports", "connect to these `PORTS` only, and to those of seeds, such as 80,443,8000-8999 (default all but those browsers refuse, such as 25)")
	f.BoolVar(&o.Insecure, "insecure", false, "accept any certificate: expired, self-signed or for another name")
	f.Var(&o.Timeout, "timeout", "longest `TIME` for one page, from connecting to the last byte")
	f.Var(&o.MinRate, "min-rate", "give up a page whose body comes more slowly than `SIZE` a second, from 10s after its header on; 0 is off")
	f.Var(&o.MaxSize, "max-size", "cut bodies at `SIZE`, decoded; those of images, films, archives and other binaries at 256KiB at most")
	f.Var(&o.Grace, "grace", "give pages in flight `TIME` to finish when the crawl is stopped")
	shell.Group(f, "Requests and connections")

	f.Var(&o.Extract, "extract", "put the text (or attribute) of CSS matches into the page records: `NAME=CSS[@ATTR]` (repeatable)")
	f.Var(&o.Edges, "edges", "write every page's links as `jsonl|csv`, too: edges.jsonl, or with --edges=csv edges.csv")
	f.Lookup("edges").NoOptDefVal = EdgesJSONL
	f.BoolVar(&o.ExactStats, "exact-stats", false, "count words exactly too, and report both (memory grows with the words)")
	f.IntVar(&o.InLinks, "inlinks", 0, "estimate how many pages link to each page, for about `N` URLs at 8 bytes each; 0 does not")
	f.IntVar(&o.MaxSites, "max-sites", 1000, "report the words of `N` sites; the others share one line")
	f.IntVar(&o.ExpectURLs, "expect-urls", 100_000, "size the filter of seen URLs for `N`; it grows by restarts; with --dedup filter it keeps its size")
	f.Float64Var(&o.FPRate, "fp-rate", 0.001, "size the filter for this `RATE` of false positives, each of which costs a lookup, or with --dedup filter a page")
	f.IntVar(&o.RestartEvery, "restart-every", 0, "restart the filter every `N` URLs, too; 0 restarts when it is full (not with --dedup filter)")
	shell.Group(f, "Records, words and the filter of seen URLs")

	f.BoolVar(&o.Warc, "warc", false, "keep every answer, with its request, in web archive files: DIR/archive/*.warc.gz (docs/archive.md)")
	f.Var(&o.WarcSize, "warc-size", "begin the next file of the archive after `SIZE`")
	f.Var(&o.WarcCompress, "warc-compress", "compress the archive's records by `gzip|zstd`: gzip is what all tools read")
	f.StringVar(&o.WarcDictionary, "warc-dictionary", "", "compress them with the dictionary in `FILE`, as zstd --train makes it; for zstd")
	f.BoolVar(&o.WarcSecrets, "warc-secrets", false, "keep Authorization, Cookie and other secret fields of requests in the archive, too")
	shell.Group(f, "Archive")

	f.BoolVar(&o.Durable, "durable", true, "keep the crawl's state on disk, so that crawler resume can continue after a stop or a crash; =false keeps it in memory")
	f.Var(&o.Dedup, "dedup", "`exact|filter`: exact looks up in a log of all URLs what the filter cannot decide; filter bounds the memory and may lose pages; the report says how many")
	f.Var(&o.MinFree, "min-free", "stop when the disk has less than `SIZE` free; 0 is off")
	f.Var(&o.MaxMemory, "max-memory", "fetch fewer pages at once, and collect garbage harder, as memory nears `SIZE`, such as 512MiB; at least 64MiB, 0 leaves it to GOMEMLIMIT")
	f.Uint64Var(&o.Seed, "seed", 0, "derive every hash from `N`, for runs to compare; 0 draws a secret one, which no site can exploit")
	shell.Group(f, "State, disk and memory")

	f.BoolVarP(&o.Quiet, "quiet", "q", false, "no progress and no warnings")
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "log every page and every refusal")
	f.Var(&o.LogFormat, "log-format", "write logs as `text|json`")
	f.BoolVar(&o.NoLive, "no-live", false, "no live progress block on a terminal, but the lines that a file would get")
	f.BoolVar(&o.NoColor, "no-color", false, "no colours in the live block; the environment's NO_COLOR does the same")
	shell.Group(f, "Messages")
	shell.PlainErrors(f)
}
