package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/nats-io/nats.go"

	"crawler/cluster/broker"
	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
	"crawler/store"
	"crawler/weburl"
)

// soon is the deadline of what takes a fraction of a second on an idle machine.
const soon = 30 * time.Second

// started starts a broker and connects to it.
func started(t *testing.T) (*broker.Broker, *nats.Conn) {
	t.Helper()
	b, err := broker.Start(broker.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	return b, connected(t, b)
}

func connected(t *testing.T, b *broker.Broker) *nats.Conn {
	t.Helper()
	nc, err := (&Broker{Local: b}).Connect(t.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// created makes a crawl with short leases.
func created(t *testing.T, nc *nats.Conn, s Settings) *Crawl {
	t.Helper()
	s.ID, s.Lease, s.Replicas, s.Created = NewID(), time.Second, 1, time.Now()
	if s.MaxLinks == 0 {
		s.MaxLinks = 1 << 20
	}
	c, err := Create(context.Background(), nc, s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// web is pages that link to each other, on as many hosts: page i to 2i+1, 2i+2 and a third.
type web struct{ pages int }

func (w web) url(i int) weburl.URL {
	u, err := weburl.Parse(fmt.Sprintf("http://h%d.test/%d", i, i))
	if err != nil {
		panic(err)
	}
	return u
}

func (w web) links(i int) (to []int) {
	for _, j := range []int{2*i + 1, 2*i + 2, (7*i + 3) % w.pages} {
		if j < w.pages {
			to = append(to, j)
		}
	}
	return to
}

// toy is an engine with a crawl's two rules and nothing else: its state is one file, written whole
// at each commit.
type toy struct {
	web   web
	slow  time.Duration // a page
	hold  chan struct{} // until it is closed the last page is not fetched; nil if that may be
	mu    sync.Mutex
	asked map[int]int // fetches of each page, by all runs; guarded by mu
	lost  int         // a page that is never offered to another shard, 0 for none
	drops int         // how often it was not; guarded by mu
}

// toyState is what a toy has committed.
type toyState struct {
	Seen, Done map[int]bool
	Outbox     []int
	Position   uint64
	Commit     uint64
}

func (y *toy) run(ctx context.Context, j *Job) error {
	dir, err := store.Create(store.Disk(), j.Dir, store.Meta{}, true)
	if err == nil {
		err = dir.Close()
	}
	if err != nil && !errors.Is(err, store.ErrExists) {
		return err
	}
	file := filepath.Join(j.Dir, "toy.json")
	s := toyState{Seen: map[int]bool{}, Done: map[int]bool{}}
	if data, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
	}
	j.Opened(func(_ context.Context, to string) ([]Piece, error) { return toySnapshot(j.Dir, to) })
	r := &toyRun{toy: y, job: j, s: s, file: file}
	return r.loop(ctx)
}

// toySnapshot names the files of a running toy. Its state is replaced by the next commit, so it is
// copied; the others stay.
func toySnapshot(dir, to string) ([]Piece, error) {
	pieces, err := closed(dir)
	if err != nil {
		return nil, err
	}
	for i := range pieces {
		p := &pieces[i]
		if p.Name != "toy.json" {
			continue
		}
		data, err := os.ReadFile(p.Path)
		if err != nil {
			return nil, err
		}
		p.Path, p.Size = filepath.Join(to, p.Name), int64(len(data))
		if err := errors.Join(os.MkdirAll(to, 0o755), os.WriteFile(p.Path, data, 0o644)); err != nil {
			return nil, err
		}
	}
	return pieces, nil
}

// reader reads a toy's directory.
func (y *toy) reader() Reader {
	state := func(dir string) (s toyState, err error) {
		data, err := os.ReadFile(filepath.Join(dir, "toy.json"))
		if err == nil {
			err = json.Unmarshal(data, &s)
		}
		return s, err
	}
	return Reader{
		Known: func(dir string, fn func(weburl.URL) error) error {
			s, err := state(dir)
			for i := range s.Seen {
				err = errors.Join(err, fn(y.web.url(i)))
			}
			return err
		},
		Leads: func(dir string, fn func(crawl.Offer) error) error {
			s, err := state(dir)
			for i := range s.Done {
				for _, to := range y.web.links(i) {
					err = errors.Join(err, fn(gate.Offer{Item: frontier.Item{URL: y.web.url(to), Via: "http://via.test/", Depth: 1}}))
				}
			}
			return err
		},
		Hash: func(seed uint64) func(weburl.URL) uint64 {
			return func(u weburl.URL) uint64 { return xxhash.Sum64String(u.String()) ^ seed }
		},
	}
}

type toyRun struct {
	*toy
	job   *Job
	s     toyState
	file  string
	queue []int
}

func (r *toyRun) admit(i int) {
	if u := r.web.url(i); !r.job.Port.Mine(u) {
		r.s.Outbox = append(r.s.Outbox, i)
	} else if !r.s.Seen[i] {
		r.s.Seen[i] = true
		r.queue = append(r.queue, i)
	}
}

func (r *toyRun) loop(ctx context.Context) error {
	for i := range r.s.Seen {
		if !r.s.Done[i] {
			r.queue = append(r.queue, i)
		}
	}
	if err := r.job.Port.Begin(r.s.Position); err != nil {
		return err
	}
	if r.s.Commit == 0 && r.job.Port.Mine(r.web.url(0)) {
		r.admit(0)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for changed := true; ; {
		if changed || len(r.s.Outbox) > 0 {
			if err := r.commit(ctx, false); err != nil {
				return nil
			}
			changed = false
		}
		select {
		case m := <-r.job.Port.In():
			for _, o := range m.Offers {
				i, err := strconv.Atoi(strings.TrimPrefix(o.URL.Path(), "/"))
				if err != nil {
					return err
				}
				r.admit(i)
			}
			r.s.Position, changed = m.Seq, true
		case <-r.job.Port.Over():
			return r.commit(ctx, true)
		case <-r.job.Port.Woken():
		case <-tick.C:
			changed = r.fetch()
		case <-ctx.Done():
			return nil
		}
	}
}

// fetch fetches one page, if one may be.
func (r *toyRun) fetch() bool {
	g := r.job.Port.Grant()
	if len(r.queue) == 0 || !r.job.Port.MayFetch() || g >= 0 && len(r.s.Done) >= g {
		return false
	}
	i := r.queue[0]
	r.queue = r.queue[1:]
	if i == r.web.pages-1 && r.held() {
		r.queue = append(r.queue, i)
		return false
	}
	time.Sleep(r.slow) // what a page of the web would take; nothing waits for it
	r.mu.Lock()
	r.asked[i]++
	r.mu.Unlock()
	r.s.Done[i] = true
	for _, to := range r.web.links(i) {
		r.admit(to)
	}
	return true
}

func (y *toy) held() bool {
	if y.hold == nil {
		return false
	}
	select {
	case <-y.hold:
		return false
	default:
		return true
	}
}

// commit writes the state, and then publishes what its outbox has.
func (r *toyRun) commit(ctx context.Context, last bool) error {
	r.s.Commit++
	data, err := json.Marshal(r.s)
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.file+".tmp", data, 0o644); err != nil {
		return err
	}
	if err := os.Rename(r.file+".tmp", r.file); err != nil { // a copy has the one or the other
		return err
	}
	g := r.job.Port.Grant()
	r.job.Port.Committed(crawl.Standing{
		Commit: r.s.Commit, Position: r.s.Position, Pages: len(r.s.Done), Queued: len(r.queue), Last: last, Outbox: len(r.s.Outbox),
		Idle: len(r.queue) == 0 && len(r.s.Outbox) == 0 && (g < 0 || len(r.queue) == 0),
	})
	if len(r.s.Outbox) == 0 {
		return nil
	}
	var offers []crawl.Offer
	for _, i := range r.s.Outbox {
		if i == r.lost && i > 0 {
			r.mu.Lock()
			r.drops++
			r.mu.Unlock()
			continue
		}
		offers = append(offers, gate.Offer{Item: frontier.Item{URL: r.web.url(i), Via: "http://via.test/", Depth: 1}})
	}
	if err := r.job.Port.Publish(ctx, offers); err != nil {
		return err
	}
	r.s.Outbox = nil
	return r.commit(ctx, last)
}

// memberOf is a node of a test, with a directory of its own.
func memberOf(t *testing.T, c *Crawl, name, disk, dir string) Member {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
	}
	if err := os.MkdirAll(filepath.Join(dir, "shards"), 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(Folder{Version: 1, ID: c.Settings.ID, Shards: c.Settings.Shards, Disk: disk})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, File), data, 0o644); err != nil {
		t.Fatal(err)
	}
	return Member{Name: name, Disk: disk, Dir: dir}
}

// serving is a node that runs.
type serving struct {
	*Node
	leave context.CancelFunc
	conn  *nats.Conn // of its leases
	done  chan struct{}
	state State
	err   error
}

func serve(t *testing.T, b *broker.Broker, c *Crawl, me Member, y *toy, blobs Blobs) *serving {
	t.Helper()
	nc := connected(t, b)
	own, err := Open(context.Background(), nc, c.Settings.ID)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &serving{leave: cancel, conn: connected(t, b), done: make(chan struct{})}
	s.Node = &Node{Crawl: own, Me: me, Log: slog.New(slog.DiscardHandler), Run: y.run, Checkpoints: blobs, Read: y.reader()}
	go func() {
		defer close(s.done)
		s.state, s.err = s.Serve(ctx, s.conn)
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case <-s.done:
		case <-time.After(soon):
			t.Error("a node does not end")
		}
	})
	return s
}

