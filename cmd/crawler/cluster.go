package main

import (
	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/clustercmd"
	"crawler/cmd/crawler/internal/readcmd"
	"crawler/cmd/crawler/internal/shell"
)

// newCluster makes crawler cluster.
func newCluster(s shell.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "cluster",
		Short: "Crawl on several machines, as one crawl",
		Args:  shell.Exactly(0, "crawler cluster --help lists the commands"),
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(
		clustercmd.NewStart(s), clustercmd.NewJoin(s), clustercmd.NewStatus(s), clustercmd.NewPause(s), clustercmd.NewResume(s), clustercmd.NewStop(s), clustercmd.NewVerify(s),
		readcmd.NewClusterReport(s, &clustercmd.Fetcher{}),
	)
	return c
}
