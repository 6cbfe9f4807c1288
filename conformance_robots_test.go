package crawler_test

import (
	"fmt"
	"strings"
	"testing"

	"crawler/fetch"
)

// TestConformanceRFC9309 holds robots.txt against the standard's examples and
// Google's published cases.
func TestConformanceRFC9309(t *testing.T) {
	var count tally
	var file strings.Builder
	name := ""
	readCases(t, "robots.txt", func(heading, line string) {
		switch {
		case line == "":
			name = heading
			file.Reset()
		case line[0] == '.':
			if file.Len() > 0 {
				file.WriteByte('\n')
			}
			file.WriteString(unescape(t, strings.TrimPrefix(strings.TrimPrefix(line, "."), " ")))
		default:
			askRobots(t, &count, name, file.String(), line)
		}
	})
	count.report(t, "robots", 185)
}

// askRobots asks "? token + path" about the file.
func askRobots(t *testing.T, count *tally, name, file, line string) {
	words := strings.Fields(line)
	if len(words) < 4 || words[0] != "?" {
		t.Fatalf("%s: %q is no question", name, line)
	}
	n := len(words)
	token, path := strings.Join(words[1:n-2], " "), words[n-1]
	question := fmt.Sprintf("%s: %s %s", name, token, path)
	bare := func(s string) string { return unescape(t, strings.ReplaceAll(s, "''", "")) }
	got := "-"
	if fetch.ParseRobots([]byte(file), bare(token)).Allowed(bare(path)) {
		got = "+"
	}
	count.check(t, question, got, words[n-2])
}
