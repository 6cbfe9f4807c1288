package shards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"crawler/crawl"
	"crawler/internal/sums"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
)

// Config says how Report works.
type Config struct {
	Version  string            // of the program, for the report
	Out      string            // gets near.jsonl, and then the report; "": none
	Memory   int64             // for signatures; see report.FindNear
	Progress func(what string) // called with what comes next, if not nil
}

// Report makes one report of all shards, with near.jsonl in Config.Out; Save writes it there. A
// shard that has ended is reported as its own report.json has it, another by its last commit.
// Nobody may work on the shards meanwhile. Errors are those of store.OpenRead, which name the
// shard, report.ErrParts, and that of ctx.
func Report(ctx context.Context, set Set, c Config) (*report.Report, error) {
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	var m report.Merger
	urls, dirs := 0, []string{}
	for i, shard := range set.Shards {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.Progress(fmt.Sprintf("reading shard %d of %d", i+1, len(set.Shards)))
		part, err := c.read(shard)
		if err != nil {
			return nil, err
		}
		if part.Report == nil {
			continue // it ended before it began
		}
		urls, dirs = max(urls, part.urls), append(dirs, shard.Dir)
		if err := m.Add(part.Part); err != nil {
			return nil, err
		}
	}
	rep, err := m.Report(c.Version)
	if err != nil {
		return nil, err
	}
	c.Progress("counting links")
	if err := rep.CountMostLinked(dirs, urls, 0); err != nil {
		return nil, err
	}
	c.Progress("looking for near-duplicates")
	if err := c.near(rep, dirs); err != nil {
		return nil, err
	}
	c.Progress("")
	return rep, ctx.Err()
}

// near looks for near-duplicates, for which there must be a directory.
func (c Config) near(rep *report.Report, dirs []string) error {
	out := c.Out
	if out == "" {
		tmp, err := os.MkdirTemp("", "crawler-report-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		out = tmp
	}
	return rep.FindNearIn(out, dirs, c.Memory)
}

// part is a shard as the report needs it.
type part struct {
	report.Part
	urls int // that its crawl counted links to
}

// read reads a shard. One that has recorded nothing has no Report.
func (c Config) read(shard Shard) (p part, err error) {
	d, err := store.OpenRead(store.Disk(), shard.Dir)
	if errors.Is(err, store.ErrNoCrawl) {
		_, none := store.ReadMeta(store.Disk(), shard.Dir)
		return p, none
	}
	if err != nil {
		return p, err
	}
	defer d.Close()
	_, last, err := crawl.Complete(disk.Of(d))
	if err != nil {
		return p, fmt.Errorf("%s: %w", shard.Dir, err)
	}
	flags := d.Meta().Flags
	p.urls = number(flags["inlinks"])
	rec, err := report.NewRecorder(report.Config{HostShare: percent(flags["sample-hosts"])})
	if err != nil {
		return p, err
	}
	if err := rec.Restore(d.DB()); err != nil {
		return p, fmt.Errorf("%s %w: %w", shard.Dir, store.ErrDamaged, err)
	}
	if last.Started.IsZero() {
		return p, nil
	}
	p.Part = report.Part{Name: shard.Dir, Recorder: rec}
	rep, err := report.Load(shard.Dir)
	switch {
	case errors.Is(err, report.ErrUnfinished), errors.Is(err, report.ErrNoReport),
		err == nil && rep.Finished.Before(last.Finished): // it was continued since
		p.Report = report.New(c.Version, last, rec, report.Usage{})
		return p, nil
	case err != nil:
		return p, err
	}
	p.Report, p.Files = rep, sums.Table{}
	for name, f := range rep.Files {
		p.Files[Within(c.Out, filepath.Join(shard.Dir, name))] = f
	}
	return p, nil
}

// number reads a setting that is a number, 0 without one.
func number(flag []string) int {
	n, _ := strconv.Atoi(cmp.Or(strings.Join(flag, ","), "0"))
	return n
}

// percent reads a setting that is a share of hosts, 0 without one.
func percent(flag []string) float64 {
	f, _ := strconv.ParseFloat(strings.TrimSuffix(strings.Join(flag, ","), "%"), 64)
	return f / 100
}
