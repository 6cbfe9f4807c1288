package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// runWriter writes one run from front to back: first, ascending, all of section 0,
// then of section 1 and so on. After an error it must be aborted.
type runWriter struct {
	fs      FS
	path    string
	file    vfs.File
	info    runInfo
	section int
	fences  []uint64
	buf     []byte // whole blocks, then the one being filled
	block   int64  // number of the first block in buf
}

const writeBuffer = 16 * blockSize

// createRun starts a run, which has no fingerprint yet.
func createRun(fs FS, path string, number uint32, layers int) (*runWriter, error) {
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	return &runWriter{
		fs: fs, path: path, file: f,
		info: runInfo{number: number, counts: make([]int64, 1+layers)},
		buf:  make([]byte, 0, writeBuffer),
	}, nil
}

// add appends fingerprints to a section. They ascend from those before.
func (w *runWriter) add(section int, fps []uint64) error {
	if section != w.section {
		if err := w.nextSection(section); err != nil {
			return err
		}
	}
	for len(fps) > 0 {
		if section == 0 && len(w.buf)%blockSize == 0 {
			w.fences = append(w.fences, fps[0])
		}
		n, err := w.put(fps)
		if err != nil {
			return err
		}
		w.info.counts[section] += int64(n)
		fps = fps[n:]
	}
	return nil
}

// nextSection ends the block of the section before.
func (w *runWriter) nextSection(section int) error {
	w.section = section
	return w.endBlock()
}

// put appends to the block being filled and returns how many had room.
func (w *runWriter) put(fps []uint64) (int, error) {
	n := min(len(fps), perBlock-len(w.buf)%blockSize/8)
	for _, fp := range fps[:n] {
		w.buf = binary.LittleEndian.AppendUint64(w.buf, fp)
	}
	if len(w.buf)%blockSize == sumAt {
		return n, w.endBlock()
	}
	return n, nil
}

// endBlock fills the block up, if there is one, and appends its checksum. When the
// buffer is full it is written.
func (w *runWriter) endBlock() error {
	used := len(w.buf) % blockSize
	if used == 0 {
		return nil
	}
	w.buf = append(w.buf, make([]byte, sumAt-used)...)
	at := len(w.buf) - sumAt
	block := w.block + int64(at/blockSize)
	w.buf = binary.LittleEndian.AppendUint64(w.buf, blockSum(w.buf[at:], w.info.number, block))
	if len(w.buf) == writeBuffer {
		return w.flush()
	}
	return nil
}

// flush writes the buffer, which holds whole blocks.
func (w *runWriter) flush() error {
	blocks := len(w.buf) / blockSize
	if _, err := w.file.Write(w.buf); err != nil {
		return fmt.Errorf("write %s: %w", w.path, err)
	}
	w.block += int64(blocks)
	w.buf = w.buf[:0]
	return nil
}

// finish writes fences and table, syncs the file and its directory, and opens the run.
func (w *runWriter) finish() (*run, error) {
	if err := w.end(); err != nil {
		return nil, err
	}
	if err := w.file.Sync(); err != nil {
		return nil, fmt.Errorf("sync %s: %w", w.path, err)
	}
	err := w.file.Close()
	w.file = nil
	if err != nil {
		return nil, fmt.Errorf("close %s: %w", w.path, err)
	}
	if err := syncDir(w.fs, w.fs.PathDir(w.path)); err != nil {
		return nil, err
	}
	f, err := w.fs.Open(w.path)
	if err != nil {
		return nil, err
	}
	return &run{runInfo: w.info, path: w.path, file: f, fences: w.fences}, nil
}

// end writes the part of the file that follows the sections.
func (w *runWriter) end() error {
	if err := w.endBlock(); err != nil {
		return err
	}
	for fences := w.fences; len(fences) > 0; {
		n, err := w.put(fences)
		if err != nil {
			return err
		}
		fences = fences[n:]
	}
	if err := w.endBlock(); err != nil {
		return err
	}
	w.buf = appendTable(w.buf, w.info)
	if err := w.endBlock(); err != nil {
		return err
	}
	return w.flush()
}

// abort abandons the run and returns err. The file need not be deleted, since the manifest
// does not list it, but its space is wanted.
func (w *runWriter) abort(err error) error {
	if w.file != nil {
		err = errors.Join(err, w.file.Close())
	}
	_ = w.fs.Remove(w.path)
	return err
}
