package store

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// rewritable is a crawl whose files have the lines 0 to 9 committed, one of them longer than
// any buffer, and one line behind the commit.
func rewritable(t *testing.T, mem *vfs.MemFS) {
	t.Helper()
	d := createDir(t, OnMem(mem), "crawl", true)
	var files []*Lines
	for _, name := range scriptFiles {
		files = append(files, openLinesOf(t, d, name))
	}
	write := func(n int) {
		for _, l := range files {
			if err := l.Write(fmt.Sprint(n, strings.Repeat("x", n%7*40_000))); err != nil {
				t.Fatal(err)
			}
		}
	}
	for n := range 10 {
		write(n)
	}
	commitCut(t, d)
	write(10)
	closeDir(t, d)
}

// even keeps lines with an even number.
func even(line []byte) (bool, error) { return (line[1]-'0')%2 == 0, nil }

// thin takes the odd lines out of both files, and says so in the state.
func thin(fs FS) error {
	d, err := Open(fs, "crawl")
	if err != nil {
		return err
	}
	for _, name := range scriptFiles {
		if err := d.Rewrite(name, even); err != nil {
			return errors.Join(err, d.Close())
		}
	}
	b := d.DB().NewBatch()
	err = d.Cut(b)
	if err == nil {
		b.Put([]byte("thin"), []byte{1})
		err = d.DB().Commit(b)
	}
	if err == nil {
		err = d.Replace()
	}
	return errors.Join(err, d.Close())
}

// thinned opens the crawl and returns whether it was thinned, after it has held the files
// against that.
func thinned(t *testing.T, mem *vfs.MemFS) bool {
	t.Helper()
	d := openDir(t, OnMem(mem), "crawl")
	defer closeDir(t, d)
	value, err := d.DB().Get([]byte("thin"))
	if err != nil {
		t.Fatal(err)
	}
	want := "0123456789"
	if value != nil {
		want = "02468"
	}
	for _, name := range scriptFiles {
		openLinesOf(t, d, name) // which cuts off what was not committed
		data, err := readFile(mem, d.file(name), math.MaxInt64-1)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for line := range bytes.Lines(data) {
			got += string(line[1:2])
		}
		if got != want {
			t.Errorf("%s has the lines %s, not %s", name, got, want)
		}
		if found, err := exists(mem, d.file(name)+rewrittenSuffix); found || err != nil {
			t.Errorf("%s%s is still there: %v", name, rewrittenSuffix, err)
		}
	}
	return value != nil
}

func TestRewriteTakesLinesOut(t *testing.T) {
	mem := vfs.NewCrashableMem()
	rewritable(t, mem)
	if thinned(t, mem) {
		t.Fatal("nobody has taken lines out")
	}
	if err := thin(OnMem(mem)); err != nil {
		t.Fatal(err)
	}
	if !thinned(t, mem.CrashClone(vfs.CrashCloneCfg{})) {
		t.Error("the lines are back after a crash")
	}
}

// Every file operation fails in turn, alone or with all after it, and then the power: both
// files are as before, or without the lines, and the state agrees.
func TestRewriteIsAllOrNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("no goroutine but the database's own")
	}
	outcomes := map[bool]int{}
	for n := 1; ; n++ {
		mem := vfs.NewCrashableMem()
		rewritable(t, mem)
		f := &faults{n: n, once: n%2 == 0, err: syscall.ENOSPC}
		err := thin(f.over(mem))
		if !f.met() {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		rng := rand.New(rand.NewPCG(uint64(n), 7))
		crashed := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: n % 3 * 50, RNG: rng})
		done := thinned(t, crashed)
		if outcomes[done]++; err == nil && !done {
			t.Errorf("operation %d failed, thin did not, and the lines are back", n)
		}
		if t.Failed() {
			t.Fatalf("operation %d failed: %v", n, err)
		}
	}
	if outcomes[false] < 5 || outcomes[true] < 3 {
		t.Errorf("of the interrupted ones %d had come to pass and %d not", outcomes[true], outcomes[false])
	}
}

// A crash between the commit and the new names: a reader is told, and changes nothing.
func TestReaderOfAnInterruptedRewrite(t *testing.T) {
	mem := vfs.NewCrashableMem()
	rewritable(t, mem)
	d := openDir(t, OnMem(mem), "crawl")
	if err := d.Rewrite(scriptFiles[0], even); err != nil {
		t.Fatal(err)
	}
	commitCut(t, d)
	closeDir(t, d)
	if _, err := OpenRead(OnMem(mem), "crawl"); !errors.Is(err, ErrRewriting) {
		t.Errorf("a reader gets %v", err)
	}
	d = openDir(t, OnMem(mem), "crawl")
	if cut, err := behind(OnMem(mem), d.file(scriptFiles[0]), d.positions.at[scriptFiles[0]].length); err != nil || cut.Bytes > 0 {
		t.Errorf("behind the commit: %v, %v", cut, err)
	}
	closeDir(t, d)
	d, err := OpenRead(OnMem(mem), "crawl")
	if err != nil {
		t.Fatal(err)
	}
	closeDir(t, d)
}

func TestRewriteRefuses(t *testing.T) {
	mem := vfs.NewCrashableMem()
	rewritable(t, mem)
	d := openDir(t, OnMem(mem), "crawl")
	defer closeDir(t, d)
	broken := errors.New("no line of ours")
	if err := d.Rewrite(scriptFiles[0], func([]byte) (bool, error) { return false, broken }); !errors.Is(err, broken) {
		t.Errorf("an error of keep: %v", err)
	}
	if err := d.Rewrite("nothing.jsonl", even); err != nil {
		t.Errorf("a file that was never committed: %v", err)
	}
	for _, value := range []string{"", "\x01", "\x02pages.jsonl\n", "\x01pages.jsonl", "\x01crawl\n", "\x01../pages.jsonl\n"} {
		if _, err := decodeRewrites([]byte(value)); err == nil {
			t.Errorf("the list %q is taken", value)
		}
	}
}
