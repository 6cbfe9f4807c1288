package shards

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
	"crawler/weburl"
)

// Lost is a URL that one shard has met and its owner knows nothing of.
type Lost struct {
	From, To int // places of the two in the Set
	URL      weburl.URL
	Via      weburl.URL // the page with the link, or the URL that redirects
	Redirect bool       // it redirects
}

// Verified is what Verify has compared.
type Verified struct {
	Links int64 // to other shards, of pages and redirects
	Known int64 // URLs that shards know
	Lost  int
}

// Verify compares what the pages of each shard lead to in others with what those know, and calls
// fn for each URL that did not arrive, once for each page. owner is the place of a URL's owner in
// the Set, below 0 if it has none there. What waits in a shard's own outbox is no loss; what a
// broker still has looks like one, so a crawl is verified when it is idle, or the URLs are offered
// again, which does no harm if they are known.
//
// The directories are read as they are: of a crawl that was killed what was committed last counts.
// It takes 8 bytes of memory for each URL that is known, and some 0.5 µs for each of these and for
// each link. seed is for the fingerprints, which are compared in place of the URLs, and is drawn
// at random: of n URLs known one that was lost is missed with a chance of n/2^64.
func Verify(ctx context.Context, set Set, owner func(weburl.URL) int, seed uint64, fn func(Lost) error) (v Verified, err error) {
	hash := dedup.NewURLHash(seed)
	known := make([][]uint64, len(set.Shards))
	for i, s := range set.Shards {
		err := Known(s.Dir, func(u weburl.URL) error {
			known[i] = append(known[i], hash.Of(u))
			return ctx.Err()
		})
		if err != nil {
			return v, fmt.Errorf("%s: %w", s.Dir, err)
		}
		slices.Sort(known[i])
		known[i] = slices.Compact(known[i])
		v.Known += int64(len(known[i]))
	}
	for i, s := range set.Shards {
		waits, err := waiting(s.Dir, hash)
		if err != nil {
			return v, fmt.Errorf("%s: %w", s.Dir, err)
		}
		err = Leads(s.Dir, func(l Lost) error {
			l.From, l.To = i, owner(l.URL)
			if l.To < 0 || l.To == i {
				return ctx.Err()
			}
			v.Links++
			fp := hash.Of(l.URL)
			if _, found := slices.BinarySearch(known[l.To], fp); found || waits[fp] {
				return ctx.Err()
			}
			v.Lost++
			return fn(l)
		})
		if err != nil {
			return v, fmt.Errorf("%s: %w", s.Dir, err)
		}
	}
	return v, nil
}

// Known gives fn each URL that a shard has decided about, or will: pages, redirects and refusals,
// what is queued, and what waits. A URL may come more than once.
func Known(dir string, fn func(weburl.URL) error) error {
	// The state comes first: what leaves it while this reads has its record by then.
	err := eachWaiting(dir, fn)
	for _, file := range []string{report.PagesFile, report.RedirectsFile, report.SkippedFile} {
		if err == nil {
			err = report.ReadURLs(dir, file, func(r report.Recorded) error { return fn(r.URL) })
		}
	}
	return err
}

func eachWaiting(dir string, fn func(weburl.URL) error) error {
	d, err := store.OpenRead(store.Disk(), dir)
	if err != nil {
		return err
	}
	queue := d.Queue()
	err = queue.Hosts(func(host string, state []byte) error {
		var stopped error
		err := frontier.Queue(host, state, queue, func(_ int, it frontier.Item) bool {
			stopped = fn(it.URL)
			return stopped == nil
		})
		return errors.Join(err, stopped)
	})
	if err == nil {
		err = gate.Waiting(disk.Of(d), fn)
	}
	return errors.Join(err, d.Close())
}

// waiting returns the fingerprints of what is in a shard's outbox.
func waiting(dir string, hash dedup.URLHash) (map[uint64]bool, error) {
	d, err := store.OpenRead(store.Disk(), dir)
	if err != nil {
		return nil, err
	}
	out := map[uint64]bool{}
	err = crawl.Outbox(disk.Of(d), func(o crawl.Offer) error {
		out[hash.Of(o.URL)] = true
		return nil
	})
	return out, errors.Join(err, d.Close())
}

// Leads gives fn each URL that a shard's committed pages and redirects lead to, in any shard: From
// and To are not set. A page may come with a URL twice.
func Leads(dir string, fn func(Lost) error) error {
	records, err := committedLines(dir, report.LinksFile)
	if err != nil {
		return err
	}
	err = report.ReadLinks(dir, func(p *report.PageLinks) error {
		if records--; records < 0 {
			return errBehind
		}
		via, err := weburl.Parse(string(p.URL))
		if err != nil {
			return fmt.Errorf("%w: %w", report.ErrLinks, err)
		}
		for p.Next() {
			u, err := weburl.Parse(string(p.Link().URL))
			if err != nil {
				return fmt.Errorf("%w: %w", report.ErrLinks, err)
			}
			if err := fn(Lost{URL: u, Via: via, Redirect: p.Redirect}); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errBehind) {
		return nil // it has recorded nothing, or nothing more
	}
	return err
}

// errBehind ends the reading of links at the last commit: what is recorded behind that has not been
// offered to anybody.
var errBehind = errors.New("behind the last commit")

// committedLines counts the lines of a file that were committed.
func committedLines(dir, file string) (n int, err error) {
	d, err := store.OpenRead(store.Disk(), dir)
	if err != nil {
		return 0, err
	}
	length := d.Lengths()[file]
	if err := d.Close(); err != nil || length == 0 {
		return 0, err
	}
	f, err := os.Open(filepath.Join(dir, file))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	part, buf := io.LimitReader(f, length), make([]byte, 1<<16)
	for {
		k, err := part.Read(buf)
		n += bytes.Count(buf[:k], []byte{'\n'})
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
