package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/crawltest"
)

// archivedSite has 40 pages in a chain; two each have one payload, and two each nearly one text.
func archivedSite(w http.ResponseWriter, r *http.Request) {
	n, err := fmt.Sscanf(r.URL.Path, "/p/%d", new(int))
	page := 0
	fmt.Sscanf(r.URL.Path, "/p/%d", &page)
	if r.URL.Path != "/" && (n != 1 || err != nil || page >= 40) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	if r.URL.Path == "/" {
		for i := range 40 {
			fmt.Fprintf(w, "<a href=/p/%d>x</a> ", i)
		}
		return
	}
	rng := rand.New(rand.NewPCG(uint64(page/4), 1))
	for range 400 {
		fmt.Fprintf(w, "w%d ", rng.IntN(100_000))
	}
	if page%4 >= 2 { // 4k and 4k+1 have one payload; 4k+2 and 4k+3 nearly that text
		fmt.Fprintf(w, "but%d", page)
	}
}

// keptArchive crawls archivedSite into files of some ten pages; pages as in --max-pages.
func keptArchive(t *testing.T, pages int, more ...string) (url, dir string) {
	t.Helper()
	url, dir = crawltest.Serve(t, http.HandlerFunc(archivedSite)), filepath.Join(t.TempDir(), "whole")
	args := append([]string{"crawl", url + "/", "-o", dir, "-q", "--delay", "0", "--min-free", "0", "--warc", "--warc-size", "14KiB", "--max-pages", fmt.Sprint(pages)}, more...)
	if code, out := exit(args...); code != shell.ExitOK {
		t.Fatalf("exit %d: %s", code, out)
	}
	return url, dir
}

// archiveFiles are the files of an archive with records of pages, in order.
func archiveFiles(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "archive", "*.warc.*"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, "near") || strings.Contains(name, "damaged") })
}

// got reports whether the archive has the body of a URL.
func got(dir, url string) bool {
	code, out := exit("archive", "get", dir, url)
	return code == shell.ExitOK && strings.Contains(out, "w")
}

// Whatever happens to a file of the archive, check names the pages whose answers are lost by it,
// and no others; --repair takes what is left for the whole; then the crawl continues, and every
// answer can be had that was not named.
func TestDamageOfTheArchiveIsRepaired(t *testing.T) {
	t.Parallel()
	wreck := map[string]func(data []byte) []byte{
		"removed":       func([]byte) []byte { return nil },
		"emptied":       func([]byte) []byte { return []byte{} },
		"cut":           func(data []byte) []byte { return data[:len(data)/2] },
		"a hole":        func(data []byte) []byte { clear(data[len(data)/2 : len(data)/2+300]); return data },
		"a bit flipped": func(data []byte) []byte { data[len(data)/2] ^= 4; return data },
		"the beginning": func(data []byte) []byte { clear(data[:100]); return data },
	}
	// By compression; the number says which file: 0 the first, 2 the last.
	cases := map[string][]string{"": {"removed 2", "cut 1"}, "zstd": {"a hole 0"}}
	switch {
	case os.Getenv("CRAWLER_ALL_DAMAGES") != "":
		all := []string{}
		for name := range wreck {
			all = append(all, name+" 0", name+" 1", name+" 2")
		}
		cases = map[string][]string{"": all, "zstd": all}
	case testing.Short():
		cases = map[string][]string{"": {"cut 1"}}
	}
	for format, list := range cases {
		var more []string
		if format != "" {
			more = []string{"--warc-compress", format}
		}
		url, whole := keptArchive(t, 30, more...)
		n := len(archiveFiles(t, whole))
		if n < 3 {
			t.Fatalf("%d files", n)
		}
		for _, c := range list {
			name, place := c[:len(c)-2], int(c[len(c)-1]-'0')
			t.Run(c+format, func(t *testing.T) {
				repairsArchive(t, url, whole, []int{0, n / 2, n - 1}[place], name, wreck[name])
			})
		}
	}
}

func repairsArchive(t *testing.T, url, whole string, i int, name string, do func([]byte) []byte) {
	dir := filepath.Join(t.TempDir(), "c")
	if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	path := archiveFiles(t, dir)[i]
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if data = do(data); data == nil {
		err = os.Remove(path)
	} else {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	lost := namedAsLost(t, dir, name)
	repair := []string{"check", dir, "--repair"}
	if name == "removed" || name == "emptied" {
		if code, out := exit(repair...); code != shell.ExitFailed || !strings.Contains(out, "--accept-loss") {
			t.Errorf("check --repair exits %d: %s", code, out)
		}
		repair = append(repair, "--accept-loss")
	}
	if code, out := exit(repair...); code != shell.ExitOK || !strings.Contains(out, "done: ") {
		t.Fatalf("check --repair exits %d: %s", code, out)
	}
	answersStand(t, url, dir, 30, lost)
	for _, more := range []string{"35", "0"} {
		if code, out := exit("resume", dir, "-q", "--max-pages", more); code != shell.ExitOK {
			t.Fatalf("resume exits %d: %s", code, out)
		}
		answersStand(t, url, dir, 40, lost)
	}
	if code, out := exit("archive", "get", dir, url+"/p/39"); code != shell.ExitOK {
		t.Errorf("a page that came after the repair: exit %d: %s", code, out)
	}
}

// namedAsLost returns the URLs that check says are lost.
func namedAsLost(t *testing.T, dir, how string) map[string]bool {
	t.Helper()
	_, out := exit("check", dir, "--json")
	var o struct {
		Findings []struct {
			File, Costs, Remedy string
			Lost                []string `json:"lost_urls"`
		}
	}
	dec := json.NewDecoder(strings.NewReader(out[strings.Index(out, "{"):]))
	if err := dec.Decode(&o); err != nil || len(o.Findings) != 1 || !strings.HasPrefix(o.Findings[0].File, "archive/") || o.Findings[0].Remedy == "" {
		t.Fatalf("%v: %s", err, out)
	}
	lost := map[string]bool{}
	for _, url := range o.Findings[0].Lost {
		lost[url] = true
	}
	if len(lost) > 0 && (how == "a bit flipped" || how == "the beginning") || len(lost) == 0 && (how == "removed" || how == "emptied") {
		t.Errorf("%d URLs are named: %s", len(lost), out)
	}
	if len(lost) > 25 {
		t.Errorf("%d URLs are named for one of several files", len(lost))
	}
	return lost
}

// answersStand wants the archive to be sound and to have the answers of all pages in pages.jsonl,
// and of at least so many, but for those that are lost.
func answersStand(t *testing.T, url, dir string, n int, lost map[string]bool) {
	t.Helper()
	if code, out := exit("check", dir); code != shell.ExitOK {
		t.Errorf("check exits %d: %s", code, out)
	}
	if code, out := exit("archive", "verify", dir); code != shell.ExitOK {
		t.Errorf("archive verify exits %d: %s", code, out)
	}
	pages, err := os.ReadFile(filepath.Join(dir, "pages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for line := range strings.Lines(string(pages)) {
		var p struct{ URL string }
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		if checked++; p.URL != url+"/" && got(dir, p.URL) == lost[p.URL] {
			t.Errorf("%s can be had: %v", p.URL, lost[p.URL])
		}
	}
	if checked < min(n, 30) {
		t.Errorf("%d pages", checked)
	}
}
