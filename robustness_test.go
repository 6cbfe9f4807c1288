package crawler_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// robustnessFile names a test for each threat.
const robustnessFile = "docs/robustness.md"

var (
	testName     = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]+)`")
	testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9_]+)\(`)
)

// tests returns the names of all tests and fuzz targets of the module.
func tests(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "bench" || strings.HasPrefix(d.Name(), ".") && path != "."):
			return filepath.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		data, err := os.ReadFile(path)
		for _, m := range testFunction.FindAllSubmatch(data, -1) {
			found[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Each threat of the tables has a test, and each test that is named is there to be run.
func TestRobustnessNamesExist(t *testing.T) {
	data, err := os.ReadFile(robustnessFile)
	if err != nil {
		t.Fatal(err)
	}
	known, rows := tests(t), 0
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if !strings.HasPrefix(line, "| ") || cells[0] == "threat" {
			continue
		}
		rows++
		names := testName.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 3 || len(names) == 0 {
			t.Errorf("%s names no test: %s", robustnessFile, line)
		}
		for _, m := range names {
			if !known[m[1]] {
				t.Errorf("%s names %s, which is no test of this module", robustnessFile, m[1])
			}
		}
	}
	if rows < 50 {
		t.Errorf("only %d threats: is the table whole?", rows)
	}
}
