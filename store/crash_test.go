package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// faults fails operations of a file system from the n-th on, or the n-th only.
type faults struct {
	mu    sync.Mutex
	n     int // which fails; 0 never
	once  bool
	match func(errorfs.OpKind) bool // nil counts all
	seen  int
	err   error
}

func (f *faults) String() string { return fmt.Sprintf("fault at %d, once %v", f.n, f.once) }

func (f *faults) MaybeError(op errorfs.Op) error {
	if f.match != nil && !f.match(op.Kind) {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen++
	if f.n == 0 || f.seen < f.n || f.once && f.seen > f.n {
		return nil
	}
	return fmt.Errorf("%s: %w", op.Path, f.err)
}

// met reports whether an operation failed.
func (f *faults) met() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n > 0 && f.seen >= f.n
}

// over returns m with those faults.
func (f *faults) over(m *vfs.MemFS) FS {
	return Wrap(errorfs.Wrap(m, f), func(name string, size int64) error {
		if err := f.MaybeError(errorfs.Op{Kind: errorfs.OpFileWrite, Path: name}); err != nil {
			return err
		}
		return OnMem(m).Truncate(name, size)
	})
}

// script is a crawl of five commits with a clean stop after the fourth. It knows how far
// it came.
type script struct {
	created   bool
	committed int // commits that returned nil
	attempted int // the last commit that was begun
}

const scriptDir = "/crawls/one"

var scriptFiles = []string{"pages.jsonl", "skipped.jsonl"}

// text is what commit c adds to a file: a line, or more than a buffer of them.
func text(file string, c int) []byte {
	lines := 1
	if c == 3 {
		lines = 700
	}
	return bytes.Repeat(fmt.Appendf(nil, "{\"file\":%q,\"commit\":%d,\"pad\":%q}\n", file, c, "0123456789012345678901234567890123456789"), lines)
}

// value is incompressible, and long in two commits, so that a log and a memory table are
// full.
func value(c int) []byte {
	v := make([]byte, 100)
	if c == 2 || c == 3 {
		v = make([]byte, 140<<10)
	}
	rnd := rand.NewChaCha8([32]byte{byte(c)})
	rnd.Read(v)
	return v
}

func (s *script) run(fs FS) error {
	d, err := Create(fs, scriptDir, Meta{Seeds: []string{"http://a.test/"}}, true)
	if err != nil {
		return err
	}
	s.created = true
	if err := s.crawl(d, 1, 4); err != nil {
		return err
	}
	if d, err = Open(fs, scriptDir); err != nil {
		return err
	}
	return s.crawl(d, 5, 5)
}

func (s *script) crawl(d *Dir, from, to int) (err error) {
	defer func() { err = errors.Join(err, d.Close()) }()
	var files []*Lines
	for _, name := range scriptFiles {
		l, err := d.Lines(name)
		if err != nil {
			return err
		}
		files = append(files, l)
	}
	if err := d.CutBehind(scriptFolder, func(string) bool { return true }); err != nil {
		return err
	}
	r, err := d.Records(scriptFolder, scriptRecords(from))
	if err != nil {
		return err
	}
	for c := from; c <= to; c++ {
		if r, err = s.rotated(d, r, c); err != nil {
			return err
		}
		if err := s.commit(d, files, c); err != nil {
			return err
		}
	}
	if err := r.Append([]byte("lost")); err != nil { // never committed
		return err
	}
	for _, l := range files { // never committed
		if err := l.Write("lost"); err != nil {
			return err
		}
	}
	return nil
}

// scriptFolder has the files of records; scriptRecords is the one of commit c: two commits share
// one.
const scriptFolder = "archive"

func scriptRecords(c int) string { return fmt.Sprintf("%d.rec", (c+1)/2) }

// bytesOf is the record of commit c, which has no line ends, and more than a buffer once.
func bytesOf(c int) []byte { return bytes.ReplaceAll(value(c), []byte{'\n'}, []byte{' '}) }

// rotated appends the record of commit c to r, or to the next file.
func (s *script) rotated(d *Dir, r *Records, c int) (_ *Records, err error) {
	if name := scriptRecords(c); r.lines.name != scriptFolder+"/"+name {
		if err := r.Finish(); err != nil {
			return nil, err
		}
		if r, err = d.Records(scriptFolder, name); err != nil {
			return nil, err
		}
	}
	return r, r.Append(bytesOf(c))
}

func (s *script) commit(d *Dir, files []*Lines, c int) error {
	for i, l := range files {
		for line := range bytes.Lines(text(scriptFiles[i], c)) {
			if err := l.AppendLine(func(b []byte) []byte { return append(b, line...) }); err != nil {
				return err
			}
		}
	}
	b := d.DB().NewBatch()
	if err := d.Cut(b); err != nil {
		return err
	}
	b.Put([]byte("mcommit"), []byte{1, byte(c)})
	w := d.Queue().Writer(b)
	w.PutHost("a.test", []byte{1, byte(c)})
	w.PutBlock("a.test", 0, uint64(c), value(c))
	w.DeleteBlocks("a.test", 0, uint64(max(c-2, 0)), uint64(max(c-1, 0)))
	if err := d.Sync(); err != nil {
		return err
	}
	s.attempted = c
	if err := d.DB().Commit(b); err != nil {
		return err
	}
	s.committed = c
	return nil
}

// check opens the directory after a crash and holds it against what the script knows.
func (s *script) check(fs FS) error {
	d, err := Open(fs, scriptDir)
	if err != nil {
		if !s.created && (errors.Is(err, ErrNoCrawl)) {
			return nil
		}
		return err
	}
	c, err := s.checkState(d)
	if err == nil {
		err = s.checkFiles(d, c)
	}
	if err = errors.Join(err, d.Close()); err != nil {
		return err
	}
	if c >= 5 {
		return nil
	}
	if d, err = Open(fs, scriptDir); err != nil { // and it can go on
		return err
	}
	return s.crawl(d, c+1, c+1)
}

