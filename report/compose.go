package report

import (
	"time"

	"crawler/crawl"
	"crawler/dedup"
)

// Usage is what the process has used up.
type Usage struct {
	CPU     time.Duration
	PeakRSS int64 // bytes
}

// New composes the report of a crawl from what its parts know.
func New(version string, res crawl.Result, seen dedup.Stats, rec *Recorder, used Usage) *Report {
	rep := &Report{
		Version: version,
		Seeds:   res.Seeds,
		Started: res.Started.UTC(), Finished: res.Finished.UTC(),
		EndedBy: string(res.EndedBy),
		Skipped: keyed(res.Skipped, reasonName),
		Errors:  keyed(res.Errors, reasonName),
		Dedup: Dedup{
			Asked: seen.Asked, New: seen.New, Seen: seen.Seen, Restarts: seen.Restarts,
			Bits: seen.Bits, Fill: seen.Fill, ExpectedRate: seen.ExpectedRate,
			FalsePositives: seen.FalsePositives,
			Rate:           seen.Rate, RateLow: seen.RateLow, RateHigh: seen.RateHigh,
		},
		Frontier:  Frontier{Queued: res.Queued, Leased: res.Leased, Hosts: res.Hosts, Left: res.Left()},
		Resources: resources(res, used),
	}
	rec.Fill(rep)
	rep.Pages.Redirects = res.Redirects
	return rep
}

func reasonName(r crawl.Reason) string { return string(r) }

func resources(res crawl.Result, used Usage) Resources {
	r := Resources{
		Seconds:      res.Finished.Sub(res.Started).Seconds(),
		CPUSeconds:   used.CPU.Seconds(),
		PeakRSSBytes: used.PeakRSS,
	}
	if r.Seconds > 0 {
		r.PagesPerSecond = float64(res.Fetched) / r.Seconds
	}
	return r
}
