package main

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
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitDisk        = 3
	exitNothing     = 4
	exitLimit       = 5
	exitInterrupted = 130
)

// exitError carries an exit code and, where there is one, the next step.
type exitError struct {
	code int
	err  error
	hint string
	goOn bool // the hint says how the crawl continues
}

func (e *exitError) Error() string { return e.err.Error() }

func (e *exitError) Unwrap() error { return e.err }

// usage is an error of the command line, the configuration or the seeds.
func usage(hint, format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...), hint: hint}
}

// firstError returns the one that came first: those after it are its consequences.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// diskError tells an error of writing from others.
func diskError(err error) error {
	hint := "choose another place to write to"
	if errors.Is(err, syscall.ENOSPC) {
		hint = "free some space, or choose another place to write to"
	}
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		hint = moreDescriptors
	}
	if errors.Is(err, os.ErrPermission) {
		hint = "choose an -o you may write to"
	}
	return &exitError{code: exitDisk, err: plain(err), hint: hint}
}

// moreDescriptors is what to do when files and connections cannot be opened.
const moreDescriptors = "raise the limit of open files: ulimit -n 1024"

// plain gives an error, which may be several joined, a text of one line that says nothing
// twice.
func plain(err error) error {
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
	return reworded(err, text)
}

// noise is what the database puts among its causes for its own use.
const noise = "<corruption detail carrier>"

// reworded is err with another text.
func reworded(err error, text string) error { return &rewordedError{error: err, text: text} }

type rewordedError struct {
	error
	text string
}

func (e *rewordedError) Error() string { return e.text }

func (e *rewordedError) Unwrap() error { return e.error }

// printText writes what a command was asked for; what cannot be written has an exit code of
// its own.
func printText(w io.Writer, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return diskError(err)
	}
	return nil
}
