package dedup

import "math/bits"

const (
	mulFirst  = 0xa0761d6478bd642f // odd, half of the bits set, without pattern
	mulSecond = 0xe7037ed1a0b428db
)

// fold multiplies to 128 bits and folds the product: every bit of x reaches
// every bit of the result in one multiplication. It is not one-to-one, so it is
// used where a value only picks bits, never to identify a key.
func fold(x, mul uint64) uint64 {
	hi, lo := bits.Mul64(x, mul)
	return hi ^ lo
}
