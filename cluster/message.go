package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"crawler/crawl"
)

// maxRaw is how many bytes of offers a message may have before it is compressed. What claims or
// unpacks to more is refused.
const maxRaw = 1 << 20

// errMessage is what is wrong with a message that can be set aside.
var errMessage = errors.New("no message of this crawl")

// packer makes messages and reads them. It may be used by many goroutines.
//
// A message is a version byte, the length of the offers in bytes as an uvarint, and the offers as
// one zstd frame with its checksum.
type packer struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
}

func newPacker() (*packer, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(256<<10), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRaw), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	return &packer{enc, dec}, nil
}

// pack returns the message of some offers, at most maxRaw bytes of AppendOffer's.
func (p *packer) pack(offers []byte) []byte {
	m := binary.AppendUvarint([]byte{formVersion}, uint64(len(offers)))
	return p.enc.EncodeAll(offers, m)
}

// unpack reads a message. ErrNewer means that it must not be skipped, errMessage that nobody can
// read it.
func (p *packer) unpack(m []byte) ([]crawl.Offer, error) {
	if len(m) > 0 && m[0] > formVersion {
		return nil, fmt.Errorf("a message %w: version %d, this one knows %d", ErrNewer, m[0], formVersion)
	}
	if len(m) == 0 || m[0] == 0 {
		return nil, fmt.Errorf("%w: no version", errMessage)
	}
	size, n := binary.Uvarint(m[1:])
	if n <= 0 || size > maxRaw {
		return nil, fmt.Errorf("%w: a length of %d bytes", errMessage, size)
	}
	raw, err := p.dec.DecodeAll(m[1+n:], make([]byte, 0, min(size, 64<<10)))
	if err == nil && uint64(len(raw)) != size {
		err = fmt.Errorf("%d bytes, not %d", len(raw), size)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errMessage, err)
	}
	offers, err := crawl.DecodeOffers(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errMessage, err)
	}
	return offers, nil
}
