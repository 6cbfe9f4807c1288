package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"crawler/parse"
)

// options is every setting of a crawl, as flags fill it. A key of the configuration
// file is a flag's name, and so is CRAWLER_ with the name in capitals.
type options struct {
	seeds    string
	out      string
	config   string
	dryRun   bool
	jsonl    bool
	quiet    bool
	verbose  bool
	logJSON  choice
	noColor  bool
	failOn   bool
	contact  string
	agent    string
	headers  []string
	cookies  string
	proxy    string
	resolve  []string
	robots   choice
	sitemap  bool
	scope    choice
	include  regexps
	exclude  regexps
	assets   bool
	extract  rules
	drop     []string
	depth    int
	pages    int
	perHost  int
	bytes    size
	maxSize  size
	timeout  seconds
	limit    seconds
	grace    seconds
	delay    seconds
	maxDelay seconds
	conns    int
	hostCons int
	rate     float64
	retries  int
	expect   int
	fpRate   float64
	restart  int
	edges    bool
	exact    bool
	maxSites int
	seed     uint64
}

// flags declares them all, with their defaults.
func (o *options) flags(f *pflag.FlagSet) {
	o.logJSON = choice{value: "text", of: []string{"text", "json"}}
	o.robots = choice{value: "obey", of: []string{"obey", "ignore"}}
	o.scope = choice{value: "host", of: []string{"host", "domain", "prefix", "any"}}
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
	f.IntVar(&o.pages, "max-pages", 0, "fetch at most `N` pages; 0 has no limit")
	f.IntVar(&o.perHost, "max-pages-per-host", 0, "admit at most `N` URLs of a host; 0 has no limit")
	f.Var(&o.bytes, "max-bytes", "stop after `SIZE` of bodies, such as 2GiB; 0 has no limit")
	f.Var(&o.limit, "time-limit", "stop after `TIME`, such as 90s or 2h; 0 has no limit")
	f.BoolVar(&o.failOn, "fail-on-limit", false, "exit with 5 when a limit ended the crawl")
	f.BoolVar(&o.sitemap, "sitemap", false, "enter by the sitemaps that robots.txt names, too")
	f.BoolVar(&o.assets, "assets", false, "fetch images, scripts and style sheets, too")
	f.StringSliceVar(&o.drop, "drop-params", nil, "drop these query `PARAMETERS` from every URL, such as utm_*,fbclid")

	f.Var(&o.delay, "delay", "least `TIME` between two requests to one host; 0 is for your own site")
	f.Var(&o.maxDelay, "max-delay", "longest robots.txt Crawl-delay that is obeyed, `TIME`")
	f.IntVarP(&o.conns, "concurrency", "c", 64, "fetch at most `N` pages at the same time")
	f.IntVar(&o.hostCons, "per-host", 1, "open at most `N` connections to one host")
	f.Float64Var(&o.rate, "rate-limit", 0, "fetch at most `N` pages a second from all hosts together; 0 has no limit")
	f.IntVar(&o.retries, "retries", 2, "try a page `N` more times after a failure that may pass")
	f.Var(&o.robots, "robots", "`obey|ignore` robots.txt, meta robots and rel=nofollow; ignore is for your own site")

	f.StringVar(&o.contact, "contact", "", "how a site's owner reaches you, a `URL` or mail address; part of the user agent")
	f.StringVar(&o.agent, "user-agent", "", "the whole User-Agent `TEXT` (default crawler/VERSION (+CONTACT)); its first word is looked up in robots.txt")
	f.StringArrayVarP(&o.headers, "header", "H", nil, "send `\"Name: value\"` with every request (repeatable)")
	f.StringVar(&o.cookies, "cookies", "", "send the cookies of a Netscape cookies.txt `FILE`, and keep those that sites set")
	f.StringVar(&o.proxy, "proxy", "", "fetch through a http, https or socks5 proxy `URL`")
	f.StringArrayVar(&o.resolve, "resolve", nil, "connect to `HOST:PORT:ADDR` instead of looking HOST up (repeatable)")
	f.Var(&o.timeout, "timeout", "longest `TIME` for one page, from connecting to the last byte")
	f.Var(&o.maxSize, "max-size", "cut bodies at `SIZE`, decoded")
	f.Var(&o.grace, "grace", "give pages in flight `TIME` to finish when the crawl is stopped")

	f.Var(&o.extract, "extract", "put the text (or attribute) of CSS matches into the page records: `NAME=CSS[@ATTR]` (repeatable)")
	f.BoolVar(&o.edges, "edges", false, "write every page's links to edges.jsonl, too")
	f.BoolVar(&o.exact, "exact-stats", false, "count words exactly too, and report both (memory grows with the words)")
	f.IntVar(&o.maxSites, "max-sites", 1000, "report the words of `N` sites; the others share one line")
	f.IntVar(&o.expect, "expect-urls", 100_000, "size the filter of seen URLs for `N`; it grows by restarts")
	f.Float64Var(&o.fpRate, "fp-rate", 0.001, "size the filter for this `RATE` of false positives, which cost a check, never a page")
	f.IntVar(&o.restart, "restart-every", 0, "restart the filter every `N` URLs, too; 0 restarts when it is full")

	f.Uint64Var(&o.seed, "seed", 0, "derive every hash from `N`, for runs to compare; 0 draws a secret one, which no site can play against")

	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress and no warnings")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "log every page and every refusal")
	f.Var(&o.logJSON, "log-format", "write logs as `text|json`")
	f.BoolVar(&o.noColor, "no-color", false, "no live progress block, even on a terminal")
}

