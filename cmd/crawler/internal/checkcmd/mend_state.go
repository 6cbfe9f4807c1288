package checkcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"crawler/archive"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/internal/sums"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
)

// notRecorded is what the state knows and no record has, each with what its loss costs.
var notRecorded = []string{
	"words: totals, distinct words and surprise in the report are those of pages fetched from now on",
	"traps: patterns are judged anew, by up to --trap-budget pages each; URLs refused as traps stay refused",
	"attempts: pages that waited for another one have all of theirs again, and hosts in trouble are asked anew",
	"counts: requests for robots.txt and failed attempts, and the time so far, are missing in the report",
	"sitemaps not read yet: they come back with the robots.txt of a host, when it is asked again",
}

// stateless notes that the state, or the log of seen URLs, cannot be read.
func (e *exam) stateless(file string, err error) {
	f := finding{File: file, What: strings.TrimPrefix(shell.Plain(err).Error(), e.Dir+" "),
		Costs: "the crawl cannot be resumed; report, graph and the records are not touched by it"}
	if why := e.unbuildable(); why != "" {
		f.Remedy = "nothing: " + why + "; put a copy in its place, or crawl again"
		e.found(f)
		return
	}
	f.Remedy = "make it again from the records: what has one is not asked for again, what they link to is queued"
	f.Partial = notRecorded
	if info, err := os.Stat(e.path(report.LinksFile)); err != nil || info.Size() == 0 {
		f.Remedy = "make it again from the records: what has one is not asked for again"
		f.Partial = append(f.Partial[:len(f.Partial):len(f.Partial)], noLinks)
	}
	f.Partial = append(f.Partial[:len(f.Partial):len(f.Partial)], e.archiveParts()...)
	f.rebuild = true
	e.found(f)
}

const noLinks = "links: links.bin has none, so URLs that were found and not asked for are lost, but for seeds and targets of redirects"

// archiveParts is what of an archive is in the state alone.
func (e *exam) archiveParts() []string {
	if _, err := os.Stat(e.path(archive.Folder)); err != nil {
		return nil
	}
	return []string{"payloads: the archive keeps an answer whole once more that it has already"}
}

// unbuildable returns why no state can be made from the records, "" if one can.
func (e *exam) unbuildable() string {
	switch {
	case e.metaErr != nil:
		return "without crawl.json nobody knows what was crawled, and how"
	case e.meta.Flags["cluster"] != nil:
		return "a shard has URLs that other shards have found, which is in no record of its own"
	}
	return ""
}

// rebuildState makes the state again from the records, when these are repaired. It says what it
// has done, or why it has not.
func (e *exam) rebuildState(f *finding) error {
	if e.needsLoss {
		f.Remedy = "nothing before the other files are repaired"
		return nil
	}
	records, err := report.ReadRecords(e.Dir, e.repErr == nil)
	if err != nil {
		f.Remedy = "nothing: " + shell.Plain(err).Error()
		return nil
	}
	cfg, to, err := e.engine()
	if err != nil {
		f.Remedy = "nothing: the settings cannot be used any more: " + shell.Plain(err).Error()
		return nil
	}
	if e.state != nil { // it may have the lock, and files that get another name
		e.state.Close() // whatever it says: it is damaged
		e.state = nil
		if e.lock, err = store.Lock(store.Disk(), e.Dir); err != nil {
			return err
		}
	}
	res, err := e.makeState(records, cfg, to)
	if err != nil {
		return err
	}
	aside, err := store.Install(store.Disk(), e.Dir)
	if err != nil {
		return err
	}
	if err := e.openRebuilt(); err != nil {
		return err
	}
	f.Done = rebuiltText(records.Found(), res)
	if aside != "" {
		f.Done += "; the damaged folder is " + aside + " now"
	}
	f.Partial = append(f.Partial[:len(f.Partial):len(f.Partial)], partialLinks(records.Found())...)
	return nil
}

// engine is what the crawl's settings make of it.
func (e *exam) engine() (cfg crawl.Config, to report.Config, err error) {
	kept := maps.Clone(e.meta.Flags)
	delete(kept, "demo")
	var o settings.Options
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.Declare(f)
	if err := settings.Restore(f, nil, kept); err != nil {
		return cfg, to, err
	}
	if cfg, err = o.Engine(e.meta.Seeds); err != nil {
		return cfg, to, err
	}
	if cfg.Gate.Dedup.Seed == 0 {
		cfg.Gate.Dedup.Seed = settings.SecretSeed()
	}
	return cfg, report.Config{
		MaxSites: o.MaxSites, Exact: o.ExactStats, NoIndex: cfg.Gate.IgnoreRobots,
		HostShare: cfg.Gate.Scope.HostShare, Seed: cfg.Gate.Dedup.Seed,
	}, nil
}

