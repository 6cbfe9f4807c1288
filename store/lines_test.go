package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// shortFS is full after some bytes of a file, in the middle of a write.
type shortFS struct {
	vfs.FS
	room int64
}

func (s shortFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := s.FS.OpenReadWrite(name, c, opts...)
	return shortFile{f, s.room}, err
}

type shortFile struct {
	vfs.File
	room int64
}

func (f shortFile) WriteAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) <= f.room {
		return f.File.WriteAt(p, off)
	}
	n, err := f.File.WriteAt(p[:max(f.room-off, 0)], off)
	return n, errors.Join(err, syscall.ENOSPC)
}

func TestLinesEndWholeOnAFullDisk(t *testing.T) {
	const room = 100_000
	mem := vfs.NewMem()
	l, err := openLines(Wrap(shortFS{mem, room}, OnMem(mem).Truncate), "/f", position{})
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	for err == nil && written < 10_000 {
		written++
		err = l.Write(fmt.Sprintf("line %06d", written))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("after %d lines: %v", written, err)
	}
	if again := errors.Join(l.Write("more"), l.Flush()); !errors.Is(again, syscall.ENOSPC) && l.Flush() == nil {
		t.Errorf("the error was forgotten: %v", again)
	}
	if err := l.close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("close: %v", err)
	}
	data, err := readFile(mem, "/f", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	size := len("\"line 000001\"\n")
	if len(data) != room/size*size || !strings.HasSuffix(string(data), fmt.Sprintf("\"line %06d\"\n", room/size)) {
		t.Errorf("%d bytes, want whole lines in %d", len(data), room)
	}
}

