package checkcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"crawler/archive"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/frontier"
	"crawler/graph"
	"crawler/graph/survey"
	"crawler/internal/sums"
	"crawler/ledger"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
)

// exam is a look at a directory.
type exam struct {
	outcome
	state   *store.Dir // nil: there is none that can be read
	lock    io.Closer  // of the directory, if there is no state
	meta    store.Meta
	metaErr error          // why crawl.json cannot be read
	rep     *report.Report // nil: there is none that can be read
	repErr  error
	mended  sums.Table // files of lines that were mended, as they are now
	parts   sums.Table // and the parts of them that count as committed

	acceptLoss bool // take an empty file for one of which all records are lost
	cutPages   bool // pages.jsonl was repaired, and has fewer records now
}

func (e *exam) close() error {
	switch {
	case e.state != nil:
		return e.state.Close()
	case e.lock != nil:
		return e.lock.Close()
	}
	return nil
}

func (e *exam) path(file string) string { return filepath.Join(e.Dir, file) }

// found notes what is wrong.
func (e *exam) found(f finding) {
	e.Findings = append(e.Findings, f)
	e.Sound = e.Sound && f.Harmless
}

// settings looks at crawl.json, which could not be read if err is not nil.
func (e *exam) settings(err error) {
	f := finding{File: "crawl.json", Costs: "resume does not know the settings", Remedy: "put back what the state has of it", mend: e.mendSettings}
	var was store.Meta
	kept := false
	if e.state != nil {
		was, kept, _ = e.state.KeptMeta()
	}
	if !kept {
		f.mend, f.Remedy = nil, "nothing: there is no other copy of it"
	}
	switch {
	case errors.Is(err, store.ErrNotDurable):
		f.What = "it is missing"
	case err != nil:
		f.What = strings.TrimPrefix(shell.Plain(err).Error(), e.path("crawl.json")+" ")
	case e.state == nil || !e.state.Meta().Edited:
		return
	default:
		f.What = "somebody has edited it by hand"
		f.Costs = "resume takes the settings that may change in mid-crawl, and refuses others"
		now := e.state.Meta()
		if changed := settings.Changes(was.Flags, now.Flags); kept && len(changed) > 0 {
			f.What += ": " + strings.Join(changed, ", ")
		}
		if kept && !slices.Equal(was.Seeds, now.Seeds) {
			f.What += ", and its seeds differ"
		}
	}
	e.found(f)
}

// examine looks at everything.
func (e *exam) examine(ctx context.Context) error {
	for _, step := range []func(context.Context) error{e.lines, e.archive, e.reports, e.records, e.graph, e.leftovers} {
		if ctx.Err() != nil {
			return &shell.ExitError{Code: shell.ExitInterrupted, Err: errors.New("interrupted; nothing was changed")}
		}
		if err := step(ctx); err != nil {
			return &shell.ExitError{Code: shell.ExitFailed, Err: shell.Plain(err), Hint: "repair the disk, or check a copy of the directory"}
		}
	}
	return nil
}

// lines looks at the files of lines. After a kill they may be longer than the state knows; resume
// cuts that off.
func (e *exam) lines(context.Context) error {
	ended := e.repErr == nil || !errors.Is(e.repErr, report.ErrUnfinished) && !errors.Is(e.repErr, report.ErrNoReport)
	want, lengths := sums.Table{}, map[string]int64{}
	if e.state != nil {
		want, lengths = e.state.Committed(), e.state.Lengths()
	}
	if e.rep != nil { // it knows what was written behind the last commit
		for _, file := range report.LineFiles() {
			if f, ok := e.rep.Files[file]; ok {
				want[file], lengths[file] = f, f.Bytes
			}
		}
	}
	for _, file := range report.LineFiles() {
		was, summed := want[file]
		length, known := lengths[file]
		info, err := os.Stat(e.path(file))
		if errors.Is(err, fs.ErrNotExist) && length == 0 {
			continue
		}
		if err == nil {
			e.Files, e.Bytes = e.Files+1, e.Bytes+info.Size()
		}
		if !known && e.state == nil && e.rep == nil {
			length, known = info.Size(), true // nobody knows; each line is looked at
		}
		if err := e.lineFile(file, sums.File{Bytes: length, Sum: was.Sum}, summed, ended); err != nil {
			return err
		}
	}
	return nil
}

