package checkcmd

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"crawler/archive"
	"crawler/internal/sums"
	"crawler/report"
)

// archive looks at the files of the archive. After a kill the present one may be longer than the
// state knows, and another one may have been begun; resume cuts that off.
func (e *exam) archive(context.Context) error {
	want := sums.Table{}
	if e.state != nil {
		want = e.state.Committed()
	}
	if e.rep != nil {
		maps.Copy(want, e.rep.Files)
	}
	damaged := map[string]sums.Found{}
	for _, file := range slices.Sorted(maps.Keys(want)) {
		if !strings.HasPrefix(file, archive.Folder+"/") {
			continue
		}
		found, err := e.archiveFile(file, want[file])
		if err != nil {
			return err
		}
		if found.Fault != sums.Sound {
			damaged[path.Base(file)] = found
		}
	}
	if len(damaged) == 0 {
		return nil
	}
	return e.damagedArchive(want, damaged)
}

// archiveFile returns how a file is damaged. What is behind it is no damage.
func (e *exam) archiveFile(file string, was sums.File) (sums.Found, error) {
	found, err := was.CheckBegin(e.path(file))
	if err != nil {
		return found, err
	}
	e.Files, e.Bytes = e.Files+1, e.Bytes+found.Bytes
	if found.Fault != sums.Sound {
		return found, nil
	}
	if whole, err := was.Check(e.path(file), false); err != nil || whole.Fault != sums.Longer {
		return found, err
	} else if extra := whole.Bytes - was.Bytes; e.rep == nil {
		e.found(finding{File: file, What: fmt.Sprintf("%d bytes are behind the last commit", extra), Harmless: true,
			Costs: "they were written behind the last commit: resume cuts them off and asks again"})
	} else {
		e.found(finding{File: file, What: fmt.Sprintf("%d bytes were added to it", extra), Harmless: true, Costs: "nothing is lost"})
	}
	return found, nil
}

// salvage is the archive of which files are damaged.
type salvage struct {
	*archive.Salvage
	want sums.Table
	lost map[string][]string // URLs whose answers cannot be had any more, by file; see maxLost
	n    map[string]int      // how many they are
	mend []string            // the files that are taken for what is left of them
	done bool                // they are

	damagedSides map[string]bool   // the files of filters that are damaged
	aside        map[string]string // what became of damaged files
}

// maxLost bounds how many URLs are named for a file, and maxTold how many in text.
const (
	maxLost = 100_000
	maxTold = 5
)

// damagedArchive says what the damage costs.
func (e *exam) damagedArchive(want sums.Table, damaged map[string]sums.Found) error {
	s := &salvage{want: want, lost: map[string][]string{}, n: map[string]int{}, damagedSides: map[string]bool{}, aside: map[string]string{}}
	names := slices.Sorted(maps.Keys(damaged))
	records := slices.DeleteFunc(slices.Clone(names), isSidecar)
	var err error
	if s.Salvage, err = archive.Survey(e.Dir, e.archiveLengths(want), records); err != nil {
		return err
	}
	if len(records) > 0 {
		if err := e.lostAnswers(s, records); err != nil {
			return err
		}
	}
	for _, name := range names {
		file := archive.Folder + "/" + name
		f := finding{File: file, What: want[file].Describe(damaged[name])}
		if isSidecar(name) {
			s.damagedSides[name] = true
			f.Costs, f.Remedy = "nothing but time: crawler archive reads whole what no sound filter covers", "keep the filters that are sound"
			f.mend = func() (string, error) { return e.mendFilters(file, s) }
		} else {
			e.damagedRecords(&f, s, name, damaged[name].Fault)
		}
		e.found(f)
	}
	return nil
}

func isSidecar(name string) bool { return name == archive.URLsFile || name == archive.WordsFile }

// archiveLengths are how much of each file of the archive a resumed crawl keeps.
func (e *exam) archiveLengths(want sums.Table) map[string]int64 {
	lengths := map[string]int64{}
	for file, f := range want {
		if name, ok := strings.CutPrefix(file, archive.Folder+"/"); ok {
			lengths[name] = f.Bytes
		}
	}
	if e.state == nil {
		return lengths
	}
	for file, length := range e.state.Lengths() {
		if name, ok := strings.CutPrefix(file, archive.Folder+"/"); ok {
			lengths[name] = length
		}
	}
	return lengths
}

// damagedRecords says what the damage of a file with records costs, and what can be done.
func (e *exam) damagedRecords(f *finding, s *salvage, name string, fault sums.Fault) {
	file, was, sound := f.File, s.want[f.File], s.Files[name]
	f.What += fmt.Sprintf("; %s can be read", counted(sound.Records, "record", "records"))
	f.Lost, f.Costs = s.lost[name], s.costs(name)
	if fault == sums.NotAFile {
		s.Leave(name)
		f.Remedy = "nothing: look at what it is, and put a copy in its place"
		return
	}
	if fault == sums.Altered {
		if bit := e.flipped(f.File, was); bit != nil {
			f.What += fmt.Sprintf("; bit %d of byte %d is flipped, and nothing else", bit.number(), bit.at)
			f.Costs, f.Lost, f.Remedy = "the record there cannot be read", nil, "flip it back; nothing is lost"
			f.mend = func() (string, error) { return e.mendBit(file, was, *bit) }
			s.Leave(name)
			return
		}
	}
	if sound.Records == 0 && was.Bytes > 0 && !archive.IsNear(name) {
		f.Costs = "all of its records are lost: " + f.Costs
		if !e.acceptLoss {
			e.needsLoss = true
			s.Leave(name)
			f.Remedy = "nothing without --accept-loss, which continues without the file: put a copy in its place"
			return
		}
	}
	f.Remedy = fmt.Sprintf("keep the %s that can be read, %d of %d bytes, and take these for the whole", counted(sound.Records, "record", "records"), sound.Bytes, was.Bytes)
	s.mend = append(s.mend, name)
	f.mend = func() (string, error) { return e.mendRecords(file, name, s) }
}

// costs says which answers are lost.
func (s *salvage) costs(name string) string {
	n, urls := s.n[name], s.lost[name]
	if archive.IsNear(name) {
		return "nothing: " + report.NearFile + " has the near-duplicates, too"
	}
	if n == 0 {
		return "the answer of every page and redirect can still be had"
	}
	text := fmt.Sprintf("the %s of %s cannot be had from the archive any more, the records in %s and %s are not touched: %s",
		plural(n, "answer", "answers"), counted(n, "URL", "URLs"), report.PagesFile, report.RedirectsFile, strings.Join(urls[:min(n, maxTold)], ", "))
	if n > maxTold {
		text += fmt.Sprintf(" and %d more, which --json lists", n-maxTold)
	}
	return text
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// lostAnswers finds the pages and redirects whose answers cannot be had any more. Which of several
// damaged files had an answer is what their filters do not deny.
func (e *exam) lostAnswers(s *salvage, files []string) error {
	lengths := map[string]int64{}
	if e.state != nil {
		lengths = e.state.Lengths()
	}
	for _, records := range []string{report.PagesFile, report.RedirectsFile} {
		err := report.EachURL(e.Dir, records, func(at int64, url string) error {
			if n, known := lengths[records]; known && at >= n || s.Has(url) {
				return nil
			}
			for _, name := range files {
				if !archive.IsNear(name) && s.MayBeOf(name, url) {
					if s.n[name]++; len(s.lost[name]) < maxLost {
						s.lost[name] = append(s.lost[name], url)
					}
				}
			}
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}
