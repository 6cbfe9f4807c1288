package main

import (
	"errors"
	"fmt"
	"strings"

	"crawler/crawl"
	"crawler/report"
)

// firstError returns the one that came first: those after it are its consequences.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// verdict turns the end of a crawl into the exit code. goOn tells how to go on with it,
// and is empty when that is not possible.
func (o *options) verdict(res crawl.Result, rec *report.Recorder, goOn string) error {
	switch {
	case res.EndedBy == crawl.ByInterrupt:
		return &exitError{code: exitInterrupted, err: fmt.Errorf("interrupted; %d URLs were left", res.Left()), hint: goOn}
	case res.EndedBy == crawl.ByLowDisk:
		return &exitError{code: exitDisk, hint: freeSpace(goOn),
			err: fmt.Errorf("the disk has less than %s free (--min-free): stopped in time, and nothing is lost; %d URLs were left", o.minFree.String(), res.Left())}
	case rec.Succeeded() == 0:
		return nothing(res, rec)
	case o.failOn && res.EndedBy.Limit():
		return &exitError{code: exitLimit, err: fmt.Errorf("a limit ended the crawl: %s; %d URLs were left", res.EndedBy, res.Left()), hint: goOn}
	}
	return nil
}

// nothing explains why no page could be had, by what happened first.
func nothing(res crawl.Result, rec *report.Recorder) error {
	why := ""
	hint := "check the URL in a browser, and the network"
	if res.EndedBy.Limit() {
		why, hint = fmt.Sprintf(" before %s ended the crawl", res.EndedBy), "raise the limit"
	}
	for _, s := range rec.FirstFailures() {
		why += "\n  " + s.URL + ": " + strings.TrimPrefix(fmt.Sprintf("%s, %s", s.Reason, s.Detail), ", ")
		switch s.Reason {
		case crawl.Disallowed:
			hint = "robots.txt does not allow it; on your own site, --robots ignore fetches it all the same"
			if strings.HasPrefix(s.Detail, "disallow-all") {
				hint = "robots.txt could not be read, which forbids everything (RFC 9309); try later, or on your own site --robots ignore"
			}
		case crawl.HostClosed:
			hint = "the host asks for patience; try again later"
		case crawl.OutOfScope:
			hint = "give the address it leads to as a seed, or widen --scope"
		}
	}
	return &exitError{code: exitNothing, err: fmt.Errorf("nothing could be fetched%s", why), hint: hint}
}

// goOn tells how to go on with the crawl in dir after res; it is empty when there is
// nothing to go on with.
func (o *options) goOn(dir string, durable bool, res crawl.Result) string {
	if !durable || res.EndedBy == crawl.Done {
		return ""
	}
	text := "to go on: " + resumeCommand(dir)
	switch res.EndedBy {
	case crawl.ByMaxPages:
		text += fmt.Sprintf(" --max-pages N, with N above %d", o.pages)
	case crawl.ByMaxBytes:
		text += " --max-bytes SIZE, with SIZE above " + o.bytes.String()
	}
	return text
}

// stopped is the error of a crawl that could not write any more. What was committed
// before is not touched by it.
func stopped(err error, goOn string) error {
	var e *exitError
	if goOn == "" || !errors.As(diskError(err), &e) {
		return diskError(err)
	}
	e.err = fmt.Errorf("%w; nothing written before is harmed", err)
	e.hint = freeSpace(goOn)
	return e
}

func freeSpace(goOn string) string {
	if goOn == "" {
		return "free some space, or choose another place to write to"
	}
	return "free space or mend the disk; " + goOn
}
