package report

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crawler/chunk"
	"crawler/gate"
	"crawler/store"
	"crawler/weburl"
)

// asked asks for a URL and says what was read.
func asked(t *testing.T, dirs []string, url string) *Story {
	t.Helper()
	u, err := weburl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	s, err := WhyIn(dirs, u, false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// crawled writes the records of a crawl of n pages, and as many refusals.
func crawled(t *testing.T, host string, n int, end bool) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "c")
	d := create(t, store.Disk(), dir, false)
	defer d.Close()
	r, err := NewRecorder(Config{Dir: d})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		take(t, r, []step{{page: visit(t, fmt.Sprintf("http://%s/p%d", host, i), 200)}, {skip: gate.Skip{URL: fmt.Sprintf("http://%s/s%d", host, i), Reason: gate.OutOfScope}}})
		if i%20 == 0 {
			take(t, r, []step{{hop: hop(t, fmt.Sprintf("http://%s/r%d", host, i), fmt.Sprintf("http://%s/p%d", host, i))}})
		}
	}
	if end {
		err = r.End()
	} else {
		err = r.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Over 50 directories a URL that has a record is found by reading one chunk and at most 1 % of the
// others, one that has none by reading at most 1 %; and what is found is what reading all finds.
func TestWhyReadsFewChunks(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine, and takes ten times as long under the race detector")
	}
	var dirs []string
	for i := range 50 {
		dirs = append(dirs, crawled(t, fmt.Sprintf("h%d.example", i), 1024, true))
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	chunks, read := 0, 0
	const asks = 10
	for range asks {
		host, i := rnd.IntN(50), 1+20*rnd.IntN(50)
		s := asked(t, dirs, fmt.Sprintf("http://h%d.example/p%d", host, i))
		chunks = s.Read.Chunks
		if len(s.Pages) != 1 || s.Read.Whole != 0 || float64(s.Read.Read) > 1+0.01*float64(chunks) {
			t.Errorf("present: %d pages, %v", len(s.Pages), s.Read)
		}
		read += s.Read.Read - 1
		s = asked(t, dirs, fmt.Sprintf("http://h%d.example/s%d", host, i))
		if len(s.Refusals) != 1 || float64(s.Read.Read) > 1+0.01*float64(chunks) {
			t.Errorf("refused: %d, %v", len(s.Refusals), s.Read)
		}
		read += s.Read.Read - 1
		s = asked(t, dirs, fmt.Sprintf("http://h%d.example/none%d", host, i))
		if s.Recorded() || float64(s.Read.Read) > 1+0.01*float64(chunks) {
			t.Errorf("absent: %v", s.Read)
		}
		read += s.Read.Read
	}
	if chunks < 50*9 || float64(read) > 0.002*float64(3*asks*chunks) {
		t.Errorf("of %d chunks %d were read in vain by %d questions", chunks, read, 3*asks)
	}
	moved := asked(t, dirs, "http://h7.example/r40")
	if len(moved.Hops) != 1 || moved.End != "status 200" {
		t.Errorf("a redirect: %+v", moved)
	}
	if to := asked(t, dirs, "http://h7.example/p40"); len(to.Pages) != 1 || len(to.LedHere) != 1 {
		t.Errorf("a target: %+v", to)
	}
}

// Every record is found, whatever state the filters are in: of a crawl that runs or was killed, of
// one without any, with filters that are damaged or torn.
func TestWhyFindsWhatFiltersDoNotCover(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	for name, c := range map[string]struct {
		end    bool
		change func(side []byte) []byte
		whole  bool // is read
	}{
		"ended":   {true, nil, false},
		"running": {false, nil, true},
		"older":   {true, func([]byte) []byte { return nil }, true},
		"damaged": {true, func(side []byte) []byte { side[len(side)/2] ^= 1; return side }, true},
		"torn":    {true, func(side []byte) []byte { return side[:len(side)-100] }, true},
		"garbage": {true, func(side []byte) []byte { return bytes.Repeat([]byte("chunk\n"), 1000) }, true},
	} {
		dir := crawled(t, "a.example", 700, c.end)
		file := filepath.Join(dir, ChunksFile)
		if c.change != nil {
			side, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, c.change(side), 0o600); err != nil {
				t.Fatal(err)
			}
			if name == "older" {
				os.Remove(file)
			}
		}
		for i := 0; i < 700; i += 13 {
			page, skip := asked(t, []string{dir}, fmt.Sprintf("http://a.example/p%d", i)), asked(t, []string{dir}, fmt.Sprintf("http://a.example/s%d", i))
			if len(page.Pages) != 1 || len(skip.Refusals) != 1 || page.Read.Whole > 0 != c.whole {
				t.Fatalf("%s: %d: %d pages, %d refusals, %v", name, i, len(page.Pages), len(skip.Refusals), page.Read)
			}
		}
		if hops := asked(t, []string{dir}, "http://a.example/r680"); len(hops.Hops) != 1 || !strings.Contains(hops.Read.String(), "chunk") {
			t.Errorf("%s: %d hops, %v", name, len(hops.Hops), hops.Read)
		}
	}
}

