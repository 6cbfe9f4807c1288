package benchcmd

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/crawlcmd"
	"crawler/cmd/crawler/internal/shell"
)

// newBenchCrawl is crawler crawl, as crawler bench runs it.
func newBenchCrawl(s shell.Streams) *cobra.Command {
	c := crawlcmd.NewCrawl(s)
	c.Hidden = true
	crawl := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		endWith(s.In)
		return crawl(c, args)
	}
	return c
}

// endWith ends this process, a part of crawler bench, when in is closed: it is held open
// by the parent, which may have been killed.
func endWith(in io.Reader) {
	go func() {
		io.Copy(io.Discard, in)
		os.Exit(shell.ExitInterrupted)
	}()
}
