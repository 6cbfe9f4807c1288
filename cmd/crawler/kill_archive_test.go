package main

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"

	"crawler/internal/crawltest"
)

// numberField is a field of every answer: its number.
const numberField = "X-Number"

// numbered is a site whose every answer has a number, so that an archive can be asked for it.
type numbered struct {
	http.Handler
	mu      sync.Mutex
	answers []string // paths, by number; guarded by mu
}

func (n *numbered) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	w.Header().Set(numberField, strconv.Itoa(len(n.answers)))
	n.answers = append(n.answers, r.URL.Path)
	n.mu.Unlock()
	n.Handler.ServeHTTP(w, r)
}

// forget begins to count anew.
func (n *numbered) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers = nil
}

// checkArchive wants every answer that the site has given to be in the archive once, except those
// that were under way or behind the last commit when the crawl was killed, at most so many a
// kill; of these, as of every path, another one must be there.
func (n *numbered) checkArchive(t *testing.T, dir string, kills int) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	times := make([]int, len(n.answers))
	files := map[string]bool{}
	for _, r := range crawltest.ReadArchive(t, dir) {
		files[r.File] = true
		if !r.IsAnswer() {
			continue
		}
		number, err := strconv.Atoi(r.HTTP(t).Header.Get(numberField))
		if err != nil || number >= len(times) {
			t.Fatalf("%s at %d: answer %d of %d: %v", r.File, r.Offset, number, len(times), err)
		}
		times[number]++
	}
	lost, kept := 0, map[string]bool{}
	for number, path := range n.answers {
		switch times[number] {
		case 0:
			lost++
		case 1:
			kept[path] = true
		default:
			t.Errorf("answer %d, to %s, is in the archive %d times", number, path, times[number])
		}
	}
	for _, path := range slices.Compact(slices.Sorted(slices.Values(n.answers))) {
		if !kept[path] {
			t.Errorf("no answer to %s is in the archive", path)
		}
	}
	if lost > kills*mostAgain || len(times) == 0 {
		t.Errorf("%d of %d answers are not in the archive, after %d kills", lost, len(times), kills)
	}
	t.Logf("archive of %d files: %d answers, each once, but for %d under way or not committed at %d kills", len(files), len(times), lost, kills)
}
