package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/crawltest"
	"crawler/report"
)

// poisoned is poison as a header may carry it to net/http's client.
var poisoned = strings.Map(func(r rune) rune {
	if r < ' ' || r == 0x7f || r == utf8.RuneError {
		return -1
	}
	return r
}, crawltest.Poison)

// hostile answers one request with whatever bytes it likes.
func hostile(path, host string) string {
	html := func(header, body string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s", header, len(body), body)
	}
	const page = "Content-Type: text/html; charset=utf-8\r\n"
	switch path {
	case "/robots.txt":
		return html("Content-Type: text/plain\r\n", "User-agent: *\nDisallow: /secret"+crawltest.Poison+"\nSitemap: http://"+host+"/map"+crawltest.Poison+"\n"+crawltest.Poison+"\n")
	case "/":
		var b strings.Builder
		fmt.Fprintf(&b, "<html lang=%q><title>%s\n\r%s</title><p>%s", crawltest.Poison, crawltest.Poison, strings.Repeat("x\x1b[31m", 1<<17), crawltest.Poison)
		for _, l := range []string{"type", "title", "location", "gzip", "charset", "path/" + crawltest.Poison, "?q=" + crawltest.Poison, "#" + crawltest.Poison} {
			fmt.Fprintf(&b, "<a href=\"/%s\">%s</a>", l, crawltest.Poison)
		}
		fmt.Fprintf(&b, "<a href=\"http://%s.invalid/\">x</a><a href=\"http://[%s]/\">x</a><a href=\"%s:x\">x</a>", crawltest.Poison, crawltest.Poison, crawltest.Poison)
		return html(page, b.String())
	case "/type":
		return html("Content-Type: text/"+poisoned+"; charset="+poisoned+"\r\nX-Robots-Tag: "+poisoned+"\r\nLink: <"+poisoned+">; rel=\"next\"\r\n", crawltest.Poison)
	case "/title":
		return html(page, "<title>"+strings.Repeat(crawltest.Poison, 20000)+"</title>")
	case "/location":
		return "HTTP/1.1 302 Found\r\nLocation: http://[" + poisoned + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	case "/status":
		return "HTTP/1.1 2" + crawltest.Poison + " " + crawltest.Poison + "\r\n\r\n"
	case "/header":
		return "HTTP/1.1 200 OK\r\n" + crawltest.Poison + "\r\n: " + crawltest.Poison + "\r\n\r\n"
	case "/raw":
		return crawltest.Poison + "\r\n\r\n"
	case "/gzip":
		return html("Content-Encoding: "+poisoned+"\r\n"+page, "x")
	case "/charset":
		return html("Content-Type: text/html\r\n", "<meta charset=\""+crawltest.Poison+"\"><base href=\""+crawltest.Poison+"\"><title>"+crawltest.Poison+"</title>")
	case "/late":
		return "HTTP/1.1 429 " + poisoned + "\r\nRetry-After: " + poisoned + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
	}
	return "HTTP/1.1 404 " + poisoned + "\r\n" + page + "Content-Length: 0\r\nConnection: close\r\n\r\n"
}

// serveHostile serves the hostile site, byte by byte its own.
func serveHostile(t *testing.T) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go answerHostile(c, l.Addr().String())
		}
	}()
	return "http://" + l.Addr().String()
}

func answerHostile(c net.Conn, host string) {
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	r := bufio.NewReader(c)
	first, err := r.ReadString('\n')
	for line := first; err == nil && line != "\r\n"; {
		line, err = r.ReadString('\n')
	}
	if f := strings.Fields(first); err == nil && len(f) == 3 {
		c.Write([]byte(hostile(f[1], host)))
	}
}

