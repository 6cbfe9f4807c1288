package settings

import (
	"crypto/rand"
	"encoding/binary"
)

// SecretSeed draws the seed of a crawl's hashes.
func SecretSeed() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return binary.LittleEndian.Uint64(b[:])
}
