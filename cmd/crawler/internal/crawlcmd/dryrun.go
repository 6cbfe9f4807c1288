package crawlcmd

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/fetch"
	"crawler/weburl"
)

// dryRun prints the effective configuration, as a file that --config would read,
// and what would happen to the seeds first.
func dryRun(w io.Writer, f *pflag.FlagSet, cfg crawl.Config) error {
	text, err := settings.Effective(f)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("# Effective configuration (changed settings are marked)\n" + text)
	fmt.Fprintf(&b, "\n# First decisions, as %s", cfg.Fetch.UserAgent)
	if !cfg.Gate.IgnoreRobots {
		fmt.Fprintf(&b, ", in robots.txt %s", cmp.Or(cfg.Robots.Token, fetch.ProductToken(cfg.Fetch.UserAgent)))
	}
	b.WriteString("\n")
	seen := map[string]bool{}
	for _, s := range cfg.Seeds {
		u, err := cfg.Parse.URL.Parse(s)
		if err != nil {
			return shell.UsageError("", "%w", err)
		}
		b.WriteString(decision(u, seen, cfg))
	}
	return shell.Print(w, b.String())
}

func decision(u weburl.URL, seen map[string]bool, cfg crawl.Config) string {
	if seen[u.String()] {
		return fmt.Sprintf("# seen   %s (given twice)\n", u)
	}
	seen[u.String()] = true
	text := "# fetch  " + u.String()
	if !cfg.Gate.IgnoreRobots {
		text += ", after asking " + u.Origin() + "/robots.txt"
	}
	matches := func(re *regexp.Regexp) bool { return re.MatchString(u.String()) }
	if s := cfg.Gate.Scope; len(s.Include) > 0 && !slices.ContainsFunc(s.Include, matches) || slices.ContainsFunc(s.Exclude, matches) {
		text += " (a seed: --include and --exclude do not apply)"
	}
	return text + "\n"
}
