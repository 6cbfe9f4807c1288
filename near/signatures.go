package near

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// signatures are those of all pages, the first ones in memory, the others in a file.
type signatures struct {
	size, most int // words of one; how many are in memory at most
	dir        string
	n          int
	memory     []uint64
	file       *os.File // nil if all are in memory
	out        *bufio.Writer
	raw        []byte   // scratch, as what follows
	read       []uint64 // the last that was read from the file
}

const signatureBuffer = 1 << 18

func (s *signatures) add(sig []uint64) error {
	if s.n < s.most {
		s.memory = append(s.memory, sig...)
		s.n++
		return nil
	}
	if s.file == nil {
		var err error
		if s.file, err = os.CreateTemp(s.dir, "near.tmp*"); err != nil {
			return fmt.Errorf("signatures: %w", err)
		}
		s.out = bufio.NewWriterSize(s.file, signatureBuffer)
	}
	s.raw = s.raw[:0]
	for _, w := range sig {
		s.raw = binary.LittleEndian.AppendUint64(s.raw, w)
	}
	s.n++
	_, err := s.out.Write(s.raw)
	return wrap(err)
}

func (s *signatures) inMemory(page uint32) bool { return int(page) < s.most }

// at returns a signature, valid until the next call if it is not in memory.
func (s *signatures) at(page uint32) ([]uint64, error) {
	if from := int(page) * s.size; s.inMemory(page) {
		return s.memory[from : from+s.size : from+s.size], nil
	}
	if err := s.out.Flush(); err != nil {
		return nil, wrap(err)
	}
	raw := s.buffer()
	if _, err := s.file.ReadAt(raw, int64(int(page)-s.most)*int64(len(raw))); err != nil {
		return nil, wrap(err)
	}
	return s.decode(raw), nil
}

// each calls fn for all, in the order of their numbers.
func (s *signatures) each(fn func(page uint32, sig []uint64)) error {
	inMemory := min(s.n, s.most)
	for page := range inMemory {
		fn(uint32(page), s.memory[page*s.size:(page+1)*s.size])
	}
	if s.file == nil {
		return nil
	}
	if err := s.out.Flush(); err != nil {
		return wrap(err)
	}
	raw := s.buffer()
	in := bufio.NewReaderSize(io.NewSectionReader(s.file, 0, int64(s.n-inMemory)*int64(len(raw))), signatureBuffer)
	for page := inMemory; page < s.n; page++ {
		if _, err := io.ReadFull(in, raw); err != nil {
			return wrap(err)
		}
		fn(uint32(page), s.decode(raw))
	}
	return nil
}

func (s *signatures) buffer() []byte {
	if need := 8 * s.size; cap(s.raw) < need {
		s.raw = make([]byte, need)
	}
	return s.raw[:8*s.size]
}

func (s *signatures) decode(raw []byte) []uint64 {
	s.read = s.read[:0]
	for ; len(raw) > 0; raw = raw[8:] {
		s.read = append(s.read, binary.LittleEndian.Uint64(raw))
	}
	return s.read
}

func (s *signatures) close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.file.Close(), os.Remove(s.file.Name()))
	s.file = nil
	return wrap(err)
}

func wrap(err error) error {
	if err != nil {
		err = fmt.Errorf("signatures: %w", err)
	}
	return err
}

// window has the pages that the next one is compared with: the last ones of its bucket.
type window struct {
	most  int
	next  int // which is replaced, once it is full
	pages []uint32
	sigs  [][]uint64
	rooms [][]uint64 // for those that are not in memory
}

func (w *window) reset(most int) {
	w.most, w.next, w.pages, w.sigs = most, 0, w.pages[:0], w.sigs[:0]
}

// push takes a page in, in the place of the oldest if there is no room. A signature that will not
// stay where it is, is copied.
func (w *window) push(page uint32, sig []uint64, stays bool) {
	if len(w.sigs) < w.most {
		w.next = len(w.sigs)
		w.pages, w.sigs = append(w.pages, page), append(w.sigs, nil)
	}
	if !stays {
		if len(w.rooms) <= w.next {
			w.rooms = append(w.rooms, make([][]uint64, w.next+1-len(w.rooms))...)
		}
		w.rooms[w.next] = append(w.rooms[w.next][:0], sig...)
		sig = w.rooms[w.next]
	}
	w.pages[w.next], w.sigs[w.next] = page, sig
	w.next = (w.next + 1) % w.most
}
