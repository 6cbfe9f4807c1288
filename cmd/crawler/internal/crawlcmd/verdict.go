package crawlcmd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/fetch"
	"crawler/gate"
	"crawler/report"
)

// recorded is what a verdict wants to know of the records; a report.Recorder is one.
type recorded interface {
	Succeeded() int
	FirstFailures() []gate.Skip
}

// ofMerged is the merged report of a crawl's shards, as a verdict sees records.
type ofMerged struct{ *report.Report }

func (m ofMerged) Succeeded() (n int) {
	for code, k := range m.Pages.ByStatus {
		if c, err := strconv.Atoi(code); err == nil && c < 400 {
			n += k
		}
	}
	return n
}

func (m ofMerged) FirstFailures() (all []gate.Skip) {
	for _, f := range m.Failures {
		all = append(all, gate.Skip{URL: f.URL, Reason: gate.Reason(f.Reason), Detail: f.Detail})
	}
	return all
}

// Verdict turns the end of a crawl on several machines into the error of crawler crawl's that says
// the same. next says how to continue it.
func Verdict(set settings.Options, rep *report.Report, next string) error {
	o := &options{Options: set}
	res := crawl.Result{EndedBy: crawl.EndedBy(rep.EndedBy), Queued: rep.Frontier.Queued, Leased: rep.Frontier.Leased, Skipped: map[gate.Reason]int{}}
	for r, n := range rep.Skipped {
		res.Skipped[gate.Reason(r)] = n
	}
	if err := o.verdict(res, ofMerged{rep}, next); err != nil {
		return err
	}
	return o.faults(rep, "", next)
}

// faults is the error of a crawl that ended well, where the user wants to be told what was not.
func (o *options) faults(rep *report.Report, dir, next string) error {
	if n := rep.Incomplete(); n > 0 && o.FailOnIncomplete {
		return &shell.ExitError{Code: shell.ExitIncomplete, Err: fmt.Errorf("%s given up that may be had later", were(n)),
			Hint: cmp.Or(next, "crawl again when their hosts are well; report.json has the reasons, skipped.jsonl the URLs"), Continues: next != ""}
	}
	if o.FailOnBroken && rep.Dead() > 0 {
		return &shell.ExitError{Code: shell.ExitBroken, Err: fmt.Errorf("broken links lead to %s", shell.Counted(rep.Dead(), "URL")),
			Hint: cmp.Or(brokenHint(dir), "the report lists the first")}
	}
	return nil
}

// verdict turns the end of a crawl into the exit code. next says how to continue it,
// and is empty when that is not possible.
func (o *options) verdict(res crawl.Result, rec recorded, next string) error {
	switch {
	case res.EndedBy == crawl.ByInterrupt:
		return &shell.ExitError{Code: shell.ExitInterrupted, Err: fmt.Errorf("interrupted; %s left", were(res.Left())), Hint: next, Continues: true}
	case res.EndedBy == crawl.ByLowDisk:
		return &shell.ExitError{Code: shell.ExitDisk, Hint: freeSpace(next), Continues: true,
			Err: fmt.Errorf("the disk has less than %s free (--min-free): stopped in time, and nothing is lost; %s left", o.MinFree.String(), were(res.Left()))}
	case res.EndedBy == crawl.ByOutage:
		return &shell.ExitError{Code: shell.ExitIncomplete, Hint: next, Continues: true,
			Err: fmt.Errorf("no host has answered for %s (--patience): stopped, and nothing is given up; %s left", o.Patience.String(), were(res.Left()))}
	case res.EndedBy == crawl.ByStop: // as was asked for, pages or not
		return nil
	case rec.Succeeded() == 0 && res.LinksOnly > 0:
		return &shell.ExitError{Code: shell.ExitNothing, Hint: cmp.Or(next, "look into "+report.SkippedFile+" for what was left out, and widen --include or --follow"), Continues: next != "",
			Err: fmt.Errorf("nothing is recorded: %s for links alone, and none matches --include", pagesRead(res.LinksOnly))}
	case rec.Succeeded() == 0:
		return o.nothing(res, rec)
	case o.FailOnLimit && res.EndedBy.Limit():
		return &shell.ExitError{Code: shell.ExitLimit, Err: fmt.Errorf("a limit ended the crawl: %s; %s left", res.EndedBy, were(res.Left())), Hint: next, Continues: true}
	}
	return nil
}

