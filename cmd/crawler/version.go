package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func newVersion(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "version prints the program's version, the Go release it was built with, and the platform.",
		Example: "  crawler version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return printText(s.out, fmt.Sprintf("crawler %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH))
		},
	}
}
