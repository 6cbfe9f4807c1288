package store

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Runs stay few however many appends there are, and files are deleted.
func TestSieveMerges(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	for _, inBackground := range []bool{false, true} {
		fs := OnMem(vfs.NewMem())
		s, db := openSieveIn(t, fs, 0)
		if inBackground {
			s.background = 0
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			urls := make([]uint64, 300)
			for i := range urls {
				urls[i] = rng.Uint64()
			}
			if err := commitEntry(db, s, urls, nil); err != nil {
				t.Fatal(err)
			}
			if err := s.Append(s.Journalled()); err != nil {
				t.Fatal(err)
			}
			if inBackground {
				waitMerged(t, s)
			}
			if n := len(s.runs); n > 7 { // 60,000 in two tiers, and one that was just written
				t.Fatalf("in the background %v: %d runs", inBackground, n)
			}
		}
		names, err := fs.List("/crawl/seen")
		if err != nil || len(names) != len(s.runs) {
			t.Errorf("%d files for %d runs, %v", len(names), len(s.runs), err)
		}
		if s.Len(-1) != 200*300 {
			t.Errorf("%d fingerprints", s.Len(-1))
		}
		closeSieve(t, s, db)
	}
}

// Runs that are being merged are left alone until that is done; if it failed the next
// Append says so, and the one after it begins again.
func TestSieveMergeFails(t *testing.T) {
	s, db := openSieveIn(t, OnMem(vfs.NewMem()), 0)
	defer closeSieve(t, s, db)
	appendOne := func(name uint64) error {
		if err := commitEntry(db, s, []uint64{name}, nil); err != nil {
			t.Fatal(err)
		}
		return s.Append(s.Journalled())
	}
	for i := range uint64(3) {
		if err := appendOne(i); err != nil {
			t.Fatal(err)
		}
	}
	m := &merging{runs: slices.Clone(s.runs), cancel: func() {}, done: make(chan merged, 1)}
	s.merging = m
	for i := range uint64(4) {
		if err := appendOne(3 + i); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.runs) != 4 || !slices.Equal(s.runs[:3], m.runs) {
		t.Errorf("%d runs; those in the merge stay as they are", len(s.runs))
	}
	broken := errors.New("broken")
	m.done <- merged{nil, broken}
	if err := appendOne(7); !errors.Is(err, broken) {
		t.Errorf("the merge failed: %v", err)
	}
	if err := s.Append(s.Journalled()); err != nil {
		t.Fatal(err)
	}
	if len(s.runs) != 1 || s.Len(-1) != 8 {
		t.Errorf("%d runs of %d", len(s.runs), s.Len(-1))
	}
}

// waitMerged waits for the merge in the background and adopts it.
func waitMerged(t *testing.T, s *Sieve) {
	t.Helper()
	for s.merging != nil {
		m := <-s.merging.done
		s.merging.done <- m
		if err := s.append(s.appended); err != nil {
			t.Fatal(err)
		}
	}
}

// Merging and reading in order take the same memory for any number of fingerprints.
func TestSieveMergeMemory(t *testing.T) {
	const alone = "SIEVE_MERGE_ALONE"
	if os.Getenv(alone) == "" {
		// In a process of its own: databases that other tests have abandoned allocate, too.
		c := exec.Command(os.Args[0], "-test.run=^TestSieveMergeMemory$")
		c.Env = append(os.Environ(), alone+"=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	const n = 1 << 19
	dir := t.TempDir()
	var runs []*run
	for i := range uint32(4) {
		r := writeNames(t, dir, i+1, randomNames(uint64(i), n/4))
		defer r.file.Close()
		runs = append(runs, r)
	}
	if bytes := mergeBytes(t, dir+"/"+runName(9), runs, n); bytes > 1<<20 {
		t.Errorf("merging %d fingerprints allocated %d bytes", n, bytes)
	}
}

// mergeBytes merges runs of n fingerprints and returns how much was allocated for it.
func mergeBytes(t *testing.T, path string, runs []*run, n int64) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w, err := createRun(Disk(), path, 9, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := mergeRuns(t.Context(), w, runs)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	defer r.file.Close()
	if r.counts[0] != n {
		t.Errorf("%d fingerprints of %d", r.counts[0], n)
	}
	return after.TotalAlloc - before.TotalAlloc
}

// randomNames returns n names in ascending order.
func randomNames(seed uint64, n int) []uint64 {
	rng := rand.New(rand.NewPCG(seed, 99))
	names := make([]uint64, n)
	for i := range names {
		names[i] = rng.Uint64()
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// writeNames writes a run of URLs in a directory of the disk.
func writeNames(t testing.TB, dir string, number uint32, names []uint64) *run {
	t.Helper()
	w, err := createRun(Disk(), dir+"/"+runName(number), number, 0)
	if err == nil {
		err = w.add(0, names)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.finish()
	if err != nil {
		t.Fatal(err)
	}
	return r
}
