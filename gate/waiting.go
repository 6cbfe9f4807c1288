package gate

import (
	"crawler/frontier"
	"crawler/weburl"
)

// Waiting gives fn the URLs of the last commit in r that are neither queued nor recorded: those
// that were refused and are deferred, or not yet recorded as refused; that wait for the exact log;
// and, under a depth limit, all that were met, admitted or not. A URL may come more than once, one
// of another shard too. It stops at the first error and returns it.
func Waiting(r Reader, fn func(weburl.URL) error) error {
	var backlog []Skip
	if err := readJSON(r, keyBacklog, &backlog); err != nil {
		return err
	}
	for _, s := range backlog {
		u, err := weburl.Parse(s.URL)
		if err != nil {
			return damaged(keyBacklog, err)
		}
		if err := fn(u); err != nil {
			return err
		}
	}
	lessons, err := readLessons(r)
	if err != nil {
		return err
	}
	if err := eachPending(r, lessons, func(c *pendingCheck) error { return fn(c.URL) }); err != nil {
		return err
	}
	err = r.Scan(recordKey(keyDeferred), func(key, value []byte) error {
		d, err := readDeferral(key, value)
		if err != nil {
			return damaged(keyDeferred, err)
		}
		return fn(d.URL)
	})
	if err != nil {
		return err
	}
	return eachDepth(r, fn)
}

// eachDepth reads the URLs whose depths are known: none is within a limit below 0.
func eachDepth(r Reader, fn func(weburl.URL) error) error {
	depths := frontier.NewDepths(-1)
	err := r.Scan(recordKey(keyDepths), func(_, value []byte) error {
		if err := depths.Replay(value); err != nil {
			return damaged(keyDepths, err)
		}
		return nil
	})
	depths.TooDeep(func(it frontier.Item) {
		if err == nil {
			err = fn(it.URL)
		}
	})
	return err
}
