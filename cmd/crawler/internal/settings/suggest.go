package settings

import (
	"errors"

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
		if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
			if known := instead(unknown.GetSpecifiedName()); known != "" {
				return shell.UsageError(known, "%w", err)
			}
		}
		return shell.FlagError(c, err)
	})
}

// nearest suggests the setting whose name is nearest to an unknown one.
func nearest(f *pflag.FlagSet, name string, show func(string) string) string {
	return shell.NearestFlag(f, name, notSettings, show)
}
