package report

import (
	"fmt"
	"strconv"

	"crawler/stats"
)

// HostSample has what a crawl of a sample of hosts says of all hosts. Hosts are those that brought
// pages, whatever their status. The means, and the total of pages, are nil where too little is
// known: of no host, or of more hosts than have figures of their own.
type HostSample struct {
	Share        float64 `json:"share"` // of all hosts, as it was rounded
	Hosts        int     `json:"hosts"` // in the sample
	TotalHosts   Figure  `json:"total_hosts"`
	TotalPages   *Figure `json:"total_pages"`
	MeanPages    *Figure `json:"mean_pages"` // these are of a host
	MeanWords    *Figure `json:"mean_words"`
	MeanDistinct *Figure `json:"mean_distinct"` // different words
}

// sampleOf estimates from the sites of a report, which are all hosts of the sample.
func sampleOf(rep *Report, asked float64) *HostSample {
	if asked <= 0 || asked >= 1 {
		return nil
	}
	n := rep.siteNumber()
	s := &HostSample{Share: stats.NewSample(stats.MinSample, asked, 0).Share(), Hosts: n}
	s.TotalHosts = figure(stats.CountOf(n, s.Share))
	if n == 0 || rep.OtherSites > 0 {
		return s
	}
	var pages, words, distinct []float64
	for i := range rep.Sites {
		site := &rep.Sites[i]
		pages = append(pages, float64(site.Pages))
		words = append(words, float64(site.Words))
		if d := site.Distinct; d.Exact != nil {
			distinct = append(distinct, *d.Exact)
		} else {
			distinct = append(distinct, d.Estimate)
		}
	}
	all := float64(n) / s.Share
	mean := func(of []float64) *Figure {
		f := figure(stats.MeanOf(of, all))
		f.Low = max(f.Low, 0)
		return &f
	}
	total := figure(stats.TotalOf(pages, s.Share))
	s.TotalPages, s.MeanPages, s.MeanWords, s.MeanDistinct = &total, mean(pages), mean(words), mean(distinct)
	return s
}

// sampledHosts writes the estimates over all hosts.
func (r *Report) sampledHosts(p *page) {
	s := r.HostSample
	if s == nil {
		return
	}
	p.head("Sample of hosts")
	p.wrapped("  ", fmt.Sprintf("%.4g %% of all hosts, by their names; %s of the sample brought pages. Estimates for all, with 95 %% intervals:",
		100*s.Share, counted(s.Hosts, "host")))
	p.line("  %-24s %s", "hosts", ranged(s.TotalHosts))
	for _, row := range []struct {
		name string
		f    *Figure
	}{{"pages", s.TotalPages}, {"pages a host", s.MeanPages}, {"words a host", s.MeanWords}, {"different words a host", s.MeanDistinct}} {
		if row.f != nil {
			p.line("  %-24s %s", row.name, ranged(*row.f))
		}
	}
	if s.Hosts > 0 && s.MeanPages == nil {
		p.wrapped("  ", fmt.Sprintf("nothing is said of their pages: fewer hosts have figures of their own; crawl with --max-sites %d or more", s.Hosts))
	}
	if r.Frontier.Left > 0 {
		p.wrapped("  ! ", counted(r.Frontier.Left, "URL")+" left: these figures are of part of each host's pages, and too low")
	}
}

// ranged writes a figure with the ends of its interval.
func ranged(f Figure) string {
	if !estimated(f) {
		return fraction(f.Estimate)
	}
	return fmt.Sprintf("~%s (%s to %s)", fraction(f.Estimate), fraction(f.Low), fraction(f.High))
}

// fraction is number with a decimal where a whole number would say too little.
func fraction(f float64) string {
	if f < 100 {
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return number(f)
}
