package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"crawler/cmd/crawler/internal/shell"
)

// A WACZ opens in ReplayWeb.page under chromium: title and number of links are those of the live
// page. What it needs is given by variables: CRAWLER_CHROMIUM is the browser, CRAWLER_REPLAYWEB a
// directory with ui.js and sw.js of the npm package replaywebpage, CRAWLER_PUPPETEER the file
// puppeteer-core's package.json names as main. node must be installed.
func TestWACZReplays(t *testing.T) {
	chromium, files, puppeteer := os.Getenv("CRAWLER_CHROMIUM"), os.Getenv("CRAWLER_REPLAYWEB"), os.Getenv("CRAWLER_PUPPETEER")
	node, err := exec.LookPath("node")
	if chromium == "" || files == "" || puppeteer == "" || err != nil {
		t.Skip("no WACZ is replayed: CRAWLER_CHROMIUM, CRAWLER_REPLAYWEB and CRAWLER_PUPPETEER name what that needs, beside node")
	}
	live := os.Getenv("CRAWLER_LIVE") // a site of one's own
	if live == "" {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<title>Page %s – ä</title><link rel=stylesheet href=/style.css><a href=/one>one</a> <a href='two?a=b&amp;c=d'>two</a> <a href=/three>three</a>", r.URL.Path)
		}))
		defer site.Close()
		live = site.URL + "/one"
	}
	dir, www := filepath.Join(t.TempDir(), "c"), t.TempDir()
	for _, args := range [][]string{
		{"crawl", live, "-o", dir, "--warc", "--delay", "0", "-q", "--allow-private"}, {"archive", "wacz", dir, "-o", filepath.Join(www, "a.wacz")}, {"archive", "verify", dir},
	} {
		if code, out := exit(args...); code != shell.ExitOK {
			t.Fatalf("%v exits %d: %s", args, code, out)
		}
	}
	if err := os.Mkdir(filepath.Join(www, "replay"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"ui.js": "ui.js", "replay/sw.js": "sw.js"} {
		data, err := os.ReadFile(filepath.Join(files, file))
		if err == nil {
			err = os.WriteFile(filepath.Join(www, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	index := fmt.Sprintf(`<!doctype html><script src="/ui.js"></script><replay-web-page source="/a.wacz" url="%s" embed="replayonly" style="height:600px"></replay-web-page>`, live)
	if err := os.WriteFile(filepath.Join(www, "index.html"), []byte(index), 0o600); err != nil {
		t.Fatal(err)
	}
	player := httptest.NewServer(http.FileServer(http.Dir(www)))
	defer player.Close()
	out, err := exec.Command(node, filepath.Join("testdata", "archive", "replay.cjs"), chromium, puppeteer, live, player.URL+"/").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var found struct {
		Live, Replay struct {
			Title string
			Links int
		}
	}
	if err := json.Unmarshal(out, &found); err != nil || found.Live != found.Replay || found.Live.Links == 0 || found.Live.Title == "" {
		t.Errorf("%s, %v", out, err)
	}
	t.Logf("%s", out)
}
