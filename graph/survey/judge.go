package survey

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

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
	j := &judgement{urls: urls, nodes: newNodes(urls.Len()), next: map[int]int{}}
	dirs := b.parts()
	for _, read := range []func(dir string) error{
		func(dir string) error { return eachSkip(ctx, dir, j.skip) },
		func(dir string) error { return eachRedirect(ctx, dir, j.redirect) },
		func(dir string) error { return eachPage(ctx, dir, j.page) },
	} {
		for _, dir := range dirs {
			if err := read(dir); err != nil {
				return err
			}
		}
	}
	if err := j.stray(); err != nil {
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
	next  map[int]int // where redirects lead; nowhere if to no URL
}

const nowhere = -1

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

func (j *judgement) skip(s *skip) error {
	return j.change(s.URL, func(n *Node) {
		n.Outcome, n.Reason = Failed, s.Reason
		if s.Reason.Decision() {
			n.Outcome = Refused
		}
		n.Seed = s.Via == "" && s.From == ""
	})
}

// redirect records a hop.
func (j *judgement) redirect(r *report.RedirectRecord) error {
	from, ok, err := j.urls.Find(r.URL)
	if err != nil || !ok {
		return err
	}
	to, known := nowhere, true
	if r.Target != "" {
		if to, known, err = j.urls.Find(r.Target); err != nil {
			return err
		}
	}
	if known {
		j.next[from] = to
	}
	return j.nodes.set(from, Node{Outcome: Redirect, Seed: r.Via == "" && r.From == ""})
}

func (j *judgement) page(p *page) error {
	return j.change(p.URL, func(n *Node) {
		*n = Node{Outcome: Page, Seed: p.Via == "" && p.From == "", HTML: p.html(), Status: p.Status, Depth: p.Depth}
	})
}

// stray gives the redirects that lead to nothing a reason: a loop, no URL, or too many.
func (j *judgement) stray() error {
	reasons := map[int]gate.Reason{}
	var path []int
	for v := range j.next {
		reason, at := gate.Reason(""), v
		for path = path[:0]; ; {
			var known bool
			if reason, known = reasons[at]; known {
				break
			}
			to, redirects := j.next[at]
			if !redirects {
				if n := j.nodes.at(at); n.Reason == gate.RedirectLimit {
					reason = n.Reason
				}
				break
			}
			reasons[at] = reasonLoop // for whoever comes back here along the path
			path = append(path, at)
			if to == nowhere {
				reason = reasonNowhere
				break
			}
			at = to
		}
		for _, p := range path {
			reasons[p] = reason
		}
	}
	for _, v := range slices.Sorted(maps.Keys(reasons)) { // equal crawls have equal files
		n := j.nodes.at(v)
		if n.Outcome != Redirect || reasons[v] == "" {
			continue
		}
		n.Reason = reasons[v]
		if err := j.nodes.set(v, n); err != nil {
			return err
		}
	}
	return nil
}
