package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// Exit codes.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitDisk        = 3
	ExitNothing     = 4
	ExitLimit       = 5
	ExitIncomplete  = 6
	ExitBroken      = 7
	ExitInterrupted = 130
)

// ExitError carries an exit code and, where there is one, the next step.
type ExitError struct {
	Code      int
	Err       error // nil: the code is the answer, and nothing is printed
	Hint      string
	Continues bool // the hint says how the crawl continues
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// UsageError is an error of the command line, the configuration or the seeds.
func UsageError(hint, format string, args ...any) error {
	return &ExitError{Code: ExitUsage, Err: fmt.Errorf(format, args...), Hint: hint}
}

// FirstError returns the one that came first: those after it are its consequences.
func FirstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// DiskError is an error of writing, with what to do about it.
func DiskError(err error) error {
	hint := "choose another place to write to"
	if errors.Is(err, syscall.ENOSPC) {
		hint = "free some space, or choose another place to write to"
	}
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		hint = MoreDescriptors
	}
	if errors.Is(err, os.ErrPermission) {
		hint = "choose an -o you may write to"
	}
	return &ExitError{Code: ExitDisk, Err: Plain(err), Hint: hint}
}

// MoreDescriptors is what to do when files and connections cannot be opened.
const MoreDescriptors = "raise the limit of open files: ulimit -n 1024"

// Plain gives an error, which may be several joined, a text of one line that says nothing
// twice.
func Plain(err error) error {
	text := strings.ReplaceAll(err.Error(), noise, "")
	var parts []string
	for part := range strings.SplitSeq(text, "\n") {
		part = strings.TrimSuffix(strings.TrimSpace(part), ":")
		if part != "" && !strings.Contains(strings.Join(parts, "\n"), part) {
			parts = append(parts, part)
		}
	}
	if text = strings.Join(parts, "; "); text == err.Error() {
		return err
	}
	return Reworded(err, text)
}

// noise is what the database puts among its causes for its own use.
const noise = "<corruption detail carrier>"

// Reworded is err with another text.
func Reworded(err error, text string) error { return &rewordedError{error: err, text: text} }

type rewordedError struct {
	error
	text string
}

func (e *rewordedError) Error() string { return e.text }

func (e *rewordedError) Unwrap() error { return e.error }

// Print writes what a command was asked for; what cannot be written has an exit code of
// its own.
func Print(w io.Writer, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return DiskError(err)
	}
	return nil
}
