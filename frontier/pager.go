package frontier

import (
	"fmt"
	"math"
)

// Disk stores the blocks of queued URLs that are not in memory.
type Disk interface {
	// Block returns the block that PutBlock got with the same numbers. The slice is
	// valid until the next call.
	Block(host string, depth int, seq uint64) ([]byte, error)
}

// Writer takes the changes that one commit must make durable, all of them or none, in
// the sequence of the calls. It keeps no slice beyond the call.
type Writer interface {
	PutBlock(host string, depth int, seq uint64, block []byte)
	DeleteBlocks(host string, depth int, from, to uint64) // from <= seq < to
	PutHost(host string, state []byte)
}

// stored is the part of a level that is on disk, and the position of its next record:
// byte off of block head. The via that applies there is in the record at via.
type stored struct {
	head, next uint64 // what is queued is in blocks head to next-1
	count      int    // URLs in them
	off, via   uint32
	used       uint32 // blocks read since the last commit; they end at head
	chunk      *chunk // nil if the next records are not in memory
}

func (s *stored) empty() bool { return s.head == s.next }

// chunk holds the records that follow a position.
type chunk struct {
	rest    []byte
	via     string   // the one that applies before the first
	ends    bool     // the block ends with them
	charged int      // bytes charged to the window, without the blocks ahead
	ahead   [][]byte // whole blocks that follow, if the block ends with them
}

// A chunk that stays in memory has, together with the blocks ahead, at most maxChunk bytes
// of whole records. The chunk and each of those blocks count as chunkSize bytes more.
const (
	maxChunk  = 4 << 10
	chunkSize = 64
)

// pager reads blocks and keeps chunks of them within the window.
type pager struct {
	disk Disk
	room int // bytes of the window that are free
	// Each level's last blocks: the last commit wrote them, and the disk may not return
	// them yet.
	flight map[*stored][][]byte
}

func newPager(d Disk, window int) *pager {
	return &pager{disk: d, room: window, flight: make(map[*stored][][]byte)}
}

// pop takes the next record. An error changes nothing.
func (p *pager) pop(s *stored, host string, depth int) (Item, error) {
	c, err := p.open(s, host, depth)
	if err != nil {
		return Item{}, err
	}
	r := reader{buf: c.rest}
	rec := r.record()
	starts := rec.has(flagVia)
	if starts {
		c.via = string(rec.via)
	}
	it, ok := rec.item(host, depth, c.via)
	off := s.off + uint32(len(c.rest)-len(r.buf))
	ends := c.ends && len(r.buf) == 0
	blocks := s.next - s.head // each has at least one URL after this one
	if ends {
		blocks--
	}
	switch {
	case r.bad || !ok || s.off == 0 && !starts:
		return Item{}, damaged(host, depth, s.head, "no queued URL at byte %d", s.off)
	case blocks > uint64(s.count-1), blocks == 0 && s.count > 1:
		return Item{}, damaged(host, depth, s.head, "%d more URLs should be queued", s.count-1)
	}
	if starts {
		s.via = s.off
	}
	s.count--
	s.off = off
	c.rest = r.buf
	if ends {
		s.head, s.off, s.via = s.head+1, 0, 0
		s.used++
	}
	p.keep(s, c)
	return it, nil
}

// open returns the records from the position on, from memory or from the block.
func (p *pager) open(s *stored, host string, depth int) (chunk, error) {
	if s.chunk != nil {
		return *s.chunk, nil
	}
	b, err := p.block(s, host, depth)
	if err != nil {
		return chunk{}, fmt.Errorf("reading block %d of the URLs queued on %s at depth %d: %w", s.head, host, depth, err)
	}
	c, ok := openAt(b, s.off, s.via)
	if !ok {
		return chunk{}, damaged(host, depth, s.head, "%d bytes long, read to %d", len(b), s.off)
	}
	return c, nil
}

