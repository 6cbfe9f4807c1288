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
func dryRun(w io.Writer, f *pflag.FlagSet, cfg crawl.Config, bad string) error {
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
	if bad != "" {
		b.WriteString("# " + strings.ReplaceAll(bad, "\n", "\n# ") + "\n")
	}
	seen := map[string]bool{}
	for _, s := range cfg.Seeds {
		u, bare, err := crawl.ParseSeed(cfg.Parse.URL, s)
		if err != nil {
			return shell.UsageError("", "%w", err)
		}
		b.WriteString(decision(u, bare, seen, cfg))
	}
	return shell.Print(w, b.String())
}

func decision(u weburl.URL, bare bool, seen map[string]bool, cfg crawl.Config) string {
	if seen[u.String()] {
		return fmt.Sprintf("# seen   %s (given twice)\n", u)
	}
	seen[u.String()] = true
	text := "# fetch  " + u.String()
	if !cfg.Gate.IgnoreRobots {
		text += ", after asking " + u.Origin() + "/robots.txt"
	}
	if bare {
		text += "; if https does not answer, http"
	}
	if s := cfg.Gate.Scope.HostShare; s > 0 && s < 1 {
		text += "; only if its host is in the sample"
	}
	matches := func(re *regexp.Regexp) bool { return re.MatchString(u.String()) }
	if s := cfg.Gate.Scope; s.LinksOnly(u) {
		text += " (for its links alone: --include does not match it)"
	} else if len(s.Include) > 0 && !slices.ContainsFunc(s.Include, matches) || slices.ContainsFunc(s.Exclude, matches) {
		text += " (a seed: --include and --exclude do not apply)"
	}
	return text + "\n"
}
