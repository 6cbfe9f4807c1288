package survey

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"crawler/internal/sheet"
	"crawler/report"
)

// target is a node that links should not lead to: one that is broken, or redirects.
type target struct {
	node  int
	url   string
	links int // to it, of any kind
	from  []linker

	last  int    // the page read last that links to it, plus 1
	kinds uint64 // of that page's links: bit k is parse.LinkKind k
}

// linker is a page with a link to a target.
type linker struct {
	node int
	kind string // as parse.LinkKind names it
}

func (a linker) compare(b linker) int {
	return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.kind, b.kind))
}

// watch makes a node a target.
func (w *walk) watch(v int) error {
	url, err := w.urls.At(v)
	x := &target{node: v, url: url}
	w.wrong = append(w.wrong, x)
	w.byURL[url] = x
	return err
}

// linkers finds the pages that have links to the targets, of all kinds, also of those that do
// not count: images, canonical links, entries of sitemaps, nofollow.
func (w *walk) linkers(ctx context.Context) error {
	if len(w.wrong) == 0 {
		return nil
	}
	err := report.ReadLinks(w.dir, func(p *report.PageLinks) error {
		if err := ctx.Err(); err != nil || p.Redirect {
			return err
		}
		source := -1
		for p.Next() {
			l := p.Link()
			x := w.byURL[string(l.URL)]
			if x == nil {
				continue
			}
			if source < 0 {
				node, ok, err := w.urls.Find(string(p.URL))
				if err != nil {
					return err
				}
				if !ok { // recorded since the graph was built
					return nil
				}
				source = node
			}
			if x.last != source+1 {
				x.last, x.kinds = source+1, 0
			}
			if x.kinds>>l.Kind&1 == 0 {
				x.kinds |= 1 << l.Kind
				w.link(x, linker{source, l.Kind.String()})
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// link counts a link to a target and keeps the first few, by their nodes.
func (w *walk) link(x *target, l linker) {
	x.links++
	i, _ := slices.BinarySearchFunc(x.from, l, linker.compare)
	if w.Linkers > 0 && i >= w.Linkers {
		return
	}
	x.from = slices.Insert(x.from, i, l)
	if w.Linkers > 0 && len(x.from) > w.Linkers {
		x.from = x.from[:w.Linkers]
	}
}

// byLinks sorts targets, those with most links first.
func byLinks(list []*target) {
	slices.SortStableFunc(list, func(a, b *target) int { return cmp.Compare(b.links, a.links) })
}

// linkerRows adds a row for each page that links to a target, and one without if there is none.
func (w *walk) linkerRows(t *sheet.Table, row []sheet.Cell, x *target, rest ...sheet.Cell) error {
	if len(x.from) == 0 {
		t.Rows = append(t.Rows, slices.Concat(row, []sheet.Cell{nil, nil}, rest))
	}
	for _, l := range x.from {
		url, err := w.urls.At(l.node)
		if err != nil {
			return err
		}
		t.Rows = append(t.Rows, slices.Concat(row, []sheet.Cell{url, l.kind}, rest))
	}
	return nil
}

// brokenLinks lists the links that lead to an error, directly or by redirects, as they stand in
// the pages, and what is broken without a link: a seed, or a sitemap that robots.txt names.
func (w *walk) brokenLinks(context.Context) (sheet.Section, error) {
	all, links, ends := []*target{}, 0, map[int]bool{}
	var alone []*target
	for _, x := range w.wrong {
		e, err := w.lead(x.node)
		if err != nil {
			return sheet.Section{}, err
		}
		switch {
		case !w.nodes.at(x.node).Broken() && !w.nodes.at(e.node).Broken():
		case x.links > 0:
			all, links = append(all, x), links+x.links
			ends[e.node] = true
		case w.nodes.at(x.node).Outcome != Redirect || w.nodes.at(x.node).Seed:
			alone = append(alone, x)
		}
	}
	all = append(all, slices.DeleteFunc(alone, func(x *target) bool { return ends[x.node] })...)
	byLinks(all)
	w.sum.add("broken links: URLs that lead to an error", len(all))
	w.sum.add("links to them", links)
	t := &sheet.Table{Columns: []sheet.Column{{Key: "url", Name: "broken"}, {Name: "outcome"}, {Key: "links", Name: "links"}, {Key: "linked_from", Name: "linked from"},
		{Name: "kind"}, {Key: "ends_at", Name: "redirects to"}}}
	most := firstOf(all, w.Limit)
	for _, x := range most {
		e, err := w.lead(x.node)
		if err != nil {
			return sheet.Section{}, err
		}
		var end sheet.Cell
		if e.node != x.node {
			if end, err = w.urls.At(e.node); err != nil {
				return sheet.Section{}, err
			}
		}
		if err := w.linkerRows(t, []sheet.Cell{x.url, w.nodes.at(e.node).String(), x.links}, x, end); err != nil {
			return sheet.Section{}, err
		}
	}
	return sheet.Section{Title: "Broken links", Table: t, Notes: append([]string{
		"URLs, as they stand in pages, that answer with status 400 or above, or not at all, or whose redirects end so or in nothing, and the pages with a link to them, of any kind. Without a page: a seed, or a sitemap that robots.txt names."},
		shown(len(most), len(all))...)}, nil
}