func (s *serving) wait(t *testing.T) State {
	t.Helper()
	select {
	case <-s.done:
	case <-time.After(soon):
		t.Fatal("a node does not end")
	}
	if s.err != nil {
		t.Log("the node ended with", s.err)
	}
	return s.state
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(soon); !is(); pause(context.Background(), 5*time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", soon, what)
		}
	}
}

// complete checks that each page is done by the shard that owns it, and by no other.
func complete(t *testing.T, w web, shards int, dirs ...string) {
	t.Helper()
	all := map[int]int{}
	for n := range shards {
		for _, dir := range dirs {
			var s toyState
			data, err := os.ReadFile(filepath.Join(dir, "shards", ShardName(n), "toy.json"))
			if err != nil {
				continue
			}
			if err := json.Unmarshal(data, &s); err != nil {
				t.Fatal(err)
			}
			for i := range s.Done {
				all[i]++
			}
		}
	}
	var missing, twice []int
	for i := range w.pages {
		if all[i] == 0 {
			missing = append(missing, i)
		} else if all[i] > 1 {
			twice = append(twice, i)
		}
	}
	slices.Sort(missing)
	if len(missing)+len(twice) > 0 {
		t.Errorf("of %d pages missing %v, twice %v", w.pages, missing, twice)
	}
}