// makeState makes the state in a folder of its own, durably.
func (e *exam) makeState(records *report.Records, cfg crawl.Config, to report.Config) (res crawl.Result, err error) {
	dir, err := store.BeginRebuild(store.Disk(), e.Dir, e.meta)
	if err != nil {
		return res, err
	}
	to.Dir, cfg.Store = dir, disk.Of(dir)
	res, err = records.Rebuild(cfg, to)
	if err == nil {
		var kept sums.Table
		if kept, err = e.keptArchive(); err == nil {
			err = dir.Accept(kept)
		}
	}
	return res, errors.Join(err, dir.Close())
}

// keptArchive is what there is of the archive: without a report, each file up to its last record,
// and no filters, which are made for what is appended.
func (e *exam) keptArchive() (sums.Table, error) {
	sizes := map[string]int64{} // by name in the folder
	if e.rep != nil {
		for file, was := range e.rep.Files {
			if name, ok := strings.CutPrefix(file, archive.Folder+"/"); ok && !archive.IsNear(name) {
				if now, ok := e.mended[file]; ok {
					was = now
				}
				sizes[name] = was.Bytes
			}
		}
	} else if err := e.surveyArchive(sizes); err != nil {
		return nil, err
	}
	kept := sums.Table{}
	for name, size := range sizes {
		file := archive.Folder + "/" + name
		f, err := begins(e.path(file), size)
		if err != nil {
			return nil, err
		}
		kept[file] = f
	}
	return kept, nil
}

// surveyArchive finds where the records of each file end.
func (e *exam) surveyArchive(sizes map[string]int64) error {
	if _, err := os.Stat(e.path(archive.Folder)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	paths, err := archive.Files(e.path(archive.Folder))
	if errors.Is(err, archive.ErrNoArchive) {
		return nil
	}
	var names []string
	for _, path := range paths {
		info, statErr := os.Stat(path)
		if err = errors.Join(err, statErr); err != nil {
			return err
		}
		if name := filepath.Base(path); !archive.IsNear(name) {
			sizes[name] = info.Size()
			names = append(names, name)
		}
	}
	s, err := archive.Survey(e.Dir, maps.Clone(sizes), names)
	if err != nil {
		return err
	}
	for name, sound := range s.Files {
		sizes[name] = 0
		if n := len(sound.Parts); n > 0 {
			sizes[name] = sound.Parts[n-1].To
		}
	}
	return nil
}

// begins describes the first bytes of a file.
func begins(name string, size int64) (sums.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return sums.File{}, err
	}
	sum, n, err := sums.Read(f, size)
	return sums.File{Bytes: n, Sum: sum}, errors.Join(err, f.Sync(), f.Close())
}

// openRebuilt opens the state that was made, and makes the filters on the records again.
func (e *exam) openRebuilt() (err error) {
	if e.lock != nil {
		if err := e.lock.Close(); err != nil {
			return err
		}
		e.lock = nil
	}
	if e.state, _, err = store.Inspect(store.Disk(), e.Dir, true); err != nil {
		return err
	}
	clear(e.parts) // the state knows them
	_, err = e.mendChunks()
	return err
}

// rebuiltText says what the state was made from.
func rebuiltText(f report.Found, res crawl.Result) string {
	text := fmt.Sprintf("made again from %s, %s and %s: %s queued, on %s", shell.Counted(f.Pages, "page"), shell.Counted(f.Redirects, "redirect"),
		shell.Counted(f.Refused, "refusal"), counted(res.Queued, "URL is", "URLs are"), shell.Counted(res.Hosts, "host"))
	if f.Torn > 0 {
		text += fmt.Sprintf("; %s at the end had not been recorded whole: resume cuts them off and asks again", shell.Counted(f.Torn, "page or redirect"))
	}
	return text
}

// partialLinks says which links are not known.
func partialLinks(f report.Found) (list []string) {
	if f.Unlinked > 0 && !f.NoLinks {
		list = append(list, fmt.Sprintf("links: those of %s stand nowhere; what only they link to is not queued", shell.Counted(f.Unlinked, "page")))
	}
	if f.LinksCut > 0 {
		list = append(list, fmt.Sprintf("links: %s had more than are recorded; what only these lead to is not queued", shell.Counted(f.LinksCut, "page")))
	}
	if f.LinksOnly > 0 {
		list = append(list, fmt.Sprintf("links: those of %s read for their links alone (--follow) are in no record", shell.Counted(f.LinksOnly, "URL")))
	}
	return list
}
