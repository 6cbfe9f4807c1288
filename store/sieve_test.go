package store

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A fingerprint that is a fence lies in the block that begins with it, wherever gallop stops.
func TestGallop(t *testing.T) {
	var fences []uint64
	for n := range 70 {
		for fp := range uint64(2*n + 2) {
			want := 0
			for _, fence := range fences {
				if fence <= fp {
					want++
				}
			}
			if got := gallop(fences, fp); got != want {
				t.Fatalf("%d fences are at most %d, want %d of %d", got, fp, want, n)
			}
		}
		fences = append(fences, uint64(2*n+1))
	}
}

// openSieveIn opens the log in /crawl of fs and its database.
func openSieveIn(t testing.TB, fs FS, layers int) (*Sieve, *DB) {
	t.Helper()
	db, s, err := tryOpenSieve(fs, layers)
	if err != nil {
		t.Fatal(err)
	}
	return s, db
}

func tryOpenSieve(fs FS, layers int) (*DB, *Sieve, error) {
	if err := fs.MkdirAll("/crawl", 0o755); err != nil {
		return nil, nil, err
	}
	if err := syncDir(fs, "/"); err != nil {
		return nil, nil, err
	}
	db, err := openDB(fs, "/crawl/state", false)
	if err != nil {
		return nil, nil, err
	}
	if err := syncDir(fs, "/crawl"); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	s, err := openSieve(fs, "/crawl/seen", db, layers)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, s, nil
}

