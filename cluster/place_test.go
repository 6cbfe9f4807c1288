package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// Where disks are said to survive, a shard continues from the checkpoint of its hand-over only if
// no later run has committed anything: that one's links are gone from the broker.
func TestOldCheckpointIsNotContinued(t *testing.T) {
	_, nc := started(t)
	for _, c := range []struct {
		every time.Duration
		run   uint64 // the run that has committed last; the checkpoint is of run 5
		waits bool
	}{{0, 5, false}, {0, 6, true}, {time.Minute, 6, false}} {
		ctx := context.Background()
		cr := created(t, nc, Settings{Shards: 1, CheckpointEvery: c.every})
		blobs := FolderOf(t.TempDir())
		claim := left(t, cr, blobs, c.run)
		n := &Node{Crawl: cr, Me: memberOf(t, cr, "a", "disk-a", ""), Log: slog.New(slog.DiscardHandler), Checkpoints: blobs}
		at, err := n.place(ctx, 0, claim, 7)
		if c.waits != errors.Is(err, errUnreachable) || !c.waits && (err != nil || !at.restored) {
			t.Errorf("%+v: placed at %+v: %v", c, at, err)
		}
		if err := n.gather(ctx, 0); c.waits != errors.Is(err, errUnreachable) || !c.waits && err != nil {
			t.Errorf("%+v: gathered: %v", c, err)
		}
	}
}

// left makes a crawl one shard of which has a checkpoint of run 5, and was last committed by a run
// on a disk that nobody reaches.
func left(t *testing.T, c *Crawl, blobs Blobs, run uint64) Claim {
	t.Helper()
	ctx := context.Background()
	const state = `{"Seen": {}, "Done": {}}`
	file := filepath.Join(t.TempDir(), "toy.json")
	if err := os.WriteFile(file, []byte(state), 0o644); err != nil {
		t.Fatal(err)
	}
	from := &sender{to: blobs, prefix: "x", keeps: map[string]bool{}}
	m := Manifest{Version: formVersion, Crawl: c.Settings.ID, Epoch: 5}
	_, name, err := from.write(ctx, m, []Piece{{Name: "toy.json", Path: file, Size: int64(len(state))}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.refer(ctx, 0, 0, func(r *ref) { r.Manifest = name }); err != nil {
		t.Fatal(err)
	}
	status, err := json.Marshal(Status{Epoch: run, Commit: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.status.Put(ctx, shardKey(0), status); err != nil {
		t.Fatal(err)
	}
	claim := Claim{At: Member{Name: "b", Disk: "disk-b", Dir: "/nowhere"}}
	if _, err := c.setClaim(ctx, 0, claim, 0); err != nil {
		t.Fatal(err)
	}
	return claim
}

// away is a store of checkpoints behind a broker that does not answer at first.
type away struct {
	Blobs
	still atomic.Int32
}

func (a *away) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if a.still.Add(-1) >= 0 {
		return nil, fmt.Errorf("object: %w", nats.ErrTimeout)
	}
	return a.Blobs.Get(ctx, name)
}

// A broker that is away while a shard is being taken is no reason for a node to leave.
func TestBrokerIsAwayWhenAShardIsTaken(t *testing.T) {
	b, nc := started(t)
	c := created(t, nc, Settings{Shards: 1, CheckpointEvery: time.Hour})
	blobs := &away{Blobs: FolderOf(t.TempDir())}
	left(t, c, blobs, 5)
	blobs.still.Store(1)
	y := &toy{web: web{20}, asked: map[int]int{}}
	n := serve(t, b, c, memberOf(t, c, "a", "disk-a", ""), y, blobs)
	if st := n.wait(t); st.Want != End || n.err != nil || blobs.still.Load() >= 0 {
		t.Errorf("ended as %+v: %v", st, n.err)
	}
}

// While a machine sleeps its monotonic clock stops, and the others take its shards: when it wakes,
// the lease does not stand until the next beat.
func TestLeaseOfAMachineThatSlept(t *testing.T) {
	now := time.Now()
	l := &lease{ttl: time.Minute, beaten: now, byWall: now.Round(0)}
	if !l.safe() {
		t.Error("a lease that was just renewed does not stand")
	}
	l.byWall = now.Add(-time.Minute).Round(0)
	if l.safe() {
		t.Error("after a minute of sleep the lease stands")
	}
}

// What cannot be sent is said: nobody would know why the crawl stands still.
func TestLinksThatCannotBeSent(t *testing.T) {
	_, nc := started(t)
	c := created(t, nc, Settings{Shards: 1})
	var log bytes.Buffer
	b := newBatcher(c, nil, slog.New(slog.NewTextHandler(&log, nil)))
	for try := range quietTries + 3 {
		b.tell(nats.ErrMaxPayload, 3<<20, try)
	}
	b.tell(nil, 1, 0)
	if got := log.String(); strings.Count(got, "links cannot be sent") != 1 || !strings.Contains(got, "takes links again") {
		t.Errorf("said: %q", got)
	}
}

// far is a connection to a broker that is some way off.
type far struct{ net.Conn }

func (f far) Read(b []byte) (int, error) {
	n, err := f.Conn.Read(b)
	pause(context.Background(), 25*time.Millisecond)
	return n, err
}

func (far) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	return far{c}, err
}

// Many shards and a broker far away: what is asked about each takes longer than one question may,
// and the end is found nevertheless.
func TestEndOfManyShardsFarAway(t *testing.T) {
	b, nc := started(t)
	const shards = 80
	c := created(t, nc, Settings{Shards: shards})
	ctx := context.Background()
	claims, revisions := make([]Claim, shards), make([]uint64, shards)
	n := &Node{Log: slog.New(slog.DiscardHandler), ctx: ctx, tables: newTables(c)}
	n.lease = &lease{ttl: time.Hour, beaten: time.Now(), byWall: time.Now().Round(0)}
	for s := range shards {
		claims[s] = Claim{Node: "a"}
		var err error
		if revisions[s], err = c.setClaim(ctx, s, claims[s], 0); err != nil {
			t.Fatal(err)
		}
		n.tables.status[s] = Status{Epoch: revisions[s], Commit: 1, Idle: true}
		data, err := json.Marshal(n.tables.status[s])
		if err == nil {
			_, err = c.status.Put(ctx, shardKey(s), data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	slow, err := nats.Connect("nats://"+b.Addr(), nats.SetCustomDialer(far{}))
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	if n.Crawl, err = Open(ctx, slow, c.Settings.ID); err != nil {
		t.Fatal(err)
	}
	n.lead(State{Want: Run}, claims, revisions, map[string]bool{"a": true})
	<-n.quiet.doing
	if st, err := c.State(ctx); err != nil || st.Want != Ending {
		t.Errorf("all are idle, and the crawl is in state %q: %v", st.Want, err)
	}
}
