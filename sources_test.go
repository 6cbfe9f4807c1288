package crawler_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sourcesFile has a row for each section of the documents that the program is made of.
const sourcesFile = "docs/sources.md"

var (
	commandCell = regexp.MustCompile("`crawler ([a-z]+)(?: ([a-z]+))?([^`]*)`")
	longFlag    = regexp.MustCompile(`--([a-z][a-z-]*)`)
	planned     = regexp.MustCompile(`planned \((set difference|many machines|archive)\)`)
	packageCell = regexp.MustCompile("`([a-z/]+)`")
)

// Every section has a package, a test that is there, and a command with flags that are there, or
// says what work will bring it.
func TestSourcesNamesExist(t *testing.T) {
	known, text := tests(t), commandSources(t)
	sections := map[string]int{}
	source := ""
	for line := range strings.Lines(readText(t, sourcesFile)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			source, _, _ = strings.Cut(title, ":")
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "| "), " |"), " | ")
		if !strings.HasPrefix(line, "| ") || cells[0] == "section" {
			continue
		}
		sections[source]++
		if len(cells) < 4 {
			t.Errorf("a row of %d cells: %s", len(cells), line)
			continue
		}
		for _, m := range packageCell.FindAllStringSubmatch(cells[1], -1) {
			if _, ok := rooms[m[1]]; !ok {
				t.Errorf("there is no package %s: %s", m[1], line)
			}
		}
		names := testName.FindAllStringSubmatch(cells[2], -1)
		for _, m := range names {
			if !known[m[1]] {
				t.Errorf("there is no test %s: %s", m[1], line)
			}
		}
		commands := commandCell.FindAllStringSubmatch(line, -1)
		if len(names) == 0 || len(commands) == 0 && !planned.MatchString(line) {
			t.Errorf("no test, or neither a command nor a plan: %s", line)
		}
		for _, m := range commands {
			checkCommand(t, text, m[1], m[2], m[3])
		}
	}
	for _, name := range []string{"000", "001", "002", "003", "004"} {
		if sections[name] < 4 {
			t.Errorf("%s has %d sections", name, sections[name])
		}
	}
}

// checkCommand looks for the verbs and flags in the text of the command's sources: they are
// declared by use: "words FILE" and by flags' names in quotes.
func checkCommand(t *testing.T, text, verb, second, rest string) {
	t.Helper()
	for _, v := range []string{verb, second} {
		if v != "" && !regexp.MustCompile(`(?i)use:\s+"`+v+`[ "\[]`).MatchString(text) {
			t.Errorf("crawler %s %s: there is no verb %s", verb, second, v)
		}
	}
	for _, m := range longFlag.FindAllStringSubmatch(rest, -1) {
		if !strings.Contains(text, `"`+m[1]+`"`) {
			t.Errorf("crawler %s %s: there is no flag --%s", verb, second, m[1])
		}
	}
}

// commandSources is the text of the command's Go files, tests aside.
func commandSources(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	names, err := filepath.Glob("cmd/crawler/internal/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, "cmd/crawler/cluster.go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
	}
	return b.String()
}
