package survey

import (
	"cmp"
	"context"
	"slices"

	"crawler/internal/sheet"
)

// target is a node that links should not lead to.
type target struct {
	node  int
	links int // to it
}

// targets returns nodes by how many links lead there, most first, and the sum.
func (w *walk) targets(ctx context.Context, list []uint32) (all []target, links int, err error) {
	for i, v := range list {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		n, err := w.in.OutDegree(int(v))
		if err != nil {
			return nil, 0, err
		}
		all, links = append(all, target{int(v), n}), links+n
	}
	slices.SortStableFunc(all, func(a, b target) int { return cmp.Compare(b.links, a.links) })
	return all, links, nil
}

// linkersOf returns the URLs that link to a node, up to the limit; those that only redirect
// there are marked.
func (w *walk) linkersOf(node int) ([]string, error) {
	list, err := w.in.Successors(node, nil)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, v := range firstOf(list, w.Linkers) {
		url, err := w.urls.At(int(v))
		if err != nil {
			return nil, err
		}
		if w.nodes.at(int(v)).Outcome == Redirect {
			url += " (redirects there)"
		}
		names = append(names, url)
	}
	return names, nil
}

// brokenLinks lists the targets that answer with an error, or not at all, a row for each
// link. Targets without a link have a row, too: seeds and entries of sitemaps.
func (w *walk) brokenLinks(ctx context.Context) (sheet.Section, error) {
	all, links, err := w.targets(ctx, w.broken)
	if err != nil {
		return sheet.Section{}, err
	}
	w.sum.add("broken URLs", len(all))
	w.sum.add("links to them", links)
	t := &sheet.Table{Columns: []sheet.Column{{Key: "url", Name: "broken"}, {Name: "outcome"}, {Key: "links", Name: "links"}, {Key: "linked_from", Name: "linked from"}}}
	most := firstOf(all, w.Limit)
	for _, x := range most {
		url, err := w.urls.At(x.node)
		if err != nil {
			return sheet.Section{}, err
		}
		names, err := w.linkersOf(x.node)
		if err != nil {
			return sheet.Section{}, err
		}
		row := []sheet.Cell{url, w.nodes.at(x.node).String(), x.links}
		if len(names) == 0 {
			t.Rows = append(t.Rows, row)
		}
		for _, name := range names {
			t.Rows = append(t.Rows, append(slices.Clone(row), name))
		}
	}
	return sheet.Section{Title: "Broken links", Table: t, Notes: append([]string{"URLs that answered with status 400 or above, or not at all, or whose redirects lead nowhere, and the pages that link to them."},
		shown(len(most), len(all))...)}, nil
}

// redirected lists the redirects that pages link to.
func (w *walk) redirected(ctx context.Context) (sheet.Section, error) {
	all, links, err := w.targets(ctx, w.redirects)
	if err != nil {
		return sheet.Section{}, err
	}
	all = slices.DeleteFunc(all, func(x target) bool { return x.links == 0 })
	w.sum.add("redirects that are linked", len(all))
	w.sum.add("links to redirects", links)
	t := &sheet.Table{Columns: []sheet.Column{{Key: "url", Name: "redirect"}, {Name: "hops"}, {Key: "leads_to", Name: "leads to"}, {Name: "outcome"},
		{Key: "links", Name: "links"}, {Key: "linked_from", Name: "linked from"}}}
	most := firstOf(all, w.Limit)
	for _, x := range most {
		row, err := w.redirectRow(x)
		if err != nil {
			return sheet.Section{}, err
		}
		names, err := w.linkersOf(x.node)
		if err != nil {
			return sheet.Section{}, err
		}
		for _, name := range names {
			t.Rows = append(t.Rows, append(slices.Clone(row), name))
		}
	}
	return sheet.Section{Title: "Links to redirects", Table: t, Notes: append([]string{"Links that could go straight to where the redirect leads. Several hops are a chain."},
		shown(len(most), len(all))...)}, nil
}

func (w *walk) redirectRow(x target) ([]sheet.Cell, error) {
	url, err := w.urls.At(x.node)
	if err != nil {
		return nil, err
	}
	end, hops, err := w.lead(x.node)
	if err != nil {
		return nil, err
	}
	to, err := w.urls.At(end)
	return []sheet.Cell{url, hops, to, w.nodes.at(end).String(), x.links}, err
}
