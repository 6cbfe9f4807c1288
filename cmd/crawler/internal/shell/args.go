package shell

import (
	"fmt"

	"github.com/spf13/cobra"
)

// Exactly is cobra.ExactArgs with the next step in its error.
func Exactly(n int, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return UsageError(hint, "%s takes %s, got %d", c.Name(), arguments(n), len(args))
		}
		return nil
	}
}

// AtLeast is cobra.MinimumNArgs with the next step in its error.
func AtLeast(n int, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < n {
			return UsageError(hint, "%s takes at least %s, got %d", c.Name(), arguments(n), len(args))
		}
		return nil
	}
}

// AtMost is cobra.MaximumNArgs with the next step in its error.
func AtMost(n int, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > n {
			return UsageError(hint, "%s takes at most %s, got %d", c.Name(), arguments(n), len(args))
		}
		return nil
	}
}

// Between is cobra.RangeArgs with the next step in its error.
func Between(least, most int, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return UsageError(hint, "%s takes %d or %d arguments, got %d", c.Name(), least, most, len(args))
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
