package crawlcmd

import (
	"fmt"

	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/report"
	"crawler/store"
)

// say prints something about the crawl that is resumed.
func (r *session) say(text string) {
	if r.LogFormat.Value == "json" {
		r.log.Info(text, "dir", r.dir.Path())
		return
	}
	fmt.Fprintf(r.show, "%s: %s\n", r.dir.Path(), text)
}

// recovered says what the crawl continues with.
func (r *session) recovered(c crawl.Recovery) {
	records, others := cutLines(r.dir.Cuts())
	if r.LogFormat.Value == "json" {
		r.log.Info("resuming", "dir", r.dir.Path(), "run", c.Run, "pages", c.Pages, "queued", c.Queued, "hosts", c.Hosts,
			"pending", c.Pending, "cut_pages", records, "cut_others", others)
		return
	}
	text := fmt.Sprintf("resuming %s: %s done, %s queued on %s", r.dir.Path(),
		shell.Counted(c.Pages, "page"), shell.Counted(c.Queued, "URL"), shell.Counted(c.Hosts, "host"))
	if c.Pending > 0 {
		text += fmt.Sprintf(", %s to look up in the log of seen URLs", shell.Counted(c.Pending, "URL"))
	}
	switch {
	case records > 0:
		text += fmt.Sprintf("; %s behind the last commit cut and will be fetched again", shell.Counted(records, "page record"))
	case others > 0:
		text += fmt.Sprintf("; %s behind the last commit cut", shell.Counted(others, "line"))
	}
	fmt.Fprintln(r.show, text)
}

// cutLines counts what lay behind the committed positions: page records, and lines of
// other files.
func cutLines(cuts []store.CutLine) (records, others int) {
	for _, c := range cuts {
		switch c.File {
		case report.PagesFile:
			records += c.Records
		case report.ChunksFile: // what was cut is made again from the records
		default:
			others += c.Records
		}
	}
	return records, others
}