// lineFile looks at one file; summed says that its checksum is known.
func (e *exam) lineFile(file string, was sums.File, summed, ended bool) error {
	found, err := was.Check(e.path(file), true)
	if err != nil {
		return err
	}
	f := finding{File: file, What: was.Describe(found)}
	if found.Fault == sums.NotAFile {
		f.Costs, f.Remedy = lost[file], "nothing: look at what it is, and put a copy in its place"
		e.found(f)
		return nil
	}
	begin := found.Fault
	if found.Fault == sums.Longer || !summed && found.Fault == sums.Altered {
		if begin, err = e.beginning(file, was, summed); err != nil {
			return err
		}
	}
	switch {
	case begin == sums.Sound && found.Fault != sums.Longer:
		return nil
	case file == report.ChunksFile && (begin != sums.Sound || ended):
		f.Costs, f.Remedy, f.mend = "nothing: it can be made again from the records; until then why reads more of them", "make it again", e.mendChunks
	case begin == sums.Sound && !ended:
		f.Harmless, f.Costs = true, "it was written behind the last commit: resume cuts it off and asks again"
		f.What = fmt.Sprintf("%d bytes are behind the last commit", found.Bytes-was.Bytes)
	case begin == sums.Sound:
		f.Costs, f.Remedy = "nothing is lost; what was added belongs to no commit", fmt.Sprintf("cut off the last %d bytes", found.Bytes-was.Bytes)
		f.mend = func() (string, error) { return e.mendLines(file, was, false) }
	case begin == sums.Altered && summed && e.flipped(file, was) != nil:
		bit := e.flipped(file, was)
		f.What += fmt.Sprintf("; bit %d of byte %d is flipped, and nothing else", bit.number(), bit.at)
		f.Costs, f.Remedy = "the record there is wrong, if it can be read at all", "flip it back; nothing is lost"
		f.mend = func() (string, error) { return e.mendBit(file, was, *bit) }
	default:
		if err := e.unsound(&f, file, was, begin); err != nil {
			return err
		}
	}
	e.found(f)
	return nil
}

// lost is what a record of each file is.
var lost = map[string]string{
	report.PagesFile:     "pages that are lost there have no record any more: report.json still counts them, and resume does not ask for them again",
	report.RedirectsFile: "redirects that are lost there have no record any more; why and graph do not know them",
	report.SkippedFile:   "refusals that are lost there have no record any more; report.json still counts them",
	report.LinksFile:     "links of pages that are lost there are missing in the graph",
	report.EdgesFile:     "links of pages that are lost there are missing; links.bin has them, too",
	report.EdgesCSVFile:  "links of pages that are lost there are missing; links.bin has them, too",
}

// unsound says how much of a file can be read.
func (e *exam) unsound(f *finding, file string, was sums.File, fault sums.Fault) error {
	l := report.Lines{}
	if fault != sums.Missing {
		var err error
		if l, err = report.ReadLines(e.Dir, file, 0, was.Bytes, nil); err != nil {
			return err
		}
	}
	f.Costs = lost[file]
	f.What += fmt.Sprintf("; %s can be read", shell.Counted(l.Sound, "line"))
	if l.Bad > 0 {
		f.What += fmt.Sprintf(", %d cannot, the first of them line %d", l.Bad, l.FirstBad)
	}
	if fault == sums.Altered && l.Bad == 0 {
		f.What += ", and which of them was altered cannot be told"
	}
	if l.Sound == 0 {
		f.Costs = "all of its records are lost: " + f.Costs
		f.Remedy = "nothing without --accept-loss, which takes an empty file for the whole: put a copy in its place"
		if !e.acceptLoss {
			e.needsLoss = true
			return nil
		}
		f.mend = func() (string, error) { return e.mendLines(file, was, true) }
		return nil
	}
	f.Remedy = fmt.Sprintf("keep the %s that can be read, %d of %d bytes, and take these for the whole", shell.Counted(l.Sound, "line"), l.Kept.Bytes, was.Bytes)
	f.mend = func() (string, error) { return e.mendLines(file, was, true) }
	return nil
}

// beginning looks at the committed part of a file that is longer, or of which the checksum is not
// known: then each line has to be a record.
func (e *exam) beginning(file string, was sums.File, summed bool) (sums.Fault, error) {
	if summed {
		found, err := was.CheckBegin(e.path(file))
		return found.Fault, err
	}
	l, err := report.ReadLines(e.Dir, file, 0, was.Bytes, nil)
	if l.Bad > 0 || l.Torn > 0 {
		return sums.Altered, err
	}
	return sums.Sound, err
}

// reports looks at report.json and report.txt.
func (e *exam) reports(context.Context) error {
	again := "crawler resume " + shell.Quoted(e.Dir) + " writes it again, as long as the state is sound"
	switch {
	case errors.Is(e.repErr, store.ErrDamaged):
		e.found(finding{File: report.JSONFile, What: strings.TrimPrefix(e.repErr.Error(), e.path(report.JSONFile)+" "),
			Costs: "there is no report; " + again, Remedy: "put it aside", mend: func() (string, error) { return e.aside(report.JSONFile) }})
	case e.repErr == nil:
		e.Files++
		if err := e.derived(report.TextFile, "nothing: report.json has it all", "write it again from report.json",
			func() (string, error) { return "written again", e.rep.Save(e.Dir) }); err != nil {
			return err
		}
		return e.derived(report.NearFile, "nothing: it can be made again from pages.jsonl", "make it again", e.mendNear)
	case !errors.Is(e.repErr, report.ErrUnfinished) && !errors.Is(e.repErr, report.ErrNoReport):
		return e.repErr
	}
	return nil
}