func linesOf(t *testing.T, d *Dir, name string) *Lines {
	t.Helper()
	l, err := d.Lines(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLinesForms(t *testing.T) {
	mem := vfs.NewMem()
	l, err := openLines(OnMem(mem), "/f", position{})
	if err != nil {
		t.Fatal(err)
	}
	add := func(s string) error {
		return l.AppendLine(func(b []byte) []byte { return append(b, s...) })
	}
	if err := errors.Join(l.Write(map[string]string{"a": "<&>"}), add("[1]\n"), add("")); err != nil {
		t.Fatal(err)
	}
	if add("torn") == nil || l.Write(func() {}) == nil {
		t.Error("what is no line was written")
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if data, err := readFile(mem, "/f", 100); string(data) != "{\"a\":\"<&>\"}\n[1]\n" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestLinesAllocateNothing(t *testing.T) {
	l, err := openLines(OnMem(vfs.NewMem()), "/f", position{})
	if err != nil {
		t.Fatal(err)
	}
	line := func(b []byte) []byte { return append(b, "{\"url\":\"http://a.test/\"}\n"...) }
	if err := l.AppendLine(line); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(1000, func() { _ = l.AppendLine(line) }); n > 0 {
		t.Errorf("%v allocations a line", n)
	}
}

func TestTailCountsATornLine(t *testing.T) {
	fsys := OnMem(vfs.NewMem())
	if err := writeSynced(fsys, "/f", []byte("1\n22\n333\n44")); err != nil {
		t.Fatal(err)
	}
	cut, err := cutBack(fsys, "/f", 2)
	if want := (CutLine{Records: 2, Bytes: 9}); cut != want || err != nil {
		t.Errorf("%v, %v, want %v", cut, err, want)
	}
	if data, _ := readFile(fsys, "/f", 100); string(data) != "1\n" {
		t.Errorf("left %q", data)
	}
}

func FuzzPositions(f *testing.F) {
	f.Add(positions{}.append(nil))
	f.Add(positions{7, map[string]position{"pages.jsonl": {length: 1 << 40, sum: 7}, "skipped.jsonl": {}, "links.bin": {length: 5, unknown: true}}}.append(nil))
	f.Add([]byte{1, 3, 1, 1, 'a', 5})
	f.Add([]byte{1, 0, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := decodePositions(data)
		if err != nil {
			return
		}
		q, err := decodePositions(p.append(nil))
		if err != nil || fmt.Sprint(p) != fmt.Sprint(q) {
			t.Errorf("%v became %v, %v", p, q, err)
		}
	})
}

func TestPositionsRefuseDamage(t *testing.T) {
	good := positions{3, map[string]position{"a": {length: 5, sum: 9}, "b": {length: 300, unknown: true}}}.append(nil)
	if p, err := decodePositions(good); err != nil || p.cuts != 3 || p.at["a"] != (position{length: 5, sum: 9}) || p.at["b"] != (position{length: 300, unknown: true}) || len(p.at) != 2 {
		t.Fatalf("%v, %v", p, err)
	}
	for n := range good {
		if _, err := decodePositions(good[:n]); err == nil {
			t.Errorf("the first %d bytes are taken", n)
		}
	}
	for name, bad := range map[string][]byte{
		"left over": append(good[:len(good):len(good)], 0),
		"version":   append([]byte{3}, good[1:]...),
		"twice":     {1, 1, 2, 1, 'a', 5, 1, 'a', 5},
	} {
		if _, err := decodePositions(bad); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// A commit of a program that kept no checksums is read: they are not known, and are once a file is
// written to.
func TestPositionsWithoutChecksums(t *testing.T) {
	p, err := decodePositions([]byte{1, 3, 2, 1, 'a', 5, 1, 'b', 0})
	if want := (positions{3, map[string]position{"a": {length: 5, unknown: true}, "b": {}}}); err != nil || !reflect.DeepEqual(p, want) {
		t.Fatalf("%+v, %v, want %+v", p, err, want)
	}
	mem := vfs.NewMem()
	d := createDir(t, OnMem(mem), "crawl", true)
	l := linesOf(t, d, "pages.jsonl")
	if err := l.Write("one"); err != nil {
		t.Fatal(err)
	}
	commitCut(t, d)
	at := d.positions.at["pages.jsonl"]
	closeDir(t, d)
	d = openDir(t, OnMem(mem), "crawl")
	d.positions.at["pages.jsonl"] = position{length: at.length, unknown: true}
	if len(d.Committed()) > 0 || d.Verify() != nil {
		t.Errorf("%v is known, %v", d.Committed(), d.Verify())
	}
	linesOf(t, d, "pages.jsonl")
	commitCut(t, d)
	if now := d.positions.at["pages.jsonl"]; now != at {
		t.Errorf("%+v, want %+v", now, at)
	}
	closeDir(t, d)
}

// Whoever changes a file under a running crawl is noticed when it is next written to, or at the
// next commit, and the crawl leaves no hole.
func TestMeddledFileIsNoticed(t *testing.T) {
	for name, meddle := range map[string]func(name string) error{
		"emptied":   func(name string) error { return os.Truncate(name, 0) },
		"cut":       func(name string) error { return os.Truncate(name, 3) },
		"longer":    func(name string) error { return os.WriteFile(name, []byte("a longer file than it was before"), 0o600) },
		"removed":   os.Remove,
		"moved":     func(name string) error { return os.Rename(name, name+".old") },
		"with NULs": func(name string) error { return os.Truncate(name, 100) },
	} {
		for _, more := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", written to ", more), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "crawl")
				d := createDir(t, Disk(), dir, true)
				l := linesOf(t, d, "pages.jsonl")
				if err := l.Write("one"); err != nil {
					t.Fatal(err)
				}
				commitCut(t, d)
				if err := meddle(filepath.Join(dir, "pages.jsonl")); err != nil {
					t.Fatal(err)
				}
				if more {
					if err := l.Write("two"); err != nil {
						t.Fatal(err)
					}
				}
				b := d.DB().NewBatch()
				if err := d.Cut(b); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "while the crawl was running") {
					t.Errorf("the commit: %v", err)
				}
				if err := d.Sync(); !errors.Is(err, ErrDamaged) {
					t.Errorf("the error was forgotten: %v", err)
				}
				if data, err := os.ReadFile(filepath.Join(dir, "pages.jsonl")); err == nil && bytes.Contains(data, []byte("two")) {
					t.Errorf("written all the same: %q", data)
				}
				d.Close()
			})
		}
	}
}

// One flipped bit of a committed file is found, and names the file.
func TestVerify(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "crawl")
	d := createDir(t, Disk(), dir, true)
	for _, name := range scriptFiles {
		l := linesOf(t, d, name)
		for i := range 3000 {
			if err := l.Write(fmt.Sprint(name, " ", i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	commitCut(t, d)
	closeDir(t, d)
	verify := func() error {
		d := openDir(t, Disk(), dir)
		defer closeDir(t, d)
		return d.Verify()
	}
	if err := verify(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, scriptFiles[1])
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{0, 1000, len(data) / 2, len(data) - 2} {
		data[at] ^= 1
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := verify(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), scriptFiles[1]) {
			t.Errorf("byte %d: %v", at, err)
		}
		data[at] ^= 1
	}
	if err := os.WriteFile(name, append(data, "behind the commit"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := verify(); err != nil {
		t.Errorf("with lines behind the commit: %v", err)
	}
}
