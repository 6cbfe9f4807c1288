package checkcmd

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"crawler/archive"
	"crawler/internal/sums"
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
	for _, file := range slices.Sorted(maps.Keys(want)) {
		if !strings.HasPrefix(file, archive.Folder+"/") {
			continue
		}
		if err := e.archiveFile(file, want); err != nil {
			return err
		}
	}
	return nil
}

func (e *exam) archiveFile(file string, want sums.Table) error {
	was := want[file]
	found, err := was.CheckBegin(e.path(file))
	if err != nil {
		return err
	}
	e.Files, e.Bytes = e.Files+1, e.Bytes+found.Bytes
	switch {
	case found.Fault != sums.Sound && (path.Base(file) == archive.URLsFile || path.Base(file) == archive.WordsFile):
		e.found(finding{File: file, What: was.Describe(found),
			Costs:  "nothing but time: crawler archive reads whole what no sound filter covers",
			Remedy: "keep the filters that are sound",
			mend:   func() (string, error) { return e.mendFilters(file, want) }})
		return nil
	case found.Fault != sums.Sound:
		e.found(finding{File: file, What: was.Describe(found),
			Costs:  "answers that are lost there cannot be had from the archive any more; the records of their pages are not touched",
			Remedy: "nothing: put a copy in its place. Records before and behind the damage can be read: each is compressed by itself"})
		return nil
	}
	if whole, err := was.Check(e.path(file), false); err != nil || whole.Fault != sums.Longer {
		return err
	} else if extra := whole.Bytes - was.Bytes; e.rep == nil {
		e.found(finding{File: file, What: fmt.Sprintf("%d bytes are behind the last commit", extra), Harmless: true,
			Costs: "they were written behind the last commit: resume cuts them off and asks again"})
	} else {
		e.found(finding{File: file, What: fmt.Sprintf("%d bytes were added to it", extra), Harmless: true, Costs: "nothing is lost"})
	}
	return nil
}
