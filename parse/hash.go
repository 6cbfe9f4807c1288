package parse

import (
	"encoding/binary"
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// The five primes of xxHash64 with seed 0. Words of up to 31 bytes are hashed
// here, out of registers, because calling into the library for five letters
// costs more than hashing them; TestHashIsXXHash holds the two together.
const (
	prime1 = 11400714785074694791
	prime2 = 14029467366897019727
	prime3 = 1609587929392839161
	prime4 = 9650029242287828579
	prime5 = 2870177450012600261
)

// hashBytes is xxhash.Sum64 of b.
func hashBytes(b []byte) uint64 {
	if len(b) >= 32 {
		return xxhash.Sum64(b)
	}
	h := uint64(prime5) + uint64(len(b))
	for len(b) >= 8 {
		h = hashRound(h, binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	var w uint64
	for i, c := range b {
		w |= uint64(c) << (8 * i)
	}
	return hashTail(h, w, len(b))
}

// hashRound mixes eight bytes into h.
func hashRound(h, w uint64) uint64 {
	h ^= bits.RotateLeft64(w*prime2, 31) * prime1
	return bits.RotateLeft64(h, 27)*prime1 + prime4
}

// hashTail mixes the last n < 8 bytes, the low ones of w, into h and finishes.
// Each step is computed whether it is wanted or not and then chosen: the length
// of a word cannot be predicted, and a wrong guess costs more than four steps.
func hashTail(h, w uint64, n int) uint64 {
	h4, w4 := bits.RotateLeft64(h^uint64(uint32(w))*prime1, 23)*prime2+prime3, w>>32
	if n >= 4 {
		h = h4
	}
	if n >= 4 {
		w = w4
	}
	n &= 3
	h1 := bits.RotateLeft64(h^w&0xff*prime5, 11) * prime1
	if n >= 1 {
		h = h1
	}
	h2 := bits.RotateLeft64(h^w>>8&0xff*prime5, 11) * prime1
	if n >= 2 {
		h = h2
	}
	h3 := bits.RotateLeft64(h^w>>16&0xff*prime5, 11) * prime1
	if n >= 3 {
		h = h3
	}
	return hashFinish(h)
}

func hashFinish(h uint64) uint64 {
	h ^= h >> 33
	h *= prime2
	h ^= h >> 29
	h *= prime3
	return h ^ h>>32
}
