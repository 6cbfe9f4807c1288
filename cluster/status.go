package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"crawler/crawl"
)

// Status is what a shard's run says of its last commit: the record in the broker.
type Status struct {
	Node  string    `json:"node"`
	Epoch uint64    `json:"epoch"`
	At    time.Time `json:"at"` // by the node's clock

	Commit   uint64 `json:"commit"`
	Position uint64 `json:"position"`
	Idle     bool   `json:"idle"`
	Last     bool   `json:"last,omitempty"`
	// Kept says that what the shard has at Position is where another node finds it if this one's
	// disk is lost, or that this is not asked for.
	Kept bool `json:"kept,omitempty"`

	Pages  int   `json:"pages"`
	Bytes  int64 `json:"bytes"`
	Leased int   `json:"leased"`
	Queued int   `json:"queued"`
	Outbox int   `json:"outbox"`

	Dead       int64     `json:"dead,omitempty"`      // messages that were set aside, in this run
	Stuck      bool      `json:"stuck,omitempty"`     // the broker takes no more links
	Checkpoint time.Time `json:"checkpoint,omitzero"` // when the last one was taken
	Lacks      string    `json:"lacks,omitempty"`     // why the last attempt failed
}

func statusOf(s crawl.Standing) Status {
	return Status{
		Commit: s.Commit, Position: s.Position, Idle: s.Idle, Last: s.Last,
		Pages: s.Pages, Bytes: s.Bytes, Leased: s.Leased, Queued: s.Queued, Outbox: s.Outbox,
	}
}

// Status returns what a shard's run has said last; the zero Status if none has.
func (c *Crawl) Status(ctx context.Context, shard int) (s Status, err error) {
	e, err := c.status.Get(ctx, shardKey(shard))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(e.Value(), &s)
	}
	if err != nil {
		return s, fmt.Errorf("status of shard %d: %w", shard, err)
	}
	return s, nil
}

// Claim returns who has a shard, and the record's revision; 0 if nobody ever had it.
func (c *Crawl) Claim(ctx context.Context, shard int) (cl Claim, revision uint64, err error) {
	e, err := c.shards.Get(ctx, shardKey(shard))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return cl, 0, nil
	}
	if err == nil {
		revision = e.Revision()
		err = json.Unmarshal(e.Value(), &cl)
	}
	if err != nil {
		return cl, 0, fmt.Errorf("claim on shard %d: %w", shard, err)
	}
	return cl, revision, nil
}

// setClaim replaces the claim with the given revision, 0 for none.
func (c *Crawl) setClaim(ctx context.Context, shard int, cl Claim, revision uint64) (uint64, error) {
	data, err := json.Marshal(cl)
	if err != nil {
		return 0, err
	}
	if revision == 0 {
		return c.shards.Create(ctx, shardKey(shard), data)
	}
	return c.shards.Update(ctx, shardKey(shard), data, revision)
}

// last returns the sequence of the last message to a shard, 0 if there was none.
func (c *Crawl) last(ctx context.Context, shard int) (uint64, error) {
	m, err := c.links.GetLastMsgForSubject(ctx, c.names.linksTo(shard))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("stream of shard %d: %w", shard, err)
	}
	return m.Sequence, nil
}
