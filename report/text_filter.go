package report

import "fmt"

// filter reports what the filter of seen URLs did, and whether URLs may have been lost.
func (r *Report) filter(p *page) {
	d := r.Dedup
	p.head("Seen-filter")
	say := func(format string, args ...any) { p.wrapped("  ", fmt.Sprintf(format, args...)) }
	say("asked %s times: %s new, %s seen before", group(d.Asked), group(d.New), group(d.Seen))
	if d.Checked+d.Hot > 0 {
		say("%s answered by the cache of recent URLs, %s by the exact log on disk", group(d.Hot), group(d.Checked))
	}
	switch {
	case d.RestartSeconds > 0:
		say("%s, rebuilding for %s; the longest pause was %s", counted(int(d.Restarts), "restart"), brief(d.RestartSeconds), brief(d.RestartPauseSeconds))
	case d.Restarts > 0: // in memory, where they are not timed
		say("%s", counted(int(d.Restarts), "restart"))
	}
	if d.Mode == ModeFilter && d.Risk != nil {
		d.risk(say)
		return
	}
	say("%s bits, %.1f %% set; %s found and corrected", group(d.Bits), 100*d.Fill, counted(int(d.FalsePositives), "false positive"))
	say("rate of false positives: %.2g measured (95 %%: %.2g to %.2g), %.2g expected now", d.Rate, d.RateLow, d.RateHigh, d.ExpectedRate)
	say("no URL was lost, unless two share a 64-bit fingerprint, a chance of %.1g", d.CollisionProbability)
}

// risk reports what a filter alone may have lost.
func (d *Dedup) risk(say func(format string, args ...any)) {
	say("%s bits, %.1f %% set; no exact log: a new URL that the filter calls seen is lost", group(d.Bits), 100*d.Fill)
	if d.ExpectedRate < tellingRate {
		say("lost by theory: %.3g URLs, with 95 %% confidence at most %.3g", d.Risked, d.RiskedHigh)
	} else {
		say("lost by theory: no estimate for a filter this full; see the sample")
	}
	say("lost in a sample: %s of %s; rate %.2g (95 %%: %.2g to %.2g), %.2g expected now",
		group(d.SampledLost), counted(int(d.SampledURLs), "URL"), d.Rate, d.RateLow, d.RateHigh, d.ExpectedRate)
	say("only URLs that the crawl met are counted: pages that only lost pages lead to are missing as well")
	if d.Overfull() {
		say("! the filter holds %s, %.1f times as many as it was sized for (--expect-urls %d): it loses more than --fp-rate", counted(int(d.New), "URL"), float64(d.New)/float64(d.Expect), d.Expect)
	}
}

// tellingRate is the rate of false positives from which the number of admitted URLs says
// nothing about how many were lost: theory then counts questions, not URLs.
const tellingRate = 0.5

// brief writes a duration that may be very short.
func brief(seconds float64) string {
	if seconds < 1 {
		return fmt.Sprintf("%.1f ms", 1000*seconds)
	}
	return spell(seconds)
}

// Overfull reports whether a filter that cannot grow holds far more URLs than it was sized
// for, so that it loses them at a rate well above the wanted one.
func (d *Dedup) Overfull() bool {
	return d.Risk != nil && d.Expect > 0 && float64(d.New) > 1.5*float64(d.Expect)
}
