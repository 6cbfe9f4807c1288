package store

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A manifest that is accepted is written again as the same bytes; no length in it makes
// the decoder allocate more than the input.
func FuzzSieveManifest(f *testing.F) {
	f.Add(appendManifest(nil, manifest{next: 1}, 0), uint8(0))
	f.Add(appendManifest(nil, manifest{
		appended: 17, next: 9, runs: []runInfo{{3, []int64{5, 0, 2}}, {8, []int64{1, 1, 1}}},
	}, 2), uint8(2))
	f.Add(make([]byte, manifestHead), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, layers uint8) {
		m, err := decodeManifest(b, int(layers%(1+maxLayers)))
		if err != nil {
			return
		}
		if got := appendManifest(nil, m, int(layers%(1+maxLayers))); !slices.Equal(got, b) {
			t.Errorf("%x was read and written as %x", b, got)
		}
		for _, r := range m.runs {
			if r.size() <= 0 || r.total() < 0 {
				t.Errorf("run %v has %d bytes", r, r.size())
			}
		}
	})
}

// A journal entry that is accepted has its fingerprints in the input.
func FuzzSieveEntry(f *testing.F) {
	f.Add([]byte{1, 0, 0})
	f.Add([]byte{1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		for layers := range 1 + maxLayers {
			sections := make([][]uint64, 1+layers)
			if decodeEntry(b, sections) != nil {
				continue
			}
			n := 0
			for _, s := range sections {
				n += len(s)
			}
			if 8*n > len(b) || int(b[1]) != layers {
				t.Errorf("%d fingerprints of %d layers from %x", n, layers, b)
			}
		}
	})
}

// A run of any content whose checksums are right is read in order or refused, and looked
// up without reading beside its blocks.
func FuzzSieveRun(f *testing.F) {
	u64 := binary.LittleEndian.AppendUint64
	f.Add(u64(u64(nil, 4), 9), uint16(2), uint16(0))
	f.Add(u64(u64(nil, 9), 4), uint16(2), uint16(0))
	f.Add(u64(nil, 9), uint16(600), uint16(3))
	f.Add(u64(u64(nil, 4), 9), uint16(1), uint16(0)) // a name where zeros should be
	f.Fuzz(func(t *testing.T, data []byte, urls, prefixes uint16) {
		info := runInfo{number: 1, counts: []int64{int64(urls), int64(prefixes)}}
		mem := vfs.NewMem()
		file := seal(data, info)
		if err := writeSynced(mem, "/run", file); err != nil {
			t.Fatal(err)
		}
		r, err := openRun(OnMem(mem), "/run", info)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Error(err)
			}
			return
		}
		defer r.file.Close()
		s := &Sieve{layers: 1, runs: []*run{r}}
		all, _, err := heldInRuns(s)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Error(err)
			}
			return
		}
		fps := []uint64{0, 1, 4, 9, 1 << 63}
		found := make([]bool, len(fps))
		if err := s.Check(fps, found); err != nil {
			t.Error(err)
		}
		for i, x := range fps {
			if found[i] && !slices.Contains(all, x) {
				t.Errorf("%d was found", x)
			}
		}
	})
}

// heldInRuns returns all URLs and prefixes of a log of one layer.
func heldInRuns(s *Sieve) (urls, prefixes []uint64, err error) {
	lists := [2][]uint64{}
	for i := range lists {
		err = errors.Join(err, s.Each(i-1, func(fps []uint64) error {
			lists[i] = append(lists[i], fps...)
			return nil
		}))
		if err == nil && !ascending(lists[i]) {
			err = errors.New("Each does not ascend")
		}
	}
	return lists[0], lists[1], err
}

// seal makes a run of the size that info asks for: data, over and over, as the content of
// its blocks, the right table, and the right checksums.
func seal(data []byte, info runInfo) []byte {
	file := make([]byte, info.size())
	for at := 0; at+blockSize <= len(file); at += blockSize {
		block := file[at : at+blockSize]
		if at+blockSize == len(file) {
			copy(block, appendTable(nil, info))
		} else if len(data) > 0 {
			data = data[copy(block[:sumAt], data)%len(data):]
		}
		binary.LittleEndian.PutUint64(block[sumAt:], blockSum(block, info.number, int64(at/blockSize)))
	}
	return file
}
