package settings

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
)

// Prepare gives a command with the flags of a crawl their order, their completions and
// their suggestions.
func Prepare(c *cobra.Command) {
	c.Flags().SortFlags = false
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(*shell.Choice); ok && !f.Hidden {
			c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(v.Of, cobra.ShellCompDirectiveNoFileComp))
		}
	})
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return shell.UsageError(c.CommandPath()+" --help lists the flags", "%w%s", err, flagSuggestion(c, err))
	})
}

// flagSuggestion names the known flag that is nearest to an unknown one.
func flagSuggestion(c *cobra.Command, err error) string {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || len(unknown.GetSpecifiedShortnames()) > 0 {
		return ""
	}
	return nearest(c.Flags(), unknown.GetSpecifiedName(), func(n string) string { return "--" + n })
}

// nearest suggests the known key that is fewest edits away.
func nearest(f *pflag.FlagSet, name string, show func(string) string) string {
	best, least := "", len(name)/3+1 // farther is no help
	f.VisitAll(func(fl *pflag.Flag) {
		if d := edits(name, fl.Name); d < least && !notSettings[fl.Name] {
			best, least = fl.Name, d
		}
	})
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", show(best))
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
