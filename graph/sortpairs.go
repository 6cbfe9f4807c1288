package graph

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// A pair is a link for sorting: source in the upper, target in the lower 32 bits.
type pair uint64

func pairOf(from, to uint32) pair { return pair(from)<<32 | pair(to) }

// Limits of the external sorts.
const (
	minMemory = 1 << 20
	// maxRuns is how many sorted runs are kept before they are merged into one.
	maxRuns   = 64
	runBuffer = 32 << 10 // bytes, of each run being merged
)

// A pairSorter sorts pairs and drops duplicates, in bounded memory: when its buffer is
// full, it is sorted and written to a temporary file, a run, and the runs are merged in
// the end.
type pairSorter struct {
	dir   string
	pairs []pair // to be sorted; its capacity is the memory
	runs  []*os.File
}

func newPairSorter(dir string, memory int64) *pairSorter {
	return &pairSorter{dir: dir, pairs: make([]pair, 0, max(memory, minMemory)/8)}
}

func (s *pairSorter) add(p pair) error {
	if len(s.pairs) == cap(s.pairs) {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.pairs = append(s.pairs, p)
	return nil
}

// spill writes the sorted buffer as a run.
func (s *pairSorter) spill() error {
	run, err := tempFile(s.dir)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, run)
	slices.Sort(s.pairs)
	w := bufio.NewWriterSize(run, writeBuffer)
	for _, p := range slices.Compact(s.pairs) {
		w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), uint64(p)))
	}
	s.pairs = s.pairs[:0]
	if err := w.Flush(); err != nil || len(s.runs) < maxRuns {
		return err
	}
	return s.mergeRuns()
}

// mergeRuns makes one run of all.
func (s *pairSorter) mergeRuns() error {
	old := s.runs
	run, err := tempFile(s.dir)
	if err != nil {
		return err
	}
	defer closeAll(old)
	s.runs = []*os.File{run}
	sources, err := pairRuns(old)
	if err != nil {
		return err
	}
	m := newMerger(sources, comparePairs)
	w := bufio.NewWriterSize(run, writeBuffer)
	for last, first := pair(0), true; m.more(); first = false {
		p := m.next()
		if p != last || first {
			w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), uint64(p)))
		}
		last = p
	}
	return errors.Join(m.err, w.Flush())
}

// sorted returns all pairs in order; duplicates may stand next to each other.
func (s *pairSorter) sorted() (*merger[pair], error) {
	slices.Sort(s.pairs)
	sources, err := pairRuns(s.runs)
	if err != nil {
		return nil, err
	}
	at := 0
	sources = append(sources, func() (pair, error) {
		if at == len(s.pairs) {
			return 0, io.EOF
		}
		at++
		return s.pairs[at-1], nil
	})
	return newMerger(sources, comparePairs), nil
}

// close removes the runs.
func (s *pairSorter) close() {
	closeAll(s.runs)
	s.runs, s.pairs = nil, nil
}

func comparePairs(a, b pair) bool { return a < b }

// pairRuns returns what reads each run from its beginning.
func pairRuns(runs []*os.File) ([]func() (pair, error), error) {
	var sources []func() (pair, error)
	for _, f := range runs {
		r, err := rewound(f)
		if err != nil {
			return nil, err
		}
		sources = append(sources, func() (pair, error) {
			var b [8]byte
			if _, err := io.ReadFull(r, b[:]); err != nil {
				return 0, err
			}
			return pair(binary.LittleEndian.Uint64(b[:])), nil
		})
	}
	return sources, nil
}

// rewound returns a reader of a temporary file from its beginning.
func rewound(f *os.File) (*bufio.Reader, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(f, runBuffer), nil
}

// tempFile makes a file in dir that closeAll removes.
func tempFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "graph-*.run")
	if err != nil {
		return nil, fmt.Errorf("sorting links: %w; name a folder with room for them", err)
	}
	return f, nil
}

// closeAll closes and removes temporary files; what cannot be removed is left behind.
func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
		os.Remove(f.Name())
	}
}