// choice is a flag with a few allowed values.
type choice struct {
	value string
	of    []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return "choice" }
func (c *choice) Set(s string) error {
	for _, v := range c.of {
		if s == v {
			c.value = s
			return nil
		}
	}
	return fmt.Errorf("want %s", strings.Join(c.of, ", "))
}

// seconds is a duration that may be written as a bare number of seconds.
type seconds time.Duration

func (d *seconds) String() string { return time.Duration(*d).String() }
func (d *seconds) Type() string   { return "time" }
func (d *seconds) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil {
		f, ferr := strconv.ParseFloat(s, 64)
		if ferr != nil || f != f || f > float64(1<<62)/1e9 {
			return fmt.Errorf("want a time such as 500ms, 2s, 1h30m or a number of seconds")
		}
		v = time.Duration(f * 1e9)
	}
	if v < 0 {
		return fmt.Errorf("must not be negative")
	}
	*d = seconds(v)
	return nil
}

// size is a number of bytes that may carry a unit.
type size int64

var units = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"B", 1}, {"", 1}}

func (z *size) String() string {
	for _, u := range units[:3] {
		if n := int64(*z); n >= u.bytes && n%u.bytes == 0 {
			return fmt.Sprintf("%d%s", n/u.bytes, u.name)
		}
	}
	return strconv.FormatInt(int64(*z), 10)
}
func (z *size) Type() string { return "size" }
func (z *size) Set(s string) error {
	for _, u := range units {
		num, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(num), 10, 64)
		if err != nil || n < 0 || n > (1<<62)/u.bytes {
			break
		}
		*z = size(n * u.bytes)
		return nil
	}
	return fmt.Errorf("want a size such as 500KiB, 10MiB or a number of bytes")
}

// regexps is a repeatable regular expression (RE2 syntax).
type regexps []*regexp.Regexp

func (r *regexps) String() string { return strings.Join(r.GetSlice(), " ") }
func (r *regexps) Type() string   { return "regexp" }
func (r *regexps) Set(s string) error {
	re, err := regexp.Compile(s)
	if err == nil {
		*r = append(*r, re)
	}
	return err
}

// Append, Replace and GetSlice make it a pflag.SliceValue, which a list in the
// configuration file fills.
func (r *regexps) Append(s string) error { return r.Set(s) }
func (r *regexps) Replace(all []string) error {
	*r = nil
	return setAll(r, all)
}
func (r *regexps) GetSlice() []string {
	out := make([]string, len(*r))
	for i, re := range *r {
		out[i] = re.String()
	}
	return out
}

// rules is a repeatable extraction rule.
type rules struct {
	text   []string
	parsed []parse.Rule
}

func (r *rules) String() string { return strings.Join(r.text, " ") }
func (r *rules) Type() string   { return "rule" }
func (r *rules) Set(s string) error {
	rule, err := parse.ParseRule(s)
	if err != nil {
		return err
	}
	r.text, r.parsed = append(r.text, s), append(r.parsed, rule)
	return nil
}
func (r *rules) Append(s string) error { return r.Set(s) }
func (r *rules) Replace(all []string) error {
	*r = rules{}
	return setAll(r, all)
}
func (r *rules) GetSlice() []string { return r.text }

func setAll(v pflag.Value, all []string) error {
	for _, s := range all {
		if err := v.Set(s); err != nil {
			return err
		}
	}
	return nil
}
