package survey

import (
	"cmp"
	"context"
	"slices"

	"crawler/graph/bsp"
	"crawler/internal/sheet"
)

// ClicksConfig configures Clicks.
type ClicksConfig struct {
	Deeper  int // pages more than this many clicks from the seeds are listed
	Limit   int // rows a table; 0 is all
	Linkers int // pages that are named with a link to a broken one or a redirect; 0 is all
}

// Clicks is the report about a site for its owner: how many clicks deep its pages are, which
// have no link to them or from them, which links are broken or lead to redirects. A page is
// an answer of status 200 to 299 in HTML. It reads every list once or twice, at about a
// microsecond each, and needs 12 bytes a node.
func (s *Survey) Clicks(ctx context.Context, c ClicksConfig) (*sheet.Sheet, error) {
	if _, err := s.count(); err != nil {
		return nil, err
	}
	w := &walk{Survey: s, ClicksConfig: c}
	for _, step := range []func(context.Context) error{w.measure, w.look} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	sh := &sheet.Sheet{Title: "Clicks, orphans and broken links", Intro: []string{s.about()},
		Config: []sheet.Setting{{Name: "deeper", Value: c.Deeper}, {Name: "limit", Value: c.Limit}, {Name: "linkers", Value: c.Linkers}}}
	for _, part := range []func(context.Context) (sheet.Section, error){w.depths, w.deepPages, w.orphanPages, w.sinkPages, w.brokenLinks, w.redirected} {
		section, err := part(ctx)
		if err != nil {
			return nil, err
		}
		sh.Sections = append(sh.Sections, section)
	}
	sh.Sections = slices.Insert(sh.Sections, 0, w.sum.section("Summary"))
	return sh, nil
}

// walk is what Clicks has found out.
type walk struct {
	*Survey
	ClicksConfig
	sum    figures
	clicks []uint32 // from the seeds; bsp.None where no way leads
	linked []bool   // another page links there, directly or by redirects

	sinks, broken, redirects []uint32
}

// measure counts the clicks to every node, level by level. Redirects cost none, so the
// nodes behind them belong to the level that is being looked at.
func (w *walk) measure(ctx context.Context) error {
	w.clicks = make([]uint32, w.nodes.count())
	var level, next, list []uint32
	for v := range w.clicks {
		w.clicks[v] = bsp.None
		if w.nodes.at(v).Seed {
			w.clicks[v] = 0
			level = append(level, uint32(v))
		}
	}
	for depth := uint32(0); len(level) > 0; depth++ {
		next = next[:0]
		for i := 0; i < len(level); i++ {
			if i%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			v := int(level[i])
			if w.clicks[v] < depth {
				continue // a redirect led there in the level before
			}
			var err error
			if list, err = w.out.Successors(v, list); err != nil {
				return err
			}
			free := w.nodes.at(v).Outcome == Redirect
			for _, to := range list {
				switch {
				case free && w.clicks[to] > depth:
					w.clicks[to] = depth
					level = append(level, to)
				case w.clicks[to] == bsp.None:
					w.clicks[to] = depth + 1
					next = append(next, to)
				}
			}
		}
		level, next = next, level
	}
	return nil
}

// look reads all lists once: what links to what.
func (w *walk) look(ctx context.Context) error {
	w.linked = make([]bool, w.nodes.count())
	var failed error
	err := w.each(ctx, func(v int, list []uint32) {
		n := w.nodes.at(v)
		switch {
		case n.Broken():
			w.broken = append(w.broken, uint32(v))
		case n.Outcome == Redirect:
			w.redirects = append(w.redirects, uint32(v))
		case n.good() && len(list) == 0:
			w.sinks = append(w.sinks, uint32(v))
		}
		if n.Outcome != Page {
			return
		}
		for _, to := range list {
			end, _, err := w.lead(int(to))
			failed = cmp.Or(failed, err)
			if end != v {
				w.linked[end] = true
			}
		}
	})
	return cmp.Or(err, failed)
}

