// Package crawldir explains what is wrong with the directory of a crawl that is there: whose
// fault it is, hence the exit code, and what to do.
package crawldir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/internal/sums"
	"crawler/report"
	"crawler/report/shards"
	"crawler/store"
)

// Refuse says why a crawl that is there cannot be opened or continued, and what to
// do. What is neither the user's mistake nor the disk's trouble is damage: a file that
// is gone, or is not what was written.
func Refuse(name string, err error) error {
	switch {
	case errors.Is(err, store.ErrLocked):
		return shell.UsageError("wait until it has ended; meanwhile crawler why and the .jsonl files show its progress", "another process is working on the crawl in %s", name)
	case errors.Is(err, store.ErrNotDurable):
		return shell.UsageError("begin again with another -o, and without --durable=false if you want to resume it", "%w", err)
	case errors.Is(err, store.ErrNoCrawl) || !IsDir(name):
		return shell.UsageError("name the directory that was given to crawler crawl -o", "%w", shell.Plain(err))
	case errors.Is(err, crawl.ErrOlder):
		return &shell.ExitError{Code: shell.ExitUsage, Hint: "finish it with that version, or crawl again with another -o; crawler report and crawler graph still read it",
			Err: shell.Reworded(err, "the crawl in "+name+" was begun by an older version of crawler, whose state this version does not read")}
	case errors.Is(err, store.ErrRewriting):
		return shell.UsageError(ResumeCommand(name)+" completes that", "%w", err)
	case errors.Is(err, store.ErrNewer):
		return shell.UsageError("use that version of crawler, or a later one", "%w", err)
	case Forbidden(err):
		return &shell.ExitError{Code: shell.ExitDisk, Err: shell.Plain(err), Hint: "make it readable and writable for you; then " + ResumeCommand(name)}
	case Exhausted(err):
		return &shell.ExitError{Code: shell.ExitDisk, Err: shell.Plain(err), Hint: "free space on its disk, or repair it; then " + ResumeCommand(name)}
	}
	return Damaged(name, err)
}

// IsDir reports true unless name exists and is not a directory.
func IsDir(name string) bool {
	info, err := os.Stat(name)
	return err != nil && !errors.Is(err, syscall.ENOTDIR) || err == nil && info.IsDir()
}

// Forbidden reports whether something may not be written or read, by its permissions or
// because the file system is mounted for reading.
func Forbidden(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// Exhausted reports whether a disk or the system has no more to give, or fails.
func Exhausted(err error) bool {
	for _, errno := range [...]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// Damaged is the error of a crawl that can neither be continued nor read.
func Damaged(name string, err error) error {
	text := strings.TrimPrefix(shell.Plain(err).Error(), name+": ")
	switch named := strings.HasPrefix(text, name+" ") || strings.HasPrefix(text, name+"/"); {
	case !strings.Contains(text, "damaged"):
		text = name + " is damaged: " + text
	case !named:
		text = name + ": " + text
	}
	return &shell.ExitError{Code: shell.ExitFailed, Err: shell.Reworded(err, text),
		Hint: CheckCommand(name) + " says what is damaged and what that costs, --repair repairs what can be repaired; or put a copy in its place"}
}

// CheckCommand is what to type to have the crawl in dir looked at.
func CheckCommand(dir string) string { return "crawler check " + shell.Quoted(dir) }

// Damages are the files of a crawl that are not as they were written.
type Damages struct {
	dir string
	all []report.Damage
}

// Look compares the files of a crawl with what was written; whole has all of them read.
func Look(name string, whole bool) (Damages, error) {
	all, err := report.Damages(name, whole)
	if err != nil {
		return Damages{}, Unreadable(name, err)
	}
	return Damages{name, all}, nil
}

// Of returns an error if one of the named files is damaged.
func (d Damages) Of(files ...string) error {
	return d.where(func(f report.Damage) bool { return slices.Contains(files, f.File) })
}

// Any returns an error if a file is damaged.
func (d Damages) Any() error { return d.where(func(report.Damage) bool { return true }) }

// Altered reports whether a file has other bytes than were written, and as many.
func (d Damages) Altered(file string) bool {
	return slices.ContainsFunc(d.all, func(f report.Damage) bool { return f.File == file && f.Fault == sums.Altered })
}

func (d Damages) where(wanted func(report.Damage) bool) error {
	var errs []error
	for _, f := range d.all {
		if wanted(f) {
			errs = append(errs, errors.New(f.Text))
		}
	}
	if errs == nil {
		return nil
	}
	return Damaged(d.dir, errors.Join(errs...))
}

// Unreadable is Refuse for a crawl that is only read.
func Unreadable(name string, err error) error {
	switch {
	case Forbidden(err):
		return &shell.ExitError{Code: shell.ExitFailed, Err: shell.Plain(err), Hint: "make it readable for you"}
	case Exhausted(err):
		return &shell.ExitError{Code: shell.ExitFailed, Err: shell.Plain(err), Hint: "repair the disk, or read a copy of the directory"}
	}
	return Refuse(name, err)
}

// Shards returns the crawl directories that are meant by some: of a cluster those of its shards.
func Shards(dirs ...string) (shards.Set, error) {
	set, err := shards.Find(dirs...)
	switch {
	case err == nil:
		return set, nil
	case errors.Is(err, shards.ErrMissing):
		return set, &shell.ExitError{Code: shell.ExitFailed, Err: err,
			Hint: "name the directories of all machines that had a part in the crawl, or wait until they all have begun"}
	case errors.Is(err, store.ErrDamaged):
		return set, &shell.ExitError{Code: shell.ExitFailed, Err: shell.Plain(err),
			Hint: "name its shards one by one, or put a copy of the file in its place"}
	case Forbidden(err), Exhausted(err):
		return set, Unreadable(dirs[0], err)
	}
	return set, shell.UsageError("", "%w", shell.Plain(err))
}

// CheckRecords rejects record files that are not regular files: a device might never end.
func CheckRecords(name string) error {
	for _, file := range []string{report.PagesFile, report.RedirectsFile, report.SkippedFile, report.LinksFile, report.EdgesFile, report.EdgesCSVFile, report.ChunksFile} {
		file = filepath.Join(name, file)
		if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is damaged: it is no regular file", file)
		}
	}
	return nil
}

// ResumeCommand is what to type to continue the crawl in dir.
func ResumeCommand(dir string) string { return "crawler resume " + shell.Quoted(dir) }

// Check refuses what is no crawl's directory.
func Check(dir string) error {
	_, err := store.ReadMeta(store.Disk(), dir)
	if err != nil && !errors.Is(err, store.ErrNotDurable) && !(Forbidden(err) && IsDir(dir)) {
		return Refuse(dir, err)
	}
	if err := CheckRecords(dir); err != nil {
		return Damaged(dir, err)
	}
	return nil
}
