package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"crawler/crawl"
	"crawler/weburl"
)

// dryRun prints the effective configuration, as a file that --config would read,
// and what would happen to the seeds first.
func dryRun(w io.Writer, f *pflag.FlagSet, cfg crawl.Config) error {
	var b strings.Builder
	b.WriteString("# Effective configuration (changed settings are marked)\n")
	var failed error
	f.VisitAll(func(fl *pflag.Flag) {
		if notSettings[fl.Name] || failed != nil || fl.Name == "seeds" && fl.Value.String() == "" {
			return
		}
		line, err := setting(fl)
		failed = err
		b.WriteString(line)
	})
	if failed != nil {
		return failed
	}
	fmt.Fprintf(&b, "\n# First decisions, as %s\n", cfg.Fetch.UserAgent)
	seen := map[string]bool{}
	for _, s := range cfg.Seeds {
		u, err := cfg.Parse.URL.Parse(s)
		if err != nil {
			return usage("", "%w", err)
		}
		b.WriteString(decision(u, seen, cfg))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return diskError(err)
	}
	return nil
}

func setting(fl *pflag.Flag) (string, error) {
	var value any = fl.Value.String()
	if list, ok := fl.Value.(pflag.SliceValue); ok {
		value = list.GetSlice()
	}
	switch fl.Value.Type() {
	case "int", "uint64", "float64", "bool":
		value = yaml.Node{Kind: yaml.ScalarNode, Value: fl.Value.String()}
	}
	if n, ok := value.(yaml.Node); ok {
		value = &n
	}
	text, err := yaml.Marshal(map[string]any{fl.Name: value})
	if err != nil {
		return "", fmt.Errorf("setting %s: %w", fl.Name, err)
	}
	line := strings.TrimSuffix(string(text), "\n")
	if first, rest, list := strings.Cut(line, "\n"); fl.Changed && list {
		line = first + "  # set\n" + rest
	} else if fl.Changed {
		line += "  # set"
	}
	return line + "\n", nil
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

// flagSuggestion names the known flag that is nearest to an unknown one.
func flagSuggestion(c *cobra.Command, err error) string {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || len(unknown.GetSpecifiedShortnames()) > 0 {
		return ""
	}
	return nearest(c.Flags(), unknown.GetSpecifiedName(), func(n string) string { return "--" + n })
}