// No byte that a site chose makes a terminal, a log or a file of records do anything but
// show it, in any form of output.
func TestHostileSiteInEveryOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("what a crawl of the site writes; how it runs is looked at by internal/hostile")
	}
	t.Parallel()
	url := serveHostile(t)
	var failures string
	for name, flags := range map[string][]string{
		"verbose text": {"-v", "--edges"},
		"verbose json": {"-v", "--log-format", "json", "--jsonl", "--sitemap", "--edges=csv"},
		"plain":        {"--extract", "t=title", "--extract", "a=a@href"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			args := append([]string{"crawl", url + "/", "-o", dir, "--delay", "0", "--retries", "0", "--patience", "0", "--min-free", "0"}, flags...)
			stdout, stderr := outputs(t, args...)
			crawltest.CheckHarmless(t, "stdout", stdout)
			crawltest.CheckHarmless(t, "stderr", stderr)
			for _, file := range []string{report.PagesFile, report.RedirectsFile, report.SkippedFile, report.EdgesFile, report.EdgesCSVFile, report.JSONFile, report.TextFile} {
				data, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil && !(os.IsNotExist(err) && strings.HasPrefix(file, "edges.")) {
					t.Fatal(err)
				}
				crawltest.CheckHarmless(t, file, data)
				if strings.HasSuffix(file, ".jsonl") {
					checkLines(t, file, data)
				}
			}
			if slices.Contains(flags, "json") {
				checkLines(t, "stdout", stdout)
				checkLines(t, "log", stderr[:bytes.Index(stderr, []byte("crawler "+shell.Version))])
			}
			for _, p := range crawltest.ReadPages(t, filepath.Join(dir, report.PagesFile)) {
				for _, form := range [][]string{{"why", dir, p.URL}, {"why", dir, p.URL, "--json"}} {
					out, errs := outputs(t, form...)
					crawltest.CheckHarmless(t, "why", append(out, errs...))
				}
			}
			for _, form := range [][]string{{"report", dir}, {"report", dir, "--json"}} {
				out, errs := outputs(t, form...)
				crawltest.CheckHarmless(t, "report", append(out, errs...))
			}
			pages := crawltest.ReadPages(t, filepath.Join(dir, report.PagesFile))
			if len(pages) < 5 || !strings.Contains(pages[0].Title, "\u200b") {
				t.Errorf("%d pages, the first titled %.40q: the poison was not recorded", len(pages), pages[0].Title)
			}
			for _, file := range []string{report.SkippedFile, report.RedirectsFile} {
				records, _ := os.ReadFile(filepath.Join(dir, file))
				failures += string(records)
			}
		})
	}
	if !strings.Contains(failures, `\u202e`) {
		t.Errorf("no failure shows the poison:\n%s", failures)
	}
}

// What could not be fetched at all is explained by the site's own words, on standard
// error.
func TestHostileFailureIsExplained(t *testing.T) {
	t.Parallel()
	url := serveHostile(t)
	for _, path := range []string{"/status", "/header", "/raw", "/location", "/gzip", "/late"} {
		stdout, stderr := outputs(t, "crawl", url+path, "-o", filepath.Join(t.TempDir(), "out"), "--delay", "0", "--retries", "0", "--patience", "0", "--min-free", "0", "--robots", "ignore")
		crawltest.CheckHarmless(t, path, stdout)
		crawltest.CheckHarmless(t, path, stderr)
		if len(stderr) > 4<<10 {
			t.Errorf("%s: %d bytes on standard error", path, len(stderr))
		}
	}
	stdout, stderr := outputs(t, "crawl", "--dry-run", url+"/"+strings.ReplaceAll(crawltest.Poison, "\x00", ""))
	crawltest.CheckHarmless(t, "dry run", append(stdout, stderr...))
}

// outputs runs the command line in this process.
func outputs(t *testing.T, args ...string) (stdout, stderr []byte) {
	t.Helper()
	var out, errs bytes.Buffer
	run(args, strings.NewReader(""), &out, &errs)
	return out.Bytes(), errs.Bytes()
}

// checkLines holds every line to be one JSON object.
func checkLines(t *testing.T, where string, data []byte) {
	t.Helper()
	for line := range bytes.Lines(data) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Errorf("%s: %v: %.200q", where, err, line)
		}
	}
}

// What the errors name is shown.
func TestHostileWordsInErrors(t *testing.T) {
	_, stderr := outputs(t, "report", filepath.Join(t.TempDir(), crawltest.Poison))
	crawltest.CheckHarmless(t, "error", stderr)
}
