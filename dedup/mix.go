package dedup

import "math/bits"

const (
	golden    = 0x9e3779b97f4a7c15 // 2^64 / the golden ratio, odd
	mulFirst  = 0xa0761d6478bd642f // odd, half of the bits set, without pattern
	mulSecond = 0xe7037ed1a0b428db
)

// fold multiplies to 128 bits and folds the product: every bit of x reaches
// every bit of the result in one multiplication. It is not one-to-one, so it is
// used where a value only picks bits, never to name a key.
func fold(x, mul uint64) uint64 {
	hi, lo := bits.Mul64(x, mul)
	return hi ^ lo
}

// scatter is a one-to-one mix of 64 bits (the finaliser of splitmix64; Steele,
// Lea and Flood 2014). The multilinear hash leaves similar strings evenly
// spaced; after it they lie anywhere, and no two become one.
func scatter(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
