package lab

import (
	"cmp"
	"container/list"
	"context"
	"fmt"
	"math/rand/v2"

	"crawler/dedup"
	"crawler/internal/sheet"
)

// Limits and defaults of a DigestsConfig.
const (
	DefaultHeld     = 20_000
	MaxHeld         = 1_000_000
	DigestBits      = 5 // a page, as Squid has them
	digestQuestions = 50_000
)

// DigestsConfig configures Digests. Zero values mean the defaults.
type DigestsConfig struct {
	Held int     // pages that the neighbour has when the digest is made; default 20,000
	Bits float64 // of the digest for each of them; default 5
	Seed uint64

	Progress func(what string) // is called with what comes next, if not nil
}

// Digests measures what the summary of a neighbour's pages is worth, as Squid's caches exchange
// them: a Bloom filter of the URLs one has, which the other asks before it asks the neighbour
// itself, and which grows old.
func Digests(ctx context.Context, c DigestsConfig) (*sheet.Sheet, error) {
	c.Held = cmp.Or(c.Held, DefaultHeld)
	c.Bits = cmp.Or(c.Bits, DigestBits)
	switch {
	case c.Held < 100 || c.Held > MaxHeld:
		return nil, fmt.Errorf("lab: DigestsConfig.Held is %d, want 100 to %d, or 0 for %d", c.Held, MaxHeld, DefaultHeld)
	case !(c.Bits >= 1 && c.Bits <= maxBitsPerURL):
		return nil, fmt.Errorf("lab: DigestsConfig.Bits is %v, want 1 to %v, or 0 for %v", c.Bits, maxBitsPerURL, DigestBits)
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	out := &sheet.Sheet{
		Title: "Two crawls exchange digests",
		Intro: []string{
			"What it teaches: a digest of a few bits a page saves nearly all questions to a neighbour that would be in vain; its age costs more than its false positives, and in a " +
				"crawl, which forgets nothing, age costs only pages that are fetched twice.",
			"B sends A a digest of the URLs it has: a Bloom filter. Before A fetches a page it asks the digest. Says it yes, A asks B: B has the page (a hit), " +
				"or has it not (a false hit: asked in vain, and then A fetches it). Says it no, A fetches the page at once: also where B has it meanwhile (a false miss).",
			fmt.Sprintf("Pages are asked for by a power law, as by readers of the web. The crawl keeps all pages it has fetched, the cache the %s used last. Age counts B's own requests "+
				"since the digest was made, in multiples of the pages it had then.", group(c.Held)),
		},
		Config: []sheet.Setting{{Name: "pages of B", Value: c.Held}, {Name: "bits a page", Value: c.Bits}, {Name: "seed", Value: c.Seed}},
	}
	for _, kind := range []struct {
		id, title string
		most      int
	}{{"crawl", "B is a crawl: it keeps every page", 0}, {"cache", "B is a cache: it keeps the pages used last", c.Held}} {
		c.Progress("digests: " + kind.title)
		section, err := c.ages(ctx, kind.most)
		if err != nil {
			return nil, err
		}
		section.ID, section.Title = kind.id, kind.title
		out.Sections = append(out.Sections, section)
	}
	sizes, err := c.sizes(ctx)
	out.Sections = append(out.Sections, sizes)
	return out, err
}

// holder is a neighbour: the pages it has, those used last at the front.
type holder struct {
	most  int // pages it keeps; 0 is all
	order *list.List
	at    map[uint64]*list.Element
}

func newHolder(most int) *holder {
	return &holder{most: most, order: list.New(), at: map[uint64]*list.Element{}}
}

func (h *holder) has(page uint64) bool { return h.at[page] != nil }

// request is one of the neighbour's own: the page is there from then on.
func (h *holder) request(page uint64) {
	if e := h.at[page]; e != nil {
		h.order.MoveToFront(e)
		return
	}
	h.at[page] = h.order.PushFront(page)
	if h.most > 0 && h.order.Len() > h.most {
		last := h.order.Back()
		delete(h.at, last.Value.(uint64))
		h.order.Remove(last)
	}
}

// digest is a Bloom filter of what the neighbour has now.
func (h *holder) digest(bits float64, seed uint64) *dedup.Classic {
	f := dedup.NewClassic(int64(bits*float64(len(h.at))+0.5), dedup.BestK(bits), seed)
	for page := range h.at {
		f.Add(seeded(page, seed))
	}
	return f
}

// exchanges counts what became of A's questions.
type exchanges struct{ hits, falseHits, falseMisses, misses int }

// ask counts one question to the digest beside what the neighbour has.
func (x *exchanges) ask(says, has bool) {
	switch {
	case says && has:
		x.hits++
	case says:
		x.falseHits++
	case has:
		x.falseMisses++
	default:
		x.misses++
	}
}

// readers draw the pages that are asked for.
func (c *DigestsConfig) readers(stream uint64) *rand.Zipf {
	rnd := rand.New(rand.NewPCG(c.Seed, stream))
	return rand.NewZipf(rnd, 1.05, 50, uint64(20*c.Held))
}

// neighbour lets one fetch until it has its pages, and for a cache three times as long.
func (c *DigestsConfig) neighbour(ctx context.Context, most int) (*holder, *rand.Zipf, error) {
	h, own := newHolder(most), c.readers(9)
	for n := 0; h.order.Len() < c.Held || most > 0 && n < 4*c.Held; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		h.request(own.Uint64())
	}
	return h, own, nil
}

