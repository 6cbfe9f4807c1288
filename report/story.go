package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"crawler/gate"
)

// Text returns the story for people, in 80 columns; URLs are on lines of their own, in full.
func (s *Story) Text() string {
	p := &page{}
	p.line("%s", s.URL)
	for i := range s.Pages {
		s.page(p, &s.Pages[i])
	}
	if l := s.InLinks; l != nil {
		p.wrapped("  ", fmt.Sprintf("linked from %s and redirects, counted exactly; estimated: %s, and %s when it was fetched",
			counted(int(l.Exact), "page"), group(l.Last), group(l.AtFetch)))
	}
	s.redirects(p)
	for _, r := range s.Refusals {
		outcome := "not fetched"
		if r.Reason == gate.LinksOnly {
			outcome = "not recorded"
		}
		p.wrapped("  ", fmt.Sprintf("%s: %s (%s)", outcome, r.Reason, meaning(string(r.Reason))))
		if r.Detail != "" {
			p.wrapped("    ", r.Detail)
		}
		s.found(p, r.Via)
	}
	s.waiting(p)
	if len(s.LedHere) > 0 {
		p.line("  redirects that lead here as well\n    %s", strings.Join(s.LedHere, "\n    "))
	}
	s.alike(p)
	if !s.Known() {
		s.unknown(p)
	}
	return p.String()
}

func (s *Story) page(p *page, r *PageRecord) {
	p.wrapped("  ", fmt.Sprintf("fetched %s: status %d, %s, %s in %s", r.FetchedAt, r.Status,
		kindOf(r), amount(r.Bytes), duration(r.Millis)))
	if r.Title != "" {
		p.wrapped("  ", "title: "+r.Title)
	}
	p.wrapped("  ", fmt.Sprintf("%s, %s, depth %d", counted(r.Words, "word"), counted(r.Links, "link"), r.Depth))
	if r.NewAt != "" {
		p.wrapped("  ", "new at its "+newAtText(r))
	}
	if text := served(r); text != "" {
		p.wrapped("  ", text)
	}
	for _, note := range notes(r) {
		p.wrapped("  ", note)
	}
	s.found(p, r.Via)
}

// newAtText says which of a URL's parts was the first new one.
func newAtText(r *PageRecord) string {
	text := r.NewAt
	if r.NewAt == "deeper" {
		text = "path, below the directories that the filter's layers know"
	}
	if r.NewAtBy == "filter" {
		return text + ", as the filter estimates"
	}
	return text + ", exactly"
}

// redirects says where the URL's own redirects lead, hop by hop.
func (s *Story) redirects(p *page) {
	for i, r := range s.Hops {
		verb := "redirects to"
		if i > 0 {
			verb = "which " + verb
		} else {
			p.line("  fetched %s: status %d, depth %d", r.FetchedAt, r.Status, r.Depth)
		}
		if r.Target == "" {
			p.wrapped("  ", fmt.Sprintf("%s nothing (status %d): %s", verb, r.Status, r.Error))
		} else {
			p.line("  %s (status %d)\n    %s", verb, r.Status, r.Target)
		}
	}
	if len(s.Hops) == 0 {
		return
	}
	switch last := s.Hops[len(s.Hops)-1]; {
	case s.End != "":
		p.line("  which is %s", s.End)
	case slices.ContainsFunc(s.Hops, func(r RedirectRecord) bool { return r.URL == last.Target }):
		p.line("  which is a loop")
	case last.Target != "":
		p.line("  which has no record")
	}
	s.found(p, s.Hops[0].Via)
}

func kindOf(r *PageRecord) string {
	if r.ContentType == "" {
		return "no content type"
	}
	return r.ContentType
}

func duration(millis float64) time.Duration {
	return time.Duration(millis * float64(time.Millisecond)).Round(time.Millisecond)
}

