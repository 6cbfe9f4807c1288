package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// aliases are names that other crawlers have for a flag and that mean the same.
var aliases = map[string]string{
	"max-depth": "depth", "output": "out", "output-dir": "out", "threads": "concurrency", "workers": "concurrency",
}

// normal gives a flag its own name; "_" is read as "-".
func normal(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	name = strings.ReplaceAll(name, "_", "-")
	if own, ok := aliases[name]; ok {
		name = own
	}
	return pflag.NormalizedName(name)
}

// Aliases lets a command take flags by the names that other crawlers have for them.
func Aliases(f *pflag.FlagSet) {
	f.SetNormalizeFunc(normal)
	f.VarPF(ignoreRobots{f}, "ignore-robots", "", "the same as --robots ignore").NoOptDefVal = "true"
	f.Lookup("ignore-robots").Hidden = true
}

// ignoreRobots is a switch that sets --robots.
type ignoreRobots struct{ f *pflag.FlagSet }

func (r ignoreRobots) Type() string   { return "bool" }
func (r ignoreRobots) String() string { return "false" }

func (r ignoreRobots) Set(s string) error {
	switch s {
	case "true":
		return r.f.Set("robots", "ignore")
	case "false":
		return r.f.Set("robots", "obey")
	}
	return fmt.Errorf("want true or false, not %q", s)
}

// foreign says of flags that other crawlers have, and that are no aliases here, what to write
// instead: their values or units differ, or a letter means several things. One letter is a short
// flag.
var foreign = []struct{ instead, flags string }{
	{"for the depth write --depth N, for a pause --delay TIME", "d"},
	{"URLs are arguments: crawler crawl https://example.com/", "u url urls start-url"},
	{"for a list of URLs write --seeds FILE, for the depth --depth N", "l"},
	{"a list of URLs is --seeds FILE", "i f list input input-file file"},
	{"links are followed without a flag; --depth N is the limit, and --depth 0 fetches the seeds alone", "r m recursive mirror"},
	{"for the number of pages at a time write -c N, for ports --ports LIST", "p"},
	{"for the number of pages at a time write -c N, for a timeout --timeout TIME", "t"},
	{"the number of pages at a time is -c N", "parallel parallelism jobs max-threads max-concurrency"},
	{"the number of pages is --max-pages N", "n max-urls max-requests max-requests-per-crawl"},
	{"for pages write --max-pages N, for pages a second --rate-limit N, for bytes --max-bytes SIZE", "limit"},
	{"the depth is --depth N", "level"},
	{"a limit of bytes is --max-bytes SIZE", "quota"},
	{"the pause between two requests to a host is --delay TIME", "w wait download-delay crawl-delay random-wait"},
	{"the rate is --rate-limit N, in pages a second", "rate rps max-rate"},
	{"the time for the crawl is --time-limit TIME", "crawl-duration duration max-time max-runtime"},
	{"the user agent is --user-agent TEXT", "A U agent"},
	{"cookies are --cookies FILE, or -H \"Cookie: ...\" for the seeds", "b cookie load-cookies"},
	{"a header is -H \"Name: value\", once for each", "headers"},
	{"any certificate is accepted with --insecure", "k no-check-certificate"},
	{"certificates are checked without a flag", "strict-certs"},
	{"a proxy is --proxy URL", "x"},
	{"JSON lines are --jsonl, or -o - without a directory", "j json format"},
	{"no progress and no warnings is -q", "silent"},
	{"robots.txt is obeyed without a flag; --robots ignore is for your own site", "respect-robots obey-robots no-robots robots-txt robotstxt-obey"},
	{"how far links are followed is --scope host, domain, prefix or any", "domain domains same-domain same-host allowed-domains span-hosts no-parent subdomains"},
	{"URLs are chosen by --include REGEXP and --exclude REGEXP", "accept-regex reject-regex match-regex filter-regex filter"},
	{"images, scripts and style sheets are fetched with --assets", "page-requisites"},
	{"further attempts are --retries N", "tries retry"},
	{"a crawl is continued by crawler resume DIR", "resume continue"},
	{"which pages come first is --order", "strategy"},
	{"JavaScript is not run: links are read from HTML", "headless javascript js js-crawl"},
	{"the longest body is --max-size SIZE", "max-body-size max-response-size"},
	{"the sitemaps that robots.txt names are read with --sitemap", "sitemaps"},
}

// instead says what to write instead of a flag that is unknown here and known elsewhere, "" if it
// is not known elsewhere either.
func instead(flag string) string {
	for _, f := range foreign {
		if slices.Contains(strings.Fields(f.flags), flag) {
			return f.instead
		}
	}
	return ""
}
