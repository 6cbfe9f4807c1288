package report

import "crawler/crawl"

// RedirectRecord is one line of redirects.jsonl: a URL that was asked for and redirects.
type RedirectRecord struct {
	URL       string `json:"url"`
	Status    int    `json:"status"`
	Target    string `json:"target,omitempty"` // where it leads; if that is no URL, see Error
	Via       string `json:"via,omitempty"`    // page with the link to it or the chain's first URL
	From      string `json:"from,omitempty"`   // URL that redirects here, if it was found so
	Hop       int    `json:"hop"`              // its place in its chain, from 1 on
	Depth     int    `json:"depth"`            // links from a seed, as known when it was fetched
	FetchedAt string `json:"fetched_at"`       // RFC 3339 with milliseconds, in UTC
	Error     string `json:"error,omitempty"`
}

// redirectOf returns the record of a visit that ended as crawl.Redirected.
func redirectOf(v *crawl.Visit) RedirectRecord {
	r := RedirectRecord{
		URL: v.URL.String(), Status: v.Status, Via: v.Via, From: v.From, Hop: int(v.Hops) + 1, Depth: v.Depth,
		FetchedAt: timeText(v.Started), Error: v.Detail,
	}
	if !v.Target.IsZero() {
		r.Target = v.Target.String()
	}
	return r
}

// appendLine appends the record as its line.
func (r *RedirectRecord) appendLine(b []byte) []byte {
	b = appendQuoted(append(b, `{"url":`...), r.URL)
	b = appendInt(b, `,"status":`, int64(r.Status))
	b = appendOptional(b, `,"target":`, r.Target)
	b = appendOptional(b, `,"via":`, r.Via)
	b = appendOptional(b, `,"from":`, r.From)
	b = appendInt(b, `,"hop":`, int64(r.Hop))
	b = appendInt(b, `,"depth":`, int64(r.Depth))
	b = appendString(b, `,"fetched_at":`, r.FetchedAt)
	b = appendOptional(b, `,"error":`, r.Error)
	return append(b, "}\n"...)
}

// Redirect writes the hop, and where it leads among the links.
func (r *Recorder) Redirect(v *crawl.Visit) error {
	record := redirectOf(v)
	r.astray(v, &record)
	if record.Target != "" {
		r.inLinks.linked(record.Target)
	}
	if r.redirectLines == nil {
		return nil
	}
	if err := r.redirectLines.AppendLine(record.appendLine); err != nil {
		return err
	}
	if record.Target == "" {
		return r.filters.recorded(ofRedirects, record.URL)
	}
	if err := r.filters.recorded(ofRedirects, record.URL, record.Target); err != nil {
		return err
	}
	return r.writeRedirect(record.URL, record.Target)
}

// astray counts a link whose redirects lead to nothing: to no URL, or back to where they were.
func (r *Recorder) astray(v *crawl.Visit, h *RedirectRecord) {
	switch h.Target {
	case "":
		r.fail(v, h.Error)
	case h.URL, h.From, v.Linked():
		r.fail(v, "redirects in a loop, back to "+h.Target)
	}
}

// writeRedirect writes a redirect in every form of links that is asked for.
func (r *Recorder) writeRedirect(from, to string) error {
	err := r.linkLines.AppendLine(func(b []byte) []byte { return appendRedirect(b, from, to) })
	if err == nil && r.edgeLines != nil {
		err = r.edgeLines.AppendLine(func(b []byte) []byte { return appendRedirectEdge(b, from, to) })
	}
	if err == nil && r.rowLines != nil {
		err = r.rowLines.AppendLine(func(b []byte) []byte { return appendRow(b, from, to, KindRedirect, false) })
	}
	return err
}
