package graph

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// numbered is a key with one of its provisional numbers.
type numbered struct {
	key []byte
	id  uint32
}

func lessKey(a, b numbered) bool { return bytes.Compare(a.key, b.key) < 0 }

// keyRun writes sorted keys into a temporary file: front-coded, each with its number as
// a uvarint behind it.
type keyRun struct {
	w    *bufio.Writer
	last []byte
	buf  []byte
}

func newKeyRun(f *os.File) *keyRun {
	return &keyRun{w: bufio.NewWriterSize(f, writeBuffer)}
}

func (r *keyRun) add(n numbered) {
	r.buf = appendFront(r.buf[:0], r.last, n.key)
	r.buf = binary.AppendUvarint(r.buf, uint64(n.id))
	r.last = append(r.last[:0], n.key...)
	r.w.Write(r.buf) // its errors stay until Flush
}

// keySource returns what reads a run from its beginning. A key is valid until the call
// after the next.
func keySource(f *os.File) (func() (numbered, error), error) {
	r, err := rewound(f)
	if err != nil {
		return nil, err
	}
	var keys [2][]byte
	return func() (numbered, error) {
		same, err := binary.ReadUvarint(r)
		if err != nil {
			return numbered{}, err
		}
		size, err := binary.ReadUvarint(r)
		last := keys[1]
		if err != nil || same > uint64(len(last)) || size > 2*MaxURL {
			return numbered{}, fmt.Errorf("%s: the run does not read as it was written: %w", f.Name(), io.ErrUnexpectedEOF)
		}
		key := append(keys[0][:0], last[:same]...)
		key = append(key, make([]byte, size)...)
		_, err = io.ReadFull(r, key[same:])
		id, err2 := binary.ReadUvarint(r)
		if err := errors.Join(err, err2); err != nil {
			return numbered{}, fmt.Errorf("%s: %v: the run is cut short", f.Name(), err)
		}
		keys[0], keys[1] = last, key
		return numbered{key, uint32(id)}, nil
	}, nil
}

// mergeKeys returns all keys of the runs in order, equal ones with each of their numbers.
func mergeKeys(runs []*os.File) (*merger[numbered], error) {
	var sources []func() (numbered, error)
	for _, f := range runs {
		s, err := keySource(f)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return newMerger(sources, lessKey), nil
}
