package store

import (
	"errors"
	"fmt"
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
	l, err := openLines(Wrap(shortFS{mem, room}, OnMem(mem).Truncate), "/f", 0)
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

func TestLinesForms(t *testing.T) {
	mem := vfs.NewMem()
	l, err := openLines(OnMem(mem), "/f", 0)
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
	l, err := openLines(OnMem(vfs.NewMem()), "/f", 0)
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
	f.Add(positions{7, map[string]int64{"pages.jsonl": 1 << 40, "skipped.jsonl": 0}}.append(nil))
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
	good := positions{3, map[string]int64{"a": 5, "b": 300}}.append(nil)
	if p, err := decodePositions(good); err != nil || p.cuts != 3 || p.at["a"] != 5 || p.at["b"] != 300 || len(p.at) != 2 {
		t.Fatalf("%v, %v", p, err)
	}
	for n := range good {
		if _, err := decodePositions(good[:n]); err == nil {
			t.Errorf("the first %d bytes are taken", n)
		}
	}
	for name, bad := range map[string][]byte{
		"left over": append(good[:len(good):len(good)], 0),
		"version":   append([]byte{2}, good[1:]...),
		"twice":     {1, 1, 2, 1, 'a', 5, 1, 'a', 5},
	} {
		if _, err := decodePositions(bad); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