// depths shows how many pages are how many clicks deep.
func (w *walk) depths(context.Context) (sheet.Section, error) {
	var by []int
	pages, deep, away := 0, 0, 0
	for v, depth := range w.clicks {
		switch {
		case !w.nodes.at(v).good():
			continue
		case depth == bsp.None:
			away++
		default:
			for len(by) <= int(depth) {
				by = append(by, 0)
			}
			by[depth]++
			if int(depth) > w.Deeper {
				deep++
			}
		}
		pages++
	}
	w.sum.add("pages (HTML, status 200 to 299)", pages)
	w.sum.add("pages deeper than "+counted(int64(w.Deeper), "click", "clicks"), deep)
	w.sum.add("pages that no clicks lead to", away)
	t := &sheet.Table{Columns: []sheet.Column{{Name: "clicks"}, {Name: "pages"}, {Key: "share", Name: "so far", Format: "%.4f"}}}
	line, sum := sheet.Line{Name: "pages"}, 0
	for depth, n := range by {
		sum += n
		t.Rows = append(t.Rows, []sheet.Cell{depth, n, share(int64(sum), int64(pages))})
		line.Points = append(line.Points, sheet.Point{X: float64(depth), Y: float64(n)})
	}
	return sheet.Section{Title: "Clicks from the seeds", Notes: []string{"The fewest links from a seed to a page; redirects on the way do not count."},
		Table: t, Plots: []sheet.Plot{{Title: "Pages by clicks", X: "clicks from a seed", Y: "pages", Lines: []sheet.Line{line}}}}, nil
}

// deepPages lists the pages deeper than Deeper, the deepest first.
func (w *walk) deepPages(context.Context) (sheet.Section, error) {
	var deep []uint32
	for v, depth := range w.clicks {
		if depth != bsp.None && int(depth) > w.Deeper && w.nodes.at(v).good() {
			deep = append(deep, uint32(v))
		}
	}
	slices.SortStableFunc(deep, func(a, b uint32) int { return cmp.Compare(w.clicks[b], w.clicks[a]) })
	t := &sheet.Table{Columns: []sheet.Column{{Name: "clicks"}, {Key: "url", Name: "URL"}}}
	for _, v := range firstOf(deep, w.Limit) {
		url, err := w.urls.At(int(v))
		if err != nil {
			return sheet.Section{}, err
		}
		t.Rows = append(t.Rows, []sheet.Cell{int(w.clicks[v]), url})
	}
	return sheet.Section{ID: "deep", Title: "Pages deeper than " + counted(int64(w.Deeper), "click", "clicks"), Notes: shown(len(t.Rows), len(deep)), Table: t}, nil
}

// orphanPages lists the pages that no other fetched page links to.
func (w *walk) orphanPages(context.Context) (sheet.Section, error) {
	var orphans []uint32
	for v, linked := range w.linked {
		if n := w.nodes.at(v); !linked && n.good() && w.clicks[v] != 0 {
			orphans = append(orphans, uint32(v))
		}
	}
	w.sum.add("orphans: pages that no other page links to", len(orphans))
	return w.plain("Orphans", orphans, "No other page that was fetched links to these, directly or by a redirect: they are in a sitemap, or only a link that does not count leads there. Seeds are left out.")
}

func (w *walk) sinkPages(context.Context) (sheet.Section, error) {
	w.sum.add("sinks: pages without links", len(w.sinks))
	return w.plain("Sinks", w.sinks, "Pages without a link that counts: a visitor can only go back.")
}

// plain is a section that lists nodes.
func (w *walk) plain(title string, list []uint32, note string) (sheet.Section, error) {
	t := &sheet.Table{Columns: []sheet.Column{{Key: "url", Name: "URL"}}}
	for _, v := range firstOf(list, w.Limit) {
		url, err := w.urls.At(int(v))
		if err != nil {
			return sheet.Section{}, err
		}
		t.Rows = append(t.Rows, []sheet.Cell{url})
	}
	return sheet.Section{Title: title, Notes: append([]string{note}, shown(len(t.Rows), len(list))...), Table: t}, nil
}