// checkState returns which commit is there: the last one that returned nil, or the one
// that did not return.
func (s *script) checkState(d *Dir) (c int, err error) {
	v, err := d.DB().Get([]byte("mcommit"))
	if err != nil {
		return 0, err
	}
	if v != nil {
		c = int(v[1])
	}
	if c != s.committed && c != s.attempted || d.Resumed() != (c > 0) {
		return c, fmt.Errorf("commit %d is there, resumed %v; %d returned, %d was begun", c, d.Resumed(), s.committed, s.attempted)
	}
	hosts := 0
	err = d.Queue().Hosts(func(host string, state []byte) error {
		if hosts++; host != "a.test" || int(state[1]) != c {
			return fmt.Errorf("host %s has state %v", host, state)
		}
		return nil
	})
	if err != nil || hosts != min(c, 1) {
		return c, fmt.Errorf("%d hosts: %w", hosts, err)
	}
	for seq := range 8 {
		block, err := d.Queue().Block("a.test", 0, uint64(seq))
		want := seq > 0 && seq <= c && seq >= c-1
		if want && !bytes.Equal(block, value(seq)) || !want && !errors.Is(err, ErrDamaged) {
			return c, fmt.Errorf("block %d at commit %d: %d bytes, %v", seq, c, len(block), err)
		}
	}
	return c, nil
}

// checkFiles wants each file to have exactly what was committed.
func (s *script) checkFiles(d *Dir, c int) error {
	for _, name := range scriptFiles {
		if _, err := d.Lines(name); err != nil {
			return err
		}
		var want []byte
		for i := 1; i <= c; i++ {
			want = append(want, text(name, i)...)
		}
		got, err := readFile(d.FS(), d.file(name), 1<<20)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%s has %d bytes at commit %d, want %d", name, len(got), c, len(want))
		}
	}
	return s.checkRecords(d, c)
}

// checkRecords wants each file of records to have exactly what was committed, and no others to be
// there.
func (s *script) checkRecords(d *Dir, c int) error {
	if err := d.CutBehind(scriptFolder, func(string) bool { return true }); err != nil {
		return err
	}
	want := map[string][]byte{}
	for i := 1; i <= c; i++ {
		want[scriptRecords(i)] = append(want[scriptRecords(i)], bytesOf(i)...)
	}
	names, err := d.FS().List(d.file(scriptFolder))
	if err != nil && c > 0 || len(names) != len(want) {
		return fmt.Errorf("%d files at commit %d, want %d: %w", len(names), c, len(want), err)
	}
	for name, data := range want {
		if _, err := d.Records(scriptFolder, name); err != nil {
			return err
		}
		if got, err := readFile(d.FS(), d.file(scriptFolder+"/"+name), 1<<20); err != nil || !bytes.Equal(got, data) {
			return fmt.Errorf("%s has %d bytes at commit %d, want %d: %w", name, len(got), c, len(data), err)
		}
	}
	return nil
}

// crashAt runs the script with a fault, crashes when it has given up, and checks what is
// left with no, half or all of the unsynced writes, by turns, or with each if STORE_LONG
// is set. It reports whether the fault met anything.
func crashAt(t *testing.T, f *faults, seed uint64) bool {
	t.Helper()
	mem := vfs.NewCrashableMem()
	var s script
	err := s.run(f.over(mem))
	met := f.met()
	if err != nil && !met {
		t.Fatalf("%v: failed without a fault: %v", f, err)
	}
	percents := []int{0, 50, 100}
	if os.Getenv("STORE_LONG") == "" {
		percents = percents[f.n%3:][:1]
	}
	for _, percent := range percents {
		rng := rand.New(rand.NewPCG(seed, uint64(percent)))
		clone := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng})
		s := s
		if err := s.check(OnMem(clone)); err != nil {
			t.Errorf("%v, %d %% of unsynced writes kept, seed %d: %v", f, percent, seed, err)
		}
	}
	return met
}

// everyFault runs the script with fault(1), fault(2) and so on until one meets nothing.
// Without STORE_LONG it takes every sixteenth of them, from a random one on.
func everyFault(t *testing.T, fault func(n int) *faults) {
	t.Helper()
	seed := rand.Uint64()
	first, step := 1, 1
	if os.Getenv("STORE_LONG") == "" {
		first, step = 1+int(seed%16), 16
	}
	runs := 0
	for n := first; ; n += step {
		if !crashAt(t, fault(n), seed) {
			break
		}
		if runs++; runs > 1000 {
			t.Fatal("the script does not end")
		}
	}
	if runs < 3 {
		t.Errorf("only %d operations failed", runs)
	}
	t.Logf("%d operations failed, every %d. from %d on, seed %d", runs, step, first, seed)
}

// TestCrashTable fails every file operation in turn, once or from then on.
func TestCrashTable(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	for _, once := range []bool{false, true} {
		everyFault(t, func(n int) *faults { return &faults{n: n, once: once, err: errorfs.ErrInjected} })
	}
}

// TestDiskFull refuses every write from some one on, and nothing else.
func TestDiskFull(t *testing.T) {
	writes := func(k errorfs.OpKind) bool {
		return k == errorfs.OpFileWrite || k == errorfs.OpFileWriteAt || k == errorfs.OpCreate
	}
	everyFault(t, func(n int) *faults { return &faults{n: n, err: syscall.ENOSPC, match: writes} })
}
