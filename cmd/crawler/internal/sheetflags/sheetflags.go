// Package sheetflags has the flags --json and --html of the verbs that answer with a sheet of
// tables and plots, and prints the sheet as they say.
package sheetflags

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/durable"
	"crawler/internal/sheet"
)

// Output is where a command's sheet goes: the flags --json and --html.
type Output struct {
	JSON bool
	HTML string
}

// Declare declares the two flags.
func (o *Output) Declare(f *pflag.FlagSet) {
	f.BoolVar(&o.JSON, "json", false, "print the figures as JSON")
	f.StringVar(&o.HTML, "html", "", "write one HTML page with plots to `FILE`, too; - prints it instead")
}

// Check refuses a page that could not be written in the end.
func (o *Output) Check() error {
	switch info, err := os.Stat(o.HTML); {
	case o.JSON && o.HTML == "-":
		return shell.UsageError("give --html a FILE", "--json and --html - would both be printed")
	case o.HTML == "" || o.HTML == "-":
		return nil
	case err == nil && info.IsDir():
		return &shell.ExitError{Code: shell.ExitDisk, Err: fmt.Errorf("--html %s: is a directory", o.HTML), Hint: "name a file"}
	case err == nil && !info.Mode().IsRegular():
		return nil // a device or a pipe, to which it is written
	}
	probe, err := os.CreateTemp(filepath.Dir(o.HTML), ".crawler-html-*")
	if err != nil {
		return &shell.ExitError{Code: shell.ExitDisk, Err: fmt.Errorf("--html %s: %w", o.HTML, err), Hint: "choose another --html FILE"}
	}
	probe.Close()
	os.Remove(probe.Name())
	return nil
}

// Present prints the sheet, and writes the page.
func (o *Output) Present(s shell.Streams, result *sheet.Sheet) error {
	form := result.Text
	if o.HTML == "-" {
		form = result.HTML
	}
	if o.JSON {
		form = result.JSON
	}
	if err := form(s.Out); err != nil {
		return shell.DiskError(err)
	}
	if o.HTML != "" && o.HTML != "-" {
		var page bytes.Buffer
		if err := result.HTML(&page); err != nil {
			return &shell.ExitError{Code: shell.ExitFailed, Err: err}
		}
		if err := durable.WriteFile(o.HTML, page.Bytes()); err != nil {
			return &shell.ExitError{Code: shell.ExitDisk, Err: fmt.Errorf("--html %s: %w", o.HTML, err), Hint: "choose another --html FILE"}
		}
		fmt.Fprintf(s.Err, "\nwritten to %s\n", o.HTML)
	}
	return nil
}