// derived looks at a file that was made of others when the crawl ended.
func (e *exam) derived(file, costs, remedy string, mend func() (string, error)) error {
	was, ok := e.rep.Files[file]
	if !ok {
		return nil
	}
	found, err := was.Check(e.path(file), true)
	if err == nil && found.Fault != sums.Sound {
		e.found(finding{File: file, What: was.Describe(found), Costs: costs, Remedy: remedy, mend: mend})
	}
	return err
}

// records reads the whole state, and the log of seen URLs.
func (e *exam) records(context.Context) error {
	if e.state == nil {
		return nil
	}
	var err error
	if e.Records, err = e.state.EachRecord(); err != nil {
		e.stateless("state", err)
		return nil
	}
	_, last, err := crawl.Complete(disk.Of(e.state))
	// A state that was just made again is from the records that are left.
	fresh := last.Rebuilt != nil && last.Rebuilt.Pages == last.Fetched
	if err == nil && e.rep != nil && last.Fetched != e.rep.Pages.Fetched && !fresh {
		e.found(finding{File: "state", What: fmt.Sprintf("it is that of an earlier commit: it knows of %s, report.json of %d", shell.Counted(last.Fetched, "page"), e.rep.Pages.Fetched),
			Costs: "resume would cut the records back to that commit, and ask for the rest again", Remedy: "nothing: put a copy in its place, or resume"})
	}
	if err == nil && e.state.Resumed() {
		if err = e.queues(); err == nil {
			rec, _ := report.NewRecorder(report.Config{}) // without files nothing can fail
			err = rec.Restore(e.state.DB())
		}
	}
	if err != nil {
		e.stateless("state", err)
		return nil
	}
	if e.Seen, err = ledger.Verify(disk.Of(e.state)); err != nil {
		e.stateless("seen", err)
	}
	return nil
}

// queues reads every queued URL.
func (e *exam) queues() error {
	q := e.state.Queue()
	return q.Hosts(func(host string, state []byte) error {
		if _, err := frontier.ReadHost(host, state); err != nil {
			return err
		}
		return frontier.Queue(host, state, q, func(int, frontier.Item) bool { return true })
	})
}

// graph looks at the link graph, if there is one.
func (e *exam) graph(ctx context.Context) error {
	m, err := survey.ReadManifest(e.Dir)
	if errors.Is(err, survey.ErrMissing) {
		return nil
	}
	if err == nil {
		e.Files += 1 + len(m.Files)
		e.Bytes += m.Bytes
		err = m.Damaged(e.Dir, true)
	}
	switch {
	case errors.Is(err, graph.ErrDamaged):
		e.found(finding{File: survey.Folder, What: shell.Plain(err).Error(), Costs: "nothing: it can be made again from links.bin", Remedy: "make it again",
			mend: func() (string, error) { return e.mendGraph(ctx, m) }})
	case err != nil:
		return err
	}
	return nil
}

// leftovers looks for what killed processes have left.
func (e *exam) leftovers(context.Context) error {
	entries, err := os.ReadDir(e.Dir)
	if err != nil {
		return err
	}
	names := survey.Leftovers(e.Dir)
	if _, err := os.Lstat(e.path(store.RebuildFolder)); err == nil {
		names = append(names, e.path(store.RebuildFolder))
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() && isLeftover(entry.Name()) {
			names = append(names, e.path(entry.Name()))
		}
	}
	kept, err := os.ReadDir(e.path(archive.Folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range kept {
		if entry.Type().IsRegular() && archive.IsLeftover(entry.Name()) {
			names = append(names, e.path(filepath.Join(archive.Folder, entry.Name())))
		}
	}
	for _, name := range names {
		e.found(finding{File: filepath.Base(name), What: "a process that was killed has left it", Harmless: true, Costs: "nothing but its room on the disk",
			Remedy: "remove it", mend: func() (string, error) { return "removed", os.RemoveAll(name) }})
	}
	return nil
}

// isLeftover reports whether a crawl, a report or a repair has files of that name only while it
// writes them. Other names are those of files that are not ours.
func isLeftover(name string) bool {
	if name == "crawl.json.tmp" || strings.HasPrefix(name, "near.tmp") {
		return true
	}
	for _, file := range append(report.LineFiles(), report.JSONFile, report.TextFile, report.NearFile) {
		if rest, ok := strings.CutPrefix(name, file); ok && (rest == ".next" || strings.HasPrefix(rest, ".tmp")) {
			return true
		}
	}
	return false
}
