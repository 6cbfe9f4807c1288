package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Member is a node, as its lease says.
type Member struct {
	Name string `json:"name"` // drawn when its process began
	// Disk is drawn when a crawl's directory is made: nodes with the same have the same directory.
	Disk string `json:"disk"`
	// Machine is where paths mean the same.
	Machine string `json:"machine"`
	Dir     string `json:"dir"` // absolute
}

// lease is this node's right to fetch, renewed four times in its time, and its view of who else
// has one. It has a connection of its own, so that no message stands before a beat.
type lease struct {
	me    Member
	value []byte
	ttl   time.Duration
	names names
	js    jetstream.JetStream
	conf  jetstream.KeyValueConfig

	mu     sync.Mutex
	table  jetstream.KeyValue // guarded by mu, as all below
	beaten time.Time          // when the last beat that was acknowledged was sent
	byWall time.Time          // that by the wall clock: the other one stops while a machine sleeps
	made   time.Time          // when the broker made the table, by its clock: a name for it
	quiet  time.Time          // until when an absent node may be one that has not come back yet
	live   map[string]Member
	looked time.Time // when live was seen
}

func newLease(ctx context.Context, nc *nats.Conn, c *Crawl, me Member) (*lease, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	value, err := json.Marshal(me)
	if err != nil {
		return nil, err
	}
	l := &lease{me: me, value: value, ttl: c.Settings.Lease, names: c.names, js: js, live: map[string]Member{}}
	l.conf = jetstream.KeyValueConfig{
		Bucket: c.names.nodes(), Description: "nodes of a crawl that live", Storage: jetstream.MemoryStorage,
		TTL: l.ttl, Replicas: c.Settings.Replicas,
	}
	for until := time.Now().Add(creating); ; pause(ctx, retryAfter) {
		if err = l.beat(ctx); err == nil || ctx.Err() != nil || time.Now().After(until) {
			return l, err
		}
	}
}

// safe reports whether the lease stands: nobody has taken over yet, nor does before a quarter of
// its time is over.
func (l *lease) safe() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	return max(now.Sub(l.beaten), now.Round(0).Sub(l.byWall)) < l.ttl/4*3
}

// run beats and looks until ctx ends.
func (l *lease) run(ctx context.Context) {
	tick := time.NewTicker(l.ttl / 4)
	defer tick.Stop()
	for {
		l.beat(ctx) // the next one is soon, and safe says when it is too late
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// beat renews the lease, and makes the table when the broker has lost it with its memory.
func (l *lease) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.ttl/2)
	defer cancel()
	table, err := l.bucket(ctx)
	if err != nil {
		return err
	}
	sent := time.Now()
	if _, err = table.Put(ctx, l.me.Name, l.value); err != nil {
		l.mu.Lock()
		l.table = nil // perhaps it is gone
		l.mu.Unlock()
		return fmt.Errorf("lease: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.beaten, l.byWall = sent, sent.Round(0)
	return nil
}

func (l *lease) bucket(ctx context.Context) (jetstream.KeyValue, error) {
	l.mu.Lock()
	table := l.table
	l.mu.Unlock()
	if table != nil {
		return table, nil
	}
	table, err := l.js.KeyValue(ctx, l.conf.Bucket)
	if isGone(err) {
		table, err = l.js.CreateOrUpdateKeyValue(ctx, l.conf)
	}
	if err != nil {
		return nil, fmt.Errorf("lease: %w", err)
	}
	l.mu.Lock()
	l.table = table
	l.mu.Unlock()
	return table, nil
}

// look asks the broker who lives.
func (l *lease) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.ttl/2)
	defer cancel()
	prefix := "$KV." + l.conf.Bucket + "."
	stream, err := l.js.Stream(ctx, "KV_"+l.conf.Bucket)
	if err != nil {
		return err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(prefix+">"))
	if err != nil {
		return err
	}
	l.mu.Lock()
	known, table := maps.Clone(l.live), l.table
	l.mu.Unlock()
	now := map[string]Member{}
	for subject := range info.State.Subjects {
		name := strings.TrimPrefix(subject, prefix)
		if m, ok := known[name]; ok {
			now[name] = m
		} else if m, ok := member(ctx, table, name); ok {
			now[name] = m
		}
	}
	l.saw(info.Created, now)
	return nil
}

// member reads what a node says of itself.
func member(ctx context.Context, table jetstream.KeyValue, name string) (m Member, ok bool) {
	if table == nil {
		return m, false
	}
	e, err := table.Get(ctx, name)
	if err != nil || json.Unmarshal(e.Value(), &m) != nil || m.Name != name {
		return m, false
	}
	return m, true
}

// saw notes who lives. In a table that this node has not seen before, which may be a new one,
// nodes that live may be missing until they have beaten again.
func (l *lease) saw(made time.Time, live map[string]Member) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !made.Equal(l.made) {
		l.made, l.quiet = made, time.Now().Add(l.ttl+time.Second)
	}
	l.live, l.looked = live, time.Now()
}

// members returns who lives, by name, and whether a node that is missing there is dead.
func (l *lease) members() (live []Member, certain bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(l.live)) {
		live = append(live, l.live[name])
	}
	now := time.Now()
	return live, now.After(l.quiet) && now.Sub(l.looked) < l.ttl
}

// release ends the lease at once; if that fails, it expires.
func (l *lease) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.ttl/2)
	defer cancel()
	stream, err := l.js.Stream(ctx, "KV_"+l.conf.Bucket)
	if err != nil {
		return err
	}
	key := "$KV." + l.conf.Bucket + "." + l.me.Name
	return stream.Purge(ctx, jetstream.WithPurgeSubject(key)) // which leaves no marker
}
