package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Bounds of a lease, and of what the broker keeps.
const (
	MinLease = 500 * time.Millisecond
	MaxLease = 10 * time.Minute
	// linksAge is how long a link waits for its shard at most. A shard that nobody runs for so
	// long is not continued (port.Begin).
	linksAge = 30 * 24 * time.Hour
	// maxDead is how many bytes of messages are set aside; the oldest leave first.
	maxDead = 64 << 20
	// creating is how long it may take to make all tables.
	creating = 30 * time.Second
	// asking is how long one question to the broker may take.
	asking = 5 * time.Second
)

// Crawl is a crawl as the broker has it: its tables and streams. It may be used by many
// goroutines.
type Crawl struct {
	Settings Settings

	names  names
	js     jetstream.JetStream
	links  jetstream.Stream
	conf   jetstream.KeyValue
	shards jetstream.KeyValue
	status jetstream.KeyValue
}

// ErrNoCrawl means that the broker has no such crawl.
var ErrNoCrawl = errors.New("the broker has no crawl")

// ErrSeveral means that the broker has more than one crawl, and none was named.
var ErrSeveral = errors.New("the broker has several crawls")

// isGone reports whether a stream or table is not there.
func isGone(err error) bool {
	return errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound)
}

// List returns the ids of the crawls that a broker has.
func List(ctx context.Context, nc *nats.Conn) (ids []string, err error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	all := js.StreamNames(ctx)
	for name := range all.Name() {
		if m := linksStream.FindStringSubmatch(name); m != nil {
			ids = append(ids, m[1])
		}
	}
	if err := all.Err(); err != nil {
		return nil, fmt.Errorf("list of crawls: %w", err)
	}
	slices.Sort(ids)
	return ids, nil
}

// Create makes a new crawl in the broker, in state Run.
func Create(ctx context.Context, nc *nats.Conn, s Settings) (*Crawl, error) {
	s.Version = formVersion
	if !isID.MatchString(s.ID) || s.Shards < 1 || s.Shards > MaxShards {
		return nil, fmt.Errorf("cluster: id %q, %d shards: want eight hexadecimal digits, 1 to %d", s.ID, s.Shards, MaxShards)
	}
	if s.Lease < MinLease || s.Lease > MaxLease {
		return nil, fmt.Errorf("cluster: a lease of %v: want %v to %v", s.Lease, MinLease, MaxLease)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	c := &Crawl{Settings: s, names: names{s.ID}, js: js}
	ctx, cancel := context.WithTimeout(ctx, creating)
	defer cancel()
	if err := c.createAll(ctx); err != nil {
		return nil, fmt.Errorf("the broker refuses the crawl's tables: %w", err)
	}
	first, err := json.Marshal(State{Want: Run, Run: 1, Began: s.Created})
	if err != nil {
		return nil, err
	}
	if _, err := c.conf.Create(ctx, keyState, first); err != nil && !conflict(err) {
		return nil, err
	}
	if err := c.createBudget(ctx); err != nil {
		return nil, err
	}
	return c, c.putSettings(ctx, s)
}

// createAll makes streams and tables, unless they are there.
func (c *Crawl) createAll(ctx context.Context) (err error) {
	s := c.Settings
	c.links, err = c.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: c.names.links(), Description: "links between shards of a crawl", Subjects: []string{"c." + s.ID + ".links.*"},
		Storage: jetstream.FileStorage, Replicas: s.Replicas, AllowDirect: true,
		Discard: jetstream.DiscardNew, MaxBytes: s.MaxLinks, MaxAge: linksAge,
	})
	if err != nil {
		return err
	}
	_, err = c.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: c.names.dead(), Description: "messages of a crawl that could not be read", Subjects: []string{"c." + s.ID + ".dlq.*"},
		Storage: jetstream.FileStorage, Replicas: s.Replicas, Discard: jetstream.DiscardOld, MaxBytes: maxDead, MaxAge: linksAge,
	})
	if err != nil {
		return err
	}
	for bucket, kv := range map[string]*jetstream.KeyValue{c.names.conf(): &c.conf, c.names.shards(): &c.shards, c.names.status(): &c.status} {
		if *kv, err = c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket, Storage: jetstream.FileStorage, Replicas: s.Replicas}); err != nil {
			return err
		}
	}
	return nil
}

// Open finds the crawl with an id; "" is the broker's only one.
func Open(ctx context.Context, nc *nats.Conn, id string) (*Crawl, error) {
	if id == "" {
		ids, err := List(ctx, nc)
		switch {
		case err != nil:
			return nil, err
		case len(ids) == 0:
			return nil, ErrNoCrawl
		case len(ids) > 1:
			return nil, fmt.Errorf("%w: %v", ErrSeveral, ids)
		}
		id = ids[0]
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	c := &Crawl{names: names{id}, js: js}
	if err := c.open(ctx); isGone(err) {
		return nil, fmt.Errorf("%w with the id %s", ErrNoCrawl, id)
	} else if err != nil {
		return nil, err
	}
	c.Settings, err = c.settings(ctx)
	if err == nil && c.Settings.ID != id {
		err = fmt.Errorf("the settings of crawl %s are those of %q", id, c.Settings.ID)
	}
	return c, err
}

func (c *Crawl) open(ctx context.Context) (err error) {
	if c.links, err = c.js.Stream(ctx, c.names.links()); err != nil {
		return err
	}
	for bucket, kv := range map[string]*jetstream.KeyValue{c.names.conf(): &c.conf, c.names.shards(): &c.shards, c.names.status(): &c.status} {
		if *kv, err = c.js.KeyValue(ctx, bucket); err != nil {
			return err
		}
	}
	return nil
}
