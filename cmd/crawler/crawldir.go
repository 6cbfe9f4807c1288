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
			err: reworded(err, "the crawl in "+name+" was begun by an older version of crawler, whose state this version does not read")}
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
	return &exitError{code: exitFailed, err: reworded(err, text),
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

// resumeCommand is what to type to go on with the crawl in dir.
func resumeCommand(dir string) string { return "crawler resume " + quoted(dir) }

// crawlDir refuses what is no crawl's directory.
func crawlDir(dir string) error {
	_, err := store.ReadMeta(store.Disk(), dir)
	if err != nil && !errors.Is(err, store.ErrNotDurable) && !(closed(err) && isDir(dir)) {
		return refuseDir(dir, err)
	}
	if err := lineFiles(dir); err != nil {
		return damaged(dir, err)
	}
	return nil
}