func closeSieve(t testing.TB, s *Sieve, db *DB) {
	t.Helper()
	if err := errors.Join(s.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// sections is what a log should hold: for URLs and each layer a set.
type sections []map[uint64]bool

func newSections(layers int) sections {
	l := make(sections, 1+layers)
	for i := range l {
		l[i] = map[uint64]bool{}
	}
	return l
}

// add adds what one commit journals.
func (l sections) add(urls []uint64, prefixes [][]uint64) {
	for _, x := range urls {
		l[0][x] = true
	}
	for i, p := range prefixes {
		for _, x := range p {
			l[1+i][x] = true
		}
	}
}

// held returns all that a log holds, in runs and in the journal, each in its sections.
func held(s *Sieve) (runs, journal sections, err error) {
	runs, journal = newSections(s.layers), newSections(s.layers)
	for i := range runs {
		last, first := uint64(0), true
		err := s.Each(i-1, func(names []uint64) error {
			for _, x := range names {
				if !first && x <= last {
					return errors.New("Each does not ascend")
				}
				last, first = x, false
				runs[i][x] = true
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	err = s.EachJournalled(func(urls []uint64, prefixes [][]uint64) error {
		journal.add(urls, prefixes)
		return nil
	})
	return runs, journal, err
}

// draw returns what a commit might journal: new URLs, and prefixes that repeat.
func draw(rng *rand.Rand, layers, n int) (urls []uint64, prefixes [][]uint64) {
	for range rng.IntN(n + 1) {
		urls = append(urls, rng.Uint64())
	}
	for range layers {
		var p []uint64
		for range rng.IntN(n + 1) {
			p = append(p, uint64(rng.IntN(5*n))*0x9E3779B97F4A7C15)
		}
		prefixes = append(prefixes, p)
	}
	return urls, prefixes
}

func commitEntry(db *DB, s *Sieve, urls []uint64, prefixes [][]uint64) error {
	b := db.NewBatch()
	s.Journal(b, urls, prefixes)
	return db.Commit(b)
}

// Random operations against sets in memory: with merges in the background and without,
// for filters with and without layers.
func TestSieveOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	for seed := range uint64(9) {
		rng := rand.New(rand.NewPCG(seed, 0))
		fs := OnMem(vfs.NewMem())
		layers := []int{0, 1, 3, 8}[seed%4]
		s, db := openSieveIn(t, fs, layers)
		s.background, s.maxSort = int64(seed%3*500), int(seed%2*5000)
		log, tail := newSections(layers), newSections(layers)
		for range 40 {
			switch rng.IntN(8) {
			default:
				urls, prefixes := draw(rng, layers, 400)
				if err := commitEntry(db, s, urls, prefixes); err != nil {
					t.Fatal(err)
				}
				tail.add(urls, prefixes)
			case 0, 1, 2:
				if err := s.Append(s.Journalled()); err != nil {
					t.Fatal(err)
				}
				for i := range tail {
					maps.Copy(log[i], tail[i])
					clear(tail[i])
				}
			case 3:
				closeSieve(t, s, db)
				s, db = openSieveIn(t, fs, layers)
				s.background, s.maxSort = int64(seed%3*500), int(seed%2*5000)
			}
			checkAgainst(t, rng, s, log[0], tail[0])
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
		runs, journal, err := held(s)
		if err != nil {
			t.Fatal(err)
		}
		for i := range log {
			if !maps.Equal(runs[i], log[i]) || !maps.Equal(journal[i], tail[i]) {
				t.Errorf("seed %d, section %d: %d in runs and %d in the journal, want %d and %d",
					seed, i, len(runs[i]), len(journal[i]), len(log[i]), len(tail[i]))
			}
		}
		if got := s.Len(-1); got != int64(len(log[0])) {
			t.Errorf("seed %d: Len %d, want %d", seed, got, len(log[0]))
		}
		closeSieve(t, s, db)
	}
}

// checkAgainst asks about logged, journalled and unknown names, some of them twice.
func checkAgainst(t *testing.T, rng *rand.Rand, s *Sieve, log, tail map[uint64]bool) {
	t.Helper()
	names := []uint64{0, 0, 1, math.MaxUint64}
	for x := range log {
		if len(names) > 500 {
			break
		}
		names = append(names, x, x+1)
	}
	for x := range tail {
		names = append(names, x)
	}
	for range rng.IntN(300) {
		names = append(names, rng.Uint64())
	}
	slices.Sort(names)
	found := make([]bool, len(names))
	found[0] = true // an answer left over
	if err := s.Check(names, found); err != nil {
		t.Fatal(err)
	}
	for i, x := range names {
		if found[i] != log[x] {
			t.Errorf("%#x: found is %v", x, found[i])
		}
	}
}

// The least and the greatest numbers are fingerprints like others, also beside the zeros
// that fill a block.
func TestSieveExtremes(t *testing.T) {
	if testing.Short() {
		t.Skip("no goroutine but the database's own")
	}
	for name, urls := range map[string][]uint64{
		"zero alone":     {0},
		"both":           {0, math.MaxUint64},
		"a full block":   ladder(perBlock),
		"and one more":   ladder(perBlock + 1),
		"two full":       ladder(2 * perBlock),
		"fences' blocks": ladder(perBlock*perBlock + 1),
		"nothing":        {},
	} {
		s, db := openSieveIn(t, OnMem(vfs.NewMem()), 1)
		if err := commitEntry(db, s, urls, [][]uint64{{7}}); err != nil {
			t.Fatal(err)
		}
		if err := s.Append(s.Journalled()); err != nil {
			t.Fatal(err)
		}
		checkLadder(t, s, name, urls, 1)
		checkLadder(t, s, name, urls, 700) // one name in each block or two, over many blocks
		if got := blocksOf(int64(len(urls))); got != int64(len(s.runs[0].fences)) {
			t.Errorf("%s: %d fences for %d blocks", name, len(s.runs[0].fences), got)
		}
		closeSieve(t, s, db)
	}
}

// checkLadder asks for every step-th URL and what is beside it.
func checkLadder(t *testing.T, s *Sieve, name string, urls []uint64, step int) {
	t.Helper()
	asked := []uint64{0, 3, math.MaxUint64 - 1, math.MaxUint64}
	for i := 0; i < len(urls); i += step {
		asked = append(asked, urls[i], urls[i]+1)
	}
	slices.Sort(asked)
	found := make([]bool, len(asked))
	if err := s.Check(asked, found); err != nil {
		t.Fatal(err)
	}
	for i, x := range asked {
		if _, want := slices.BinarySearch(urls, x); found[i] != want {
			t.Errorf("%s: %#x: found is %v", name, x, found[i])
		}
	}
}

// ladder returns n names, 0 and then in large steps.
func ladder(n int) []uint64 {
	names := make([]uint64, n)
	for i := range names {
		names[i] = uint64(i) * (math.MaxUint64 / uint64(n))
	}
	return names
}

// A crawl directory opens its log.
func TestDirSieve(t *testing.T) {
	fs := OnMem(vfs.NewMem())
	d, err := Create(fs, "/crawls/one", Meta{}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, err := d.Sieve(1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := commitEntry(d.DB(), s, []uint64{1}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(s.Journalled()); err != nil {
		t.Fatal(err)
	}
	if found, err := exists(fs, "/crawls/one/seen/"+runName(1)); !found || err != nil {
		t.Errorf("no run in the directory: %v", err)
	}
	if s.Bytes() != 3*blockSize {
		t.Errorf("%d bytes on disk", s.Bytes())
	}
}

// What was not committed cannot get into a run.
func TestSieveAppendsOnlyCommitted(t *testing.T) {
	s, db := openSieveIn(t, OnMem(vfs.NewMem()), 0)
	defer closeSieve(t, s, db)
	if err := commitEntry(db, s, []uint64{5}, nil); err != nil {
		t.Fatal(err)
	}
	b := db.NewBatch()
	seq := s.Journal(b, []uint64{6}, nil)
	if err := s.Append(seq); err == nil {
		t.Fatal("an entry was appended before its commit")
	}
	found := make([]bool, 2)
	if err := s.Check([]uint64{5, 6}, found); err != nil || !found[0] || found[1] {
		t.Fatalf("found %v, %v", found, err)
	}
	if err := db.Commit(b); err != nil {
		t.Fatal(err)
	}
	if again := s.Journal(db.NewBatch(), nil, nil); again != seq {
		t.Errorf("nothing to journal took the number %d", again)
	}
	if err := commitEntry(db, s, []uint64{7}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(seq); err != nil {
		t.Fatal(err)
	}
	if _, journal, err := held(s); err != nil || len(journal[0]) != 1 || !journal[0][7] {
		t.Errorf("the journal holds %v, %v", journal[0], err)
	}
	if err := s.Check([]uint64{5, 6}, found); err != nil || !found[1] {
		t.Fatalf("found %v, %v", found, err)
	}
}
