package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With few descriptors the tables of the database and the files of values take none while
// nothing reads them, and its directory takes one.
func TestFewDescriptors(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	db, err := openDB(DiskFor(24), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	rng, value := rand.NewChaCha8([32]byte{}), make([]byte, 8<<10)
	want := map[string][]byte{}
	for i := range 2000 { // 16 MiB that do not compress: tables are written and merged
		key := fmt.Sprintf("%03d", i%700)
		rng.Read(value)
		b := db.NewBatch()
		b.Put([]byte(key), value)
		if err := db.Commit(b); err != nil {
			t.Fatal(err)
		}
		want[key] = bytes.Clone(value)
	}
	check := func(db *DB) {
		t.Helper()
		for key, w := range want {
			if got, err := db.Get([]byte(key)); err != nil || !bytes.Equal(got, w) {
				t.Fatalf("%s: %d bytes that differ, %v", key, len(got), err)
			}
		}
	}
	check(db)
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) < 2 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	values, err := filepath.Glob(filepath.Join(dir, "*.blob"))
	if err != nil || len(values) < 4 {
		t.Fatalf("%d files of values, %v", len(values), err)
	}
	open := openBelow(t, dir)
	dirs := 0
	for _, name := range open {
		if name == dir {
			dirs++
		}
	}
	// Lock, manifest, log and directory; perhaps a table that is written, and a block of one.
	if dirs != 1 || len(open) > 6 {
		t.Errorf("of %d tables, %d files of values and the rest, open are %q", len(tables), len(values), open)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if left := openBelow(t, dir); len(left) > 0 {
		t.Errorf("still open are %q", left)
	}
	if db, err = openDB(DiskFor(24), dir, true); err != nil {
		t.Fatal(err)
	}
	check(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// openBelow lists what this process has open of a directory.
func openBelow(t *testing.T, dir string) (names []string) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if name, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(name, dir) {
			names = append(names, name)
		}
	}
	return names
}
