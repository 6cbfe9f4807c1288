package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"crawler/report"
)

// version is the program's; it stands in the user agent and in every report.
const version = "0.2.0"

// streams are the process's; tests give their own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// execute runs a command line below root, writes its error and the next step to errw, and
// returns the exit code.
func execute(root *cobra.Command, args []string, errw io.Writer) int {
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return exitOK
	}
	var e *exitError
	if !errors.As(err, &e) {
		e = misspelt(err)
	}
	text := fmt.Sprintf("crawler: %v\n", e.err)
	if e.hint != "" {
		text += fmt.Sprintf("  -> %s\n", e.hint)
	}
	io.WriteString(errw, report.Printable(text))
	return e.code
}

// misspelt is an error of cobra's, whose suggestions take lines of their own.
func misspelt(err error) *exitError {
	e := &exitError{code: exitUsage, err: err, hint: "crawler --help lists the commands, crawler COMMAND --help the flags"}
	if text, near, ok := strings.Cut(err.Error(), "\n\nDid you mean this?\n"); ok {
		e.err, e.hint = errors.New(text), "did you mean crawler "+strings.Join(strings.Fields(near), " or ")+"?"
	}
	return e
}
