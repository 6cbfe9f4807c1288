package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/shell"
)

// Every help is read without scrolling sideways, and its flags stand under headings if they are
// many.
func TestHelpIsNarrow(t *testing.T) {
	const widest, most = 100, 20
	helps := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			walk(sub)
		}
		var out bytes.Buffer
		if c.Hidden || strings.HasPrefix(belowCrawler(c), "completion ") {
			return // the program's own, and cobra's
		}
		c.SetOut(&out)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		helps++
		under := 0
		for line := range strings.Lines(out.String()) {
			line = strings.TrimRight(line, "\n")
			if n := utf8.RuneCountInString(line); n > widest {
				t.Errorf("%s: a line of %d columns: %s", c.CommandPath(), n, line)
			}
			if strings.HasPrefix(line, "  ") && strings.Contains(line, " --") {
				under++
			} else if !strings.HasPrefix(line, " ") {
				under = 0
			}
			if under > most {
				t.Errorf("%s: more than %d flags under one heading", c.CommandPath(), most)
				under = 0
			}
		}
	}
	walk(newRoot(shell.Streams{In: &bytes.Buffer{}, Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}, nil))
	if helps < 15 {
		t.Errorf("only %d helps", helps)
	}
}
