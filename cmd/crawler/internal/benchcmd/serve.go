package benchcmd

import (
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/bigsite"
)

// benchShapes are the sites by --size. Beside Links a page has those of its navigation,
// five on average, and of its sections. In that of crowdSize the first crowdPages pages
// have links to all others.
var benchShapes = map[string]bigsite.Config{
	"small":   {Docs: 2000, Links: 14},
	"medium":  {Docs: 12 << 10, Links: 16},
	crowdSize: {Text: 600},
}

const (
	crowdSize  = "crowd" // not for users: all that matters is the memory of a crawl
	crowdPages = 500
)

// site is the site that is crawled.
func (b *benchSite) site() (*bigsite.Site, error) {
	cfg := benchShapes[b.size.Value]
	cfg.Pages = b.pages
	if b.size.Value == crowdSize {
		cfg.Branch = max(1, b.pages/crowdPages)
	}
	return bigsite.New(cfg)
}

// newBenchServe is the server of crawler bench: a process of its own that prints its
// address, answers every line of its standard input with the counts since the one
// before, as JSON, and ends when that is closed, however its parent ended.
func newBenchServe(s shell.Streams) *cobra.Command {
	b := &benchSite{}
	c := &cobra.Command{
		Use: "serve", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			signal.Ignore(os.Interrupt) // of the terminal: the parent decides
			return bigsite.Serve(s.In, s.Out, func(string) (*bigsite.Site, error) { return b.site() })
		},
	}
	b.flags(c.Flags())
	b.size.Of = append(b.size.Of, crowdSize)
	return c
}
