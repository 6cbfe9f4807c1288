package benchcmd

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/shell"
)

// newBenchLoop is what crawler bench holds the crawler against, a process of its own:
// net/http fetches the pages of the site, which it knows beforehand.
func newBenchLoop(s shell.Streams) *cobra.Command {
	b := &benchSite{}
	c := &cobra.Command{
		Use: "loop URL", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			signal.Ignore(os.Interrupt) // of the terminal: the parent decides
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(100) // Go's own; ours would cost the loop more
			}
			endWith(s.In)
			if err := b.check(); err != nil {
				return err
			}
			if err := b.loop(args[0]); err != nil {
				return &shell.ExitError{Code: shell.ExitFailed, Err: err}
			}
			return nil
		},
	}
	b.flags(c.Flags())
	return c
}

// loop fetches every page of the site at base over b.concurrency connections. It stops at the
// first error.
func (b *benchSite) loop(base string) error {
	_, authority, _ := strings.Cut(base, "://")
	site, err := b.site(authority) // no page of it is made
	if err != nil {
		return err
	}
	urls := make([]string, 0, b.pages)
	for at := range site.All() {
		if b.hosts <= 1 {
			at = base + at
		}
		urls = append(urls, at)
	}
	transport := &http.Transport{MaxIdleConns: b.idle(), MaxIdleConnsPerHost: b.concurrency, MaxConnsPerHost: b.concurrency,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, authority)
		}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range b.concurrency {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(urls)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if err := fetchAndForget(ctx, client, urls[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// idle is how many connections the loop keeps.
func (b *benchSite) idle() int { return max(b.concurrency, min(b.hosts, mostBenchConns)) }

func fetchAndForget(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", url, resp.StatusCode)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
