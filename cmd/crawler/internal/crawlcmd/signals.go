package crawlcmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"crawler/cmd/crawler/internal/shell"
)

// together is within what two signals are one.
const together = 300 * time.Millisecond

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP cancels:
// the graceful stop. The second ends the process at once, unless it comes with the first:
// timeout(1) and shells send one to the process and one to its group.
func interruptible(parent context.Context, errw io.Writer) (ctx context.Context, release func()) {
	return interrupted(parent, errw, "stopping: pages in flight may finish; interrupt again to quit at once",
		"quit: what was committed is kept, and crawler resume continues from there")
}

// interrupted is interruptible with what is said at the first signal and at the second.
func interrupted(parent context.Context, errw io.Writer, first, second string) (ctx context.Context, release func()) {
	if parent == nil {
		parent = context.Background()
	}
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as nohup does
			signal.Notify(signals, s)
		}
	}
	// A reader of standard output that goes away is an error of writing, after which
	// the crawl still ends in order.
	signal.Ignore(syscall.SIGPIPE)
	released := make(chan struct{})
	go func() {
		select {
		case <-signals:
			fmt.Fprintln(errw, first)
			cancel()
		case <-released:
			return
		}
		for began := time.Now(); ; {
			select {
			case <-signals:
				if time.Since(began) < together {
					continue
				}
				fmt.Fprintln(errw, second)
				os.Exit(shell.ExitInterrupted)
			case <-released:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		signal.Reset(syscall.SIGPIPE)
		close(released)
		cancel()
	}
}
