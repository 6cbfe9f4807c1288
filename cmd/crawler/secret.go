package main

import (
	"crypto/rand"
	"encoding/binary"
)

// secret draws the seed of a crawl's hashes.
func secret() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return binary.LittleEndian.Uint64(b[:])
}
