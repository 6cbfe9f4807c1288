package store

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

func TestDB(t *testing.T) {
	fsys := OnMem(vfs.NewMem())
	db, err := openDB(fsys, "/state", false)
	if err != nil {
		t.Fatal(err)
	}
	b := db.NewBatch()
	before := b.Len()
	for _, k := range []string{"a1", "a2", "a3", "a4", "b1", "\xff\xff", "\xff\xffz"} {
		b.Put([]byte(k), []byte("of "+k))
	}
	b.Put([]byte("a"), nil)
	b.Delete([]byte("a2"))
	b.DeleteRange([]byte("a3"), []byte("b1"))
	if b.Len() <= before {
		t.Errorf("the batch has %d bytes, %d before", b.Len(), before)
	}
	if err := db.Commit(b); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string][]byte{"a": {}, "a1": []byte("of a1"), "a2": nil, "a3": nil, "a4": nil, "b1": []byte("of b1"), "c": nil} {
		got, err := db.Get([]byte(key))
		if err != nil || !bytes.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("Get(%q) = %#v, %v, want %#v", key, got, err, want)
		}
	}
	for prefix, want := range map[string][]string{"a": {"a", "a1"}, "b": {"b1"}, "\xff\xff": {"\xff\xff", "\xff\xffz"}, "x": nil, "": {"a", "a1", "b1", "\xff\xff", "\xff\xffz"}} {
		var got []string
		err := db.Scan([]byte(prefix), func(k, _ []byte) error {
			got = append(got, string(k))
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Scan(%q): %q, %v, want %q", prefix, got, err, want)
		}
	}
	stop := errors.New("stop")
	if err := db.Scan(nil, func(_, _ []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Scan went on: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// After the first failed write every call returns its error, and none of them hangs or
// ends the process.
func TestFirstErrorIsFinal(t *testing.T) {
	kinds := []errorfs.OpKind{errorfs.OpFileWrite, errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpCreate, errorfs.OpReuseForWrite}
	met := 0
	for _, kind := range kinds {
		f := &faults{match: func(k errorfs.OpKind) bool { return k == kind }, err: syscall.EIO}
		db, err := openDB(f.over(vfs.NewMem()), "/state", false)
		if err != nil {
			t.Fatal(err)
		}
		if err := fill(db); err != nil {
			t.Fatal(err)
		}
		f.mu.Lock()
		f.n = f.seen + 1
		f.mu.Unlock()
		err = nil
		for i := 0; err == nil && i < 20; i++ { // of a new log file, it is the rotation that fails
			err = fill(db)
		}
		if !f.met() {
			continue // Pebble may do without one of them
		}
		met++
		if !errors.Is(err, syscall.EIO) {
			t.Fatalf("kind %d: %v", kind, err)
		}
		if err := fill(db); !errors.Is(err, syscall.EIO) {
			t.Errorf("kind %d: the next commit: %v", kind, err)
		}
		if _, err := db.Get([]byte("k")); !errors.Is(err, syscall.EIO) {
			t.Errorf("kind %d: Get: %v", kind, err)
		}
		if err := db.Scan(nil, nil); !errors.Is(err, syscall.EIO) {
			t.Errorf("kind %d: Scan: %v", kind, err)
		}
		if err := db.Close(); !errors.Is(err, syscall.EIO) {
			t.Errorf("kind %d: Close: %v", kind, err)
		}
	}
	t.Logf("%d of %d kinds of operations failed", met, len(kinds))
	if met < 3 {
		t.Error("too few to prove anything")
	}
}

// fill commits 200 KB.
func fill(db *DB) error {
	b := db.NewBatch()
	b.Put([]byte("k"), value(2)[:100<<10])
	b.Put([]byte("l"), value(3)[:100<<10])
	return db.Commit(b)
}

// What Pebble does where the process is meant to end, or in a panic, ends the call.
func TestPebbleMayGiveUp(t *testing.T) {
	for name, give := range map[string]func(g *guard){
		"fatal":      func(g *guard) { g.Fatalf("it is %s", "over") },
		"panic":      func(*guard) { panic("over") },
		"background": func(g *guard) { g.listener().BackgroundError(errors.New("over")); select {} },
		"corruption": func(g *guard) {
			g.listener().DataCorruption(pebble.DataCorruptionInfo{Path: "over", Details: errors.New("bad")})
			select {}
		},
	} {
		g := &guard{failed: make(chan struct{})}
		err := g.run(func() error { give(g); return nil })
		if err == nil || !bytes.Contains([]byte(err.Error()), []byte("over")) || !errors.Is(g.err(), err) {
			t.Errorf("%s: %v, then %v", name, err, g.err())
		}
	}
}

func TestQueue(t *testing.T) {
	d := createDir(t, OnMem(vfs.NewMem()), "/dir", true)
	defer closeDir(t, d)
	q := d.Queue()
	commit := func(f func(QueueWriter)) {
		t.Helper()
		b := d.DB().NewBatch()
		f(q.Writer(b))
		if err := d.DB().Commit(b); err != nil {
			t.Fatal(err)
		}
	}
	hosts := []string{"a.test", "a.test:8080", "a.tes", "b.test"}
	commit(func(w QueueWriter) {
		for _, h := range hosts {
			w.PutHost(h, []byte("state of "+h))
			for seq := range uint64(40) {
				w.PutBlock(h, 2, seq, fmt.Appendf(nil, "%s %d", h, seq))
				w.PutBlock(h, 3, seq, nil)
			}
		}
	})
	commit(func(w QueueWriter) {
		w.DeleteBlocks("a.test", 2, 3, 10)
		w.DeleteBlocks("a.test", 3, 5, 30)
		w.DeleteBlocks("b.test", 2, 9, 9)
		w.DeleteBlocks("b.test", 2, 10, 2)
	})
	for _, h := range hosts {
		for seq := range uint64(41) {
			gone := seq == 40 || h == "a.test" && seq >= 3 && seq < 10
			block, err := q.Block(h, 2, seq)
			if gone != errors.Is(err, ErrDamaged) || !gone && string(block) != fmt.Sprintf("%s %d", h, seq) {
				t.Errorf("block %d of %s: %q, %v", seq, h, block, err)
			}
			gone = seq == 40 || h == "a.test" && seq >= 5 && seq < 30
			if block, err := q.Block(h, 3, seq); gone != errors.Is(err, ErrDamaged) || len(block) > 0 {
				t.Errorf("empty block %d of %s: %q, %v", seq, h, block, err)
			}
		}
	}
	got := map[string]string{}
	if err := q.Hosts(func(h string, state []byte) error { got[h] = string(state); return nil }); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, h := range hosts {
		want[h] = "state of " + h
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("hosts %v", got)
	}
}

// The keys are those of docs/format/directory.md.
func TestKeys(t *testing.T) {
	if got, want := appendBlockKey(nil, "a.test", 258, 1<<56|3), "f\x01\x05a.test\x00\x00\x00\x01\x02\x01\x00\x00\x00\x00\x00\x00\x03"; string(got) != want {
		t.Errorf("%q", got)
	}
	if got, want := appendHost(nil, 'h', "b.test"), "h\x03\xc4b.test"; string(got) != want {
		t.Errorf("%q", got)
	}
}
