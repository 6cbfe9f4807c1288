package benchcmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/bigsite"
	"crawler/report"
)

// benchRound is what one round measured.
type benchRound struct {
	loop  time.Duration // CPU time of the bare loop
	crawl benchCrawl
	crowd [2]benchCrawl // that meet few URLs, and all
	rival *benchRival   // nil if it takes no part
}

// benchCrawl is what one crawl took, and what its server saw of it.
type benchCrawl struct {
	cpu, wall time.Duration
	peak      int64 // resident memory in bytes; 0 where the system does not say
	urls      int64 // it met
	bytes     int64 // of bodies
	asked     bigsite.Asked
}

// measure makes all rounds, with the crawls in dir.
func (o *benchOptions) measure(ctx context.Context, dir string, show func(string)) (r *benchResult, err error) {
	crowd := benchSite{pages: min(o.pages*seenPerPage, seenMost), size: shell.Choice{Value: crowdSize}, hosts: 1, concurrency: o.concurrency}
	show("seen test")
	seen, err := seenTest(ctx, crowd.pages, o.rounds)
	if err != nil {
		return nil, err
	}
	lasting := time.Duration(o.rounds*4) * partLimit(o.pages)
	server, err := o.startServer(ctx, lasting)
	if err != nil {
		return nil, err
	}
	defer func() { err = shell.FirstError(err, server.close()) }()
	crowded, err := crowd.startServer(ctx, lasting)
	if err != nil {
		return nil, err
	}
	defer func() { err = shell.FirstError(err, crowded.close()) }()
	rounds := make([]benchRound, o.rounds)
	if err := os.WriteFile(seedsFile(filepath.Join(dir, "1")), []byte(o.seeds(server.url)), 0o666); err != nil {
		return nil, shell.DiskError(err)
	}
	for i := range rounds {
		show(fmt.Sprintf("round %d of %d: %s crawled, and fetched by a bare loop", i+1, o.rounds, shell.Counted(o.pages, "page")))
		name := filepath.Join(dir, strconv.Itoa(i+1))
		if rounds[i], err = o.round(ctx, i, server, crowded, name); err != nil {
			return nil, err
		}
	}
	return newBenchResult(o, crowd.pages, rounds, seen), nil
}

// inSequence has a tree without a link back, whose leaves come last, fetched breadth-first all the
// same: the guard against traps would look for its leaves.
const inSequence = "--traps=follow"

// round measures once: what comes first changes from round to round.
func (o *benchOptions) round(ctx context.Context, i int, server, crowded *benchServer, name string) (r benchRound, err error) {
	parts := []func() error{
		func() (err error) { r.loop, err = o.bareLoop(ctx, server); return err },
		func() (err error) { r.crawl, err = o.crawlSite(ctx, server, name); return err },
		func() (err error) {
			r.crowd[0], err = o.crawlOf(ctx, crowded, name+"-few-urls", crowded.url+"/", inSequence, "--max-pages", strconv.Itoa(crowdPages/10))
			return err
		},
		func() (err error) {
			r.crowd[1], err = o.crawlOf(ctx, crowded, name+"-many-urls", crowded.url+"/", inSequence, "--max-pages", strconv.Itoa(crowdPages))
			return err
		},
	}
	if path := o.rival(); path != "" {
		parts = append(parts, func() (err error) {
			r.rival, err = o.wget2(ctx, path, seedsFile(name), server)
			return err
		})
	}
	for n := range parts {
		if err := parts[(i+n)%len(parts)](); err != nil {
			return benchRound{}, err
		}
	}
	return r, nil
}

// bareLoop returns the CPU time of the bare loop.
func (o *benchOptions) bareLoop(ctx context.Context, server *benchServer) (time.Duration, error) {
	cpu, _, err := runPart(ctx, "the bare loop", partLimit(o.pages), append([]string{"bench", "loop", server.url}, o.args()...)...)
	if err != nil {
		return 0, err
	}
	a, err := server.take()
	if err == nil && (a.Distinct != o.pages || a.Duplicates > 0) {
		err = &shell.ExitError{Code: shell.ExitFailed, Err: fmt.Errorf("the bare loop asked for %d of %s, and for %d of them twice", a.Distinct, shell.Counted(o.pages, "page"), a.Duplicates)}
	}
	return cpu, err
}

// seedsFile is the file of seeds beside the crawl name.
func seedsFile(name string) string { return filepath.Join(filepath.Dir(name), "seeds") }

// crawlSite crawls the whole site.
func (o *benchOptions) crawlSite(ctx context.Context, server *benchServer, name string) (benchCrawl, error) {
	args := []string{"--seeds", seedsFile(name)}
	if o.hosts > 1 {
		args = append(args, "--resolve", "*:"+portOf(server.url)+":127.0.0.1")
	}
	if o.tls {
		args = append(args, "--insecure")
	}
	return o.crawlOf(ctx, server, name, args...)
}

// crawlOf crawls a server's site into the directory name.
func (o *benchOptions) crawlOf(ctx context.Context, server *benchServer, name string, args ...string) (c benchCrawl, err error) {
	conns := strconv.Itoa(o.concurrency)
	args = append([]string{"bench", "crawl", "-o", name, "--delay", "0", "--per-host", conns, "-c", conns, "--quiet"}, args...)
	c.cpu, c.wall, err = runPart(ctx, "the crawl", partLimit(o.pages), args...)
	if err != nil {
		return c, err
	}
	if c.asked, err = server.take(); err != nil {
		return c, err
	}
	rep, err := report.Load(name)
	if err != nil {
		return c, &shell.ExitError{Code: shell.ExitFailed, Err: fmt.Errorf("the crawl's report: %w", err)}
	}
	c.peak, c.urls, c.bytes = rep.Resources.PeakRSSBytes, rep.Dedup.New, rep.Pages.Bytes
	if o.keep == "" {
		if err := os.RemoveAll(name); err != nil {
			return c, shell.DiskError(err)
		}
	}
	return c, nil
}
