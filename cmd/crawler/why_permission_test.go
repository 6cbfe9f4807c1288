package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/crawltest"
)

// Who may not write into a crawl's directory still learns what its records say.
func TestWhyWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do anything")
	}
	_, url := crawltest.ServeAndCount(t, crawltest.Slow)
	out := filepath.Join(t.TempDir(), "out")
	code := func(args ...string) (int, string) {
		var all bytes.Buffer
		return run(args, strings.NewReader(""), &all, &all), all.String()
	}
	if c, text := code("crawl", url, "-o", out, "-q", "--max-pages", "1", "--delay", "0"); c != shell.ExitOK {
		t.Fatalf("exit code %d\n%s", c, text)
	}
	for _, f := range []string{"lock", "crawl.json"} {
		if err := os.Chmod(filepath.Join(out, f), 0); err != nil {
			t.Fatal(err)
		}
		if c, text := code("why", out, url); c != shell.ExitOK || !strings.Contains(text, "status 200") || !strings.Contains(text, "cannot be opened") {
			t.Errorf("why: exit code %d\n%s", c, text)
		}
	}
	if c, text := code("resume", out); c != shell.ExitDisk || !strings.Contains(text, "make it readable and writable for you") {
		t.Errorf("resume: exit code %d\n%s", c, text)
	}
	if c, text := code("crawl", url, "-o", out); c != shell.ExitUsage || strings.Count(text, "\n") != 2 {
		t.Errorf("crawl: exit code %d\n%s", c, text)
	}
}
