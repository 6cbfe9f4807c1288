package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// exactly is cobra.ExactArgs with the next step in its error.
func exactly(n int, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usage(hint, "%s takes %s, got %d", c.Name(), arguments(n), len(args))
		}
		return nil
	}
}

// atMost is cobra.MaximumNArgs with the next step in its error.
func atMost(n int, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > n {
			return usage(hint, "%s takes at most %s, got %d", c.Name(), arguments(n), len(args))
		}
		return nil
	}
}

// between is cobra.RangeArgs with the next step in its error.
func between(least, most int, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usage(hint, "%s takes %d or %d arguments, got %d", c.Name(), least, most, len(args))
		}
		return nil
	}
}

func arguments(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}
