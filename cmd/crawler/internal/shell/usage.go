package shell

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is the widest line of a help, in columns.
const helpWidth = 100

// groupKey is the annotation of a flag that says under which heading it stands.
const groupKey = "group"

// Group puts the flags that are in no group yet under a heading.
func Group(f *pflag.FlagSet, heading string) {
	f.VisitAll(func(fl *pflag.Flag) {
		if fl.Annotations[groupKey] == nil {
			f.SetAnnotation(fl.Name, groupKey, []string{heading}) // fails for an unknown flag alone
		}
	})
}

// Usage prints a command's usage as cobra does, but its flags under headings and in lines that
// are read without scrolling sideways.
func Usage(c *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:")
	if c.Runnable() {
		fmt.Fprintf(&b, "\n  %s", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n  %s [command]", c.CommandPath())
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\n\nExamples:\n%s", c.Example)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n\nAvailable Commands:")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				fmt.Fprintf(&b, "\n  %-*s %s", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	for _, g := range grouped(c.LocalFlags()) {
		fmt.Fprintf(&b, "\n\n%s:\n%s", g.heading, strings.TrimRight(g.flags.FlagUsagesWrapped(helpWidth), " \n"))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\nUse \"%s [command] --help\" for more information about a command.", c.CommandPath())
	}
	b.WriteString("\n")
	_, err := c.OutOrStderr().Write([]byte(b.String()))
	return err
}

// group is the flags under one heading.
type group struct {
	heading string
	flags   *pflag.FlagSet
}

// grouped returns the flags that are shown by their headings, in the sequence of their first
// flags; those without one come last.
func grouped(all *pflag.FlagSet) (list []group) {
	rest := group{"Flags", pflag.NewFlagSet("", pflag.ContinueOnError)}
	sets := map[string]*pflag.FlagSet{}
	all.VisitAll(func(fl *pflag.Flag) {
		if fl.Hidden {
			return
		}
		set, heading := rest.flags, fl.Annotations[groupKey]
		if heading != nil {
			if set = sets[heading[0]]; set == nil {
				set = pflag.NewFlagSet("", pflag.ContinueOnError)
				set.SortFlags = all.SortFlags
				sets[heading[0]] = set
				list = append(list, group{heading[0], set})
			}
		}
		set.AddFlag(fl)
	})
	if rest.flags.HasFlags() {
		if len(list) > 0 {
			rest.heading = "Other"
		}
		list = append(list, rest)
	}
	return list
}
