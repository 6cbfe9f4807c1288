package crawlcmd

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/internal/demosite"
)

// demoSeed makes the demo the same web each time.
const demoSeed = 2026

// demoRestart is after how many URLs the demo's filter is restarted: few, to show it.
const demoRestart = 200

// NewDemo makes crawler demo.
func NewDemo(s shell.Streams) *cobra.Command {
	o := demoOptions()
	c := &cobra.Command{
		Use:   "demo",
		Short: "Crawl a generated web on this machine and print the report",
		Long: `demo serves a small generated web on loopback and crawls it with the same code
as crawler crawl: documentation, news, a shop, a wiki with redirects and broken
links, a mirror of near-duplicates, a spam site, a calendar without end that
robots.txt closes, and a host that answers 429 and breaks connections. It takes
under 20 seconds and touches no network. The filter of seen URLs is restarted every
200 URLs, as one that is full would be, and the report counts the restarts.`,
		Example: `  crawler demo
  crawler demo -o demo && head -3 demo/pages.jsonl`,
		Args: shell.Exactly(0, "crawler demo takes flags only"),
		RunE: func(c *cobra.Command, _ []string) error { return o.crawlDemo(c, s) },
	}
	f := c.Flags()
	f.StringVarP(&o.Out, "out", "o", "", "write the crawl into `DIR` (default a new temporary directory)")
	f.Var(&o.Delay, "delay", "least `TIME` between two requests to one host")
	f.IntVar(&o.Depth, "depth", -1, "follow at most `N` links from the seed; -1 has no limit")
	f.IntVar(&o.MaxPages, "max-pages", 0, "fetch at most `N` pages; 0 has no limit")
	f.BoolVar(&o.ExactStats, "exact-stats", true, "count words exactly beside the estimates")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "no progress")
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "log every page and every refusal")
	shell.PlainErrors(f)
	return c
}

// demoOptions are those of crawler crawl, but for a web that is our own and on this
// machine, and so may be asked faster than a stranger's.
func demoOptions() *options {
	o := &options{}
	o.flags(pflag.NewFlagSet("", pflag.ContinueOnError)) // sets the defaults
	o.Delay, o.Concurrency = shell.Seconds(25*time.Millisecond), 16
	o.Scope.Value, o.DropParams, o.Sitemap = "domain", []string{"utm_*"}, true
	// It has pages that never come; one that is refused twice comes, in whatever order the guard
	// against traps has the host asked.
	o.Patience = shell.Seconds(6 * time.Second)
	o.RestartEvery = demoRestart
	o.ExactStats, o.Contact, o.demo = true, "demo", true
	return o
}

// crawlDemo crawls the demo's web.
func (o *options) crawlDemo(c *cobra.Command, s shell.Streams) error {
	web, err := serveDemo()
	if err != nil {
		return err
	}
	defer web.close()
	if o.Out == "" { // nobody will come back to it
		dir, err := os.MkdirTemp("", "crawler-demo-")
		if err != nil {
			return shell.DiskError(err)
		}
		o.Out, o.Durable = filepath.Join(dir, "crawl"), false
	}
	cfg, err := o.Engine(web.Seeds())
	if err != nil {
		return err
	}
	web.reroute(&cfg)
	if !o.Quiet {
		fmt.Fprintf(s.Err, "demo: %d hosts served on %s; the filter of seen URLs is restarted every %d URLs\n", len(web.Hosts()), web.addr, o.RestartEvery)
	}
	return o.run(c.Context(), s, cfg)
}

// demoWeb is the demo's web while it is served.
type demoWeb struct {
	*demosite.Web
	addr    string
	server  *http.Server
	serving sync.WaitGroup
}

// serveDemo serves the demo's web on loopback.
func serveDemo() (*demoWeb, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, &shell.ExitError{Code: shell.ExitFailed, Err: fmt.Errorf("demo web: %w", err)}
	}
	site := demosite.New(demoSeed)
	w := &demoWeb{Web: site, addr: listener.Addr().String(), server: &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}}
	w.serving.Go(func() { w.server.Serve(listener) })
	return w, nil
}

// reroute leads every name of the demo's web to its one listener.
func (w *demoWeb) reroute(cfg *crawl.Config) {
	cfg.Fetch.Resolve = map[string]string{"*:80": w.addr}
}

func (w *demoWeb) close() {
	w.server.Close()
	w.serving.Wait()
}
