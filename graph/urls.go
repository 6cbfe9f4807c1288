package graph

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// URLs is an opened list of URLs, in SURT order, mapped into memory. It is safe for
// concurrent use until Close.
type URLs struct {
	name   string
	data   []byte // the blocks, with the header before them
	starts []byte // the places of the blocks, eight bytes each
	n      int
	block  int // keys a block
	unmap  func() error
}

// OpenURLs opens a file of URLs. Blocks are checked as they are read.
func OpenURLs(name string) (*URLs, error) {
	data, unmap, err := mapFile(name)
	if err != nil {
		return nil, err
	}
	u := &URLs{name: name, unmap: unmap}
	if err := u.parse(data); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), unmap())
	}
	return u, nil
}

// parse reads the header.
func (u *URLs) parse(data []byte) error {
	if len(data) < urlsHeader || string(data[:8]) != urlsMagic {
		return fmt.Errorf("%w, or no list of URLs: it does not begin with %s", ErrDamaged, urlsMagic)
	}
	le := binary.LittleEndian
	if crc32.Checksum(data[:28], castagnoli) != le.Uint32(data[28:]) {
		return fmt.Errorf("the header is %w", ErrDamaged)
	}
	block, n, end := uint64(le.Uint32(data[8:])), le.Uint64(data[12:]), le.Uint64(data[20:])
	size := uint64(len(data))
	if block == 0 || block > 1<<16 || n > maxNodes || end < urlsHeader || end > size ||
		(n+block-1)/block != (size-end)/8 || (size-end)%8 != 0 {
		return fmt.Errorf("%d bytes for %d URLs: the file is cut short or %w", size, n, ErrDamaged)
	}
	u.block, u.n = int(block), int(n)
	u.data, u.starts = data[:end], data[end:]
	return nil
}

// Close unmaps the file. Strings already read stay valid.
func (u *URLs) Close() error {
	u.data, u.starts = nil, nil
	return u.unmap()
}

// Len returns the number of URLs.
func (u *URLs) Len() int { return u.n }

// keys returns the checked front-coded keys of block i.
func (u *URLs) keys(i int) ([]byte, error) {
	start := binary.LittleEndian.Uint64(u.starts[8*i:])
	end := uint64(len(u.data))
	if 8*i+8 < len(u.starts) {
		end = binary.LittleEndian.Uint64(u.starts[8*i+8:])
	}
	if start < urlsHeader || end > uint64(len(u.data)) || end < start+4 || start > end {
		return nil, u.damaged(i, "its place cannot be")
	}
	if b := u.data[start:end]; crc32.Checksum(b[4:], castagnoli) == binary.LittleEndian.Uint32(b) {
		return b[4:], nil
	}
	return nil, u.damaged(i, "its checksum is wrong")
}

func (u *URLs) damaged(block int, what string) error {
	return fmt.Errorf("%s: block %d, from URL %d: %s: the file is %w",
		u.name, block, block*u.block, what, ErrDamaged)
}

// scan calls yield with the keys of block i, valid during the call, until it says no.
func (u *URLs) scan(i int, key []byte, yield func(node int, key []byte) bool) ([]byte, error) {
	rest, err := u.keys(i)
	if err != nil {
		return key, err
	}
	key = key[:0]
	for node := i * u.block; node < min(u.n, (i+1)*u.block); node++ {
		if key, rest, err = cutFront(key, rest); err != nil {
			return nil, u.damaged(i, err.Error())
		}
		if !yield(node, key) {
			break
		}
	}
	return key, nil
}

// At returns the URL of a node, in one to two microseconds.
func (u *URLs) At(node int) (url string, err error) {
	if node < 0 || node >= u.n {
		return "", fmt.Errorf("%s: URL %d of %d", u.name, node, u.n)
	}
	key, err := u.scan(node/u.block, nil, func(i int, _ []byte) bool { return i < node })
	if err != nil {
		return "", err
	}
	return urlOf(string(key)), nil
}

// Find returns the node of a URL, which must be written as it was when added. It reads
// the first key of about log2(Len/32) blocks, and then one block.
func (u *URLs) Find(url string) (node int, ok bool, err error) {
	want, err := appendKey(nil, url)
	if err != nil || u.n == 0 {
		return 0, false, err
	}
	low, high := 0, len(u.starts)/8 // the block of want is in low..high-1 if it has one
	var key []byte
	for high-low > 1 {
		mid := int(uint(low+high) / 2)
		if key, err = u.scan(mid, key, func(int, []byte) bool { return false }); err != nil {
			return 0, false, err
		}
		if bytes.Compare(key, want) <= 0 {
			low = mid
		} else {
			high = mid
		}
	}
	_, err = u.scan(low, key, func(i int, k []byte) bool {
		node, ok = i, bytes.Equal(k, want)
		return !ok && bytes.Compare(k, want) < 0
	})
	if !ok {
		node = 0
	}
	return node, ok, err
}

// All calls yield with every node and its URL, in order, until it says no: some 100 ns
// each.
func (u *URLs) All(yield func(node int, url string) bool) error {
	more := true
	var key []byte
	var err error
	for i := 0; more && i < len(u.starts)/8; i++ {
		key, err = u.scan(i, key, func(node int, k []byte) bool {
			more = yield(node, urlOf(string(k)))
			return more
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteText writes the URLs one a line, line 1 that of node 0: the list that goes with
// graphs of the framework.
func (u *URLs) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	err := u.All(func(_ int, url string) bool {
		out.WriteString(url)
		return out.WriteByte('\n') == nil
	})
	return errors.Join(err, out.Flush())
}
