package store

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Opening changes nothing; the first Append deletes what the manifest does not list.
func TestSieveStrays(t *testing.T) {
	fs := OnMem(vfs.NewMem())
	s, db := openSieveIn(t, fs, 0)
	if found, err := exists(fs, "/crawl/seen"); found || err != nil {
		t.Fatalf("opening made the directory: %v, %v", found, err)
	}
	if err := commitEntry(db, s, []uint64{1}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(s.Journalled()); err != nil {
		t.Fatal(err)
	}
	stray := "/crawl/seen/" + runName(77)
	if err := writeSynced(fs, stray, []byte("half a run")); err != nil {
		t.Fatal(err)
	}
	closeSieve(t, s, db)
	s, db = openSieveIn(t, fs, 0)
	defer closeSieve(t, s, db)
	if found, _ := exists(fs, stray); !found {
		t.Error("opening deleted a file")
	}
	if err := s.Append(s.Journalled()); err != nil {
		t.Fatal(err)
	}
	if found, _ := exists(fs, stray); found {
		t.Error("a file that the manifest does not list is still there")
	}
	if s.Len(-1) != 1 {
		t.Errorf("%d fingerprints", s.Len(-1))
	}
}

// The number of layers is part of the log.
func TestSieveLayers(t *testing.T) {
	fs := OnMem(vfs.NewMem())
	s, db := openSieveIn(t, fs, 2)
	if err := commitEntry(db, s, []uint64{1}, [][]uint64{{2}, {3}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(s.Journalled()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, layers := range []int{-1, 1, 3, 9} {
		if _, err := openSieve(fs, "/crawl/seen", db, layers); err == nil {
			t.Errorf("opened for %d layers", layers)
		}
	}
}

// The bytes of docs/format/seen.md, spelled out.
func TestSieveFormat(t *testing.T) {
	fs := OnMem(vfs.NewMem())
	s, db := openSieveIn(t, fs, 1)
	defer closeSieve(t, s, db)
	b := db.NewBatch()
	s.Journal(b, []uint64{0x0102030405060708, 3}, [][]uint64{{9}})
	if err := db.Commit(b); err != nil {
		t.Fatal(err)
	}
	u64 := binary.LittleEndian.AppendUint64
	entry := u64(u64(u64([]byte{1, 1, 2, 1}, 0x0102030405060708), 3), 9)
	if got, err := db.Get([]byte("s\x00\x00\x00\x00\x00\x00\x00\x01")); err != nil || !slices.Equal(got, entry) {
		t.Errorf("entry %x, %v", got, err)
	}
	if err := s.Append(1); err != nil {
		t.Fatal(err)
	}
	want := []byte{1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}
	want = u64(u64(want, 2), 1)
	if got, err := db.Get([]byte("l")); err != nil || !slices.Equal(got, want) {
		t.Errorf("manifest %x, %v, want %x", got, err, want)
	}
	var file []byte
	for i, block := range [][]byte{
		u64(u64(nil, 3), 0x0102030405060708),
		u64(nil, 9),
		u64(nil, 3), // the fence
		u64(u64(u64([]byte("\x89CSR\x01\x00\x01\x00"), 1), 2), 1),
	} {
		block = append(block, make([]byte, 4088-len(block))...)
		file = append(file, u64(block, xxhash.Sum64(block)^(1<<32+uint64(i)))...)
	}
	got, err := readFile(fs, "/crawl/seen/0000000001.run", 1<<20)
	if err != nil || !slices.Equal(got, file) {
		t.Errorf("the run differs, %d bytes, %v", len(got), err)
	}
}
