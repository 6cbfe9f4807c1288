package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"crawler/internal/durable"
	"crawler/internal/sheet"
)

// sheetOut is where a command's sheet goes: the flags --json and --html.
type sheetOut struct {
	json bool
	html string
}

func (o *sheetOut) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.json, "json", false, "print the figures as JSON")
	f.StringVar(&o.html, "html", "", "write one HTML page with plots to `FILE`, too; - prints it instead")
}

// check refuses a page that could not be written in the end.
func (o *sheetOut) check() error {
	switch info, err := os.Stat(o.html); {
	case o.json && o.html == "-":
		return usage("give --html a FILE", "--json and --html - would both be printed")
	case o.html == "" || o.html == "-":
		return nil
	case err == nil && info.IsDir():
		return &exitError{code: exitDisk, err: fmt.Errorf("--html %s: is a directory", o.html), hint: "name a file"}
	case err == nil && !info.Mode().IsRegular():
		return nil // a device or a pipe, to which it is written
	}
	probe, err := os.CreateTemp(filepath.Dir(o.html), ".crawler-html-*")
	if err != nil {
		return &exitError{code: exitDisk, err: fmt.Errorf("--html %s: %w", o.html, err), hint: "choose another --html FILE"}
	}
	probe.Close()
	os.Remove(probe.Name())
	return nil
}

// present prints the sheet, and writes the page.
func (o *sheetOut) present(s streams, result *sheet.Sheet) error {
	form := result.Text
	if o.html == "-" {
		form = result.HTML
	}
	if o.json {
		form = result.JSON
	}
	if err := form(s.out); err != nil {
		return diskError(err)
	}
	if o.html != "" && o.html != "-" {
		var page bytes.Buffer
		if err := result.HTML(&page); err != nil {
			return &exitError{code: exitFailed, err: err}
		}
		if err := durable.WriteFile(o.html, page.Bytes()); err != nil {
			return &exitError{code: exitDisk, err: fmt.Errorf("--html %s: %w", o.html, err), hint: "choose another --html FILE"}
		}
		fmt.Fprintf(s.err, "\nwritten to %s\n", o.html)
	}
	return nil
}
