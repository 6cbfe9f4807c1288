// Package shell is what every verb of the command shares: its streams, errors with an exit
// code and the next step, checks of arguments, types of flags, and figures as text. It knows
// no verb.
package shell

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"crawler/report"
)

// Version is the program's; it stands in the user agent and in every report.
const Version = "0.2.0"

// Streams are the process's; tests give their own.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Execute runs a command line below root, writes its error and the next step to errw, and
// returns the exit code.
func Execute(root *cobra.Command, args []string, errw io.Writer) int {
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return ExitOK
	}
	var e *ExitError
	if !errors.As(err, &e) {
		e = misspelt(err)
	}
	if e.Err == nil {
		return e.Code
	}
	text := fmt.Sprintf("crawler: %v\n", e.Err)
	if e.Hint != "" {
		text += fmt.Sprintf("  -> %s\n", e.Hint)
	}
	io.WriteString(errw, report.Printable(text))
	return e.Code
}

// noVerb is cobra's error where a URL or a host stands in the place of a verb.
var noVerb = regexp.MustCompile(`^unknown command "([^"]*[.:][^"]*)" for "crawler"$`)

// misspelt is an error of cobra's, whose suggestions take lines of their own.
func misspelt(err error) *ExitError {
	e := &ExitError{Code: ExitUsage, Err: err, Hint: "crawler --help lists the commands, crawler COMMAND --help the flags"}
	if text, near, ok := strings.Cut(err.Error(), "\n\nDid you mean this?\n"); ok {
		e.Err, e.Hint = errors.New(text), "did you mean crawler "+strings.Join(strings.Fields(near), " or ")+"?"
	} else if m := noVerb.FindStringSubmatch(err.Error()); m != nil {
		e.Hint = "did you mean crawler crawl " + Quoted(m[1]) + "?"
	}
	return e
}
