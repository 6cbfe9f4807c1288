package store

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"

	"crawler/internal/sums"
)

const (
	positionsKey     = "p"
	positionsVersion = 2
	lengthsVersion   = 1 // of programs that kept no checksums
)

// positions are the files as they were at a commit.
type positions struct {
	cuts uint64 // calls of Cut so far, over all runs
	at   map[string]position
}

// position is a file's committed beginning.
type position struct {
	length  int64
	sum     sums.Sum
	unknown bool // the sum: the commit is that of a program that kept none
}

func (p positions) append(dst []byte) []byte {
	dst = append(dst, positionsVersion)
	dst = binary.AppendUvarint(dst, p.cuts)
	dst = binary.AppendUvarint(dst, uint64(len(p.at)))
	for _, name := range slices.Sorted(maps.Keys(p.at)) {
		dst = binary.AppendUvarint(dst, uint64(len(name)))
		dst = append(dst, name...)
		dst = binary.AppendUvarint(dst, uint64(p.at[name].length))
		if p.at[name].unknown {
			dst = append(dst, 0)
			continue
		}
		dst = binary.LittleEndian.AppendUint64(append(dst, 1), uint64(p.at[name].sum))
	}
	return dst
}

var errPositions = errors.New("not what a commit writes")

func decodePositions(value []byte) (positions, error) {
	p := positions{at: map[string]position{}}
	if len(value) == 0 || value[0] != positionsVersion && value[0] != lengthsVersion {
		return p, errPositions
	}
	sumless := value[0] == lengthsVersion
	rest, ok := value[1:], true
	number := func() uint64 {
		v, n := binary.Uvarint(rest)
		if ok = ok && n > 0; ok {
			rest = rest[n:]
		}
		return v
	}
	p.cuts = number()
	for n := number(); ok && n > 0; n-- {
		size := number()
		if !ok || size > uint64(len(rest)) {
			return p, errPositions
		}
		name := string(rest[:size])
		rest = rest[size:]
		length := number()
		known := uint64(0)
		if !sumless {
			known = number()
		}
		if _, twice := p.at[name]; twice || length > math.MaxInt64 || known > 1 || known == 1 && len(rest) < 8 {
			return p, errPositions
		}
		at := position{length: int64(length), unknown: known == 0 && length > 0}
		if known == 1 {
			at.sum = sums.Sum(binary.LittleEndian.Uint64(rest))
			rest = rest[8:]
		}
		p.at[name] = at
	}
	if !ok || len(rest) > 0 {
		return p, errPositions
	}
	return p, nil
}
