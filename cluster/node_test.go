package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// Two nodes crawl all pages and end; one that joins gets a share, and one that leaves gives its own
// back. What was on a disk of its own comes to the first node.
func TestNodesShareAndEnd(t *testing.T) {
	b, nc := started(t)
	c := created(t, nc, Settings{Shards: 4, CheckpointEvery: time.Hour})
	y := &toy{web: web{120}, asked: map[int]int{}, slow: 3 * time.Millisecond, hold: make(chan struct{})}
	blobs := FolderOf(t.TempDir())
	first := serve(t, b, c, memberOf(t, c, "a", "disk-a", ""), y, blobs)
	second := serve(t, b, c, memberOf(t, c, "b", "disk-b", ""), y, blobs)
	eventually(t, "the second node has shards", func() bool {
		o, err := c.Overview(context.Background())
		return err == nil && len(o.Nodes) == 2 && o.Nodes[0].Shards == 2 && o.Nodes[1].Shards == 2 && o.Pages > 10
	})
	close(y.hold)
	second.leave()
	second.wait(t)
	if st := first.wait(t); st.Want != End || st.Why != "done" {
		t.Errorf("the crawl ended as %+v", st)
	}
	if err := first.Gather(context.Background()); err != nil {
		t.Fatal(err)
	}
	complete(t, y.web, 4, first.Me.Dir)
	for page, n := range y.asked {
		if n > 1 {
			t.Errorf("page %d was asked for %d times", page, n)
		}
	}
}

