package lab

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"crawler/dedup"
	"crawler/internal/sheet"
)

// Limits and defaults of a StragglersConfig.
const (
	DefaultStragglerCells = 400
	MaxStragglerCells     = 1_000_000
	DefaultPassing        = 100_000
	MaxPassing            = 10_000_000

	stragglerRuns   = 100
	stragglerSure   = 0.95 // share of the runs in which all must be listed
	namedStragglers = 20
)

// StragglersConfig configures Stragglers. Zero values mean the defaults.
type StragglersConfig struct {
	Path  string    // lines "in ID" and "out ID"; "-" is In, "" makes up a day
	In    io.Reader // such as standard input
	Cells int       // of the table; default 400
	Seed  uint64

	Progress func(what string) // is called with what comes next, if not nil
}

// Stragglers lists who is left of those who went in and out, by an invertible Bloom filter
// beside an exact list, and measures how many can be left for a table of its size.
func Stragglers(ctx context.Context, c StragglersConfig) (*sheet.Sheet, error) {
	c.Cells = cmp.Or(c.Cells, DefaultStragglerCells)
	if c.Cells < 1 || c.Cells > MaxStragglerCells {
		return nil, fmt.Errorf("lab: StragglersConfig.Cells is %d, want 1 to %d, or 0 for %d", c.Cells, MaxStragglerCells, DefaultStragglerCells)
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	c.Progress("who is left")
	d, err := newDesk(c.Cells, c.Seed)
	if err != nil {
		return nil, err
	}
	source := fmt.Sprintf("generated, seed %d", c.Seed)
	if c.Path == "" {
		d.generate(rand.New(rand.NewPCG(c.Seed, 5)), c.Cells/2)
	} else {
		source = c.Path
		if err := d.read(ctx, c.Path, c.In); err != nil {
			return nil, err
		}
	}
	day := d.section()
	most, err := stragglerCapacity(ctx, &c)
	if err != nil {
		return nil, err
	}
	load, err := stragglerLoads(ctx, &c)
	if err != nil {
		return nil, err
	}
	return &sheet.Sheet{
		Title: "Who is still in the building?",
		Intro: []string{
			"What it teaches: to name the few that are left, a table the size of these few is enough, however many have gone in and out; a Bloom filter, " +
				"and one with counters, can only be asked about a name that is known.",
			"Everyone checks in and out with an identifier. The invertible Bloom filter adds each that comes to its cells and subtracts each that goes: " +
				"all who have left cancel. A cell with a single identifier shows it; with that taken out of its other cells, these may show another.",
		},
		Config:   []sheet.Setting{{Name: "source", Value: source}, {Name: "cells", Value: c.Cells}, {Name: "seed", Value: c.Seed}},
		Sections: []sheet.Section{day, most, load},
	}, nil
}

// desk counts who comes and goes by a table and exactly.
type desk struct {
	table         *dedup.Invertible
	inside        map[uint64]int64 // but those who are not
	names         map[uint64]string
	in, out, most int
}

func newDesk(cells int, seed uint64) (*desk, error) {
	table, err := dedup.NewInvertible(cells, 0, seed)
	return &desk{table: table, inside: map[uint64]int64{}, names: map[uint64]string{}}, err
}

// pass counts one who comes, or goes.
func (d *desk) pass(id string, coming bool) {
	key, step := fingerprint(id), int64(-1)
	if coming {
		step = 1
		d.in++
		d.table.In(key)
	} else {
		d.out++
		d.table.Out(key)
	}
	if d.inside[key] += step; d.inside[key] == 0 {
		delete(d.inside, key)
		delete(d.names, key) // who comes back brings it again
	} else if _, known := d.names[key]; !known {
		d.names[key] = id
	}
	d.most = max(d.most, len(d.inside))
}

var errPassing = errors.New(`want "in ID" or "out ID", or "+ ID" or "- ID"`)

// read reads a log of the door.
func (d *desk) read(ctx context.Context, path string, in io.Reader) error {
	err := eachLine(ctx, path, in, func(n int64, line []byte) error {
		end := bytes.IndexAny(line, " \t")
		if end < 0 {
			return fmt.Errorf("%s: line %d: %w", path, n, errPassing)
		}
		id := bytes.TrimSpace(line[end:])
		switch string(bytes.ToLower(line[:end])) {
		case "in", "+":
			d.pass(string(id), true)
		case "out", "-":
			d.pass(string(id), false)
		default:
			return fmt.Errorf("%s: line %d: %w", path, n, errPassing)
		}
		if len(d.inside) > MaxKeys {
			return fmt.Errorf("%s: line %d: more than %d are inside at once", path, n, MaxKeys)
		}
		return nil
	})
	if err == nil && d.in+d.out == 0 {
		err = fmt.Errorf("%s: nobody comes or goes: %w", path, errPassing)
	}
	return err
}

// generate lets people come and go in random order until all but a few have left.
func (d *desk) generate(rnd *rand.Rand, stay int) {
	var inside []string
	for n := range DefaultPassing {
		inside = append(inside, fmt.Sprintf("employee %06d", n))
		d.pass(inside[n-d.out], true)
		if rnd.IntN(4) == 0 {
			continue
		}
		inside = d.leave(rnd, inside)
	}
	for len(inside) > min(stay, 20) {
		inside = d.leave(rnd, inside)
	}
}

// leave sends one home.
func (d *desk) leave(rnd *rand.Rand, inside []string) []string {
	i, last := rnd.IntN(len(inside)), len(inside)-1
	d.pass(inside[i], false)
	inside[i] = inside[last]
	return inside[:last]
}

// section compares the table's list with the truth.
func (d *desk) section() sheet.Section {
	left, err := d.table.List()
	right, wrong := 0, 0
	t := &sheet.Table{Columns: []sheet.Column{{Name: "who"}, {Name: "inside", Unit: "times"}}}
	for _, l := range left {
		if d.inside[l.Key] == l.Count {
			right++
		} else {
			wrong++
		}
		if len(t.Rows) < namedStragglers {
			t.Rows = append(t.Rows, []sheet.Cell{cmp.Or(d.names[l.Key], fmt.Sprintf("%016x", l.Key)), l.Count})
		}
	}
	notes := []string{
		fmt.Sprintf("%s came and %s went, at most %s were inside at once. Left at the end: %s. The table of %s cells (%s bytes) lists %s of them, %s wrongly.",
			group(d.in), group(d.out), group(d.most), group(len(d.inside)), group(d.table.Cells()), group(d.table.Bytes()), group(right), group(wrong)),
	}
	if err != nil {
		notes = append(notes, "That is not all: too many are left for the table. More cells, one and a half for each who is left, will list them.")
	}
	if len(left) > len(t.Rows) {
		notes = append(notes, fmt.Sprintf("Shown are the first %d.", len(t.Rows)))
	}
	notes = append(notes, "Who is inside -1 times has left without having come in; who is inside twice has come in again without having left.")
	return sheet.Section{ID: "left", Title: "Who is left", Notes: notes, Table: t}
}

// peelable are the keys a cell that can be listed with k hash functions and many cells
// (Goodrich and Mitzenmacher 2011).
var peelable = map[int]float64{3: 0.818, 4: 0.772, 5: 0.702}

// allListed is the share of the runs in which a table lists all of n keys.
func allListed(cells, k, n, runs int, seed uint64) (float64, error) {
	listed := 0
	for run := range runs {
		rnd := rand.New(rand.NewPCG(seed, uint64(run)))
		f, err := dedup.NewInvertible(cells, k, rnd.Uint64())
		if err != nil {
			return 0, err
		}
		for range n {
			f.In(rnd.Uint64())
		}
		if left, err := f.List(); err == nil && len(left) == n {
			listed++
		}
	}
	return float64(listed) / float64(runs), nil
}

// stragglerCapacity finds how many can be left for tables of several sizes.
func stragglerCapacity(ctx context.Context, c *StragglersConfig) (sheet.Section, error) {
	t := &sheet.Table{Columns: []sheet.Column{{Name: "cells"}, {Name: "bytes"}, {Name: "hash functions"},
		{Name: "can be left", Key: "most_left"}, {Name: "a cell", Key: "most_left_a_cell", Format: "%.3f"}, {Name: "limit a cell", Format: "%.3f"}}}
	sizes := []int{24, 60, 120, 240, 600, 1200}
	if c.Cells <= 6000 && !slices.Contains(sizes, c.Cells) {
		sizes = append(sizes, c.Cells)
		slices.Sort(sizes)
	}
	for _, cells := range sizes {
		c.Progress(fmt.Sprintf("how many can be left: %d cells", cells))
		for k := 3; k <= 5; k++ {
			if ctx.Err() != nil {
				return sheet.Section{}, ctx.Err()
			}
			f, err := dedup.NewInvertible(cells, k, 0)
			if err != nil {
				return sheet.Section{}, err
			}
			low, high := 0, f.Cells() // the first can be listed, the second cannot
			for high-low > max(1, cells/200) {
				mid := (low + high) / 2
				share, err := allListed(cells, k, mid, stragglerRuns, c.Seed)
				if err != nil {
					return sheet.Section{}, err
				}
				if share >= stragglerSure {
					low = mid
				} else {
					high = mid
				}
			}
			t.Rows = append(t.Rows, []sheet.Cell{f.Cells(), f.Bytes(), k, low, float64(low) / float64(f.Cells()), peelable[k]})
		}
	}
	return sheet.Section{ID: "capacity", Title: "How many can be left for its size", Table: t, Notes: []string{fmt.Sprintf(
		"The largest number of identifiers that are all listed in at least %.0f %% of %d runs, to half a percent of the cells. The limit is what theory says of tables with "+
			"very many cells (Goodrich and Mitzenmacher 2011); in small ones two identifiers may share all their cells, most often with three functions.",
		100*stragglerSure, stragglerRuns)}}, nil
}

// stragglerLoads shows how abruptly a table is full.
func stragglerLoads(ctx context.Context, c *StragglersConfig) (sheet.Section, error) {
	sizes := []int{40, 200, 1000}
	t := &sheet.Table{Columns: []sheet.Column{{Name: "left a cell", Format: "%.2f"}}}
	p := sheet.Plot{Title: "Runs in which all are listed", X: "left, for each cell", Y: "share of the runs", YMax: 1}
	for _, cells := range sizes {
		t.Columns = append(t.Columns, sheet.Column{Name: fmt.Sprintf("%d cells", cells), Key: fmt.Sprintf("cells_%d", cells), Unit: "share of runs", Format: "%.2f"})
		p.Lines = append(p.Lines, sheet.Line{Name: fmt.Sprintf("%d cells", cells)})
	}
	c.Progress("when a table is full")
	for load := 0.3; load < 0.96; load += 0.05 {
		row := []sheet.Cell{load}
		for i, cells := range sizes {
			if ctx.Err() != nil {
				return sheet.Section{}, ctx.Err()
			}
			share, err := allListed(cells, dedup.DefaultInvertibleHashes, int(load*float64(cells)+0.5), stragglerRuns, c.Seed)
			if err != nil {
				return sheet.Section{}, err
			}
			row = append(row, share)
			p.Lines[i].Points = append(p.Lines[i].Points, sheet.Point{X: load, Y: share})
		}
		t.Rows = append(t.Rows, row)
	}
	return sheet.Section{ID: "loads", Title: "When a table is full", Table: t, Plots: []sheet.Plot{p}, Notes: []string{
		fmt.Sprintf("Four hash functions, %d runs for each figure. Large tables go from all to nearly none within a few percent, at 0.77.", stragglerRuns)}}, nil
}