// The filters of a crawl that is killed at any commit, and continues, cover its records as those
// of one that was not, and none of them lies.
func TestChunksSurviveAKill(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	all := steps(t, rng, 1500)
	fs, path := store.Disk(), filepath.Join(t.TempDir(), "c")
	d := create(t, fs, path, true)
	for at := 0; at < len(all); {
		r, err := NewRecorder(Config{Dir: d})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Restore(d.DB()); err != nil {
			t.Fatal(err)
		}
		next := min(at+1+rng.IntN(700), len(all))
		take(t, r, all[at:next])
		at = next
		b := d.DB().NewBatch()
		if err := r.Cut(b); err != nil {
			t.Fatal(err)
		}
		if err := d.Sync(); err != nil {
			t.Fatal(err)
		}
		if err := d.DB().Commit(b); err != nil {
			t.Fatal(err)
		}
		if at == len(all) {
			if err := r.End(); err != nil {
				t.Fatal(err)
			}
		} else { // what comes behind the commit is lost, the filters of it, too
			take(t, r, steps(t, rand.New(rand.NewPCG(uint64(at), 1)), 600))
			if err := r.End(); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if at < len(all) {
			if d, err = store.Open(fs, path); err != nil {
				t.Fatal(err)
			}
		}
	}
	var anew bytes.Buffer
	lengths, covered := map[string]int64{}, map[string]int64{}
	plan, err := askSidecar(path)
	if err != nil || plan.Damaged > 0 {
		t.Fatal(plan, err)
	}
	for _, file := range filtered {
		info, err := os.Stat(filepath.Join(path, file))
		if err != nil {
			t.Fatal(err)
		}
		lengths[file], covered[file] = info.Size(), plan.Covered(file)
		if covered[file] != lengths[file] {
			t.Errorf("%d of %d bytes of %s are covered", covered[file], lengths[file], file)
		}
	}
	if err := WriteChunks(path, lengths, &anew); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(filepath.Join(path, ChunksFile))
	if err != nil || !slices.Equal(sortedLines(kept), sortedLines(anew.Bytes())) {
		t.Errorf("the filters have %d bytes, made anew %d: %v", len(kept), anew.Len(), err)
	}
	for i, s := range all {
		switch {
		case i%23 > 0:
		case s.page != nil && len(asked(t, []string{path}, s.page.URL.String()).Pages) == 0,
			s.page == nil && s.hop == nil && len(asked(t, []string{path}, s.skip.URL).Refusals) == 0:
			t.Errorf("record %d is not found", i)
		}
	}
}

// sortedLines are the lines of a file: entries of several files stand in it as they were full.
func sortedLines(data []byte) []string { return slices.Sorted(strings.Lines(string(data))) }

// What keeping filters costs of a record.
func BenchmarkFilters(b *testing.B) {
	builder, line, at := chunk.NewBuilder(chunk.URLs, PagesFile, 0), []byte(nil), int64(0)
	urls := make([]string, 4096)
	for i := range urls {
		urls[i] = fmt.Sprintf("https://www.a.example/docs/section-%d/page-%d.html", i%100, i)
	}
	n := 0
	for b.Loop() {
		at += 500
		if builder.Add(at, chunk.OfURL(urls[n%len(urls)])) {
			line, _ = builder.Close(line[:0])
		}
		n++
	}
}
