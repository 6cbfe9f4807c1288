package report

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crawler/store"
)

// watched is a stream that looks whether the file has a line before it does.
type watched struct {
	bytes.Buffer
	t    *testing.T
	file string
}

func (w *watched) Write(b []byte) (int, error) {
	data, err := os.ReadFile(w.file)
	if err != nil || !bytes.HasSuffix(data, b) {
		w.t.Errorf("streamed before it is in the file: %s, %v", b, err)
	}
	return w.Buffer.Write(b)
}

// What a resumed crawl streams again, since its records were cut off, is marked; what is new is
// not, and the file has no marks.
func TestRepeatedLinesOfTheStream(t *testing.T) {
	name := filepath.Join(t.TempDir(), "crawl")
	file := filepath.Join(name, PagesFile)
	dir, err := store.Create(store.Disk(), name, store.Meta{}, true)
	if err != nil {
		t.Fatal(err)
	}
	out := &watched{t: t, file: file}
	record := func(dir *store.Dir, commit int, urls ...string) {
		t.Helper()
		rec, err := NewRecorder(Config{Dir: dir, Stream: out})
		if err == nil && dir.Resumed() {
			err = rec.Restore(dir.DB())
		}
		for i, u := range urls {
			if err == nil {
				err = rec.Page(visit(t, u, 200, "some", "words"))
			}
			if err == nil && i+1 == commit {
				b := dir.DB().NewBatch()
				if err = errors.Join(rec.Cut(b), dir.Sync()); err == nil {
					err = dir.DB().Commit(b)
				}
			}
		}
		if err := errors.Join(err, rec.Flush(), dir.Close()); err != nil {
			t.Fatal(err)
		}
	}
	record(dir, 2, "http://a.example/1", "http://a.example/2", "http://a.example/3", "http://a.example/4")
	if out.Len() == 0 || strings.Contains(out.String(), "repeated") {
		t.Errorf("the first run streams %s", out)
	}
	out.Reset()
	if dir, err = store.Open(store.Disk(), name); err != nil {
		t.Fatal(err)
	}
	plain := &bytes.Buffer{}
	rec, err := NewRecorder(Config{Dir: dir, Stream: plain})
	if err == nil {
		err = rec.Restore(dir.DB())
	}
	for _, u := range []string{"http://a.example/4", "http://a.example/5", "http://a.example/3"} {
		if err == nil {
			err = rec.Page(visit(t, u, 200, "some", "words"))
		}
	}
	if err := errors.Join(err, rec.Flush(), dir.Close()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(plain.String()), "\n")
	for i, want := range []bool{true, false, true} {
		if got := len(lines) > i && strings.HasSuffix(lines[i], `,"repeated":true}`); got != want {
			t.Errorf("line %d is marked %v, want %v:\n%s", i, got, want, plain)
		}
	}
	if data, err := os.ReadFile(file); err != nil || bytes.Contains(data, []byte("repeated")) || bytes.Count(data, []byte("\n")) != 5 {
		t.Errorf("the file has %s, %v", data, err)
	}
}