// A claim that the broker has and the node gave up before it heard so is given back when another
// should have the shard: nobody may take it from a node that lives.
func TestClaimNobodyHeardOf(t *testing.T) {
	_, nc := started(t)
	c := created(t, nc, Settings{Shards: 1})
	ctx := context.Background()
	_, none, err := c.Claim(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := Member{Name: "a", Disk: "disk-a", Dir: "somewhere"}
	revision, err := c.setClaim(ctx, 0, Claim{Node: "a", At: at}, none)
	if err != nil {
		t.Fatal(err)
	}
	n := &Node{Crawl: c, Me: at, ctx: ctx, own: map[int]*holding{}, finished: make(chan ended, 1)}
	n.tend(0, Claim{Node: "b", At: at}, revision, "b", true, 2)
	if len(n.own) > 0 {
		t.Fatal("the claim of another is given back")
	}
	n.tend(0, Claim{Node: "a", At: at}, revision, "b", true, 2)
	n.tend(0, Claim{Node: "a", At: at}, revision, "b", true, 2) // it is under way
	select {
	case e := <-n.finished:
		n.ended(e)
	case <-time.After(soon):
		t.Fatal("the claim is not given back")
	}
	if cl, _, err := c.Claim(ctx, 0); err != nil || cl.Node != "" || cl.At != at || len(n.own) > 0 {
		t.Errorf("the claim is %+v (%v)", cl, err)
	}
}

// A node whose lease cannot be renewed fetches no more before another could take over; then the
// other continues from its last checkpoint, and no page is lost.
func TestLostLease(t *testing.T) {
	b, nc := started(t)
	c := created(t, nc, Settings{Shards: 4, CheckpointEvery: 100 * time.Millisecond})
	y := &toy{web: web{150}, asked: map[int]int{}, slow: 8 * time.Millisecond, hold: make(chan struct{})}
	blobs := FolderOf(t.TempDir())
	first := serve(t, b, c, memberOf(t, c, "a", "disk-a", ""), y, blobs)
	second := serve(t, b, c, memberOf(t, c, "b", "disk-b", ""), y, blobs)
	eventually(t, "the second node has checkpoints", func() bool {
		o, err := c.Overview(context.Background())
		n := 0
		for _, s := range o.Shards {
			if s.Claim.Node == "b" && !s.Checkpoint.IsZero() {
				n++
			}
		}
		return err == nil && n == 2
	})
	close(y.hold)
	if err := os.Remove(filepath.Join(second.Me.Dir, File)); err != nil { // nobody finds its disk
		t.Fatal(err)
	}
	second.conn.Close() // of its leases: the node lives on
	eventually(t, "the second node stops", func() bool { return !second.lease.safe() && !second.mayFetch() })
	if st := first.wait(t); st.Want != End {
		t.Errorf("the crawl ended as %+v", st)
	}
	if err := first.Gather(context.Background()); err != nil {
		t.Fatal(err)
	}
	complete(t, y.web, 4, first.Me.Dir)
}

// A message that nobody can read is set aside and counted, and the crawl ends; one of a newer
// version ends the node.
func TestStrangeMessages(t *testing.T) {
	b, nc := started(t)
	c := created(t, nc, Settings{Shards: 2})
	y := &toy{web: web{40}, asked: map[int]int{}}
	for _, m := range []string{"", "\x01", "\x01\xff\xff\xff\xff\x0f", "\x01\x05nonsense", "\x00"} {
		if err := nc.Publish(c.names.linksTo(1), []byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	n := serve(t, b, c, memberOf(t, c, "a", "disk-a", ""), y, FolderOf(t.TempDir()))
	if st := n.wait(t); st.Want != End || n.err != nil {
		t.Errorf("ended as %+v: %v", st, n.err)
	}
	complete(t, y.web, 2, n.Me.Dir)
	if o, err := c.Overview(context.Background()); err != nil || o.Dead != 5 || o.Shards[1].Dead != 5 {
		t.Errorf("%d messages were set aside (%v): %+v", o.Dead, err, o.Shards[1])
	}

	c = created(t, nc, Settings{Shards: 2, MaxLinks: 16 << 20})
	// As long as can be: with what is said of it, it is too long.
	if err := nc.Publish(c.names.linksTo(1), make([]byte, nc.MaxPayload())); err != nil {
		t.Fatal(err)
	}
	n = serve(t, b, c, memberOf(t, c, "a", "disk-a", ""), y, FolderOf(t.TempDir()))
	if st := n.wait(t); st.Want != End || n.err != nil {
		t.Errorf("after a long message ended as %+v: %v", st, n.err)
	}
	if o, err := c.Overview(context.Background()); err != nil || o.Dead != 1 {
		t.Errorf("%d long messages were set aside (%v)", o.Dead, err)
	}

	c = created(t, nc, Settings{Shards: 2})
	if err := nc.Publish(c.names.linksTo(1), []byte{formVersion + 1, 1, 2}); err != nil {
		t.Fatal(err)
	}
	n = serve(t, b, c, memberOf(t, c, "a", "disk-a", ""), y, FolderOf(t.TempDir()))
	n.wait(t)
	if !errors.Is(n.err, ErrNewer) {
		t.Errorf("a message of a newer version ended the node with %v", n.err)
	}
	if l, err := c.last(context.Background(), 1); err != nil || l == 0 {
		t.Errorf("the message is gone: %v", err)
	}
}

// A stream that is full has the crawl wait, and says so; when there is room again it continues.
func TestFullStream(t *testing.T) {
	b, nc := started(t)
	c := created(t, nc, Settings{Shards: 2, MaxLinks: 2048})
	fill := func() error {
		return nc.PublishMsg(&nats.Msg{Subject: "c." + c.Settings.ID + ".links.99", Data: make([]byte, 1900)})
	}
	if err := fill(); err != nil {
		t.Fatal(err)
	}
	y := &toy{web: web{60}, asked: map[int]int{}}
	n := serve(t, b, c, memberOf(t, c, "a", "disk-a", ""), y, FolderOf(t.TempDir()))
	eventually(t, "the status says that the broker is full", func() bool {
		o, err := c.Overview(context.Background())
		return err == nil && (o.Shards[0].Stuck || o.Shards[1].Stuck) && o.State.Want == Run
	})
	if err := c.links.Purge(context.Background()); err != nil {
		t.Fatal(err)
	}
	if st := n.wait(t); st.Want != End {
		t.Errorf("ended as %+v", st)
	}
	complete(t, y.web, 2, n.Me.Dir)
}

// Paused, no page is fetched; stopped, all give their shards back, and the crawl can be continued.
func TestPauseStopContinue(t *testing.T) {
	b, nc := started(t)
	c := created(t, nc, Settings{Shards: 2})
	y := &toy{web: web{80}, asked: map[int]int{}, slow: 2 * time.Millisecond, hold: make(chan struct{})}
	me := memberOf(t, c, "a", "disk-a", "")
	n := serve(t, b, c, me, y, FolderOf(t.TempDir()))
	ctx := context.Background()
	to := func(w Want) func(State) (State, bool) {
		return func(s State) (State, bool) { s.Want, s.Why = w, "interrupted"; return s, true }
	}
	eventually(t, "pages come", func() bool { o, err := c.Overview(ctx); return err == nil && o.Pages > 3 })
	if _, err := c.Change(ctx, to(Pause)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the node pauses", func() bool { return !n.mayFetch() })
	if _, err := c.Change(ctx, to(Stop)); err != nil {
		t.Fatal(err)
	}
	if st := n.wait(t); st.Want != Stop || st.Why != "interrupted" {
		t.Errorf("stopped as %+v", st)
	}
	for s := range 2 {
		if cl, _, err := c.Claim(ctx, s); err != nil || cl.Node != "" || cl.At.Disk != "disk-a" {
			t.Errorf("shard %d after a stop: %+v (%v)", s, cl, err)
		}
	}
	if err := c.Continue(ctx, c.Settings); err != nil {
		t.Fatal(err)
	}
	close(y.hold)
	me.Name = "a2"
	n = serve(t, b, c, me, y, FolderOf(t.TempDir()))
	if st := n.wait(t); st.Want != End {
		t.Errorf("ended as %+v", st)
	}
	complete(t, y.web, 2, me.Dir)
	if err := c.Continue(ctx, c.Settings); !errors.Is(err, ErrEnded) {
		t.Errorf("a complete crawl is continued: %v", err)
	}
}

// A link that never arrived is found by comparing what shards have sent with what they know, and
// sent again: then nothing is missing.
func TestVerify(t *testing.T) {
	b, nc := started(t)
	c := created(t, nc, Settings{Shards: 3})
	w, owners := web{60}, NewOwners(3)
	y := &toy{web: w, asked: map[int]int{}, slow: 5 * time.Millisecond, hold: make(chan struct{})}
	for i := 3; y.lost == 0; i++ { // a page that only other shards lead to
		y.lost = i
		for from := range w.pages {
			if slices.Contains(w.links(from), i) && owners.Of(w.url(from)) == owners.Of(w.url(i)) {
				y.lost = 0
			}
		}
	}
	first := serve(t, b, c, memberOf(t, c, "a", "disk-a", ""), y, FolderOf(t.TempDir()))
	serve(t, b, c, memberOf(t, c, "b", "disk-b", ""), y, FolderOf(t.TempDir()))
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	eventually(t, "a link is dropped", func() bool {
		y.mu.Lock()
		defer y.mu.Unlock()
		return y.drops > 0
	})
	if _, err := c.Change(ctx, func(s State) (State, bool) { s.Want = Pause; return s, s.Want != End }); err != nil {
		t.Fatal(err)
	}
	close(y.hold)
	found := false
	eventually(t, "the page that was dropped is missed", func() bool {
		shards := 0
		err := c.Verify(ctx, 7, func(r Compared) {
			if shards++; r.Error != "" {
				t.Log(r.Error)
			}
			for _, u := range r.URLs {
				found = found || u == w.url(y.lost).String()
			}
		})
		return err == nil && shards == 3 && found
	})
	if _, err := c.Change(ctx, func(s State) (State, bool) { s.Want = Run; return s, true }); err != nil {
		t.Fatal(err)
	}
	if st := first.wait(t); st.Want != End {
		t.Errorf("ended as %+v", st)
	}
	if err := first.Gather(ctx); err != nil {
		t.Fatal(err)
	}
	complete(t, w, 3, first.Me.Dir)
}