// share is in percent of all questions.
func (x *exchanges) share(n int) float64 {
	return 100 * float64(n) / float64(x.hits+x.falseHits+x.falseMisses+x.misses)
}

// vain is which part of the questions to the neighbour were in vain, in percent.
func (x *exchanges) vain() float64 {
	return 100 * float64(x.falseHits) / float64(max(x.hits+x.falseHits, 1))
}

var exchangeColumns = []sheet.Column{
	{Name: "hits", Unit: "% of questions", Format: "%.2f"}, {Name: "false hits", Unit: "% of questions", Format: "%.3f"},
	{Name: "false misses", Unit: "% of questions", Format: "%.3f"}, {Name: "asked in vain", Unit: "% of those asked", Format: "%.3f"},
}

func (x *exchanges) row() []sheet.Cell {
	return []sheet.Cell{x.share(x.hits), x.share(x.falseHits), x.share(x.falseMisses), x.vain()}
}

// questions asks as many as digestQuestions, and changes nothing at the neighbour.
func (c *DigestsConfig) questions(h *holder, digest *dedup.Classic) (x exchanges) {
	pages := c.readers(10)
	for range digestQuestions {
		page := pages.Uint64()
		x.ask(digest.Has(seeded(page, c.Seed)), h.has(page))
	}
	return x
}

// ages lets a digest grow old.
func (c *DigestsConfig) ages(ctx context.Context, most int) (sheet.Section, error) {
	h, own, err := c.neighbour(ctx, most)
	if err != nil {
		return sheet.Section{}, err
	}
	digest := h.digest(c.Bits, c.Seed)
	t := &sheet.Table{Columns: append([]sheet.Column{{Name: "age", Format: "%.3f"}, {Name: "pages of B"}}, exchangeColumns...)}
	p := sheet.Plot{X: "age, in multiples of B's pages", Y: "% of A's questions", Title: "What age costs",
		Lines: []sheet.Line{{Name: "false hits"}, {Name: "false misses"}}}
	requests := 0
	for _, age := range []float64{0, 0.05, 0.1, 0.25, 0.5, 1, 2} {
		for ; float64(requests) < age*float64(c.Held); requests++ {
			h.request(own.Uint64())
		}
		if ctx.Err() != nil {
			return sheet.Section{}, ctx.Err()
		}
		x := c.questions(h, digest)
		t.Rows = append(t.Rows, append([]sheet.Cell{age, h.order.Len()}, x.row()...))
		for i, n := range []int{x.falseHits, x.falseMisses} {
			p.Lines[i].Points = append(p.Lines[i].Points, sheet.Point{X: age, Y: x.share(n)})
		}
	}
	note := "Nothing is ever removed, so false hits are the filter's alone; B finds pages that the digest does not know."
	if most > 0 {
		note = "What B has dropped since is a false hit too, what it has fetched since a false miss."
	}
	return sheet.Section{Table: t, Plots: []sheet.Plot{p}, Notes: []string{note}}, nil
}

// sizes shows what a new digest of the crawl is worth by its size.
func (c *DigestsConfig) sizes(ctx context.Context) (sheet.Section, error) {
	h, _, err := c.neighbour(ctx, 0)
	if err != nil {
		return sheet.Section{}, err
	}
	t := &sheet.Table{Columns: append([]sheet.Column{{Name: "bits a page", Format: "%.3g"}, {Name: "hash functions"}, {Name: "bytes"}}, exchangeColumns...)}
	t.Columns = append(t.Columns, sheet.Column{Name: "expected", Unit: "% of the absent", Format: "%.3f"}, sheet.Column{Name: "measured", Unit: "% of the absent", Format: "%.3f"})
	for _, bits := range []float64{2, 4, 5, 8, 10, 16} {
		if ctx.Err() != nil {
			return sheet.Section{}, ctx.Err()
		}
		digest := h.digest(bits, c.Seed)
		x := c.questions(h, digest)
		row := append([]sheet.Cell{bits, digest.K(), digest.Bits() / 8}, x.row()...)
		t.Rows = append(t.Rows, append(row, 100*dedup.ClassicRate(bits, digest.K()), 100*float64(x.falseHits)/float64(x.falseHits+x.misses)))
	}
	return sheet.Section{ID: "sizes", Title: "A digest just made, by its size", Table: t, Notes: []string{
		"The pages asked for often recur, and a page the digest is wrong about is wrong each time: measured and expected differ by more than chance."}}, nil
}
