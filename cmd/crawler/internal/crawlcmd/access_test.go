package crawlcmd

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crawler/cmd/crawler/internal/shell"
	"crawler/gate"
	"crawler/internal/crawltest"
	"crawler/report"
)

// crawlSeed runs a whole crawl of seed in this process, and returns its pages and its
// refusals by URL.
func crawlSeed(t *testing.T, seed string, args ...string) (pages map[string]report.PageRecord, skipped map[string]gate.Skip) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	o, cfg := configured(t, seed, append(args, "-o", dir, "--delay", "0", "--retries", "0", "--patience", "0", "-q", "--durable=false")...)
	var out, errw bytes.Buffer
	var e *shell.ExitError
	err := o.run(t.Context(), shell.Streams{In: strings.NewReader(""), Out: &out, Err: &errw}, cfg)
	if err != nil && (!errors.As(err, &e) || e.Code != shell.ExitNothing) {
		t.Fatalf("%v\n%s", err, errw.String())
	}
	pages = readRecords(t, filepath.Join(dir, report.PagesFile), func(p report.PageRecord) string { return p.URL })
	return pages, readRecords(t, filepath.Join(dir, report.SkippedFile), func(s gate.Skip) string { return s.URL })
}

// A page of a stranger leads to this machine in every way that a page has: nothing of
// it is asked, and everything is reported, with the address. What the user allows is asked.
func TestNoPageLeadsInside(t *testing.T) {
	insideServer, inside := crawltest.ServeAndCount(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>secret</title>")
	})
	port := inside[strings.LastIndex(inside, ":")+1:]
	_, seed := crawltest.ServeAndCount(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprintf(w, "Sitemap: http://127.0.0.1:%s/sitemap.xml\n", port)
		case "/redirect":
			http.Redirect(w, r, inside+"/by-redirect", http.StatusFound)
		default:
			fmt.Fprintf(w, `<a href="http://2130706433:%[1]s/by-link">a</a><a href="http://0x7f.1:%[1]s/hex">a</a><a href="redirect">a</a>
				<a href="//[::ffff:127.0.0.1]:%[1]s/mapped">a</a><iframe src="http://0.0.0.0:%[1]s/frame"></iframe>
				<a href="http://169.254.169.254/latest/meta-data/">a</a><a href="http://127.0.0.1:6667/irc">a</a>`, port)
		}
	})
	args := []string{"--scope", "any", "--sitemap"}
	pages, skipped := crawlSeed(t, seed, args...)
	if insideServer.Asked() != 0 {
		t.Errorf("%d requests came inside", insideServer.Asked())
	}
	for url, reason := range map[string]string{
		inside + "/by-link": "address", inside + "/hex": "address", inside + "/sitemap.xml": "address",
		"http://[::ffff:7f00:1]:" + port + "/mapped": "address",
		"http://0.0.0.0:" + port + "/frame":          "address",
		"http://169.254.169.254/latest/meta-data/":   "address",
		"http://127.0.0.1:6667/irc":                  "port",
		inside + "/by-redirect":                      "address",
	} {
		s := skipped[url]
		if string(s.Reason) != reason {
			t.Errorf("%s: %+v, want %s", url, s, reason)
		}
		if reason == "address" && !strings.Contains(s.Detail, "RFC") {
			t.Errorf("%s: the detail does not say why: %q", url, s.Detail)
		}
	}
	if len(pages) != 1 {
		t.Errorf("%d pages, want the seed alone: %v", len(pages), pages)
	}
	for _, allowed := range []string{"--allow-private", "--allow-net=127.0.0.0/8"} {
		before := insideServer.Asked()
		pages, _ := crawlSeed(t, seed, append(args, allowed)...)
		if insideServer.Asked() == before || pages[inside+"/by-link"].Title != "secret" {
			t.Errorf("%s: %d requests came inside, %v", allowed, insideServer.Asked()-before, pages)
		}
	}
}

// A page's port may be limited; the seed's own is asked in any case.
func TestPortsAreLimited(t *testing.T) {
	other, link := crawltest.ServeAndCount(t, http.NotFound)
	_, seed := crawltest.ServeAndCount(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<a href=%s/x>a</a>", link)
	})
	pages, skipped := crawlSeed(t, seed, "--scope", "any", "--allow-private", "--ports", "80,443")
	if s := skipped[link+"/x"]; s.Reason != "port" || len(pages) != 1 || other.Asked() != 0 {
		t.Errorf("%+v, %d pages, %d requests", s, len(pages), other.Asked())
	}
	if crawlSeed(t, seed, "--scope", "any", "--allow-private", "--ports", "80,1024-65535"); other.Asked() == 0 {
		t.Error("the port was not asked")
	}
}

func TestInsecureTakesAnyCertificate(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<title>ok</title>") }))
	srv.TLS = new(tls.Config)
	srv.StartTLS()
	defer srv.Close()
	if pages, skipped := crawlSeed(t, srv.URL); len(pages) != 0 || skipped[srv.URL+"/"].Reason != "tls" || !strings.HasPrefix(skipped[srv.URL+"/"].Detail, "certificate is ") {
		t.Errorf("%d pages, %+v", len(pages), skipped)
	}
	if pages, _ := crawlSeed(t, srv.URL, "--insecure"); pages[srv.URL+"/"].Status != 200 {
		t.Errorf("%+v", pages)
	}
}

func readRecords[T any](t *testing.T, name string, key func(T) string) map[string]T {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]T{}
	for line := range strings.Lines(string(data)) {
		var r T
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[key(r)] = r
	}
	return all
}
