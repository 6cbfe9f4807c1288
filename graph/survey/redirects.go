package survey

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"crawler/internal/sheet"
)

// ending is where the redirects from a node lead.
type ending struct {
	node int // the first that does not redirect; of a loop the node itself
	hops int // redirects to there; of a loop those around it
}

// next returns where a redirect leads.
func (w *walk) next(v int) (to int, ok bool, err error) {
	list, err := w.out.Successors(v, nil)
	if err != nil || len(list) == 0 {
		return v, false, err
	}
	return int(list[0]), true, nil // of one that changed while the crawl ran, any
}

// lead returns where the redirects from a node end: the node itself if it is none.
func (w *walk) lead(v int) (ending, error) {
	var path []int
	e, known := w.ends[v]
	for at := v; !known; {
		if n := w.nodes.at(at); n.Outcome != Redirect || n.Reason == reasonLoop {
			e, known = ending{node: at}, true
			continue
		}
		to, ok, err := w.next(at)
		if err != nil {
			return ending{}, err
		}
		path = append(path, at)
		if !ok {
			e, known = ending{node: at, hops: -1}, true
			continue
		}
		at = to
		e, known = w.ends[at]
	}
	for _, at := range slices.Backward(path) {
		e.hops++
		w.ends[at] = e
	}
	return e, nil
}

// redirected lists the redirects that pages link to.
func (w *walk) redirected(context.Context) (sheet.Section, error) {
	all, links := []*target{}, 0
	for _, x := range w.wrong {
		if n := w.nodes.at(x.node); n.Outcome == Redirect && !n.strayed() && x.links > 0 {
			all, links = append(all, x), links+x.links
		}
	}
	byLinks(all)
	w.sum.add("redirects that are linked", len(all))
	w.sum.add("links to redirects", links)
	t := &sheet.Table{Columns: []sheet.Column{{Key: "url", Name: "redirect"}, {Name: "hops"}, {Key: "leads_to", Name: "leads to"}, {Name: "outcome"},
		{Key: "links", Name: "links"}, {Key: "linked_from", Name: "linked from"}, {Name: "kind"}}}
	most := firstOf(all, w.Limit)
	for _, x := range most {
		e, err := w.lead(x.node)
		if err != nil {
			return sheet.Section{}, err
		}
		to, err := w.urls.At(e.node)
		if err != nil {
			return sheet.Section{}, err
		}
		row := []sheet.Cell{x.url, e.hops, to, w.nodes.at(e.node).String(), x.links}
		if err := w.linkerRows(t, row, x); err != nil {
			return sheet.Section{}, err
		}
	}
	return sheet.Section{Title: "Links to redirects", Table: t, Notes: append([]string{"Links that could go straight to where the redirect leads. Several hops are a chain."},
		shown(len(most), len(all))...)}, nil
}

// chains lists the chains of several redirects that end, by their length: each from where no
// redirect leads to, or a link or seed does.
func (w *walk) chains(context.Context) (sheet.Section, error) {
	inner := map[int]bool{}
	for _, v := range w.redirects {
		to, ok, err := w.next(int(v))
		if err != nil {
			return sheet.Section{}, err
		}
		if ok {
			inner[to] = true
		}
	}
	type chain struct{ node, hops int }
	var all []chain
	for _, x := range w.wrong {
		n := w.nodes.at(x.node)
		if n.Outcome != Redirect || n.Reason == reasonLoop || inner[x.node] && x.links == 0 && !n.Seed {
			continue
		}
		e, err := w.lead(x.node)
		if err != nil {
			return sheet.Section{}, err
		}
		if e.hops > 1 {
			all = append(all, chain{x.node, e.hops})
		}
	}
	slices.SortStableFunc(all, func(a, b chain) int { return cmp.Or(cmp.Compare(b.hops, a.hops), cmp.Compare(a.node, b.node)) })
	w.sum.add("chains of redirects", len(all))
	t := &sheet.Table{Columns: []sheet.Column{{Name: "hops"}, {Key: "urls", Name: "from URL to URL"}, {Name: "outcome"}}}
	for _, c := range firstOf(all, w.Limit) {
		urls, end, err := w.path(c.node, c.hops)
		if err != nil {
			return sheet.Section{}, err
		}
		t.Rows = append(t.Rows, []sheet.Cell{c.hops, urls, w.nodes.at(end).String()})
	}
	return sheet.Section{Title: "Redirect chains", Table: t, Notes: append([]string{"Redirects that lead to redirects. Each could lead straight to the end."},
		shown(len(t.Rows), len(all))...)}, nil
}

// path writes the URLs of a chain of the given number of redirects, and returns its last node.
func (w *walk) path(node, hops int) (text string, end int, err error) {
	var urls []string
	for i := 0; ; i++ {
		url, err := w.urls.At(node)
		if err != nil {
			return "", 0, err
		}
		urls = append(urls, url)
		to, ok, err := w.next(node)
		if err != nil || !ok || i == hops {
			return strings.Join(urls, " -> "), node, err
		}
		node = to
	}
}

// loops lists the redirects that lead around in a circle, each circle once.
func (w *walk) loops(context.Context) (sheet.Section, error) {
	t := &sheet.Table{Columns: []sheet.Column{{Name: "hops"}, {Key: "urls", Name: "around"}}}
	met, all := map[int]int{}, 0 // by which redirect's way a node was met, plus 1
	for _, v := range w.redirects {
		at, err := int(v), error(nil)
		for w.nodes.at(at).Reason == reasonLoop && met[at] == 0 && err == nil {
			met[at] = int(v) + 1
			at, _, err = w.next(at)
		}
		if err != nil {
			return sheet.Section{}, err
		}
		if met[at] != int(v)+1 || w.nodes.at(at).Reason != reasonLoop {
			continue
		}
		if all++; w.Limit > 0 && all > w.Limit {
			continue
		}
		hops := 1
		for to, _, err := w.next(at); to != at; to, _, err = w.next(to) {
			if err != nil {
				return sheet.Section{}, err
			}
			hops++
		}
		urls, _, err := w.path(at, hops)
		if err != nil {
			return sheet.Section{}, err
		}
		t.Rows = append(t.Rows, []sheet.Cell{hops, urls})
	}
	w.sum.add("loops of redirects", all)
	return sheet.Section{Title: "Redirect loops", Table: t, Notes: append([]string{"Redirects that come back to where they were: nothing is there."},
		shown(len(t.Rows), all)...)}, nil
}
