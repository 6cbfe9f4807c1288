package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"
)

// newBenchCrawl is crawler crawl, as crawler bench runs it.
func newBenchCrawl(s streams) *cobra.Command {
	c := newCrawl(s)
	c.Hidden = true
	crawl := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		endWith(s.in)
		return crawl(c, args)
	}
	return c
}

// endWith ends this process, a part of crawler bench, when in is closed: it is held open
// by the parent, which may have been killed.
func endWith(in io.Reader) {
	go func() {
		io.Copy(io.Discard, in)
		os.Exit(exitInterrupted)
	}()
}
