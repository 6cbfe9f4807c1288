package graph

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// The file of URLs, see docs/format/graph.md: a header, blocks of front-coded keys, and
// the place of each block.
const (
	urlsMagic  = "SURTURL1"
	urlsHeader = 32
	// urlsBlock is how many keys a block has: reading one costs decoding half a block,
	// 1 to 2 µs, and each block costs 12 bytes and one key in full.
	urlsBlock = 32
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// urlsWriter writes keys, which must come ascending, into a file of URLs. It keeps eight
// bytes a block.
type urlsWriter struct {
	out    *output
	w      *bufio.Writer
	block  []byte
	last   []byte // key
	starts []uint64
	pos    uint64
	n      int
}

func newURLsWriter(name string) (*urlsWriter, error) {
	out, err := create(name)
	if err != nil {
		return nil, err
	}
	w := &urlsWriter{out: out, w: bufio.NewWriterSize(out, writeBuffer), pos: urlsHeader}
	w.w.Write(make([]byte, urlsHeader)) // the errors of a bufio.Writer stay
	return w, nil
}

// add writes the next key.
func (w *urlsWriter) add(key []byte) {
	if w.n%urlsBlock == 0 {
		w.flush()
		w.last = w.last[:0]
	}
	w.block = appendFront(w.block, w.last, key)
	w.last = append(w.last[:0], key...)
	w.n++
}

// flush writes a block, if one was begun, behind its checksum.
func (w *urlsWriter) flush() {
	if len(w.block) == 0 {
		return
	}
	w.starts = append(w.starts, w.pos)
	w.w.Write(binary.LittleEndian.AppendUint32(w.w.AvailableBuffer(), crc32.Checksum(w.block, castagnoli)))
	w.w.Write(w.block)
	w.pos += 4 + uint64(len(w.block))
	w.block = w.block[:0]
}

// commit writes the places of the blocks and the header and gives the file its name.
func (w *urlsWriter) commit() error {
	w.flush()
	for _, at := range w.starts {
		w.w.Write(binary.LittleEndian.AppendUint64(w.w.AvailableBuffer(), at))
	}
	if err := w.w.Flush(); err != nil {
		return err
	}
	header := []byte(urlsMagic)
	header = binary.LittleEndian.AppendUint32(header, urlsBlock)
	header = binary.LittleEndian.AppendUint64(header, uint64(w.n))
	header = binary.LittleEndian.AppendUint64(header, w.pos)
	header = binary.LittleEndian.AppendUint32(header, crc32.Checksum(header, castagnoli))
	if _, err := w.out.WriteAt(header, 0); err != nil {
		return err
	}
	return w.out.commit()
}

// appendFront appends key as how much it has in common with the key before it, and the
// rest.
func appendFront(dst, last, key []byte) []byte {
	n := 0
	for n < len(last) && n < len(key) && last[n] == key[n] {
		n++
	}
	dst = binary.AppendUvarint(dst, uint64(n))
	dst = binary.AppendUvarint(dst, uint64(len(key)-n))
	return append(dst, key[n:]...)
}

// cutFront is the inverse of appendFront: it makes key, the one before, the next one and
// returns what follows it in src.
func cutFront(key, src []byte) (_, rest []byte, err error) {
	same, a := binary.Uvarint(src)
	if a <= 0 || same > uint64(len(key)) {
		return nil, nil, fmt.Errorf("a key that shares more than the one before it has")
	}
	size, b := binary.Uvarint(src[a:])
	if b <= 0 || size > uint64(len(src)-a-b) {
		return nil, nil, fmt.Errorf("a key beyond the end of its block")
	}
	src = src[a+b:]
	return append(key[:same], src[:size]...), src[size:], nil
}
