package crawlcmd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crawler/report"
)

// A host whose robots.txt is behind a challenge is not crawled, one that has a page there is, and
// the report names both, and the host that answers with challenges.
func TestHostsThatRefuseUs(t *testing.T) {
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cf-Mitigated", "challenge")
		fmt.Fprint(w, "<!doctype html><title>Just a moment...</title>")
	}))
	defer closed.Close()
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "<!doctype html><p>Welcome\nuser-agent: *\ndisallow: /")
		case "/":
			fmt.Fprintf(w, "<a href=/person>1</a><a href=/law>2</a><a href=/missing>3</a><a href=%s/>4</a>", closed.URL)
		case "/person":
			w.Header().Set("Cf-Mitigated", "challenge")
			w.WriteHeader(http.StatusForbidden)
		case "/law":
			w.WriteHeader(http.StatusUnavailableForLegalReasons)
		default:
			http.NotFound(w, r)
		}
	}))
	defer open.Close()

	dir := filepath.Join(t.TempDir(), "out")
	var out strings.Builder
	code := program([]string{"crawl", open.URL + "/", "-o", dir, "--scope", "any", "--allow-private", "--delay", "0", "--patience", "0", "-q"}, io.Discard, &out)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	rep, err := report.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	openHost, closedHost := strings.TrimPrefix(open.URL, "http://"), strings.TrimPrefix(closed.URL, "http://")
	want := fmt.Sprint([]report.Refused{
		{Site: openHost, ByStatus: map[string]int{"403": 1, "451": 1}, Challenge: "cloudflare"},
		{Site: closedHost, ByStatus: map[string]int{}, Robots: "challenge"},
	})
	if got := fmt.Sprint(rep.Refused); got != want {
		t.Errorf("refused %s, want %s", got, want)
	}
	if got := fmt.Sprint(rep.RobotsPages); got != "["+openHost+"]" {
		t.Errorf("pages for robots.txt: %s", got)
	}
	if b := rep.Pages.Broken; len(b) != 1 || b[0].Status != 404 {
		t.Errorf("broken links %+v", b)
	}
	skipped, err := os.ReadFile(filepath.Join(dir, report.SkippedFile))
	if err != nil || !strings.Contains(string(skipped), `"reason":"robots-unreachable"`) || !strings.Contains(string(skipped), `"robots":"challenge"`) {
		t.Errorf("skipped: %s, %v", skipped, err)
	}
}
