package store

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

var testMeta = Meta{
	Version: "1.2", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	Seeds: []string{"http://a.test/"}, Flags: map[string][]string{"depth": {"3"}},
}

func createDir(t *testing.T, fsys FS, dir string, durable bool) *Dir {
	t.Helper()
	d, err := Create(fsys, dir, testMeta, durable)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func closeDir(t *testing.T, d *Dir) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func openDir(t *testing.T, fsys FS, dir string) *Dir {
	t.Helper()
	d, err := Open(fsys, dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func openLinesOf(t *testing.T, d *Dir, name string) *Lines {
	t.Helper()
	l, err := d.Lines(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func commitCut(t *testing.T, d *Dir) {
	t.Helper()
	b := d.DB().NewBatch()
	if err := errors.Join(d.Cut(b), d.Sync(), d.DB().Commit(b)); err != nil {
		t.Fatal(err)
	}
}

func TestCreateThenOpenOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "crawl")
	d := createDir(t, Disk(), dir, true)
	if free, err := d.Free(); err != nil || free < 1<<20 || free == math.MaxInt64 {
		t.Errorf("%d bytes free, %v", free, err)
	}
	l := openLinesOf(t, d, "pages.jsonl")
	if err := l.Write("kept"); err != nil {
		t.Fatal(err)
	}
	commitCut(t, d)
	if err := errors.Join(l.Write("lost"), l.Write("lost, too")); err != nil {
		t.Fatal(err)
	}
	closeDir(t, d)

	info, err := os.Stat(filepath.Join(dir, metaFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("crawl.json has mode %v, %v", info.Mode(), err)
	}
	d = openDir(t, Disk(), dir)
	defer closeDir(t, d)
	want := testMeta
	want.Format = Format
	if !reflect.DeepEqual(d.Meta(), want) || !d.Resumed() || !d.Durable() || d.Path() != dir {
		t.Errorf("opened %+v, resumed %v, durable %v", d.Meta(), d.Resumed(), d.Durable())
	}
	openLinesOf(t, d, "pages.jsonl")
	if got, want := d.Cuts(), []CutLine{{"pages.jsonl", 2, int64(len("\"lost\"\n\"lost, too\"\n"))}}; !reflect.DeepEqual(got, want) {
		t.Errorf("cut %v, want %v", got, want)
	}
	data, err := os.ReadFile(filepath.Join(dir, "pages.jsonl"))
	if err != nil || string(data) != "\"kept\"\n" {
		t.Errorf("pages.jsonl has %q, %v", data, err)
	}
}

// A process has one crawl directory once, under any of its names.
func TestLockHoldsWithinAProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "crawl")
	d := createDir(t, Disk(), dir, true)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{dir, dir + "/../crawl", link} {
		if _, err := Open(Disk(), name); !errors.Is(err, ErrLocked) {
			t.Errorf("Open(%s): %v", name, err)
		}
		if _, err := OpenRead(Disk(), name); !errors.Is(err, ErrLocked) {
			t.Errorf("OpenRead(%s): %v", name, err)
		}
		if _, err := Create(Disk(), name, testMeta, true); !errors.Is(err, ErrLocked) || !errors.Is(err, ErrExists) {
			t.Errorf("Create(%s): %v", name, err)
		}
	}
	closeDir(t, d)
	closeDir(t, openDir(t, Disk(), dir))
}

func TestRefusals(t *testing.T) {
	put := func(t *testing.T, fsys FS, name, text string) {
		t.Helper()
		if err := errors.Join(fsys.MkdirAll(fsys.PathDir(name), 0o755), writeSynced(fsys, name, []byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		open  error
		says  string
	}{
		{"no directory", nil, ErrNoCrawl, "/dir"},
		{"other files", map[string]string{"note.txt": "x"}, ErrNoCrawl, "crawl.json"},
		{"not durable", map[string]string{"pages.jsonl": "{}\n"}, ErrNotDurable, "/dir"},
		{"newer", map[string]string{"crawl.json": `{"format": 2, "seeds": "of another type"}`}, ErrNewer, "format 2"},
		{"no format", map[string]string{"crawl.json": `{"seeds": []}`}, ErrDamaged, "format 0"},
		{"torn", map[string]string{"crawl.json": `{"format": 1, "se`}, ErrDamaged, "crawl.json"},
		{"another shape", map[string]string{"crawl.json": `{"format": 1, "seeds": 3}`}, ErrDamaged, "crawl.json"},
		{"state lost", map[string]string{"crawl.json": `{"format": 1}`, "pages.jsonl": "{}\n"}, ErrDamaged, "pages.jsonl"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := OnMem(vfs.NewMem())
			for name, text := range tt.files {
				put(t, fsys, "/dir/"+name, text)
			}
			for range 2 { // a refusal does not keep the lock
				if _, err := Open(fsys, "/dir"); !errors.Is(err, tt.open) || !strings.Contains(err.Error(), tt.says) {
					t.Fatalf("Open: %v, want %v and %q", err, tt.open, tt.says)
				}
			}
			_, err := Create(fsys, "/dir", testMeta, true)
			if used := len(tt.files) > 0 && tt.name != "other files"; errors.Is(err, ErrExists) != used {
				t.Errorf("Create: %v", err)
			}
		})
	}
}

// A start that was cut short after crawl.json is completed by Open.
func TestOpenCompletesAStart(t *testing.T) {
	fsys := OnMem(vfs.NewMem())
	if err := errors.Join(fsys.MkdirAll("/dir", 0o755), writeSynced(fsys, "/dir/crawl.json", []byte(`{"format":1}`))); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenRead(fsys, "/dir"); !errors.Is(err, ErrNoCrawl) {
		t.Errorf("OpenRead: %v", err)
	}
	for range 2 {
		d := openDir(t, fsys, "/dir")
		if d.Resumed() {
			t.Error("nothing was committed, and it says resumed")
		}
		closeDir(t, d)
	}
	d := openDir(t, fsys, "/dir")
	b := d.DB().NewBatch()
	b.Put([]byte("mx"), []byte{1})
	if err := d.DB().Commit(b); err != nil {
		t.Fatal(err)
	}
	closeDir(t, d)
	if d = openDir(t, fsys, "/dir"); !d.Resumed() {
		t.Error("the coordinator committed, and it does not say resumed")
	}
	closeDir(t, d)
}

func TestNotDurable(t *testing.T) {
	fsys := OnMem(vfs.NewMem())
	d := createDir(t, fsys, "/dir", false)
	if d.Durable() || d.DB() != nil || d.Resumed() {
		t.Error("it says that it is durable")
	}
	if err := openLinesOf(t, d, "pages.jsonl").Write(1); err != nil {
		t.Fatal(err)
	}
	closeDir(t, d)
	names, err := fsys.List("/dir")
	if err != nil || len(names) != 2 {
		t.Errorf("wrote %v, %v", names, err)
	}
	if data, err := readFile(fsys, "/dir/pages.jsonl", 100); string(data) != "1\n" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := Create(fsys, "/dir", testMeta, false); !errors.Is(err, ErrExists) || errors.Is(err, ErrLocked) {
		t.Errorf("Create again: %v", err)
	}
}

func TestOpenReadChangesNothing(t *testing.T) {
	mem := vfs.NewMem()
	fsys := OnMem(mem)
	d := createDir(t, fsys, "/dir", true)
	l := openLinesOf(t, d, "pages.jsonl")
	if err := l.Write("kept"); err != nil {
		t.Fatal(err)
	}
	commitCut(t, d)
	if err := l.Write("not committed"); err != nil {
		t.Fatal(err)
	}
	closeDir(t, d)
	before := mem.String()
	d, err := OpenRead(fsys, "/dir")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := d.DB().Get([]byte(positionsKey)); err != nil || v == nil {
		t.Errorf("positions %v, %v", v, err)
	}
	if _, err := d.Lines("pages.jsonl"); err == nil {
		t.Error("Lines of a directory that is open for reading")
	}
	b := d.DB().NewBatch()
	if d.Cut(b) == nil || d.SetMeta(testMeta) == nil || d.DB().Commit(b) == nil {
		t.Error("a change of a directory that is open for reading")
	}
	closeDir(t, d)
	if after := mem.String(); after != before {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
}

func TestSetMeta(t *testing.T) {
	fsys := OnMem(vfs.NewMem())
	d := createDir(t, fsys, "/dir", true)
	m := testMeta
	m.Flags = map[string][]string{"max-pages": {"20"}}
	if err := d.SetMeta(m); err != nil {
		t.Fatal(err)
	}
	closeDir(t, d)
	got, err := ReadMeta(fsys, "/dir")
	if m.Format = Format; err != nil || !reflect.DeepEqual(got, m) || !reflect.DeepEqual(d.Meta(), m) {
		t.Errorf("%+v, %v", got, err)
	}
	data, err := m.encode(metaLimit)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.encode(len(data)); err != nil {
		t.Error(err)
	}
	if _, err := m.encode(len(data) - 1); err == nil {
		t.Error("a crawl.json longer than the limit is taken")
	}
}

// Files that have lost what was committed are refused, not repaired.
func TestDamagedLines(t *testing.T) {
	for name, damage := range map[string]func(FS) error{
		"missing": func(f FS) error { return f.Remove("/dir/pages.jsonl") },
		"shorter": func(f FS) error { return f.Truncate("/dir/pages.jsonl", 3) },
		"other":   func(f FS) error { return writeSynced(f, "/dir/pages.jsonl", []byte(strings.Repeat("x", 100))) },
	} {
		fsys := OnMem(vfs.NewMem())
		d := createDir(t, fsys, "/dir", true)
		if err := openLinesOf(t, d, "pages.jsonl").Write("a line"); err != nil {
			t.Fatal(err)
		}
		commitCut(t, d)
		closeDir(t, d)
		if err := damage(fsys); err != nil {
			t.Fatal(err)
		}
		d = openDir(t, fsys, "/dir")
		if _, err := d.Lines("pages.jsonl"); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "pages.jsonl") {
			t.Errorf("%s: %v", name, err)
		}
		closeDir(t, d)
	}
}

// A file that a run does not open keeps its position.
func TestCutKeepsOtherFiles(t *testing.T) {
	fsys := OnMem(vfs.NewMem())
	d := createDir(t, fsys, "/dir", true)
	for _, name := range []string{"pages.jsonl", "edges.jsonl"} {
		if err := openLinesOf(t, d, name).Write(name); err != nil {
			t.Fatal(err)
		}
	}
	commitCut(t, d)
	closeDir(t, d)
	d = openDir(t, fsys, "/dir")
	openLinesOf(t, d, "pages.jsonl")
	commitCut(t, d)
	closeDir(t, d)
	d = openDir(t, fsys, "/dir")
	defer closeDir(t, d)
	openLinesOf(t, d, "edges.jsonl")
	if cuts := d.Cuts(); len(cuts) > 0 {
		t.Errorf("cut %v", cuts)
	}
}

func TestFreeOfAnUnknownSystem(t *testing.T) {
	mem := vfs.NewMem()
	d := createDir(t, OnMem(mem), "/dir", false)
	defer closeDir(t, d)
	mem.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 77})
	if free, err := d.Free(); free != 77 || err != nil {
		t.Errorf("%d, %v", free, err)
	}
	d.fs = Wrap(unknownUsage{mem}, nil)
	if free, err := d.Free(); free != math.MaxInt64 || err != nil {
		t.Errorf("%d, %v", free, err)
	}
}

type unknownUsage struct{ vfs.FS }

func (unknownUsage) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{}, vfs.ErrUnsupported
}

func TestTruncate(t *testing.T) {
	dir := t.TempDir()
	for name, fsys := range map[string]FS{filepath.Join(dir, "f"): Disk(), "/f": OnMem(vfs.NewMem())} {
		if err := writeSynced(fsys, name, []byte("0123456789")); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"0123456789", "0123", ""} { // the first has that size already
			if err := fsys.Truncate(name, int64(len(want))); err != nil {
				t.Fatal(err)
			}
			if data, err := readFile(fsys, name, 100); string(data) != want || err != nil {
				t.Errorf("%s: %q, %v, want %q", name, data, err, want)
			}
		}
		if err := fsys.Truncate(name+"x", 0); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("no such file: %v", err)
		}
	}
}
