package main

import (
	"bytes"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/shell"
)

// Every command that users call has its exit codes in the table, and in its help, and the
// table has no others.
func TestEveryCommandHasItsExitCodes(t *testing.T) {
	var found []string
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		name := belowCrawler(c)
		found = append(found, name)
		codes := exitCodes[name]
		if codes[shell.ExitOK] == "" || codes[shell.ExitUsage] == "" {
			t.Errorf("crawler %s: add its exit codes to exitcodes.go", name)
		}
		if strings.Count(c.Long, "Exit codes:") != 1 || !strings.HasSuffix(c.Long, codes.text()) {
			t.Errorf("crawler %s --help does not end with\n%s\nbut is\n%s", name, codes.text(), c.Long)
		}
		for line := range strings.Lines(codes.text()) {
			if len(line) > 81 {
				t.Errorf("crawler %s --help has a line of %d columns: %s", name, len(line)-1, line)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(shell.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}, nil))
	slices.Sort(found)
	if table := slices.Sorted(maps.Keys(exitCodes)); !slices.Equal(found, table) {
		t.Errorf("commands %q, in the table %q", found, table)
	}
}

// inTable reports whether the help of the command in a command line names an exit code. The
// parts of crawler bench have no help.
func inTable(args []string, code int) bool {
	c, _, _ := newRoot(shell.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}, nil).Find(args)
	return c.Hidden || exitCodes[belowCrawler(c)][code] != ""
}

// full is a disk that is.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "standard output", Err: syscall.ENOSPC}
}

// What cannot be printed is no misspelt command, whoever prints it.
func TestWhatCannotBePrinted(t *testing.T) {
	for _, args := range []string{"version", "--version", "completion bash", "completion zsh", "completion fish", "completion powershell", "lab theory"} {
		var stderr bytes.Buffer
		code := run(strings.Fields(args), strings.NewReader(""), full{}, &stderr)
		if code != shell.ExitDisk || !strings.Contains(stderr.String(), "free some space") {
			t.Errorf("crawler %s: exit code %d\n%s", args, code, stderr.String())
		}
	}
}