// openAt returns the records of a block from off on, where the record at via has the via
// that applies.
func openAt(block []byte, off, via uint32) (chunk, bool) {
	if uint64(off) >= uint64(len(block)) || via > off || len(block) > math.MaxInt32 {
		return chunk{}, false
	}
	c := chunk{rest: block[off:], ends: true}
	if via == off {
		return c, true // the next record has it
	}
	r := reader{buf: block[via:]}
	rec := r.record()
	c.via = string(rec.via)
	return c, !r.bad && rec.has(flagVia)
}

func (p *pager) block(s *stored, host string, depth int) ([]byte, error) {
	if flight := p.flight[s]; uint64(len(flight)) >= s.next-s.head {
		return flight[uint64(len(flight))-(s.next-s.head)], nil
	}
	return p.disk.Block(host, depth, s.head)
}

// keep makes c the records in memory that follow the position, if there are any
// and the window has room.
func (p *pager) keep(s *stored, c chunk) {
	if s.chunk != nil && len(c.rest) > 0 {
		*s.chunk = c
		return
	}
	if s.chunk != nil {
		p.room += s.chunk.charged
		if p.advance(s) {
			return
		}
	}
	n := whole(c.rest[:min(len(c.rest), maxChunk)])
	if n == 0 || n+chunkSize > p.room {
		return
	}
	c.ends = c.ends && n == len(c.rest)
	c.charged = n + chunkSize
	c.rest = append(make([]byte, 0, n), c.rest[:n]...)
	p.room -= c.charged
	s.chunk = new(chunk)
	*s.chunk = c
}

// advance makes the first of the blocks ahead the chunk, which keeps its bytes of the
// window. It reports whether there was one; else there is no chunk any more.
func (p *pager) advance(s *stored) bool {
	c := s.chunk
	if len(c.ahead) == 0 {
		s.chunk = nil
		return false
	}
	next := c.ahead[0]
	c.ahead[0] = nil
	*c = chunk{rest: next, ends: true, charged: len(next) + chunkSize, ahead: c.ahead[1:]}
	return true
}

// extend keeps the blocks that follow those in memory, while they are small and the
// window has room: a host to which a crawl returns again and again has a few URLs in
// each block, and reading one costs as much as parsing a page. blocks are the last of the
// level.
func (p *pager) extend(s *stored, blocks [][]byte) {
	c := s.chunk
	if c == nil || !c.ends {
		return
	}
	size := c.charged - chunkSize // a chunk stays in memory until all of it is read
	for _, b := range c.ahead {
		size += len(b)
	}
	from := int(s.next-s.head) - 1 - len(c.ahead) // blocks that are not in memory
	if from > len(blocks) {
		return
	}
	for _, b := range blocks[len(blocks)-from:] {
		if size += len(b); size > maxChunk || len(b)+chunkSize > p.room {
			return
		}
		p.room -= len(b) + chunkSize
		c.ahead = append(c.ahead, append(make([]byte, 0, len(b)), b...))
	}
}

// whole returns how many bytes of b are whole records.
func whole(b []byte) int {
	n := 0
	for r := (reader{buf: b}); len(r.buf) > 0; {
		if r.record(); r.bad {
			break
		}
		n = len(b) - len(r.buf)
	}
	return n
}

// landed notes that the disk returns the blocks of the last commit from now on. The
// beginning of a block that is read next stays in memory, and so do the blocks that follow
// small ones in memory.
func (p *pager) landed() {
	for s, blocks := range p.flight {
		if at := s.next - s.head; at > 0 && at <= uint64(len(blocks)) && s.chunk == nil {
			if c, ok := openAt(blocks[uint64(len(blocks))-at], s.off, s.via); ok {
				p.keep(s, c)
			}
		}
		p.extend(s, blocks)
	}
	clear(p.flight)
}

func damaged(host string, depth int, seq uint64, format string, args ...any) error {
	return fmt.Errorf("block %d of the URLs queued on %s at depth %d: %s: %w", seq, host, depth, fmt.Sprintf(format, args...), ErrDamaged)
}
