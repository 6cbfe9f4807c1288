package survey

import (
	"context"
	"path/filepath"

	"crawler/gate"
	"crawler/graph"
	"crawler/internal/durable"
	"crawler/report"
)

type skip = gate.Skip

// judge writes what became of each node. Of several records of a URL the last counts, where
// refusals come first, then redirects, then pages.
func (b *builder) judge(ctx context.Context) error {
	b.Progress("looking up what became of each URL")
	urls, err := graph.OpenURLs(filepath.Join(b.tmp, linksBase) + ".urls")
	if err != nil {
		return err
	}
	defer urls.Close()
	j := &judgement{urls: urls, nodes: newNodes(urls.Len())}
	if err := eachSkip(ctx, b.Dir, j.skip); err != nil {
		return err
	}
	err = report.ReadLinks(b.Dir, func(p *report.PageLinks) error {
		if !p.Redirect {
			return ctx.Err()
		}
		return j.change(string(p.URL), func(n *Node) { n.Outcome = Redirect })
	})
	if err != nil {
		return err
	}
	if err := eachPage(ctx, b.Dir, j.page); err != nil {
		return err
	}
	b.manifest.Outcomes = map[string]int{}
	for i := range j.nodes.count() {
		b.manifest.Outcomes[j.nodes.at(i).Outcome.String()]++
	}
	return durable.WriteFile(filepath.Join(b.tmp, nodesFile), j.nodes.bytes())
}

// judgement fills the records of nodes, at one to two microseconds a record of the crawl.
type judgement struct {
	urls  *graph.URLs
	nodes *nodes
}

// change changes the record of a URL. A URL that is no node was recorded after the links
// were read.
func (j *judgement) change(url string, fn func(*Node)) error {
	i, ok, err := j.urls.Find(url)
	if err != nil || !ok {
		return err
	}
	n := j.nodes.at(i)
	fn(&n)
	return j.nodes.set(i, n)
}

// loopOf returns the URL where a loop of several redirects begins, of which s is the last;
// that one has no record of its own. It is empty for what is no such loop.
func loopOf(s *skip) string {
	if s.Reason != gate.RedirectLoop || s.Target == s.URL {
		return ""
	}
	return s.Target
}

func (j *judgement) skip(s *skip) error {
	if first := loopOf(s); first != "" {
		err := j.change(first, func(n *Node) { n.Outcome, n.Reason = Redirect, s.Reason })
		if err != nil {
			return err
		}
	}
	return j.change(s.URL, func(n *Node) {
		n.Outcome, n.Reason = Failed, s.Reason
		if s.Reason.Decision() {
			n.Outcome = Refused
		}
		n.Seed = s.Via == ""
	})
}

// page records a page, and that the URL under which it was found is a redirect.
func (j *judgement) page(p *page) error {
	seed := p.Via == ""
	if p.URL != p.FinalURL {
		err := j.change(p.URL, func(n *Node) {
			if n.Outcome != Page {
				n.Outcome = Redirect
			}
			n.Seed = n.Seed || seed
		})
		if err != nil {
			return err
		}
		seed = false
	}
	return j.change(p.FinalURL, func(n *Node) {
		*n = Node{Outcome: Page, Seed: n.Seed || seed, HTML: p.html(), Status: p.Status, Depth: p.Depth}
	})
}
