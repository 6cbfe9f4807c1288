package archive

import (
	"encoding/binary"
	"fmt"

	"crawler/crawl"
	"crawler/store"
)

// The kinds of record in a crawl's state; docs/format/archive.md describes their values.
const (
	keyState  = "ws"
	keyDigest = "wd" // and the payload's key

	stateVersion = 1
)

// state is what a resumed crawl must know of its archive.
type state struct {
	file   uint64 // number of the present file
	secret uint64 // of payloads' keys
	info   uint64 // hash of what the present file's warcinfo record is about
	value  []byte // scratch
}

// load reads the state of the last commit, and reports whether anything had been written.
func (s *state) load(db *store.DB) (found bool, err error) {
	v, err := db.Get([]byte(keyState))
	if v == nil || err != nil {
		return false, err
	}
	if len(v) != 1+3*8 || v[0] != stateVersion {
		return false, fmt.Errorf("%w: %d bytes", errState, len(v))
	}
	s.file = binary.LittleEndian.Uint64(v[1:])
	s.secret = binary.LittleEndian.Uint64(v[9:])
	s.info = binary.LittleEndian.Uint64(v[17:])
	return true, nil
}

func (s *state) cut(b crawl.Batch) {
	v := append(s.value[:0], stateVersion)
	for _, n := range [...]uint64{s.file, s.secret, s.info} {
		v = binary.LittleEndian.AppendUint64(v, n)
	}
	b.Put([]byte(keyState), v)
	s.value = v
}
