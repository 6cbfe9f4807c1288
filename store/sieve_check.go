package store

import (
	"encoding/binary"
	"slices"
	"sort"
)

const (
	// lookupFps is how many fingerprints are looked up at a time.
	lookupFps = 1 << 12

	// lookupBlocks is how many blocks one read takes at most: 256 KiB.
	lookupBlocks = 64

	// lookupGap is how many blocks in a row that nobody asks for are read rather than
	// skipped. From memory a block costs 0.3 microseconds and a read 1; from a disk
	// reading on is cheaper still.
	lookupGap = 4
)

// lookup is what Check needs besides the runs: 272 KiB, made at the first call.
type lookup struct {
	where []int32 // for each fingerprint its block, -1 for none
	buf   []byte
}

// Check sets found[i] to whether fps[i] is the fingerprint of a URL in a run. fps must
// ascend; equal ones are allowed. The larger the batch the cheaper is each: neighbours
// share a block of 4 KiB, and a batch that needs most blocks reads large pieces in a row.
// In a log of 10 million in the page cache a fingerprint of 1,000 takes 2 microseconds of CPU
// time, one of 16,000 takes 0.8 to 1.2, depending on how many runs there are, and one of
// 64,000 takes 0.3 to 0.6. On an error nothing is known.
func (s *Sieve) Check(fps []uint64, found []bool) error {
	if len(fps) != len(found) || !slices.IsSorted(fps) {
		panic("store: Check wants ascending fingerprints and as many answers")
	}
	clear(found)
	for len(fps) > 0 {
		n := min(len(fps), lookupFps)
		for _, r := range s.runs {
			if err := s.lookup.run(r, fps[:n], found[:n]); err != nil {
				return err
			}
		}
		fps, found = fps[n:], found[n:]
	}
	return nil
}

// run looks fingerprints up in one run.
func (l *lookup) run(r *run, fps []uint64, found []bool) error {
	if l.buf == nil {
		l.where = make([]int32, lookupFps)
		l.buf = make([]byte, lookupBlocks*blockSize)
	}
	where := l.where[:len(fps)]
	locate(r.fences, fps, found, where)
	for i := 0; i < len(fps); {
		if where[i] < 0 {
			i++
			continue
		}
		end := span(where, i)
		if err := l.piece(r, fps[i:end], found[i:end], where[i:end]); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// locate sets where[i] to the block that holds fps[i] if any does, -1 if none can or if
// it was found already.
func locate(fences, fps []uint64, found []bool, where []int32) {
	block := -1 // the last one with a fence <= the fingerprint
	for i, fp := range fps {
		block += gallop(fences[block+1:], fp)
		where[i] = int32(block)
		if found[i] {
			where[i] = -1
		}
	}
}

// gallop returns how many of the ascending fences are at most fp, in time logarithmic
// in the answer.
func gallop(fences []uint64, fp uint64) int {
	bound := 1
	for bound <= len(fences) && fences[bound-1] <= fp {
		bound *= 2
	}
	low := bound / 2 // fences[:low] are at most fp
	rest := fences[low:min(bound, len(fences))]
	return low + sort.Search(len(rest), func(i int) bool { return rest[i] > fp })
}

// span returns how many fingerprints one read covers that begins with the block of the first.
func span(where []int32, first int) (end int) {
	last := where[first]
	for end = first + 1; end < len(where); end++ {
		w := where[end]
		if w < 0 {
			continue
		}
		if w-last > 1+lookupGap || w-where[first] >= lookupBlocks {
			break
		}
		last = w
	}
	return end
}

// piece reads the blocks of the given fingerprints, which lie in a row and of which the first
// has one, and looks them up.
func (l *lookup) piece(r *run, fps []uint64, found []bool, where []int32) error {
	first, last := where[0], slices.Max(where)
	buf := l.buf[:int(last-first+1)*blockSize]
	if err := r.read(buf, int64(first)); err != nil {
		return err
	}
	checked := int32(-1)
	var block []byte
	for i, fp := range fps {
		w := where[i]
		if w < 0 {
			continue
		}
		if w != checked {
			block = buf[int(w-first)*blockSize:][:blockSize]
			if err := r.check(block, int64(w)); err != nil {
				return err
			}
			checked = w
		}
		found[i] = has(block, fp, r.inBlock(w))
	}
	return nil
}

// inBlock returns how many fingerprints a block of URLs holds.
func (r *run) inBlock(block int32) int {
	return int(min(r.counts[0]-int64(block)*perBlock, perBlock))
}

// has reports whether fp is one of the first n numbers of a block, which ascend.
func has(block []byte, fp uint64, n int) bool {
	low, high := 0, n
	for low < high {
		middle := (low + high) / 2
		if binary.LittleEndian.Uint64(block[8*middle:]) < fp {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low < n && binary.LittleEndian.Uint64(block[8*low:]) == fp
}
