package cluster

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"crawler/crawl"
)

const (
	// linger is for how long a batch waits for offers of the node's other shards.
	linger = 100 * time.Millisecond
	// batchBytes is how many bytes of offers for one shard, not compressed, end the wait.
	batchBytes = 32 << 10
	// messageBytes is how many of them a message has at most, or one offer more.
	messageBytes = 256 << 10
	// publishing is how long one message may take, and retryAfter the pause after it failed.
	publishing = 5 * time.Second
	retryAfter = 500 * time.Millisecond
	// quietTries is how often a message fails before that is worth a warning.
	quietTries = 6
	// together is how many messages of a batch are under way at a time.
	together = 32
)

// batcher gathers what the shards of a node offer to others, so that messages are few and large.
type batcher struct {
	crawl *Crawl
	pack  *packer
	log   *slog.Logger

	mu      sync.Mutex
	shards  int    // that may publish: guarded by mu
	current *batch // guarded by mu
	owners  *Owners
	full    bool // the broker takes no more; guarded by mu
	failing bool // it has said so of anything else that goes wrong; guarded by mu
	sent    Traffic
}

// Traffic counts what a node has sent to other shards.
type Traffic struct {
	Offers, Messages  int64
	RawBytes, Bytes   int64 // of offers, before and after they were packed
	Again, DeadLetter int64 // messages sent again; messages set aside
}

// batch is what some shards publish together.
type batch struct {
	to      map[int][][]byte // by shard: chunks of offers
	waiting int              // for it
	due     chan struct{}    // closed when it must not wait any more
	isDue   bool
	sent    chan struct{} // closed when all is acknowledged, or ctx of the batcher has ended
	err     error
}

func newBatcher(c *Crawl, pack *packer, log *slog.Logger) *batcher {
	return &batcher{crawl: c, pack: pack, log: log, owners: NewOwners(c.Settings.Shards)}
}

// join counts one more shard that publishes; leave ends that.
func (b *batcher) join(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shards += n
	b.hurry()
}

// hurry ends the wait of the batch if nobody is left to wait for. b.mu is held.
func (b *batcher) hurry() {
	if c := b.current; c != nil && c.waiting >= b.shards && !c.isDue {
		c.isDue = true
		close(c.due)
	}
}

// publish returns when the broker has all offers, or with an error when ctx ends before.
func (b *batcher) publish(ctx, node context.Context, offers []crawl.Offer) error {
	if len(offers) == 0 {
		return nil
	}
	mine := b.add(node, offers)
	select {
	case <-mine.sent:
		return mine.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// add puts offers into the batch that gathers, and begins one if none does.
func (b *batcher) add(node context.Context, offers []crawl.Offer) *batch {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.current
	if c == nil {
		c = &batch{to: map[int][][]byte{}, due: make(chan struct{}), sent: make(chan struct{})}
		b.current = c
		go b.send(node, c)
	}
	c.waiting++
	for _, o := range offers {
		to := b.owners.Of(o.URL)
		chunks := c.to[to]
		if n := len(chunks); n == 0 || len(chunks[n-1]) >= messageBytes {
			chunks = append(chunks, nil)
		}
		last := &chunks[len(chunks)-1]
		before := len(*last)
		*last = crawl.AppendOffer(*last, o)
		b.sent.RawBytes += int64(len(*last) - before)
		c.to[to] = chunks
		if len(*last) >= batchBytes && !c.isDue {
			c.isDue = true
			close(c.due)
		}
	}
	b.sent.Offers += int64(len(offers))
	b.hurry()
	return c
}

// send publishes a batch when it is due, until the broker has all of it.
func (b *batcher) send(ctx context.Context, c *batch) {
	defer close(c.sent)
	wait := time.NewTimer(linger)
	select {
	case <-c.due:
	case <-wait.C:
	case <-ctx.Done():
	}
	wait.Stop()
	b.mu.Lock()
	if b.current == c {
		b.current = nil
	}
	b.mu.Unlock()
	var all sync.WaitGroup
	room := make(chan struct{}, together)
	for shard, chunks := range c.to {
		for _, raw := range chunks {
			room <- struct{}{}
			all.Go(func() {
				defer func() { <-room }()
				b.deliver(ctx, b.crawl.names.linksTo(shard), b.pack.pack(raw))
			})
		}
	}
	all.Wait()
	c.err = ctx.Err()
}

// deliver publishes a message again and again until it is acknowledged or ctx ends.
func (b *batcher) deliver(ctx context.Context, subject string, message []byte) {
	for try := 0; ctx.Err() == nil; try++ {
		one, cancel := context.WithTimeout(ctx, publishing)
		_, err := b.crawl.js.Publish(one, subject, message, jetstream.WithRetryAttempts(0))
		cancel()
		b.tell(err, len(message), try)
		if err == nil {
			return
		}
		pause(ctx, retryAfter)
	}
}

// tell counts a message, and says once that the broker takes no more, and that it does again.
func (b *batcher) tell(err error, bytes, try int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if try > 0 {
		b.sent.Again++
	}
	full := isFull(err)
	switch {
	case err == nil && (b.full || b.failing):
		b.full, b.failing = false, false
		b.log.Info("the broker takes links again")
	case err != nil && !full && !b.failing && try >= quietTries && !errors.Is(err, context.Canceled):
		b.failing = true
		b.log.Warn("links cannot be sent to other shards: they are kept, and tried again", "bytes", bytes, "error", err)
	case full && !b.full:
		b.full = true
		b.log.Warn("the broker's stream of links is full: the crawl waits until shards have taken theirs in and kept them", "limit", b.crawl.Settings.MaxLinks)
	}
	if err == nil {
		b.sent.Messages++
		b.sent.Bytes += int64(bytes)
	}
}

// stuck reports whether the broker takes no more links.
func (b *batcher) stuck() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.full
}

// JetStream's codes for a stream that has reached a limit and discards what is new.
const (
	codeFull      = 10077 // JSStreamStoreFailedF
	codeResources = 10023 // JSInsufficientResourcesErr: of the whole broker
)

// isFull reports whether the broker refused a message because its stream is full.
func isFull(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == codeFull || api.ErrorCode == codeResources)
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
