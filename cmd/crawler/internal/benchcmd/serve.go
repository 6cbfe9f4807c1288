package benchcmd

import (
	"cmp"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/bigsite"
)

// benchShape is what --size stands for.
type benchShape struct {
	site         bigsite.Config
	pages, hosts int // unless flags say otherwise
}

// benchShapes are the sites by --size. Beside Links a page has those of its navigation,
// five on average, and of its sections. In that of crowdSize the first crowdPages pages
// have links to all others.
var benchShapes = map[string]benchShape{
	"small":   {site: bigsite.Config{Docs: 2000, Links: 14}, pages: 20_000, hosts: 1},
	"medium":  {site: bigsite.Config{Docs: 12 << 10, Links: 16}, pages: 20_000, hosts: 1},
	"docs":    {site: bigsite.Config{Docs: 26 << 10, Links: 60, Style: bigsite.Reference}, pages: 20_000, hosts: 1},
	"dense":   {site: bigsite.Config{Docs: 18_250, Links: 51, Style: bigsite.Dense}, pages: 20_000, hosts: 20},
	"large":   {site: bigsite.Config{Docs: 239_500, Links: 200, Gzip: true}, pages: 2_000, hosts: 1},
	crowdSize: {site: bigsite.Config{Text: 600}, hosts: 1},
}

const (
	crowdSize  = "crowd" // not for users: all that matters is the memory of a crawl
	crowdPages = 500
)

// site is the site that is crawled, served at an authority.
func (b *benchSite) site(authority string) (*bigsite.Site, error) {
	cfg := benchShapes[b.size.Value].site
	cfg.Pages, cfg.TLS, cfg.Hosts = b.pages, b.tls, b.names(authority)
	if b.size.Value == crowdSize {
		cfg.Branch = max(1, b.pages/crowdPages)
	}
	return bigsite.New(cfg)
}

// names are the hosts, all of which are at an authority; none if there is but one, which has the
// name of that.
func (b *benchSite) names(authority string) []string {
	if b.hosts <= 1 {
		return nil
	}
	names := make([]string, b.hosts)
	for i := range names {
		names[i] = fmt.Sprintf("h%d.example:%s", i, portOf(authority))
	}
	return names
}

// portOf is the port of an authority that has one.
func portOf(authority string) string { return authority[strings.LastIndexByte(authority, ':')+1:] }

// seeds are the URLs that a crawl begins with, a line each.
func (b *benchSite) seeds(base string) string {
	scheme, authority, _ := strings.Cut(base, "://")
	var list strings.Builder
	for _, name := range b.names(authority) {
		list.WriteString(scheme + "://" + name + "/\n")
	}
	return cmp.Or(list.String(), base+"/\n")
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
			if err := b.check(); err != nil {
				return err
			}
			return bigsite.Serve(s.In, s.Out, b.site)
		},
	}
	b.flags(c.Flags())
	b.size.Of = append(b.size.Of, crowdSize)
	return c
}
