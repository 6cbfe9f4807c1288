package crawler_test

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// deviationsFile has a row for every kind of case in which this program does
// otherwise than a standard's test says, with its reason.
const deviationsFile = "docs/conformance.md"

// tally counts the cases of one suite. A deviation has a kind: a rule that
// explains many cases, or the name of one.
type tally struct {
	passed    int
	deviating map[string]int
}

// pass and deviate count one case.
func (c *tally) pass() { c.passed++ }

func (c *tally) deviate(kind string) {
	if c.deviating == nil {
		c.deviating = map[string]int{}
	}
	c.deviating[kind]++
}

// check counts a case that passes if got is what the standard wants.
func (c *tally) check(t *testing.T, name, got, want string) {
	t.Helper()
	if got == want {
		c.pass()
		return
	}
	t.Logf("deviating: %s: got %.80s, the standard says %.80s", name, got, want)
	c.deviate(name)
}

// report prints the counts and holds the deviations against the table of
// docs/conformance.md: each must stand there, as often as it says, and nothing
// may stand there that no longer deviates.
func (c *tally) report(t *testing.T, suite string, least int) {
	t.Helper()
	sum := 0
	for _, n := range c.deviating {
		sum += n
	}
	t.Logf("%s: %d passed, %d deviating", suite, c.passed, sum)
	if c.passed < least {
		t.Errorf("only %d cases of %s passed, of %d: is the table whole?", c.passed, suite, least)
	}
	explained, told := explainedDeviations(t, suite)
	if counts := fmt.Sprintf("%d | %d | %d", c.passed+sum, c.passed, sum); !strings.Contains(told, "| "+counts) {
		t.Errorf("%s has another count for %s: %q, want %s", deviationsFile, suite, told, counts)
	}
	for _, kind := range slices.Sorted(maps.Keys(c.deviating)) {
		if got := c.deviating[kind]; explained[kind] != got {
			t.Errorf("%s: %d cases deviate by %q, %s explains %d: repair it, or add a row with the reason",
				suite, got, kind, deviationsFile, explained[kind])
		}
	}
	for kind, n := range explained {
		if c.deviating[kind] == 0 {
			t.Errorf("%s explains %d cases of %s that deviate by %q, but none does: drop the row", deviationsFile, n, suite, kind)
		}
	}
}

// explainedDeviations reads the rows "| suite | `kind` | cases | reason |", and the
// suite's row in the table of counts.
func explainedDeviations(t *testing.T, suite string) (kinds map[string]int, counts string) {
	data, err := os.ReadFile(deviationsFile)
	if err != nil {
		t.Fatal(err)
	}
	kinds = map[string]int{}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if cells[0] != "| "+suite {
			continue
		}
		if len(cells) != 4 {
			counts = strings.TrimSpace(line)
			continue
		}
		n, err := strconv.Atoi(cells[2])
		if reason := strings.Trim(cells[3], " |"); err != nil || reason == "" {
			t.Fatalf("%s: %q has no count or no reason", deviationsFile, line)
		}
		kinds[strings.Trim(cells[1], "`")] = n
	}
	return kinds, counts
}

// readCases yields the lines of a table in testdata/conformance that are neither
// empty nor comments, each with the heading it stands under.
func readCases(t *testing.T, file string, yield func(heading, line string)) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "conformance", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	heading := ""
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "== "); ok {
			heading = name
			yield(heading, "")
		} else if line != "" && line[0] != ';' {
			yield(heading, line)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

var repetition = regexp.MustCompile(`\{(.)\*(\d+)\}`)

// unescape reads the inside of a Go string literal, in which {a*9} is nine times
// "a".
func unescape(t *testing.T, s string) string {
	t.Helper()
	out, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return repetition.ReplaceAllStringFunc(out, func(r string) string {
		m := repetition.FindStringSubmatch(r)
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", s, err))
		}
		return strings.Repeat(m[1], n)
	})
}
