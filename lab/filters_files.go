package lab

import (
	"fmt"
	"slices"

	"crawler/dedup"
	"crawler/internal/sheet"
)

// sortedFiles is how many files the table of filesSection has.
const sortedFiles = 16

// filesSection is a table kept in sorted files, each with a filter, as in HBase.
func (c *comparison) filesSection(keys []uint64) (sheet.Section, error) {
	files := make([][]uint64, 0, sortedFiles)
	for i := range sortedFiles { // as they were flushed: each a part of the time, over all keys
		files = append(files, slices.Sorted(slices.Values(keys[i*len(keys)/sortedFiles:(i+1)*len(keys)/sortedFiles])))
	}
	gets := keys[:min(len(keys), c.cfg.Questions)]
	var missing []uint64
	for rnd := c.rnd(21); len(missing) < len(gets); {
		missing = append(missing, rnd.Uint64())
	}
	t := &sheet.Table{Columns: []sheet.Column{{Name: "bits a key", Format: "%.3g"}, {Name: "files read for a key that is there", Key: "read_there", Format: "%.3f"},
		{Name: "expected", Key: "expected_there", Format: "%.3f"}, {Name: "for one that is not", Key: "read_missing", Format: "%.3f"}, {Name: "expected", Key: "expected_missing", Format: "%.3f"}}}
	for _, bits := range []float64{0, 2, 4, 8, 10, 16} {
		filters, rate, used := make([]has, sortedFiles), 0.0, 0
		for i, file := range files {
			filters[i] = everything{}
			if len(file) == 0 {
				continue
			}
			used++
			if bits == 0 {
				rate++
				continue
			}
			f := dedup.NewClassic(int64(bits*float64(len(file))+0.5), dedup.BestK(bits), c.cfg.Seed)
			for _, key := range file {
				f.Add(key)
			}
			filters[i] = f
			rate += f.ExpectedRate()
		}
		rate /= float64(max(used, 1))
		t.Rows = append(t.Rows, []sheet.Cell{bits, filesRead(files, filters, gets), 1 + rate*float64(used-1), filesRead(files, filters, missing), rate * float64(used)})
	}
	return sheet.Section{ID: "files", Title: "A filter for each file of a sorted table", Table: t, Notes: []string{fmt.Sprintf(
		"A table like HBase's: %d files, each flushed at its time and sorted, so that the range of keys of nearly every file contains every key. A get asks the files whose filter does not "+
			"say no, the newest last; without filters (0 bits) it reads all. The filter is what makes a get cost one file.", sortedFiles)}}, nil
}

// everything is no filter.
type everything struct{}

func (everything) Has(uint64) bool { return true }

// filesRead is how many files a get reads, on average: those whose range has the key, unless
// their filter says no.
func filesRead(files [][]uint64, filters []has, keys []uint64) float64 {
	read := 0
	for _, key := range keys {
		for i, file := range files {
			if len(file) > 0 && key >= file[0] && key <= file[len(file)-1] && filters[i].Has(key) {
				read++
			}
		}
	}
	return float64(read) / float64(max(len(keys), 1))
}

// foldTarget is the rate that folded filters must keep.
const foldTarget = 0.01

// foldSection is a filter that was made for more keys than came. The numbers of keys are
// those of the source's picture.
func (c *comparison) foldSection([]uint64) (sheet.Section, error) {
	t := &sheet.Table{Columns: []sheet.Column{{Name: "made for"}, {Name: "keys in it"}, {Name: "bits"}, {Name: "rate", Key: "rate_before", Format: "%.6f"},
		{Name: "folds"}, {Name: "bits then"}, {Name: "rate then", Format: "%.6f"}, {Name: "measured", Format: "%.6f"}, {Name: "equals a small one"}}}
	for _, n := range [][2]int{{10_000, 10_000}, {9001, 5000}, {10_000, 4000}, {10_000, 1000}, {10_000, 100}} {
		// A multiple of 64 can be folded six times.
		bits := (int64(dedup.BitsFor(foldTarget)*float64(n[0])) + 63) / 64 * 64
		f := dedup.NewClassic(bits, dedup.BestK(dedup.BitsFor(foldTarget)), c.cfg.Seed)
		rnd := c.rnd(22)
		keys := make([]uint64, n[1])
		for i := range keys {
			keys[i] = rnd.Uint64()
			f.Add(keys[i])
		}
		before, folds := f.ExpectedRate(), 0
		for ; folds < 6 && dedup.ClassicRate(float64(f.Bits())/2/float64(n[1]), f.K()) <= foldTarget; folds++ {
			if err := f.Fold(); err != nil {
				return sheet.Section{}, err
			}
		}
		small := dedup.NewClassic(f.Bits(), f.K(), c.cfg.Seed)
		for _, key := range keys {
			small.Add(key)
		}
		t.Rows = append(t.Rows, []sheet.Cell{n[0], n[1], bits, before, folds, f.Bits(), f.ExpectedRate(), c.absent(f, 23).share(), yesNo(f.String() == small.String())})
	}
	return sheet.Section{ID: "fold", Title: "A filter that was made for more keys than came", Table: t, Notes: []string{fmt.Sprintf(
		"A file's filter is made before one knows how many keys the file will have: for the most there can be, at a rate of %g %%. Folded (each bit is joined with its neighbour) while the rate "+
			"stays below that, it is bit for bit the filter that would have been made half as large.", 100*foldTarget)}}, nil
}
