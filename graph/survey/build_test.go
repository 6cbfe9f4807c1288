package survey

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"crawler/graph"
	"crawler/report"
	"crawler/store"
)

func contextEnded(t testing.TB) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx, cancel
}

// nothingLeft fails if a directory has temporary folders of builds.
func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(dir, tempPrefix+"*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// What is wrong with a crawl is said, and an older graph stays.
func TestBuildRefuses(t *testing.T) {
	t.Run("no links", func(t *testing.T) {
		dir := small(t)
		if err := os.Remove(filepath.Join(dir, report.LinksFile)); err != nil {
			t.Fatal(err)
		}
		if _, err := Build(t.Context(), Config{Dir: dir}); !errors.Is(err, ErrNoLinks) {
			t.Errorf("%v", err)
		}
	})
	for name, spoil := range map[string]func(t *testing.T, dir string) error{
		"damaged links": func(t *testing.T, dir string) error {
			name := filepath.Join(dir, report.LinksFile)
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for i := range data { // of every record
				if i+1 < len(data) && data[i+1] == '\n' {
					data[i] ^= 1
				}
			}
			return os.WriteFile(name, data, 0o644)
		},
		"damaged pages": func(t *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, report.PagesFile), []byte("{\"url\":\n"), 0o644)
		},
		"damaged refusals": func(t *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, report.SkippedFile), []byte("no JSON\n"), 0o644)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := small(t)
			before, err := Build(t.Context(), Config{Dir: dir})
			if err := errors.Join(err, spoil(t, dir)); err != nil {
				t.Fatal(err)
			}
			if _, err = Build(t.Context(), Config{Dir: dir}); err == nil || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("built: %v", err)
			}
			if name == "damaged links" != errors.Is(err, report.ErrLinks) {
				t.Errorf("%v", err)
			}
			nothingLeft(t, dir)
			if m, err := ReadManifest(dir); err != nil || !reflect.DeepEqual(m, before) {
				t.Errorf("the older graph is %+v, %v", m, err)
			}
		})
	}
	dir := small(t)
	for _, c := range []Config{{Dir: dir, Memory: 1}, {Dir: dir, Params: graph.Params{Window: -1, ZetaK: 3}}, {Dir: filepath.Join(dir, "none")}} {
		if _, err := Build(t.Context(), c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
	nothingLeft(t, dir)
}

// An interrupted build leaves nothing. What one that was killed has left is swept away by the next,
// and what another one works in is not.
func TestBuildInterrupted(t *testing.T) {
	dir := small(t)
	ended, cancel := contextEnded(t)
	defer cancel()
	if _, err := Build(ended, Config{Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	nothingLeft(t, dir)
	temp := func(name string) string { return filepath.Join(dir, tempPrefix+name) }
	killed, begun, abandoned, used := temp("1"), temp("2"), temp("3"), temp("4")
	long := time.Now().Add(-2 * unlocked)
	for _, name := range []string{killed, killed + oldSuffix, begun, abandoned, used} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	inUse, err := store.Disk().Lock(used + lockSuffix)
	if err := errors.Join(err, os.WriteFile(killed+lockSuffix, nil, 0o600), os.Chtimes(abandoned, long, long)); err != nil {
		t.Fatal(err)
	}
	defer inUse.Close()
	for range 2 { // the second replaces the first
		if _, err := Build(t.Context(), Config{Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, tempPrefix+"*")); !reflect.DeepEqual(left, []string{begun, used, used + lockSuffix}) {
		t.Errorf("%v is left", left)
	}
}

// One bad record of links costs its own page's links and no others, and is counted.
func TestBuildLeavesOutBadRecords(t *testing.T) {
	dir := small(t)
	whole, err := Build(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, report.LinksFile)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var of []int // links of each record
	if err := report.ReadLinks(dir, func(p *report.PageLinks) error {
		of = append(of, 0)
		for p.Next() {
			of[len(of)-1]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(of)
	// A line end that is gone costs two records; without its end the last is being written.
	most := int64(of[len(of)-1] + of[len(of)-2])
	for at := bytes.IndexByte(data, '\n'); at < len(data)-1; at += 17 {
		data[at] ^= 1
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		data[at] ^= 1
		m, err := Build(t.Context(), Config{Dir: dir})
		if err != nil || m.BadRecords == 0 || m.BadRecords > 2 {
			t.Fatalf("byte %d: %d bad records of %d, %v", at, m.BadRecords, len(of), err)
		}
		if lost := whole.Links - m.Links; lost < 0 || lost > most {
			t.Errorf("byte %d: %d of %d links are left, two records have %d at most", at, m.Links, whole.Links, most)
		}
	}
}

// A crawl that runs: its graph is of what it has recorded, and then stale. Torn lines at the ends
// of the files are left out.
func TestBuildOfRunningCrawl(t *testing.T) {
	r := newRecorded(t)
	for _, open := range []func() error{
		func() error { _, err := Open(r.dir); return err },
		func() error { _, err := Check(r.dir); return err },
	} {
		if err := open(); !errors.Is(err, ErrMissing) {
			t.Errorf("%v", err)
		}
	}
	r.add(r.page("http://h/", 200, "http://h/a"))
	if err := r.rec.Flush(); err != nil {
		t.Fatal(err)
	}
	s := built(t, Config{Dir: r.dir})
	if m, err := Check(r.dir); err != nil || !reflect.DeepEqual(m, s.Manifest) || m.Nodes != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	r.add(r.page("http://h/a", 200, "http://h/b", "http://h/"))
	if err := r.rec.Flush(); err != nil {
		t.Fatal(err)
	}
	if m, err := Check(r.dir); !errors.Is(err, ErrStale) || m.Nodes != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	for _, name := range []string{report.LinksFile, report.PagesFile, report.SkippedFile} {
		f, err := os.OpenFile(filepath.Join(r.dir, name), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString("@{\"url\":\"http://h/torn")
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if s := built(t, Config{Dir: r.dir}); s.Manifest.Nodes != 3 || s.Manifest.Links != 3 {
		t.Errorf("%+v", s.Manifest)
	}
	r.end()
}

// A crawl that recorded nothing has an empty graph, of which there is nothing to report.
func TestEmptyCrawl(t *testing.T) {
	s := built(t, Config{Dir: newRecorded(t).end()})
	if s.Manifest.Nodes != 0 || s.Manifest.Sheet("x") == nil {
		t.Errorf("%+v", s.Manifest)
	}
	_, stats := s.Stats(t.Context(), StatsConfig{})
	_, reach := s.ReachAll(t.Context(), ReachConfig{})
	_, rank := s.Rank(t.Context(), RankConfig{})
	_, clicks := s.Clicks(t.Context(), ClicksConfig{})
	for _, err := range []error{stats, reach, rank, clicks} {
		if !errors.Is(err, ErrEmpty) {
			t.Errorf("%v", err)
		}
	}
	if err := s.Export(t.Context(), CSV, filepath.Join(t.TempDir(), "out")); err != nil {
		t.Error(err)
	}
}

// Verbs end when their context does.
func TestInterrupted(t *testing.T) {
	s := built(t, Config{Dir: small(t)})
	ended, cancel := contextEnded(t)
	defer cancel()
	_, stats := s.Stats(ended, StatsConfig{})
	_, reach := s.ReachAll(ended, ReachConfig{})
	_, rank := s.Rank(ended, RankConfig{})
	_, clicks := s.Clicks(ended, ClicksConfig{})
	for i, err := range []error{stats, reach, rank, clicks} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("verb %d: %v", i, err)
		}
	}
}

// Files that were changed by others are refused, and say what to do.
func TestOpenDamaged(t *testing.T) {
	dir := small(t)
	if _, err := Build(t.Context(), Config{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{nodesFile, "links.properties", "links-t.offsets", "links.urls", manifestFile} {
		path := filepath.Join(dir, Folder, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, content := range [][]byte{nil, whole[:min(len(whole)/2, 100)], bytes.Repeat([]byte{'x'}, maxManifest+1)} {
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
			if s, err := Open(dir); err == nil {
				s.Close()
				t.Errorf("%s of %d bytes is taken", name, len(content))
			} else if !strings.Contains(err.Error(), path) {
				t.Errorf("%s: the error does not name it: %v", name, err)
			}
		}
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, Folder), manifestFile, `{"format":4}`)
	if _, err := Open(dir); !errors.Is(err, ErrMissing) {
		t.Errorf("another format: %v", err)
	}
}

// FuzzNodes gives the reader any bytes: it returns what is written again as it was, or an
// error.
func FuzzNodes(f *testing.F) {
	whole := newNodes(3)
	for i, n := range []Node{{Outcome: Page, Status: 200, Depth: 7, HTML: true}, {Outcome: Failed, Reason: "timeout"}, {Seed: true}} {
		if err := whole.set(i, n); err != nil || whole.at(i) != n {
			f.Fatalf("%+v is %+v, %v", n, whole.at(i), err)
		}
	}
	f.Add(whole.bytes())
	f.Add(newNodes(0).bytes())
	f.Add([]byte(nodesMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, b := range [][]byte{data, sealed(data)} {
			n, err := parseNodes(b)
			if err != nil {
				continue
			}
			for i := range n.count() {
				if n.at(i).String() == "" {
					t.Errorf("node %d: %+v", i, n.at(i))
				}
			}
			if again, err := parseNodes(n.bytes()); err != nil || again.count() != n.count() {
				t.Errorf("it does not read what it writes: %v", err)
			}
		}
	})
}

// sealed gives bytes the checksum that they need to be looked into.
func sealed(data []byte) []byte {
	if len(data) < 4 {
		return data
	}
	body := bytes.Clone(data[:len(data)-4])
	return binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, castagnoli))
}
