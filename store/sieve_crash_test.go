package store

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// failing fails the operation with that number, counted from 0 over files of the log and
// if others is set those of the database, or all from that one on.
type failing struct {
	at     int64
	after  bool
	others bool
	count  atomic.Int64
}

func (f *failing) String() string { return "failing" }

func (f *failing) MaybeError(op errorfs.Op) error {
	if !f.others && !strings.Contains(op.Path, "/seen") {
		return nil
	}
	n := f.count.Add(1) - 1
	if n == f.at || f.after && n > f.at {
		return errorfs.ErrInjected
	}
	return nil
}

// scenario is a life of a log: commits, appends, merges, one reopening. It ends at the
// first error.
type scenario struct {
	committed sections // by a batch whose commit returned no error
	tried     sections // by any batch
}

const crashLayers = 2

func (c *scenario) play(fs FS, background int64) error {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2 {
		db, s, err := tryOpenSieve(fs, crashLayers)
		if err != nil {
			return err
		}
		s.background = background
		err = c.run(rng, db, s)
		if err := errors.Join(err, s.Close(), db.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (c *scenario) run(rng *rand.Rand, db *DB, s *Sieve) error {
	for i := range 6 {
		for range 2 {
			urls, prefixes := draw(rng, crashLayers, 200)
			c.tried.add(urls, prefixes)
			if err := commitEntry(db, s, urls, prefixes); err != nil {
				return err
			}
			c.committed.add(urls, prefixes)
		}
		if i == 5 {
			return nil // leaves entries in the journal
		}
		if err := s.Append(s.Journalled() - uint64(i%2)); err != nil {
			return err
		}
	}
	return nil
}

// check opens what a crash left and looks whether all that was committed is there, once
// in the right place, and nothing else.
func (c *scenario) check(t *testing.T, fs FS) {
	t.Helper()
	db, s, err := tryOpenSieve(fs, crashLayers)
	if err != nil {
		t.Error(err)
		return
	}
	defer closeSieve(t, s, db)
	runs, journal, err := held(s)
	if err != nil {
		t.Error(err)
		return
	}
	for i := range runs {
		for x := range c.committed[i] {
			if !runs[i][x] && !journal[i][x] {
				t.Errorf("section %d: %#x was committed and is lost", i, x)
			}
		}
		for x := range runs[i] {
			if i == 0 && journal[i][x] {
				t.Errorf("%#x is in a run and in the journal", x)
			}
			if !c.tried[i][x] {
				t.Errorf("section %d: %#x is in a run and was never admitted", i, x)
			}
		}
	}
	if err := s.Append(s.Journalled()); err != nil {
		t.Error(err)
		return
	}
	checkAll(t, s, c.committed[0])
	names, err := fs.List("/crawl/seen")
	if err != nil {
		t.Error(err)
		return
	}
	names = slices.DeleteFunc(names, func(name string) bool { return filepath.Ext(name) != runExt })
	if len(names) > len(s.runs)+1 { // one may be in the making
		t.Errorf("%d files for %d runs", len(names), len(s.runs))
	}
}

// checkAll asks for every name of a set.
func checkAll(t *testing.T, s *Sieve, set map[uint64]bool) {
	t.Helper()
	var fps []uint64
	for x := range set {
		fps = append(fps, x)
	}
	slices.Sort(fps)
	found := make([]bool, len(fps))
	if err := s.Check(fps, found); err != nil {
		t.Error(err)
		return
	}
	if i := slices.Index(found, false); i >= 0 {
		t.Errorf("%#x was committed and is not found", fps[i])
	}
}

// Operations on files of the log fail in turn, alone or with all after it; then the
// machine crashes, with nothing, half or all of what was not synced on disk. With
// STORE_LONG set it is every operation in every way, else a third of them in one way.
func TestSieveCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	crashTable(t, false, 3, 0, 50, 100)
}

// The same with the operations of the database, a sample of them. What it makes of a
// directory with half of its unsynced names is for its own tests.
func TestSieveCrashDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	crashTable(t, true, 15, 0, 100)
}

// crashTable fails every stride-th operation, from a random one on. Percents are how much
// is on disk of what was not synced when the machine crashes.
func crashTable(t *testing.T, others bool, stride int64, percents ...int) {
	t.Helper()
	long := os.Getenv("STORE_LONG") != ""
	first := rand.Int64N(stride)
	if long {
		first, stride = 0, 1
	}
	failed := 0
	for at, more := first, true; more; at += stride {
		for way := range 4 * len(percents) {
			if !long && way != int(at/stride)%(4*len(percents)) {
				continue
			}
			inj := &failing{at: at, after: way%2 == 1, others: others}
			if crashOnce(t, inj, []int64{background, 0}[way/2%2], percents[way/4]) != nil {
				failed++
			}
			more = inj.count.Load() > at // there was one with that number
		}
	}
	if failed < 10 {
		t.Errorf("only %d operations failed", failed)
	}
}

// crashOnce plays the scenario with a failure, crashes and checks. It returns the error
// that ended the scenario.
func crashOnce(t *testing.T, inj *failing, background int64, percent int) error {
	t.Helper()
	mem := vfs.NewCrashableMem()
	c := &scenario{committed: newSections(crashLayers), tried: newSections(crashLayers)}
	err := c.play(failFS(mem, inj), background)
	c.check(t, OnMem(mem.CrashClone(vfs.CrashCloneCfg{
		UnsyncedDataPercent: percent, RNG: rand.New(rand.NewPCG(uint64(inj.at), 5)),
	})))
	if t.Failed() {
		t.Fatalf("operation %d failed, all after it %v, background %d, crash with %d%% of what was not synced, scenario: %v",
			inj.at, inj.after, background, percent, err)
	}
	return err
}

func failFS(mem *vfs.MemFS, inj errorfs.Injector) FS {
	return Wrap(errorfs.Wrap(mem, inj), func(name string, size int64) error {
		return truncateByCopy(mem, name, size)
	})
}

// Any byte of a run changed, or the file cut or longer, is an error and never an answer.
func TestSieveDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("no goroutine but the database's own")
	}
	mem := vfs.NewMem()
	fs := OnMem(mem)
	s, db := openSieveIn(t, fs, 2)
	rng := rand.New(rand.NewPCG(8, 8))
	urls := make([]uint64, 3*perBlock+9)
	for i := range urls {
		urls[i] = rng.Uint64()
	}
	if err := commitEntry(db, s, urls, [][]uint64{{1, 2}, {3}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(s.Journalled()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	slices.Sort(urls)
	path := "/crawl/seen/" + runName(1)
	good, err := readFile(fs, path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	try := func(what string, at int, data []byte) {
		if err := writeSynced(fs, path, slices.Clone(data)); err != nil {
			t.Fatal(err)
		}
		if err := readAll(t, fs, db, urls); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s %d: %v", what, at, err)
		}
	}
	for at := 0; at < len(good); at += 1 + rng.IntN(200) {
		bad := slices.Clone(good)
		bad[at] ^= 1 << rng.IntN(8)
		try("changed byte", at, bad)
	}
	for at := sumAt; at < len(good); at += blockSize {
		bad := slices.Clone(good)
		bad[at] ^= 1
		try("changed checksum at", at, bad)
	}
	for _, n := range []int{0, 1, blockSize, len(good) - 1, len(good) - blockSize} {
		try("cut to", n, good[:n])
	}
	try("longer by", blockSize, append(slices.Clone(good), good[:blockSize]...))
	swapped := slices.Concat(good[blockSize:2*blockSize], good[:blockSize], good[2*blockSize:])
	try("blocks swapped", 0, swapped)
	if err := fs.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := openSieve(fs, "/crawl/seen", db, 2); err == nil || !strings.Contains(err.Error(), runName(1)) {
		t.Errorf("the file is missing: %v", err)
	}
}

// readAll opens a log and reads all of it in every way: an error must come from the
// opening or from Each; Check must fail or answer rightly.
func readAll(t *testing.T, fs FS, db *DB, urls []uint64) error {
	t.Helper()
	s, err := openSieve(fs, "/crawl/seen", db, 2)
	if err != nil {
		return err
	}
	defer s.Close()
	found := make([]bool, len(urls))
	if err := s.Check(urls, found); err == nil && slices.Contains(found, false) {
		t.Error("Check took damage for an answer")
	}
	_, _, err = held(s)
	return err
}
