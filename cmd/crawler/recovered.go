package main

import (
	"errors"
	"fmt"
	"strconv"

	"crawler/crawl"
	"crawler/report"
	"crawler/store"
)

// say tells the user something about the crawl that is resumed.
func (r *session) say(text string) {
	if r.logJSON.value == "json" {
		r.log.Info(text, "dir", r.dir.Path())
		return
	}
	fmt.Fprintf(r.show, "%s: %s\n", r.dir.Path(), text)
}

// recovered tells what the crawl goes on with.
func (r *session) recovered(c crawl.Recovery) {
	records, others := cutLines(r.dir.Cuts())
	if r.logJSON.value == "json" {
		r.log.Info("resuming", "dir", r.dir.Path(), "run", c.Run, "pages", c.Pages, "queued", c.Queued, "hosts", c.Hosts,
			"unsettled", c.Unsettled, "cut_pages", records, "cut_others", others)
		return
	}
	text := fmt.Sprintf("resuming %s: %s done, %s queued on %s", r.dir.Path(),
		counted(c.Pages, "page"), counted(c.Queued, "URL"), counted(c.Hosts, "host"))
	if c.Unsettled > 0 {
		text += fmt.Sprintf(", %s to be settled", commas(c.Unsettled))
	}
	switch {
	case records > 0:
		text += fmt.Sprintf("; %s behind the last commit cut, to be fetched again", counted(records, "page record"))
	case others > 0:
		text += fmt.Sprintf("; %s behind the last commit cut", counted(others, "line"))
	}
	fmt.Fprintln(r.show, text)
}

// cutLines counts what lay behind the committed positions: page records, and lines of
// other files.
func cutLines(cuts []store.CutLine) (records, others int) {
	for _, c := range cuts {
		if c.File == report.PagesFile {
			records += c.Records
		} else {
			others += c.Records
		}
	}
	return records, others
}

// refuseDir says why the crawl in the directory name cannot be opened, and what to do.
func refuseDir(name string, err error) error {
	switch {
	case errors.Is(err, store.ErrLocked):
		return usage("wait until it has ended; crawler why and the .jsonl files tell of it meanwhile", "another process is working on the crawl in %s", name)
	case errors.Is(err, store.ErrNotDurable):
		return usage("begin again with another -o, and without --durable=false if it is to be resumable", "%w", err)
	case errors.Is(err, store.ErrNoCrawl):
		return usage("name the directory that was given to crawler crawl -o", "%w", err)
	case errors.Is(err, store.ErrNewer):
		return usage("use that version of crawler, or a later one", "%w", err)
	case errors.Is(err, store.ErrDamaged):
		return damaged(name, err)
	}
	return diskError(err)
}

// damaged is the error of a state that cannot be gone on with.
func damaged(name string, err error) error {
	return &exitError{code: exitFailed, err: fmt.Errorf("%s: %w", name, err),
		hint: "the records in its .jsonl files are not touched by this; to crawl again choose another -o"}
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return commas(n) + " " + noun
}

// commas writes a number in groups of three digits.
func commas(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
