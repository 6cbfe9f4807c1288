package benchcmd

import (
	"os"
	"testing"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/crawlcmd"
	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/crawltest"
)

// The parts of a measurement are this test binary under another name.
func TestMain(m *testing.M) {
	crawltest.Main(m, program)
}

// program is the crawler with the verbs that these tests need.
func program() {
	s := shell.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	root := &cobra.Command{Use: "crawler", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(New(s), crawlcmd.NewCrawl(s))
	os.Exit(shell.Execute(root, os.Args[1:], s.Err))
}
