package store

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/internal/sums"
)

// remade makes the state of the crawl in dir again, as crawler check does.
func remade(fs FS, mark string) (err error) {
	l, err := Lock(fs, "c")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	meta, err := ReadMeta(fs, "c")
	if err != nil {
		return err
	}
	d, err := BeginRebuild(fs, "c", meta)
	if err != nil {
		return err
	}
	err = d.Accept(sums.Table{"pages.jsonl": {Bytes: 2}})
	if err == nil {
		b := d.DB().NewBatch()
		b.Put([]byte("mark"), []byte(mark))
		err = d.DB().Commit(b)
	}
	if err = errors.Join(err, d.Close()); err != nil {
		return err
	}
	_, err = Install(fs, "c")
	return err
}

// markOf returns what the state was marked with, "" if there is none.
func markOf(t *testing.T, fs FS) string {
	t.Helper()
	d, _, err := Inspect(fs, "c", true)
	if errors.Is(err, ErrNoCrawl) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	mark, err := d.DB().Get([]byte("mark"))
	if err != nil || d.Lengths()["pages.jsonl"] != 2 {
		t.Fatalf("%v, lengths %v", err, d.Lengths())
	}
	return string(mark)
}

// Every file operation of a repair fails in turn, with all after it, and then the power: the crawl
// has its new state whole, or the old one, or none, and can be repaired again.
func TestRebuildSurvivesFaults(t *testing.T) {
	t.Parallel()
	const step = 3 // the renames are further apart than that, with their syncs
	met := map[string]int{}
	for n := 1; ; n += step {
		mem := vfs.NewCrashableMem()
		fs := OnMem(mem)
		d, err := Create(fs, "c", Meta{Seeds: []string{"http://a.example/"}}, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(d.Accept(sums.Table{"pages.jsonl": {Bytes: 2}}), d.Close()); err != nil {
			t.Fatal(err)
		}
		old := mem.CrashClone(vfs.CrashCloneCfg{})
		if err := remade(OnMem(old), "old"); err != nil {
			t.Fatal(err)
		}
		f := &faults{n: n, err: errors.New("no more")}
		err = remade(f.over(old), "new")
		if !f.met() {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		left := OnMem(old.CrashClone(vfs.CrashCloneCfg{}))
		was := markOf(t, left)
		met[was]++
		if err == nil && was != "new" {
			t.Errorf("fault %d: a repair that ended well has the state %q", n, was)
		}
		if err := remade(left, "newer"); err != nil {
			t.Errorf("fault %d, state %q: %v", n, was, err)
		} else if got := markOf(t, left); got != "newer" {
			t.Errorf("fault %d: repaired again, the state is %q", n, got)
		}
	}
	if met["old"] == 0 || met[""] == 0 {
		t.Errorf("states after a fault: %v, want some of each", met)
	}
	t.Logf("states after a fault: %v", met)
}
