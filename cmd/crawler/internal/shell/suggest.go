package shell

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// FlagError is a wrong usage of a command's flags. It names the flag that an unknown one was
// probably meant to be.
func FlagError(c *cobra.Command, err error) error {
	slip := ""
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		slip = NearestFlag(c.Flags(), unknown.GetSpecifiedName(), nil, func(n string) string { return "--" + n })
	}
	return UsageError(c.CommandPath()+" --help lists the flags", "%w%s", err, slip)
}

// NearestFlag asks, in parentheses, whether the flag was meant that is fewest edits away from name:
// at most a third of its letters. Hidden flags and those in except are never meant. It is "" if
// none is so near.
func NearestFlag(f *pflag.FlagSet, name string, except map[string]bool, show func(string) string) string {
	best, least := "", len(name)/3+1 // farther is no help
	f.VisitAll(func(fl *pflag.Flag) {
		if d := edits(name, fl.Name); d < least && !fl.Hidden && !except[fl.Name] {
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
