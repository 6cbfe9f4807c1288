package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"crawler/crawl"
	"crawler/report"
	"crawler/store"
)

// refuseDir says why a crawl that is there cannot be opened or gone on with, and what to
// do. What is neither the user's mistake nor the disk's trouble is damage: a file that
// is gone, or is not what was written.
func refuseDir(name string, err error) error {
	switch {
	case errors.Is(err, store.ErrLocked):
		return usage("wait until it has ended; crawler why and the .jsonl files tell of it meanwhile", "another process is working on the crawl in %s", name)
	case errors.Is(err, store.ErrNotDurable):
		return usage("begin again with another -o, and without --durable=false if it is to be resumable", "%w", err)
	case errors.Is(err, store.ErrNoCrawl) || !isDir(name):
		return usage("name the directory that was given to crawler crawl -o", "%w", plain(err))
	case errors.Is(err, crawl.ErrOlder):
		return &exitError{code: exitUsage, hint: "finish it with that version, or crawl again with another -o; crawler report and crawler graph still read it",
			err: &plainError{error: err, text: "the crawl in " + name + " was begun by an older version of crawler, whose state this version does not read"}}
	case errors.Is(err, store.ErrNewer):
		return usage("use that version of crawler, or a later one", "%w", err)
	case closed(err):
		return &exitError{code: exitDisk, err: plain(err), hint: "make it readable and writable for you; then " + resumeCommand(name)}
	case exhausted(err):
		return &exitError{code: exitDisk, err: plain(err), hint: "free space on its disk, or mend that; then " + resumeCommand(name)}
	}
	return damaged(name, err)
}

// isDir is false for what is there and no directory.
func isDir(name string) bool {
	info, err := os.Stat(name)
	return err != nil && !errors.Is(err, syscall.ENOTDIR) || err == nil && info.IsDir()
}

// closed reports whether something may not be written or read, by its permissions or
// because the file system is mounted for reading.
func closed(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// exhausted reports whether a disk or the system has no more to give, or fails.
func exhausted(err error) bool {
	for _, errno := range [...]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// damaged is the error of a crawl that cannot be gone on with or read.
func damaged(name string, err error) error {
	text := strings.TrimPrefix(plain(err).Error(), name+": ")
	switch named := strings.HasPrefix(text, name+" ") || strings.HasPrefix(text, name+"/"); {
	case !strings.Contains(text, "damaged"):
		text = name + " is damaged: " + text
	case !named:
		text = name + ": " + text
	}
	return &exitError{code: exitFailed, err: &plainError{error: err, text: text},
		hint: "its records are not touched by this; put a copy in its place, or crawl again with another -o"}
}

// unreadable is refuseDir for a crawl that is only read.
func unreadable(name string, err error) error {
	switch {
	case closed(err):
		return &exitError{code: exitFailed, err: plain(err), hint: "make it readable for you"}
	case exhausted(err):
		return &exitError{code: exitFailed, err: plain(err), hint: "mend the disk, or read a copy of the directory"}
	}
	return refuseDir(name, err)
}

// lineFiles refuses files of records that are none: a device might never end.
func lineFiles(name string) error {
	for _, file := range []string{report.PagesFile, report.SkippedFile, report.LinksFile, report.EdgesFile, report.EdgesCSVFile} {
		file = filepath.Join(name, file)
		if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is damaged: it is no regular file", file)
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

// ownFiles is how many descriptors a crawl needs beside its connections: those of its
// records, its state and its log of seen URLs.
const ownFiles = 48

// fewFiles says that connections will have to wait for descriptors, if they will: the
// crawl then goes on as fast as it can.
func (o *options) fewFiles() (warning string) {
	if limit := maxDescriptors(); limit < o.concurrency+ownFiles {
		return fmt.Sprintf("this process may open %d files and connections, and -c %d wants %d, so some pages may fail: lower -c, or %s",
			limit, o.concurrency, o.concurrency+ownFiles, moreDescriptors)
	}
	return ""
}

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
	return &plainError{error: err, text: text}
}

// noise is what the database puts among its causes for its own use.
const noise = "<corruption detail carrier>"

type plainError struct {
	error
	text string
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.error }
