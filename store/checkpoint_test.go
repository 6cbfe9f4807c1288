package store

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// copied makes a crawl directory of a checkpoint.
func copied(t *testing.T, files []CheckpointFile) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	for _, f := range files {
		from, err := os.Open(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(to, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		out, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(out, from, f.Size); err != nil {
			t.Fatal(f.Name, err)
		}
		from.Close()
		out.Close()
	}
	return to
}

// A checkpoint of a crawl that goes on is the crawl at its last commit: its lines, its state and
// its log, whatever is written behind that, and its lines that are not committed are not in it.
func TestCheckpoint(t *testing.T) {
	name := filepath.Join(t.TempDir(), "crawl")
	d, err := Create(Disk(), name, Meta{Seeds: []string{"http://a.test/"}, Created: time.Unix(0, 0)}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l, err := d.Lines("pages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	commit := func(n int) {
		b := d.DB().NewBatch()
		for i := range 50 {
			if err := l.Write(map[string]int{"page": 50*n + i}); err != nil {
				t.Fatal(err)
			}
			b.Put(fmt.Appendf(nil, "m%d/%d", n, i), make([]byte, 400))
		}
		if err := d.Cut(b); err != nil {
			t.Fatal(err)
		}
		if err := d.Sync(); err != nil {
			t.Fatal(err)
		}
		if err := d.DB().Commit(b); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 3 {
		commit(n)
		at := l.Len()
		if err := l.Write("not committed"); err != nil {
			t.Fatal(err)
		}
		if err := l.Flush(); err != nil {
			t.Fatal(err)
		}
		files, err := d.Checkpoint(filepath.Join(filepath.Dir(name), fmt.Sprint("checkpoint", n)))
		if err != nil {
			t.Fatal(err)
		}
		c, err := Open(Disk(), copied(t, files))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Verify(); err != nil {
			t.Error(err)
		}
		lines, err := c.Lines("pages.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		if got := lines.Len(); got != at || len(c.Cuts()) != 0 {
			t.Errorf("checkpoint %d has %d bytes of lines and cuts %v, the commit %d", n, got, c.Cuts(), at)
		}
		for k := range 3 {
			v, err := c.DB().Get(fmt.Appendf(nil, "m%d/49", k))
			if err != nil || (v != nil) != (k <= n) {
				t.Errorf("checkpoint %d has record %d: %v (%v)", n, k, v != nil, err)
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
