package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"crawler/dedup"
	"crawler/store"
)

// faults fails file operations from the n-th on, or that one alone.
type faults struct {
	mu   sync.Mutex
	n    int
	once bool
	seen int
}

func (f *faults) String() string { return fmt.Sprintf("fault at %d, once %v", f.n, f.once) }

// MaybeError is errorfs.Injector's.
func (f *faults) MaybeError(op errorfs.Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen++
	if f.seen < f.n || f.once && f.seen > f.n {
		return nil
	}
	return fmt.Errorf("%s: %w", op.Path, errorfs.ErrInjected)
}

func (f *faults) met() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen >= f.n
}

func (f *faults) over(m *vfs.MemFS) store.FS {
	return store.Wrap(errorfs.Wrap(m, f), store.OnMem(m).Truncate)
}

// crawled is a crawl of eight commits, each with five URLs and a note, that move the log to
// disk, ask it, and rebuild the filter. Its keeper has no goroutine.
type crawled struct {
	rig
	created   bool
	attempted uint64 // the last commit that was sealed
	landed    uint64 // the last that is durable
}

const crawledURLs = 5 // a commit

func (c *crawled) run(t *testing.T, fs store.FS) (err error) {
	if c.dir, err = store.Create(fs, "crawl", store.Meta{}, true); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.dir.Close()) }()
	c.created = true
	if c.Ledger, err = Open(Config{Store: OfDir(c.dir), Layers: rigLayers, Tail: rigTail}, &c.rig); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	c.begin(t, rigFilter)
	for seq := uint64(1); seq <= 8; seq++ {
		if err := c.commit(t, seq); err != nil {
			return c.failed(err)
		}
	}
	c.attempted = 9
	if err := c.Last(OfDir(c.dir).NewBatch()); err != nil {
		return err
	}
	c.landed = 9
	return nil
}

func (c *crawled) commit(t *testing.T, seq uint64) error {
	c.admit(t, int(seq)*crawledURLs, crawledURLs)
	c.Note(fmt.Appendf(nil, "mnote%d", seq), []byte("1"))
	if !c.WantsCut(later()) {
		return errors.New("there is nothing to commit")
	}
	c.CutSent()
	c.attempted = seq
	if err := c.Seal(OfDir(c.dir).NewBatch()); err != nil {
		return err
	}
	c.waiting = []uint64{1, 2}
	for {
		j := c.next(rigChecks{&c.rig})
		if j == nil {
			return nil
		}
		j.err = j.do()
		if err := c.Ledger.Take(j); err != nil {
			return err
		}
		if c.rig.landed == int(seq) {
			c.landed = seq
		}
	}
}

// failed demands that an error is the Ledger's, which is closed by it for good.
func (c *crawled) failed(err error) error {
	c.Changed(1)
	c.CutSent()
	again := c.Seal(OfDir(c.dir).NewBatch())
	c.Work(rigChecks{&c.rig})
	if c.Err() == nil || !errors.Is(err, c.Err()) || !c.Closed() || !c.Idle() || again != nil || c.running != nil {
		return fmt.Errorf("after %w the Ledger has %v, closed: %v", err, c.Err(), c.Closed())
	}
	return err
}

// check opens the crawl after a crash: it is at the last commit that has landed, or at one that
// was on its way; and it knows what was admitted and noted until then, and can go on.
func (c *crawled) check(t *testing.T, fs store.FS) (err error) {
	dir, err := store.Open(fs, "crawl")
	if err != nil {
		if !c.created && errors.Is(err, store.ErrNoCrawl) {
			return nil
		}
		return err
	}
	after := &rig{dir: dir}
	defer func() { err = errors.Join(err, dir.Close()) }()
	value, err := dir.DB().Get([]byte("mseq"))
	if err != nil {
		return err
	}
	seq := uint64(0)
	if value != nil {
		seq = binary.BigEndian.Uint64(value)
	}
	if seq != c.landed && seq != c.attempted {
		return fmt.Errorf("commit %d is there; %d has landed, %d was sealed", seq, c.landed, c.attempted)
	}
	if seq == 0 {
		return nil
	}
	if after.Ledger, err = Open(Config{Store: OfDir(dir), Layers: rigLayers, Tail: rigTail}, after); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, after.Close()) }()
	log, err := after.Reopen()
	if err != nil {
		return err
	}
	after.admits = log.Open(nil)
	for i := crawledURLs; i < int(min(seq, 8)+1)*crawledURLs; i++ {
		in, err := Admitted(OfDir(dir), rigURL(t, i))
		if _, a := after.admits.Peek(rigURL(t, i)); err != nil || !in || a == dedup.New {
			return fmt.Errorf("commit %d is there, but not %s: %w", seq, rigURL(t, i), err)
		}
	}
	for n := uint64(1); n <= 9; n++ {
		if got := after.record(t, fmt.Sprintf("mnote%d", n)); (got == "1") != (n <= min(seq, 8)) {
			return fmt.Errorf("commit %d is there, note %d is %q", seq, n, got)
		}
	}
	after.Begin(after.admits, seq)
	if !after.Keeps() {
		return errors.New("it keeps nothing")
	}
	after.admit(t, 1000, 2)
	return after.Last(dir.DB().NewBatch())
}

// Every file operation fails in turn, once or from then on. The Ledger says so and is closed,
// and after a crash what had landed is there, whole. Without LEDGER_LONG it is every 16th
// operation, from a random one on.
func TestEveryFault(t *testing.T) {
	seed := rand.Uint64()
	for _, once := range []bool{false, true} {
		first, step := 1+int(seed%16), 16
		if os.Getenv("LEDGER_LONG") != "" {
			first, step = 1, 1
		}
		runs, after := 0, map[uint64]bool{}
		for n := first; ; n += step {
			f := &faults{n: n, once: once}
			mem := vfs.NewCrashableMem()
			c := &crawled{}
			err := c.run(t, f.over(mem))
			if !f.met() {
				if err != nil || c.landed != 9 || c.admits.Stats().Restarts == 0 || len(c.answered) == 0 {
					t.Errorf("without a fault: %v, %d commits, %d restarts, %d checks", err, c.landed, c.admits.Stats().Restarts, len(c.answered))
				}
				break
			}
			runs++
			after[c.landed] = true
			clone := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50 * (n % 3), RNG: rand.New(rand.NewPCG(seed, uint64(n)))})
			if err := c.check(t, store.OnMem(clone)); err != nil {
				t.Errorf("%v, %d %% of unsynced writes kept, seed %d: %v", f, 50*(n%3), seed, err)
			}
		}
		if runs < 10 || len(after) < 3 {
			t.Errorf("only %d operations failed, after commits %v", runs, after)
		}
		t.Logf("%d operations failed, once %v, seed %d", runs, once, seed)
	}
}
