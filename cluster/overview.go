package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Overview is how a crawl stands, as its nodes have said last. Its JSON form has exactly these
// keys.
type Overview struct {
	ID    string `json:"id"`
	State State  `json:"state"`

	Pages     int   `json:"pages"`
	Bytes     int64 `json:"bytes"`
	Queued    int   `json:"queued"`
	Leased    int   `json:"leased"`
	MaxPages  int   `json:"max_pages"` // 0 for no limit
	Ungranted int   `json:"ungranted"` // pages of it that no shard has yet

	LinkBytes uint64 `json:"link_bytes"` // that the stream of links has
	MaxLinks  int64  `json:"max_links"`
	Dead      uint64 `json:"dead"` // messages that were set aside

	Nodes  []NodeView  `json:"nodes"`
	Shards []ShardView `json:"shards"`
}

// NodeView is a node that lives.
type NodeView struct {
	Member
	Shards int `json:"shards"`
}

// ShardView is a shard, as its run has said last.
type ShardView struct {
	Shard int    `json:"shard"`
	Claim Claim  `json:"claim"`
	Epoch uint64 `json:"claim_epoch"`
	Status
}

// Text is the shard in a line.
func (s ShardView) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d pages, %d queued", s.Pages, s.Queued)
	if s.Outbox > 0 {
		fmt.Fprintf(&b, ", %d links wait for the broker", s.Outbox)
	}
	switch {
	case s.Claim.Node == "":
		b.WriteString(", nobody has it")
	case s.Status.Epoch != s.Epoch:
		b.WriteString(", being opened by " + s.Claim.Node)
	default:
		b.WriteString(", " + s.Claim.Node)
	}
	if s.Idle {
		b.WriteString(", idle")
	}
	if s.Stuck {
		b.WriteString(", the broker is full")
	}
	if s.Dead > 0 {
		fmt.Fprintf(&b, ", %d messages set aside", s.Dead)
	}
	if !s.Checkpoint.IsZero() {
		b.WriteString(", kept at " + s.Checkpoint.Local().Format(time.TimeOnly))
	}
	if s.Lacks != "" {
		b.WriteString(", no checkpoint: " + s.Lacks)
	}
	return b.String()
}

// Overview asks the broker how the crawl stands.
func (c *Crawl) Overview(ctx context.Context) (*Overview, error) {
	o := &Overview{ID: c.Settings.ID, MaxPages: c.Settings.MaxPages, MaxLinks: c.Settings.MaxLinks, Nodes: []NodeView{}}
	var err error
	if o.State, _, err = c.state(ctx); err != nil {
		return nil, err
	}
	budget, err := c.Budget(ctx)
	if err != nil {
		return nil, err
	}
	if o.MaxPages = budget.Limit; o.MaxPages > 0 {
		o.Ungranted = budget.Left()
	}
	members, err := c.Members(ctx)
	if err != nil {
		return nil, err
	}
	has := map[string]int{}
	for s := range c.Settings.Shards {
		v := ShardView{Shard: s}
		if v.Claim, v.Epoch, err = c.Claim(ctx, s); err != nil {
			return nil, err
		}
		if v.Status, err = c.Status(ctx, s); err != nil {
			return nil, err
		}
		has[v.Claim.Node]++
		o.Pages, o.Bytes, o.Queued, o.Leased = o.Pages+v.Pages, o.Bytes+v.Bytes, o.Queued+v.Queued, o.Leased+v.Leased
		o.Shards = append(o.Shards, v)
	}
	for _, m := range members {
		o.Nodes = append(o.Nodes, NodeView{m, has[m.Name]})
	}
	return o, c.streams(ctx, o)
}

// streams fills in what the streams have.
func (c *Crawl) streams(ctx context.Context, o *Overview) error {
	links, err := c.links.Info(ctx)
	if err != nil {
		return err
	}
	o.LinkBytes = links.State.Bytes
	dead, err := c.js.Stream(ctx, c.names.dead())
	if err != nil {
		return err
	}
	info, err := dead.Info(ctx)
	if err == nil {
		o.Dead = info.State.Msgs
	}
	return err
}

// Members returns the nodes that live.
func (c *Crawl) Members(ctx context.Context) (all []Member, err error) {
	stream, err := c.js.Stream(ctx, "KV_"+c.names.nodes())
	if err != nil {
		if isGone(err) {
			return nil, nil
		}
		return nil, err
	}
	prefix := "$KV." + c.names.nodes() + "."
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(prefix+">"))
	if err != nil {
		return nil, err
	}
	for subject := range info.State.Subjects {
		m, err := stream.GetLastMsgForSubject(ctx, subject)
		var one Member
		if err == nil && json.Unmarshal(m.Data, &one) == nil {
			all = append(all, one)
		}
	}
	return all, nil
}
