package diffcmd

import (
	"context"
	"errors"

	"crawler/cmd/crawler/internal/crawldir"
	"crawler/crawl"
	"crawler/diff"
	"crawler/frontier"
	"crawler/report"
	"crawler/store"
)

// directory is a crawl's directory, or a cluster's, as a side of a comparison. It changes nothing
// there.
type directory string

func (d directory) Each(what diff.What, fn func(diff.Item) error) (partial bool, err error) {
	set, err := crawldir.Shards(string(d))
	if err != nil {
		return false, err
	}
	for _, dir := range set.Dirs() {
		incomplete, err := directory(dir).each(what, fn)
		if err != nil {
			return false, err
		}
		partial = partial || incomplete
	}
	return partial, nil
}

// each is Each of one directory.
func (d directory) each(what diff.What, fn func(diff.Item) error) (partial bool, err error) {
	files := []string{report.PagesFile}
	if what == diff.Known {
		files = append(files, report.RedirectsFile, report.SkippedFile)
	}
	if err := crawldir.Check(string(d)); err != nil {
		return false, err
	}
	damages, err := crawldir.Look(string(d), false)
	if err == nil {
		err = damages.Of(files...)
	}
	if err == nil && what == diff.Known {
		// The queue comes first: what leaves it while this reads has its record by then.
		partial, err = d.queued(fn)
	}
	if err != nil {
		return false, err
	}
	for _, file := range files {
		if err := d.records(file, what, fn); err != nil {
			return false, err
		}
	}
	return partial, nil
}

// interruptible is a directory that is read until ctx ends.
type interruptible struct {
	directory
	ctx context.Context
}

func (d interruptible) Each(what diff.What, fn func(diff.Item) error) (partial bool, err error) {
	return d.directory.Each(what, func(i diff.Item) error {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		return fn(i)
	})
}

func (d directory) records(file string, what diff.What, fn func(diff.Item) error) error {
	var stopped error // by fn, whose errors are not the directory's
	err := report.ReadURLs(string(d), file, func(r report.Recorded) error {
		item := diff.Item{URL: r.URL}
		if what == diff.Content {
			item.Text = r.Digest
		}
		stopped = fn(item)
		return stopped
	})
	switch {
	case stopped != nil:
		return stopped
	case crawldir.Forbidden(err), crawldir.Exhausted(err):
		return crawldir.Unreadable(string(d), err)
	case err != nil:
		return crawldir.Damaged(string(d), err)
	}
	return nil
}

// queued gives fn the URLs that are queued. A crawl without state has forgotten them unless it
// had fetched all.
func (d directory) queued(fn func(diff.Item) error) (partial bool, err error) {
	dir, err := store.OpenRead(store.Disk(), string(d))
	switch {
	case errors.Is(err, store.ErrNotDurable):
		rep, err := report.Load(string(d))
		return err != nil || rep.EndedBy != string(crawl.Done), nil
	case err != nil:
		return false, crawldir.Unreadable(string(d), err)
	}
	defer dir.Close()
	var stopped error
	q := dir.Queue()
	err = q.Hosts(func(host string, state []byte) error {
		if err := frontier.Queue(host, state, q, func(_ int, it frontier.Item) bool {
			stopped = fn(diff.Item{URL: it.URL})
			return stopped == nil
		}); err != nil {
			return err
		}
		return stopped
	})
	switch {
	case stopped != nil:
		return false, stopped
	case err != nil:
		return false, crawldir.Unreadable(string(d), err)
	}
	return false, nil
}