// maxDetail is how many bytes of a failure's own words are shown.
const maxDetail = 300

// nothing explains why no page could be had, by what happened first.
func (o *options) nothing(res crawl.Result, rec recorded) error {
	why := ""
	hint := "check the URL in a browser, and the network"
	if res.EndedBy.Limit() {
		why, hint = fmt.Sprintf(" before %s ended the crawl", res.EndedBy), "raise the limit"
	}
	failures := rec.FirstFailures()
	if n := res.Skipped[gate.NotSampled]; n > 0 && len(failures) == 0 {
		why += fmt.Sprintf("\n  no host that was met is in the sample of %s (--sample-hosts): %s skipped", o.SampleHosts.String(), were(n))
		hint = "give more hosts, such as --seeds FILE, a larger --sample-hosts, or another --seed"
	}
	for _, s := range failures {
		parts := slices.DeleteFunc([]string{string(s.Reason), report.OneLine(s.Detail, maxDetail)}, func(p string) bool { return p == "" })
		why += "\n  " + s.URL + ": " + strings.Join(parts, ", ")
		switch s.Reason {
		case gate.Disallowed:
			hint = "robots.txt does not allow it; on your own site, --robots ignore fetches it all the same"
		case gate.RobotsUnreachable:
			hint = "robots.txt could not be read, which forbids everything (RFC 9309); try later, or on your own site --robots ignore"
		case gate.HostClosed:
			hint = "the host asks for patience; try again later"
		case gate.OutOfScope:
			hint = "give the address it leads to as a seed, or widen --scope"
		case gate.Reason(fetch.ReasonAddress):
			hint = "give what it leads to as a seed, with its port, or allow its network with --allow-net"
		case gate.Reason(fetch.ReasonPort):
			hint = "allow the port with --ports"
		case gate.Reason(fetch.ReasonTLS):
			if hint = "ask for the server's certificate to be fixed"; !o.Insecure {
				hint += "; --insecure accepts any"
			}
		}
	}
	return &shell.ExitError{Code: shell.ExitNothing, Err: fmt.Errorf("nothing could be fetched%s", why), Hint: hint}
}

// were is a number of URLs with its verb.
func were(n int) string {
	if n == 1 {
		return "1 URL was"
	}
	return shell.Counted(n, "URL") + " were"
}

// next says how to continue the crawl in dir after res; it is empty when there is nothing
// to continue.
func (o *options) next(dir string, durable bool, res crawl.Result) string {
	if !durable || res.EndedBy == crawl.Done {
		return ""
	}
	text := "to continue: " + crawldir.ResumeCommand(dir)
	switch res.EndedBy {
	case crawl.ByMaxPages:
		text += fmt.Sprintf(" --max-pages N, with N above %d", o.MaxPages)
	case crawl.ByMaxBytes:
		text += " --max-bytes SIZE, with SIZE above " + o.MaxBytes.String()
	}
	return text
}

// stopped is the error of a crawl that could not write any more. What was committed
// before is not touched by it.
func stopped(err error, next string) error {
	var e *shell.ExitError
	if next == "" || !errors.As(shell.DiskError(err), &e) {
		return shell.DiskError(err)
	}
	e.Err = fmt.Errorf("%w; nothing written before is harmed", shell.Plain(err))
	e.Hint = freeSpace(next)
	if crawldir.Forbidden(err) {
		e.Hint = "make the directory writable for you; " + next
	}
	return e
}

// freeSpace is what to do about a disk that takes no more.
func freeSpace(next string) string {
	if next == "" {
		return "free some space, or choose another place to write to"
	}
	return "free space or repair the disk; " + next
}

// pagesRead is a number of pages with its verb.
func pagesRead(n int) string {
	if n == 1 {
		return "1 page was read"
	}
	return shell.Counted(n, "page") + " were read"
}
