package dedup

import (
	"encoding/binary"
	"math"

	"crawler/internal/binform"
)

// The binary forms of near-duplicate detection, but for that of Duplicates.

// putMinHash appends a configuration.
func putMinHash(e *binform.Encoder, c MinHashConfig) {
	e.Uint32(uint32(c.Slots))
	e.Uint8(uint8(c.Bits))
	e.Uint8(uint8(c.Shingle))
	e.Uint64(c.Seed)
}

// getMinHash reads a configuration and checks it.
func getMinHash(d *binform.Decoder) MinHashConfig {
	c := MinHashConfig{Slots: int(d.Uint32()), Bits: int(d.Uint8()), Shingle: int(d.Uint8()), Seed: d.Uint64()}
	checked, err := c.withDefaults()
	d.Check(err == nil && checked == c, "the signatures' configuration is %+v", c)
	return c
}

// AppendBinary appends the binary form of s: 47 bytes and its slots. It is an
// error if no MinHash made s.
func (s Signature) AppendBinary(dst []byte) ([]byte, error) {
	if s.cfg.Slots == 0 {
		return nil, errZero
	}
	e := begin(dst, kindSignature, 15+8*int64(len(s.lanes)))
	putMinHash(e, s.cfg)
	e.Bool(s.empty)
	if !s.empty {
		e.Uint64s(s.lanes)
	}
	return e.Close(), nil
}

// MarshalBinary returns the binary form of s.
func (s Signature) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary makes s what data says. On error s is as it was.
func (s *Signature) UnmarshalBinary(data []byte) error {
	d, err := open(data, kindSignature)
	if err != nil {
		return err
	}
	read := Signature{cfg: getMinHash(d), empty: d.Bool()}
	if d.OK() && !read.empty {
		read.lanes = d.Uint64s(nil, read.cfg.lanes())
	}
	if err := d.Close(); err != nil {
		return err
	}
	*s = read
	return nil
}

// AppendBinary appends the binary form of l: the signatures and ids. The
// buckets follow from them.
func (l *LSH) AppendBinary(dst []byte) ([]byte, error) {
	if l.cfg.Bands == 0 {
		return nil, errZero
	}
	e := begin(dst, kindLSH, 34+documentsSize(l.ids, l.lanes))
	putMinHash(e, l.cfg.MinHash)
	e.Uint32(uint32(l.cfg.Bands))
	e.Uint32(uint32(l.cfg.Rows))
	e.Uint32(uint32(l.cfg.BucketLimit))
	putDocuments(e, l.ids, l.lanes)
	return e.Close(), nil
}

// MarshalBinary returns the binary form of l.
func (l *LSH) MarshalBinary() ([]byte, error) { return l.AppendBinary(nil) }

// UnmarshalBinary makes l what data says. On error l is as it was. It takes as
// long as adding the documents, and memory as NewLSH and Add do: four times the
// length of data with the defaults, up to twelve times with many short bands.
//
// It refuses signatures that were chosen to crowd one place of a band's table, at
// which to look would take quadratic time. Those of a MinHash do not.
func (l *LSH) UnmarshalBinary(data []byte) error {
	d, err := open(data, kindLSH)
	if err != nil {
		return err
	}
	c := LSHConfig{MinHash: getMinHash(d), Bands: int(d.Uint32()), Rows: int(d.Uint32()), BucketLimit: int(d.Uint32())}
	if d.OK() {
		checked, err := c.withDefaults()
		d.Check(err == nil && checked == c, "the configuration is %+v", c)
	}
	read := LSH{cfg: c}
	read.ids, read.lanes = getDocuments(d, c.MinHash.lanes(), maxDocuments)
	if d.OK() {
		d.Check(read.linkAll(), "too many bands in one place")
	}
	if err := d.Close(); err != nil {
		return err
	}
	*l = read
	return nil
}

// maxBandProbe is how far from its home a bucket of a form may lie in the table
// of its band. In one three quarters full, among three million bands of
// signatures, none lies a quarter of that away; only those chosen to make the
// reader slow do.
const maxBandProbe = 1024

// linkAll makes the buckets of all documents, as long as they are near enough to
// their homes, and reports whether all were.
func (l *LSH) linkAll() bool {
	n, size := len(l.ids), l.cfg.MinHash.lanes()
	l.bands = make([]band, l.cfg.Bands)
	l.next, l.depth = make([]uint32, 0, n*l.cfg.Bands), make([]uint16, 0, n*l.cfg.Bands)
	for i := range l.bands {
		if n > 0 {
			l.bands[i] = newBand(n)
		}
	}
	for i := range n {
		if l.link(uint32(i+1), l.lanes[i*size:(i+1)*size]) > maxBandProbe {
			return false
		}
	}
	return true
}

// AppendBinary appends the binary form of x: the fingerprints and ids, 12 bytes
// a document. The tables follow from them.
func (x *HammingIndex) AppendBinary(dst []byte) ([]byte, error) {
	e := begin(dst, kindHamming, documentsSize(x.ids, x.hashes))
	putDocuments(e, x.ids, x.hashes)
	return e.Close(), nil
}

// MarshalBinary returns the binary form of x.
func (x *HammingIndex) MarshalBinary() ([]byte, error) { return x.AppendBinary(nil) }

// UnmarshalBinary makes x what data says. On error x is as it was. It takes at
// most 10 times the memory of data.
func (x *HammingIndex) UnmarshalBinary(data []byte) error {
	d, err := open(data, kindHamming)
	if err != nil {
		return err
	}
	var read HammingIndex
	read.ids, read.hashes = getDocuments(d, 1, maxHashes)
	if err := d.Close(); err != nil {
		return err
	}
	if len(read.ids) > 0 {
		read.sort()
	}
	*x = read
	return nil
}

// documentsSize returns how many bytes putDocuments appends.
func documentsSize(ids []uint32, words []uint64) int64 {
	return 8 + 4*int64(len(ids)) + 8*int64(len(words))
}

// putDocuments appends the number of documents, their ids, and the same number
// of words for each.
func putDocuments(e *binform.Encoder, ids []uint32, words []uint64) {
	e.Uint64(uint64(len(ids)))
	for _, id := range ids {
		e.Uint32(id)
	}
	e.Uint64s(words)
}

// getDocuments reads what putDocuments wrote, size words for each document.
func getDocuments(d *binform.Decoder, size, limit int) (ids []uint32, words []uint64) {
	n := d.Uint64()
	d.Check(n <= uint64(min(limit, math.MaxInt32, d.Left()/(4+8*max(size, 1)))), "%d documents, %d bytes there", n, d.Left())
	if !d.OK() || n == 0 {
		return nil, nil
	}
	raw := d.Raw(int(n) * 4)
	ids = make([]uint32, n)
	for i := range ids {
		ids[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return ids, d.Uint64s(nil, int(n)*size)
}
