// Package splitmix is the output function of SplitMix64 and its step, the one way in which this
// program spreads 64 bits over 64 bits. Steele, Lea and Flood, "Fast Splittable Pseudorandom
// Number Generators" (OOPSLA 2014), give the generator; the constants of its output function are
// David Stafford's thirteenth variant of MurmurHash3's finaliser.
//
// Files on disk depend on it (keys of sketches, places in tables), so what it computes
// can never change.
package splitmix

// Golden is 2^64 divided by the golden ratio, odd: the step between two states of the generator.
// Multiples of it are spaced evenly over 64 bits.
const Golden = 0x9e3779b97f4a7c15

// Finish is a bijection of 64 bits that leaves no pattern: the generator's output in state x.
// It maps 0 to 0. Without a secret in x anybody can compute it and undo it.
func Finish(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
