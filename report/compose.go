package report

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/fetch"
	"crawler/gate"
)

// Usage is what the process has used up.
type Usage struct {
	CPU     time.Duration
	PeakRSS int64 // bytes
}

// and adds what another process has used up.
func (u Usage) and(o Usage) Usage { return Usage{u.CPU + o.CPU, max(u.PeakRSS, o.PeakRSS)} }

// New composes the report of a crawl from what its parts know. used is what this process
// has used up; rec has what earlier runs used.
func New(version string, res crawl.Result, rec *Recorder, used Usage) *Report {
	rep := &Report{
		Version: version,
		Seeds:   res.Seeds,
		Started: res.Started.UTC(), Finished: res.Finished.UTC(),
		EndedBy:   string(res.EndedBy),
		Runs:      res.Runs,
		SeedsDone: SeedsDone{Given: len(res.Seeds), Answered: res.SeedsAnswered, Refused: res.SeedsRefused},
		Skipped:   keyed(res.Skipped, reasonName),
		Errors:    keyed(res.Errors, reasonName),
		Failures:  []Failure{},
		Traps:     trapsOf(res.Traps),
		Requests:  Requests{Sent: res.Requests, Robots: res.Robots, Retried: res.Retried},
		Dedup:     account(res.Dedup, res.Audit),
		Frontier:  Frontier{Queued: res.Queued, Leased: res.Leased, Hosts: res.Hosts, Left: res.Left()},
		Resources: resources(res, rec.before.and(used)),
	}
	rep.Dedup.NewAt = res.NewAt
	if b := res.Rebuilt; b != nil {
		rep.Rebuilt = &Rebuilt{b.At, b.Pages}
	}
	rec.Fill(rep)
	rep.Pages.MostLinked = rec.inLinks.most()
	rep.Pages.Redirects = res.Redirects
	rep.GivenUp = givenUp(res, rec)
	for _, s := range rec.failures {
		rep.Failures = append(rep.Failures, Failure{URL: s.URL, Reason: string(s.Reason), Detail: s.Detail})
	}
	return rep
}

// givenUp counts what was given up although it may be had later: URLs without an answer, and
// pages whose answer says so or broke off.
func givenUp(res crawl.Result, rec *Recorder) map[string]int {
	out := map[string]int{}
	for r, n := range res.Errors {
		if crawl.Temporary(r) {
			out[string(r)] = n
		}
	}
	if n := res.Skipped[gate.HostClosed]; n > 0 {
		out[string(gate.HostClosed)] = n
	}
	if rec.cutOff > 0 {
		out[string(fetch.ReasonBody)] += rec.cutOff
	}
	for code, n := range rec.status {
		if crawl.MayPass(code) {
			out["status-"+strconv.Itoa(code)] = n
		}
	}
	return out
}

// Incomplete returns how many URLs were given up that may be had later.
func (r *Report) Incomplete() (n int) {
	for _, k := range r.GivenUp {
		n += k
	}
	return n
}

// Dead returns how many URLs are known that links lead to and that are not there: pages answered
// with an error, redirects to nothing, and URLs that gave no answer. What refuses us is there.
func (r *Report) Dead() (n int) {
	for _, b := range r.Pages.Broken {
		if b.Status < 400 { // the others stand among the pages
			n++
		}
	}
	n += errorsIn(r.Pages.ByStatus)
	for _, s := range r.Refused {
		n -= errorsIn(s.ByStatus)
	}
	return n + r.unanswered()
}

// unanswered is how many URLs gave no answer that could be read, for reasons of their own.
func (r *Report) unanswered() (n int) {
	for reason, k := range r.Errors {
		if !ourOwn(fetch.Reason(reason)) && reason != string(gate.RobotsUnreachable) {
			n += k
		}
	}
	return n
}

// ourOwn reports whether a failure is this side's, and says nothing about the URL.
func ourOwn(r fetch.Reason) bool {
	switch r {
	case fetch.ReasonAddress, fetch.ReasonPort, fetch.ReasonRequest, fetch.ReasonCanceled, fetch.ReasonLocal:
		return true
	}
	return false
}

// errorsIn counts the answers with an error.
func errorsIn(byStatus map[string]int) (n int) {
	for status, k := range byStatus {
		if status >= "400" {
			n += k
		}
	}
	return n
}

// trapsOf lists the traps, those that refused most first. A pattern of a host and one of its whole
// domain may have the same name, and one command fetches what either has refused: the one of more
// pages speaks for both.
func trapsOf(list []gate.Trap) []Trap {
	out := []Trap{}
	for _, t := range list {
		if t.Refused == 0 { // it proved honest
			continue
		}
		trap := Trap{Kind: string(t.Kind), Pattern: t.Pattern, Fetched: t.Fetched, Refused: t.Refused, Why: t.Why}
		i := slices.IndexFunc(out, func(o Trap) bool { return o.Pattern == trap.Pattern && o.Pattern != "" })
		if i < 0 {
			out = append(out, trap)
			continue
		}
		trap.Refused += out[i].Refused
		if out[i].Fetched > trap.Fetched {
			trap.Kind, trap.Fetched, trap.Why = out[i].Kind, out[i].Fetched, out[i].Why
		}
		out[i] = trap
	}
	slices.SortStableFunc(out, func(a, b Trap) int { return cmp.Compare(b.Refused, a.Refused) })
	return out
}

// account reports what the filter did and what became of its pending checks.
func account(s dedup.Stats, a crawl.Audit) Dedup {
	d := Dedup{
		Mode:  a.Mode,
		Asked: s.Asked, New: s.New, Seen: s.Seen,
		Maybe: a.Maybe, Hot: s.Hot, Checked: s.Checked,
		Restarts: s.Restarts, RestartSeconds: a.Took.Seconds(), RestartPauseSeconds: a.LongestPause.Seconds(),
		Bits: s.Bits, Fill: s.Fill, ExpectedRate: s.ExpectedRate,
		Rate: s.Rate, RateLow: s.RateLow, RateHigh: s.RateHigh,
	}
	if a.Mode == ModeFilter {
		d.Risk = &Risk{Expect: s.Expect, Risked: s.Risked, RiskedHigh: s.RiskedHigh, RiskedBy: string(s.RiskedBy),
			SampledURLs: s.SampledURLs, SampledLost: s.SampledLost}
		return d
	}
	d.FalsePositives = &s.FalsePositives
	d.CollisionProbability = dedup.CollisionProbability(s.New)
	return d
}

func reasonName(r gate.Reason) string { return string(r) }

func resources(res crawl.Result, used Usage) Resources {
	r := Resources{
		Seconds:      res.Active.Seconds(),
		CPUSeconds:   used.CPU.Seconds(),
		PeakRSSBytes: used.PeakRSS,
	}
	if r.Seconds > 0 {
		r.PagesPerSecond = float64(res.Fetched) / r.Seconds
	}
	return r
}
