package crawlcmd

import (
	"os"
	"path/filepath"
	"time"

	"crawler/archive"
	"crawler/report"
	"crawler/store"
)

// What a run puts into a directory before its first page. The lock comes last: while it
// is held, nobody else begins there.
const lockName = "lock"

var created = [...]string{
	"crawl.json", "crawl.json.tmp", "state", "seen", report.PagesFile, report.RedirectsFile, report.SkippedFile,
	report.LinksFile, report.EdgesFile, report.EdgesCSVFile, report.ChunksFile, archive.Folder, lockName,
}

// before is what was there before a run created its directory.
type before struct {
	name    string
	files   map[string]bool // of created: those that are not the run's
	missing []string        // the directory and its parents, the innermost first
}

// lookAt remembers what is there.
func lookAt(name string) before {
	b := before{name: name, files: map[string]bool{}}
	for _, file := range created {
		_, err := os.Lstat(filepath.Join(name, file))
		b.files[file] = !os.IsNotExist(err) // when in doubt, it is not ours
	}
	for dir := filepath.Clean(name); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !os.IsNotExist(err) || dir == filepath.Dir(dir) {
			return b
		}
		b.missing = append(b.missing, dir)
	}
}

// restore removes what a run whose crawl.json is of that time has created, as far as that
// is possible: it follows an error that is worth more than its own. A crawl that
// another process has begun there meanwhile is left alone.
func (b before) restore(at time.Time) {
	b.removeFiles(at)
	for _, dir := range b.missing {
		if os.Remove(dir) != nil { // there is something in it
			return
		}
	}
}

func (b before) removeFiles(at time.Time) {
	lock, err := store.Disk().Lock(filepath.Join(b.name, lockName))
	if err != nil {
		return
	}
	defer lock.Close()
	if meta, err := store.ReadMeta(store.Disk(), b.name); err == nil && !meta.Created.Equal(at) {
		return
	}
	for _, file := range created {
		if !b.files[file] {
			os.RemoveAll(filepath.Join(b.name, file))
		}
	}
}
