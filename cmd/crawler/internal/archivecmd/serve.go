package archivecmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"crawler/archive"
	"crawler/archive/replay"
	"crawler/cmd/crawler/internal/shell"
)

func newServe(s shell.Streams) *cobra.Command {
	var listen string
	var scripts bool
	c := &cobra.Command{
		Use:   "serve DIR...",
		Short: "Replay an archive in a browser on this machine",
		Long: `serve prints an address and answers a browser there with what the archive has, until it is
interrupted: links in HTML and CSS lead back into the archive. The address has a random token;
other hosts' names are refused. Pages stand in a sandbox from which nothing else is reached, and
their scripts do not run, unless --scripts lets them. Links that scripts make are not rewritten:
for pages that live by these, pack the archive with crawler archive wacz and open it with
ReplayWeb.page.`,
		Example: "  crawler archive serve example\n  crawler archive serve example --listen 127.0.0.1:8080",
		Args:    shell.AtLeast(1, "name a crawl's directory: crawler archive serve DIR..."),
		RunE: func(c *cobra.Command, args []string) error {
			if err := replay.Loopback(listen); err != nil {
				return shell.UsageError("give an address of this machine alone, such as 127.0.0.1:8080", "--listen: %w", err)
			}
			ctx := c.Context()
			if ctx == nil {
				ctx = context.Background()
			}
			return serve(ctx, s, dirsOf(args), listen, scripts)
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "listen at `ADDRESS`, which must be of this machine; port 0 is any that is free")
	c.Flags().BoolVar(&scripts, "scripts", false, "let the archive's scripts run, each page in a frame that reaches nothing else")
	return c
}

func serve(parent context.Context, s shell.Streams, dirs []string, listen string, scripts bool) error {
	for _, dir := range dirs {
		if _, err := archive.Files(dir); err != nil {
			return unread(err)
		}
	}
	ctx, release := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	defer release()
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return &shell.ExitError{Code: shell.ExitFailed, Err: err, Hint: "give another --listen"}
	}
	r := replay.New(replay.Config{Dirs: dirs, Address: l.Addr().String(), Scripts: scripts})
	server := &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	if err := shell.Print(s.Out, r.Home()+"\n"); err != nil {
		return errors.Join(err, l.Close())
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err = <-ended:
		return &shell.ExitError{Code: shell.ExitFailed, Err: err}
	case <-ctx.Done():
	}
	err = server.Close()
	<-ended
	fmt.Fprintln(s.Err, r.Cost())
	return err
}
