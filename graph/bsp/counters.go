package bsp

import (
	"fmt"
	"math/bits"

	"crawler/internal/splitmix"
)

// counters are the sketches of Flajolet and Martin of all nodes, in the form of Flajolet,
// Fusy, Gandouet and Meunier (HyperLogLog, 2007): each of the m registers holds the longest
// run of zeros, plus one, of the hashes that fell to it. Registers have 8 bits, of
// which the highest is always zero, so that 8 are compared in one step.
type counters struct {
	words int // 64-bit words a node: m/8
	seed  uint64
	theory
}

// MinRegisters and MaxRegisters are the limits of Sketch.Registers.
const (
	MinRegisters = 16
	MaxRegisters = 1024
)

func newCounters(m int, seed uint64, nodes int) (*counters, error) {
	if m < MinRegisters || m > MaxRegisters || m&(m-1) != 0 {
		return nil, fmt.Errorf("%d registers a node: take a power of two from %d to %d", m, MinRegisters, MaxRegisters)
	}
	return &counters{m / 8, splitmix.Finish(seed + splitmix.Golden + splitmix.Golden), newTheory(m, nodes)}, nil
}

// start puts node v alone into its sketch.
func (c *counters) start(sketch []uint64, v int) {
	h := splitmix.Finish((uint64(v) ^ c.seed) + splitmix.Golden)
	at := h & uint64(8*c.words-1)
	run := bits.LeadingZeros64(h|1<<10) + 1 // the bits that chose the register are left out
	sketch[at/8] |= uint64(run) << (at % 8 * 8)
}

// join sets each register of a to the larger of a's and b's, 8 at a time.
func join(a, b []uint64) {
	const high = 0x8080808080808080
	b = b[:len(a)]
	for i, x := range a {
		y := b[i]
		larger := ((x | high) - y) & high // the high bit of each byte in which x >= y
		mask := larger - larger>>7        // the other bits there
		a[i] = x&mask | y&^mask
	}
}
