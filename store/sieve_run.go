package store

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	blockSize  = 4096
	perBlock   = blockSize/8 - 1 // fingerprints; the checksum takes the place of one
	sumAt      = 8 * perBlock
	runExt     = ".run"
	tableMagic = "\x89CSR"
	runVersion = 1
	maxCount   = 1 << 39 // fingerprints in a section: 4 TiB
)

// runInfo describes a run, in the manifest and again in the run's table.
type runInfo struct {
	number uint32
	counts []int64 // fingerprints in each section
}

func runName(number uint32) string { return fmt.Sprintf("%010d%s", number, runExt) }

// blocksOf returns how many blocks n fingerprints take.
func blocksOf(n int64) int64 { return (n + perBlock - 1) / perBlock }

// total returns the fingerprints of all sections.
func (i runInfo) total() int64 {
	n := int64(0)
	for _, c := range i.counts {
		n += c
	}
	return n
}

// start returns the number of a section's first block.
func (i runInfo) start(section int) int64 {
	n := int64(0)
	for _, c := range i.counts[:section] {
		n += blocksOf(c)
	}
	return n
}

// fenceCount returns the number of fences: one for each block of URLs.
func (i runInfo) fenceCount() int64 { return blocksOf(i.counts[0]) }

// size returns the bytes of the whole file.
func (i runInfo) size() int64 {
	return (i.start(len(i.counts)) + blocksOf(i.fenceCount()) + 1) * blockSize
}

// run is an open run. It never changes.
type run struct {
	runInfo
	path   string
	file   vfs.File
	fences []uint64 // the first fingerprint of each block of URLs
}

// openRun opens a run that the manifest lists, and checks all but its fingerprints.
func openRun(fs FS, path string, info runInfo) (*run, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	r := &run{runInfo: info, path: path, file: f}
	if err := r.load(); err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// load checks the size and the table, and reads the fences.
func (r *run) load() error {
	stat, err := r.file.Stat()
	if err != nil {
		return err
	}
	if stat.Size() != r.size() {
		return fmt.Errorf("%s %w: it has %d bytes instead of %d", r.path, ErrDamaged, stat.Size(), r.size())
	}
	buf := make([]byte, 16*blockSize)
	last := r.size()/blockSize - 1
	if err := r.read(buf[:blockSize], last); err != nil {
		return err
	}
	if err := r.check(buf[:blockSize], last); err != nil {
		return err
	}
	if want := appendTable(nil, r.runInfo); string(buf[:len(want)]) != string(want) {
		return fmt.Errorf("%s %w: its table is not the one of this run in the manifest", r.path, ErrDamaged)
	}
	return r.loadFences(buf)
}

// loadFences reads the fences by way of buf.
func (r *run) loadFences(buf []byte) error {
	n := r.fenceCount()
	r.fences = make([]uint64, 0, n)
	for block := r.start(len(r.counts)); int64(len(r.fences)) < n; {
		blocks := min(blocksOf(n-int64(len(r.fences))), int64(len(buf))/blockSize)
		b := buf[:blocks*blockSize]
		if err := r.read(b, block); err != nil {
			return err
		}
		var err error
		if r.fences, err = r.decode(r.fences, b, block, n-int64(len(r.fences))); err != nil {
			return err
		}
		block += blocks
	}
	if !ascending(r.fences) { // from one read to the next
		return notAscending(r, r.start(len(r.counts)))
	}
	return nil
}

// read fills buf, whole blocks, from the given block on.
func (r *run) read(buf []byte, block int64) error {
	if _, err := r.file.ReadAt(buf, block*blockSize); err != nil {
		return fmt.Errorf("read block %d of %s: %w", block, r.path, err)
	}
	return nil
}

// check compares the checksum of one block.
func (r *run) check(b []byte, block int64) error {
	if binary.LittleEndian.Uint64(b[sumAt:]) != blockSum(b, r.number, block) {
		return fmt.Errorf("block %d of %s %w: its checksum differs", block, r.path, ErrDamaged)
	}
	return nil
}

// decode appends up to n numbers from the blocks in b, the first of which has the given
// number. Those of the blocks must ascend; what dst held before is not looked at.
func (r *run) decode(dst []uint64, b []byte, block, n int64) ([]uint64, error) {
	from := len(dst)
	for ; len(b) > 0; b, block = b[blockSize:], block+1 {
		if err := r.check(b[:blockSize], block); err != nil {
			return dst, err
		}
		count := min(n, perBlock)
		n -= count
		for i := range b[:count] {
			dst = append(dst, binary.LittleEndian.Uint64(b[8*i:]))
		}
		if !ascending(dst[max(from, len(dst)-int(count)-1):]) {
			return dst, notAscending(r, block)
		}
	}
	return dst, nil
}

func notAscending(r *run, block int64) error {
	return fmt.Errorf("block %d of %s %w: its fingerprints do not ascend", block, r.path, ErrDamaged)
}

// ascending reports whether no number is less than or equal to the one before.
func ascending(fps []uint64) bool {
	for i := 1; i < len(fps); i++ {
		if fps[i] <= fps[i-1] {
			return false
		}
	}
	return true
}

// blockSum returns the checksum of a block at its place.
func blockSum(b []byte, number uint32, block int64) uint64 {
	return xxhash.Sum64(b[:sumAt]) ^ (uint64(number)<<32 + uint64(block))
}

// appendTable appends the table of a run, without the zeros behind it.
func appendTable(dst []byte, info runInfo) []byte {
	dst = append(dst, tableMagic...)
	dst = binary.LittleEndian.AppendUint16(dst, runVersion)
	dst = append(dst, byte(len(info.counts)-1), 0)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(info.number))
	for _, n := range info.counts {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	}
	return dst
}
