package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/shell"
)

func newVersion(s shell.Streams) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "version prints the program's version, the Go release it was built with, and the platform.",
		Example: "  crawler version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return shell.Print(s.Out, fmt.Sprintf("crawler %s %s %s/%s\n", shell.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH))
		},
	}
}
