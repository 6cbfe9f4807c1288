package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crawler/internal/crawltest"
	"crawler/report"
)

// troubleOutcome is what came of a row.
type troubleOutcome struct {
	*troubleRow
	web   *troubledWeb
	dir   string
	began time.Time
	over  time.Time // when the trouble was
	took  time.Duration
}

func (o *troubleOutcome) check(t *testing.T, p *process) {
	t.Helper()
	out := p.out.String()
	defer func() {
		if t.Failed() {
			t.Logf("the crawler's output:\n%.20000s", out)
		}
	}()
	p.succeed(t)
	good := 0
	for _, page := range crawltest.ReadPages(t, filepath.Join(o.dir, report.PagesFile)) {
		if page.Status == 200 {
			good++
			continue
		}
		t.Errorf("%s stands with %d", page.URL, page.Status)
	}
	rep := loadReport(t, o.dir)
	if want := o.hosts * o.pages; good != want || rep.EndedBy != "done" || rep.Incomplete() != 0 || len(rep.Errors)+len(rep.Skipped) > 0 {
		t.Errorf("%d pages of %d, ended by %s, %d given up, errors %v, skipped %v", good, want, rep.EndedBy, rep.Incomplete(), rep.Errors, rep.Skipped)
	}
	if !strings.Contains(out, "complete") {
		t.Errorf("the report does not say that the crawl is complete")
	}
	log := o.web.arrivals()
	o.checkWords(t, out)
	least := o.checkGaps(t, log)
	o.checkReturn(t, log)
	o.checkPace(t, log)
	t.Logf("%d pages of %d in %v, %d requests", good, o.hosts*o.pages, o.took.Round(second/10), len(log))
	if o.delay > 0 {
		t.Logf("the least gap was %v, the delay is %v", least, o.delay)
	}
}

// checkWords holds the log to say what is the matter.
func (o *troubleOutcome) checkWords(t *testing.T, out string) {
	t.Helper()
	if o.to-o.from < 20*second {
		return // a line every ten seconds may not notice
	}
	want := []string{fmt.Sprintf("hosts_in_trouble=%d ", o.hosts)}
	if o.outage {
		want[0] = "no host answers, it may be this machine's network"
		if o.took > o.to+30*second {
			want = append(want, "hosts answer again")
		}
	}
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Errorf("the log does not say %q", w)
		}
	}
}

// slack is by how much a gap may be shorter than the delay. net/http reports that it has written
// a request just before it does so, and a busy machine may do something else in between.
const slack = 20 * time.Millisecond

// checkGaps holds no host to have been asked sooner than the delay allows, and returns the
// least gap. What net/http repeats of its own accord, because a connection is cut, comes at once.
func (o *troubleOutcome) checkGaps(t *testing.T, log []arrival) (least time.Duration) {
	t.Helper()
	least = o.took
	last := map[string]arrival{}
	for _, a := range log {
		before, again := last[a.host]
		last[a.host] = a
		if !again || before.status == 0 || o.delay == 0 {
			continue
		}
		gap := a.at.Sub(before.at)
		least = min(least, gap)
		if gap < o.delay-slack {
			t.Errorf("%s%s came %v after %s, %v after the trouble", a.host, a.path, gap, before.path, a.at.Sub(o.over))
		}
	}
	return least
}

// checkReturn holds the hosts to come back one at a time after an outage: each request that
// ends lets one more be asked.
func (o *troubleOutcome) checkReturn(t *testing.T, log []arrival) {
	t.Helper()
	if !o.outage {
		return
	}
	for i, a := range log {
		if a.at.Before(o.over) {
			continue
		}
		ended, under := 0, 1
		for _, b := range log {
			switch {
			case !b.done.Before(o.over) && b.done.Before(a.at):
				ended++
			case b.at.Before(a.at) && !b.done.Before(a.at):
				under++
			}
		}
		if under > ended+1 {
			t.Errorf("%v after the outage, request %d: %d under way after %d had ended", a.at.Sub(o.over), i, under, ended)
			return
		}
		if ended > o.hosts {
			break
		}
	}
	for _, a := range log {
		if a.at.After(o.over) {
			t.Logf("the first request came %v after the outage", a.at.Sub(o.over).Round(second/100))
			return
		}
	}
}

// checkPace holds hosts that were in trouble of their own to be asked at the allowed pace
// within a minute.
func (o *troubleOutcome) checkPace(t *testing.T, log []arrival) {
	t.Helper()
	if o.outage || o.to-o.from < 200*second {
		return
	}
	asked := map[string]int{}
	for _, a := range log {
		if since := a.at.Sub(o.over); since >= 60*second && since < 120*second {
			asked[a.host]++
		}
	}
	for _, h := range o.web.hosts {
		if n := asked[h]; n < 55 {
			t.Errorf("%s was asked %d times in the second minute after its recovery", h, n)
		} else if h == o.web.hosts[0] {
			t.Logf("%s was asked %d times in the second minute after its recovery", h, n)
		}
	}
}
