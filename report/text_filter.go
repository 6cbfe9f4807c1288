package report

import (
	"fmt"
	"math"

	"crawler/dedup"
)

// filter reports what the filter of seen URLs did, and whether URLs may have been lost.
func (r *Report) filter(p *page) {
	d := r.Dedup
	p.head("Seen-filter")
	say := func(format string, args ...any) { p.wrapped("  ", fmt.Sprintf(format, args...)) }
	say("asked %s: %s new, %s seen before", counted(int(d.Asked), "time"), group(d.New), group(d.Seen))
	if d.Checked+d.Hot > 0 {
		say("%s answered by the cache of recent URLs, %s by the exact log on disk", group(d.Hot), group(d.Checked))
	}
	d.newAt(say)
	switch {
	case d.RestartSeconds > 0:
		say("%s, rebuilding for %s; the longest pause was %s (restarted when full, or by --restart-every)", counted(int(d.Restarts), "restart"), brief(d.RestartSeconds), brief(d.RestartPauseSeconds))
	case d.Restarts > 0: // in memory, where they are not timed
		say("%s (when full, or by --restart-every)", counted(int(d.Restarts), "restart"))
	}
	if d.Mode == ModeFilter && d.Risk != nil {
		d.risk(say)
		return
	}
	found := 0
	if d.FalsePositives != nil {
		found = int(*d.FalsePositives)
	}
	say("%s bits, %.1f %% set; %s found and corrected", group(d.Bits), 100*d.Fill, counted(found, "false positive"))
	say("rate of false positives: %.2g measured (95 %%: %.2g to %.2g), %.2g expected now", d.Rate, d.RateLow, d.RateHigh, d.ExpectedRate)
	say("no URL was lost, unless two share a 64-bit fingerprint, a chance of %.1g", d.CollisionProbability)
}

// newAt says where URLs became new: on an honest site few do at a new host or directory.
func (d *Dedup) newAt(say func(format string, args ...any)) {
	at := d.NewAt
	all := at.Host + at.Directory + at.File + at.Query + at.Deeper
	if all == 0 {
		return // of an earlier version
	}
	text := fmt.Sprintf("became new at their host: %s, directory: %s, file: %s, query: %s", group(int64(at.Host)), group(int64(at.Directory)), group(int64(at.File)), group(int64(at.Query)))
	if at.Deeper > 0 {
		text += fmt.Sprintf(", deeper than the layers: %s", group(int64(at.Deeper)))
	}
	switch at.Estimated {
	case 0:
		text += "; exactly"
	case all:
		text += "; estimated by the filter"
	default:
		text += fmt.Sprintf("; %s of them estimated by the filter", group(int64(at.Estimated)))
	}
	say("%s", text)
}

// risk reports what a filter alone may have lost.
func (d *Dedup) risk(say func(format string, args ...any)) {
	say("%s bits, %.1f %% set; no exact log: a new URL that the filter calls seen is lost", group(d.Bits), 100*d.Fill)
	lost, most := group(int64(math.Round(d.Risked))), group(int64(math.Ceil(d.RiskedHigh)))
	switch dedup.RiskedBy(d.RiskedBy) {
	case dedup.ByCount:
		say("lost: %s of %s, which were all kept to count them; a rate of %.2g, %.2g expected now",
			lost, counted(int(d.SampledURLs), "URL"), d.Rate, d.ExpectedRate)
	case dedup.BySample:
		say("lost: about %s URLs, with 95 %% confidence at most %s, by the sample: the filter is too full for theory", lost, most)
	default:
		say("lost: about %s URLs, with 95 %% confidence at most %s, by theory", lost, most)
	}
	if dedup.RiskedBy(d.RiskedBy) != dedup.ByCount {
		say("lost in a sample: %s of %s; rate %.2g (95 %%: %.2g to %.2g), %.2g expected now",
			group(d.SampledLost), counted(int(d.SampledURLs), "URL"), d.Rate, d.RateLow, d.RateHigh, d.ExpectedRate)
	}
	say("only URLs that the crawl met are counted: pages that only lost pages lead to are missing as well")
	if d.Overfull() {
		say("! the filter holds %s, %.1f times as many as it was sized for (--expect-urls %d): it loses more than --fp-rate", counted(int(d.New), "URL"), float64(d.New)/float64(d.Expect), d.Expect)
	}
}

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
