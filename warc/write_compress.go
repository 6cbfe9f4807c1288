package warc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Compression is how records are compressed, each by itself.
type Compression string

// The compressions.
const (
	Gzip Compression = "gzip" // RFC 1952, a member a record: all tools of the field read it
	Zstd Compression = "zstd" // RFC 8878, a frame a record, as the field's .warc.zst has it
)

// Extension is how the names of files end, behind .warc.
func (c Compression) Extension() string {
	if c == Zstd {
		return ".zst"
	}
	return ".gz"
}

// DictionaryMagic begins, little-endian, the skippable frame that a .warc.zst file with a
// dictionary begins with; its length follows in 4 bytes, and then the dictionary.
const DictionaryMagic = 0x184D2A5D

// MaxDictionary is the longest dictionary, in bytes.
const MaxDictionary = 8 << 20

// zstdWindow bounds what a reader needs to read a record.
const zstdWindow = 1 << 20

// Compressor compresses records. It belongs to one goroutine at a time.
type Compressor struct {
	fast, stored *gzip.Writer // nil for zstd
	frames       *zstd.Encoder
	out          appender
	scratch      []byte
}

// appender is a Writer that appends.
type appender struct{ b []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}

// maxScratch is how much of a buffer is kept for the next record.
const maxScratch = 1 << 20

// NewCompressor returns a Compressor. It takes about 1 MiB. A dictionary, as zstd --train makes it,
// is for zstd; nil is none.
func NewCompressor(c Compression, dictionary []byte) (*Compressor, error) {
	if c == Zstd {
		return newFrames(dictionary)
	}
	if len(dictionary) > 0 {
		return nil, errors.New("gzip has no dictionary")
	}
	fast, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	stored, err := gzip.NewWriterLevel(nil, gzip.NoCompression)
	return &Compressor{fast: fast, stored: stored}, err
}

func newFrames(dictionary []byte) (*Compressor, error) {
	opts := []zstd.EOption{
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(zstdWindow),
		zstd.WithLowerEncoderMem(true),
	}
	if len(dictionary) > 0 {
		opts = append(opts, zstd.WithEncoderDict(dictionary))
	}
	frames, err := zstd.NewWriter(nil, opts...)
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	return &Compressor{frames: frames}, nil
}

// Append appends a record to dst, as one gzip member or zstd frame. With stored, a gzip member is
// not compressed: that is for what is compressed already.
func (c *Compressor) Append(dst []byte, h Header, block []byte, stored bool) ([]byte, error) {
	c.scratch = AppendHead(c.scratch[:0], h, len(block))
	if c.frames != nil {
		c.scratch = append(append(c.scratch, block...), end...)
		dst = c.frames.EncodeAll(c.scratch, dst)
		c.trim()
		return dst, nil
	}
	w := c.fast
	if stored {
		w = c.stored
	}
	c.out.b = dst
	w.Reset(&c.out)
	_, err := w.Write(c.scratch)
	if err == nil {
		_, err = w.Write(block)
	}
	if err == nil {
		_, err = w.Write([]byte(end))
	}
	if err == nil {
		err = w.Close()
	}
	dst, c.out.b = c.out.b, nil
	return dst, err
}

// trim gives up the memory of a long record.
func (c *Compressor) trim() {
	if cap(c.scratch) > maxScratch {
		c.scratch = nil
	}
}

// AppendDictionary appends the frame with the dictionary, with which each file of that dictionary
// begins.
func AppendDictionary(dst, dictionary []byte) ([]byte, error) {
	if len(dictionary) > MaxDictionary || uint64(len(dictionary)) > math.MaxUint32 {
		return nil, fmt.Errorf("the dictionary has %d bytes, at most %d are possible", len(dictionary), MaxDictionary)
	}
	dst = binary.LittleEndian.AppendUint32(dst, DictionaryMagic)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(dictionary)))
	return append(dst, dictionary...), nil
}