// served says how the answer was served, as far as the record has that.
func served(r *PageRecord) string {
	var parts []string
	if r.Protocol != "" {
		parts = append(parts, r.Protocol)
	}
	if r.Server != "" {
		parts = append(parts, "server "+r.Server)
	}
	if r.FirstByte != 0 {
		parts = append(parts, "first byte after "+duration(r.FirstByte).String())
	}
	if r.WireBytes != 0 && r.WireBytes != r.Bytes {
		parts = append(parts, amount(r.WireBytes)+" over the wire")
	}
	if r.ETag != "" {
		parts = append(parts, "etag "+r.ETag)
	}
	if r.Modified != "" {
		parts = append(parts, "last modified "+r.Modified)
	}
	return strings.Join(parts, ", ")
}

func notes(r *PageRecord) (out []string) {
	if r.NoIndex {
		out = append(out, "it asks not to be indexed")
	}
	if r.Truncated {
		out = append(out, "its body or the list of its links was cut short")
	}
	if r.Error != "" {
		out = append(out, "error while reading it: "+r.Error)
	}
	return out
}

// found says which page led there, and by which redirects.
func (s *Story) found(p *page, via string) {
	switch {
	case len(s.LedBy) > 0:
		p.line("  found by %s from", counted(len(s.LedBy), "redirect"))
		for _, r := range s.LedBy {
			p.line("    %s", r.URL)
		}
		if via != "" {
			p.line("  the first of them found on\n    %s", via)
		} else {
			p.line("  the first of them a seed, or a sitemap in robots.txt")
		}
	case via != "":
		p.line("  found on\n    %s", via)
	case s.Seed:
		p.line("  found as a seed")
	default:
		p.line("  found as a seed, or as a sitemap in robots.txt")
	}
}

func (s *Story) waiting(p *page) {
	q := s.Queued
	switch {
	case q != nil:
		text := fmt.Sprintf("queued: %s of its host before it, depth %d", counted(q.Position, "URL"), q.Depth)
		if q.Attempt > 0 {
			text += ", tried " + counted(q.Attempt, "time")
		}
		p.wrapped("  ", text)
		if q.Since != "" {
			p.line("  failed first at %s", q.Since)
		}
		if q.Next != "" {
			p.line("  the next try is due at %s", q.Next)
		}
		if q.From != "" {
			p.line("  found by a redirect from\n    %s", q.From)
		}
		s.found(p, q.Via)
	case s.Recorded():
	case s.Seed && (s.Admitted == nil || !*s.Admitted):
		p.wrapped("  ", "a seed that the crawl has not reached yet, by its records and its last commit")
	case s.Admitted == nil:
	case *s.Admitted:
		p.wrapped("  ", "admitted, but without a record: it was being fetched when the crawl stopped")
	}
}

func (s *Story) alike(p *page) {
	if len(s.SameText) > 0 {
		p.line("  the same text is at\n    %s", strings.Join(s.SameText, "\n    "))
	}
	if len(s.NearText) > 0 {
		p.line("  nearly the same text is at")
	}
	for _, n := range s.NearText {
		p.line("    %s (%s)", n.URL, n.Likeness.text())
	}
}

func (s *Story) unknown(p *page) {
	causes := []string{"no page that was fetched links to it"}
	if s.Trapped > 0 {
		causes = append(causes, fmt.Sprintf("only what was refused as a trap's leads to it (%s, see crawler report)", counted(s.Trapped, "URL")))
	}
	if s.Unasked && !s.Complete {
		causes = append(causes, "it waits in the queue")
	}
	if !s.Complete {
		causes = append(causes, "the crawl has not reached such a page yet")
	}
	if s.Lossy {
		causes = append(causes, "its filter wrongly took it for seen (--dedup filter)")
	}
	text := "never met: it is in no record, so "
	if s.Lossy || s.Unasked {
		text = "it is in no record: "
	}
	if last := len(causes) - 1; last > 0 {
		causes[last] = "or " + causes[last]
	}
	p.wrapped("  ", text+strings.Join(causes, ", "))
	if len(s.Closest) > 0 {
		p.line("  the closest URLs with records are\n    %s", strings.Join(s.Closest, "\n    "))
	}
}
