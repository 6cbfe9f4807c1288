package crawlcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/shell"
	"crawler/gate"
	"crawler/report"
)

// retry has the crawl ask again for what it gave up, failed for a reason that may pass or refused
// as a trap's that is trusted now, and returns how many URLs that are.
func (r *session) retry(failed, trusted bool) (n int, err error) {
	if err := r.removeGraph(); err != nil {
		return 0, err
	}
	trust, err := r.Trusted()
	if err != nil {
		return 0, err
	}
	n, err = report.Retry(r.dir, func(g *gate.GivenUp) bool {
		if g.MayPass() {
			return failed
		}
		return trusted && r.trusts(g, trust)
	}, func() error { return RemoveReport(r.dir) })
	if err == nil && n > 0 && !r.Quiet {
		r.say(shell.Counted(n, "URL") + " that " + wereGivenUp(n) + " will be asked for again")
	}
	return n, err
}

// trusts reports whether a URL that was refused as a trap's is not any more.
func (o *options) trusts(g *gate.GivenUp, prefixes []string) bool {
	_, name, _ := strings.Cut(g.URL, "://")
	return o.Traps.Value == "follow" || slices.ContainsFunc(prefixes, func(prefix string) bool {
		return strings.HasPrefix(name, prefix) || strings.HasPrefix(g.Pattern, prefix)
	})
}

func wereGivenUp(n int) string {
	if n == 1 {
		return "was given up"
	}
	return "were given up"
}

// removeGraph has the crawl's link graph built again. Whether it is out of date is decided by
// the lengths of the files it was made of, and these will shrink and may grow to the same again.
func (r *session) removeGraph() error {
	err := r.dir.FS().Remove(filepath.Join(r.dir.Path(), "graph", "graph.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// unretried is the error of a crawl whose records could not be taken out.
func (r *session) unretried(err error) error {
	name := r.dir.Path()
	return crawldir.Refuse(name, fmt.Errorf("asking again for what was given up: %w", err))
}

// retryCommand is the command that asks again for what was given up.
func retryCommand(dir string) string { return crawldir.ResumeCommand(dir) + " --retry-failed" }
