package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/dedup"
	"crawler/store"
	"crawler/weburl"
)

// rig is a Ledger with an owner, whose keeper is a goroutine.
type rig struct {
	*Ledger
	dir    *store.Dir
	admits dedup.Durable

	// Of the owner, which is a State and where the Checks come from.
	commits  []uint64 // numbers
	landed   int
	refuses  error // of Commit
	waiting  []uint64
	answered [][]bool
	open     int // how often the open checks were asked for
}

const (
	rigLayers = 2
	rigTail   = 4
)

// rigFilter restarts after every twelve URLs.
var rigFilter = dedup.Config{ExpectURLs: 100, Layers: rigLayers, Seed: 1, RestartEvery: 12}

// newRig begins a crawl in memory, on fs if it is not nil. Nothing is admitted yet.
func newRig(t testing.TB, fs store.FS, durable bool) *rig {
	if fs == nil {
		fs = store.OnMem(vfs.NewMem())
	}
	dir, err := store.Create(fs, "crawl", store.Meta{}, durable)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{dir: dir}
	if r.Ledger, err = Open(Config{Store: OfDir(dir), Layers: rigLayers, Tail: rigTail}, r); err != nil {
		t.Fatal(err)
	}
	if durable {
		r.begin(t, rigFilter)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.Run()
	}()
	t.Cleanup(func() {
		r.Stop()
		<-ended
		if err := errors.Join(r.Close(), dir.Close()); err != nil && r.Err() == nil {
			t.Error(err)
		}
	})
	return r
}

// begin begins a crawl with that filter.
func (r *rig) begin(t testing.TB, cfg dedup.Config) {
	t.Helper()
	admits, err := dedup.NewDurable(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.admits = admits
	r.Begin(admits, 0)
}

// Commit, Landed, Waiting, Take, Answer and Open make r a State and its Checks.

func (r *rig) Commit(b Batch, seq uint64, last bool) error {
	if r.refuses != nil {
		return r.refuses
	}
	r.commits = append(r.commits, seq)
	b.Put([]byte("mseq"), binary.BigEndian.AppendUint64(nil, seq))
	return nil
}

func (r *rig) Landed() { r.landed++ }

type rigChecks struct{ r *rig }

func (c rigChecks) Waiting() int { return len(c.r.waiting) }

func (c rigChecks) Take() (fps []uint64) {
	fps, c.r.waiting = c.r.waiting, nil
	return fps
}

func (c rigChecks) Answer(found []bool) { c.r.answered = append(c.r.answered, found) }

func (c rigChecks) Open(func(dedup.Pending) bool) { c.r.open++ }

// work lets the keeper do one job, and returns what kind it was.
func (r *rig) work(t testing.TB) (k kind, worked bool) {
	t.Helper()
	r.Work(rigChecks{r})
	if r.running == nil {
		return 0, false
	}
	k = r.running.kind
	if err := r.Ledger.Take(<-r.Done()); err != nil && !errors.Is(err, r.Err()) {
		t.Errorf("the first error stands: %v, now %v", r.Err(), err)
	}
	return k, true
}

// commit carries out a commit, and whatever else the keeper has to do.
func (r *rig) commit(t testing.TB) error {
	t.Helper()
	r.CutSent()
	if err := r.Seal(OfDir(r.dir).NewBatch()); err != nil {
		return err
	}
	for {
		if _, worked := r.work(t); !worked {
			return r.Err()
		}
	}
}

// admit admits n URLs that nobody has admitted.
func (r *rig) admit(t testing.TB, from, n int) {
	t.Helper()
	for i := from; i < from+n; i++ {
		if p, a := r.admits.Admit(rigURL(t, i)); a == dedup.Maybe && !r.log.urls.NotFound(p) || a == dedup.Seen {
			t.Fatalf("%s is not new", rigURL(t, i))
		}
		r.Changed(1)
	}
}

// fingerprint is what the log has of a URL.
func (r *rig) fingerprint(t testing.TB, i int) uint64 {
	account, err := r.admits.AppendAccount(nil)
	if err != nil {
		t.Fatal(err)
	}
	log, err := dedup.Reopen(account)
	if err != nil {
		t.Fatal(err)
	}
	return log.Pending(rigURL(t, i)).Fingerprint()
}

func rigURL(t testing.TB, i int) weburl.URL {
	u, err := weburl.Parse(fmt.Sprintf("http://www.host-%d.example/%d", i%7, i))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// record is what the last commit has under a key, "" if nothing.
func (r *rig) record(t testing.TB, key string) string {
	t.Helper()
	value, err := r.dir.DB().Get([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	if value != nil && len(value) == 0 {
		return "an empty record"
	}
	return string(value)
}

// later is after any commit that is due.
func later() time.Time { return time.Now().Add(time.Hour) }
