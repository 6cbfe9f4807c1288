package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"crawler/internal/bigsite"
)

// site is a kind of page that is raced on.
type site struct {
	name string
	cfg  bigsite.Config
}

// sites have pages of the sizes of real ones, links included: 12.5 KiB with 25 links, as
// in the PostgreSQL manual, and 2.5 KB with 20.
func sites() []site {
	return []site{
		{"12-KiB", bigsite.Config{Docs: 12 << 10, Links: 16}},
		{"2.5-KB", bigsite.Config{Docs: 2000, Links: 14}},
	}
}

const (
	shortPart  = 10  // the short site has a tenth of the pages,
	shortLeast = 500 // but so many, lest they measure how programs start
	fewRounds  = 2   // of contestants that are slow
)

// entry is a contestant on one site with what was measured.
type entry struct {
	contestant
	Name    string
	Version string
	Command string   // as started last, with the site's address
	Missing string   `json:",omitempty"` // why it could not run
	Samples []sample // by round
}

// race is all contestants on one site.
type race struct {
	Site    string
	cfg     bigsite.Config
	Pages   int
	Rounds  int
	Short   bool // the race of the slow ones
	Entries []*entry
}

// race runs everything, prints it, and fails if a crawl of ours was not perfect.
func (o options) race(ctx context.Context) error {
	res, err := o.measure(ctx)
	if err != nil {
		return err
	}
	return errors.Join(res.write(os.Stdout, o), res.perfect())
}

// measure runs everything.
func (o options) measure(ctx context.Context) (res results, err error) {
	dir, err := os.MkdirTemp("", "rivals-")
	if err != nil {
		return res, err
	}
	defer os.RemoveAll(dir)
	k, err := newKit(ctx, dir, o.node)
	if err != nil {
		return res, err
	}
	races, err := o.plan(k)
	if err != nil {
		return res, err
	}
	for _, r := range races {
		if err := o.runRace(ctx, k, r); err != nil {
			return res, err
		}
	}
	return results{Machine: thisMachine(), Connections: o.connections, Races: races}, nil
}

// plan says who runs where: each site has a race for all but the slow, and a short one.
func (o options) plan(k *kit) ([]*race, error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return nil, err
	}
	where, err := regexp.Compile(o.sites)
	if err != nil {
		return nil, err
	}
	var races []*race
	for _, s := range sites() {
		if !where.MatchString(s.name) {
			continue
		}
		full := &race{Site: s.name, cfg: s.cfg, Pages: o.pages, Rounds: o.rounds}
		slow := &race{Site: s.name, cfg: s.cfg, Pages: min(o.pages, max(o.pages/shortPart, shortLeast)), Rounds: min(fewRounds, o.rounds), Short: true}
		anySlow := false
		for _, c := range contestants() {
			if !c.ours && !only.MatchString(c.name) {
				continue
			}
			if c.pace != short {
				full.add(k, c)
			}
			if c.pace == short || c.pace == both {
				slow.add(k, c)
			}
			anySlow = anySlow || c.pace == short
		}
		races = append(races, full)
		if anySlow {
			races = append(races, slow)
		}
	}
	if len(races) == 0 {
		return nil, fmt.Errorf("-sites %q: no site is called so", o.sites)
	}
	return races, nil
}

func (r *race) add(k *kit, c contestant) {
	e := &entry{contestant: c, Name: c.name}
	if _, err := c.command(k, task{}); err != nil {
		e.Missing = err.Error()
	} else {
		e.Version = c.version(k)
	}
	r.Entries = append(r.Entries, e)
}

func (o options) runRace(ctx context.Context, k *kit, r *race) error {
	cfg := r.cfg
	cfg.Pages = r.Pages
	srv, err := startServer(k.self, cfg)
	if err != nil {
		return err
	}
	defer srv.stop()
	urls := filepath.Join(k.dir, "urls")
	if err := srv.writeURLs(urls); err != nil {
		return err
	}
	for round := range r.Rounds {
		for i := range r.Entries {
			e := r.Entries[(i+round)%len(r.Entries)]
			if e.Missing != "" || e.pace == rarely && round >= fewRounds {
				continue
			}
			fmt.Fprintf(os.Stderr, "%s, %d pages, round %d of %d: %-18s", r.Site, r.Pages, round+1, r.Rounds, e.Name)
			if err := o.lap(ctx, k, srv, e, urls); err != nil {
				return fmt.Errorf("%s: %w", e.Name, err)
			}
		}
	}
	return nil
}

// lap is one crawl of one contestant. A rival that was ended at the limit does not run
// again.
func (o options) lap(ctx context.Context, k *kit, srv *server, e *entry, urls string) error {
	if n := len(e.Samples); n > 0 && e.Samples[n-1].Hung {
		fmt.Fprintln(os.Stderr, "not again")
		return nil
	}
	dir, err := os.MkdirTemp(k.dir, "crawl-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := task{seed: srv.seed(), urls: urls, dir: dir, connections: o.connections}
	argv, err := e.command(k, t)
	if err != nil {
		return err
	}
	e.Command = k.shown(argv, t)
	if _, err := srv.asked(); err != nil { // what was asked for before does not count
		return err
	}
	s, err := measure(ctx, argv, dir, o.limit)
	if err != nil {
		return err
	}
	if s.Asked, err = srv.asked(); err != nil {
		return err
	}
	e.Samples = append(e.Samples, s)
	fmt.Fprintf(os.Stderr, "%6d pages, %7.2f s, CPU %7.2f s %s\n", s.Distinct, s.Wall.Seconds(), s.CPU.Seconds(), s.Fault)
	return nil
}
