package store

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
)

const (
	positionsKey     = "p"
	positionsVersion = 1
)

// positions are the lengths of the files at a commit.
type positions struct {
	cuts uint64 // calls of Cut so far, over all runs
	at   map[string]int64
}

func (p positions) append(dst []byte) []byte {
	dst = append(dst, positionsVersion)
	dst = binary.AppendUvarint(dst, p.cuts)
	dst = binary.AppendUvarint(dst, uint64(len(p.at)))
	for _, name := range slices.Sorted(maps.Keys(p.at)) {
		dst = binary.AppendUvarint(dst, uint64(len(name)))
		dst = append(dst, name...)
		dst = binary.AppendUvarint(dst, uint64(p.at[name]))
	}
	return dst
}

var errPositions = errors.New("not what a commit writes")

func decodePositions(value []byte) (positions, error) {
	p := positions{at: map[string]int64{}}
	if len(value) == 0 || value[0] != positionsVersion {
		return p, errPositions
	}
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
		at := number()
		if _, twice := p.at[name]; twice || at > math.MaxInt64 {
			return p, errPositions
		}
		p.at[name] = int64(at)
	}
	if !ok || len(rest) > 0 {
		return p, errPositions
	}
	return p, nil
}
