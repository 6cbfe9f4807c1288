package frontier

import "math/bits"

// distinct estimates how many different hashes it was given: Flajolet and Martin's
// longest runs of zeros, in sixteen registers of four bits, read by the martingale
// estimate (Cohen 2014, Ting 2014), which is unbiased: a hash that raises a register adds
// 1/p, where p was the chance that a new hash raises any. The first few are nearly exact;
// the standard error grows to a fifth (TestDistinct), and hashes beyond some 250,000 do not
// count.
type distinct struct {
	registers uint64
	estimate  float32
}

const (
	registers = 16
	topRank   = 15
)

func (d *distinct) add(hash uint64) {
	at := hash % registers * 4
	rank := min(uint64(bits.TrailingZeros64(hash/registers))+1, topRank)
	if old := d.registers >> at & 15; rank > old {
		d.estimate += registers / d.open()
		d.registers += (rank - old) << at
	}
}

// open is the sum, over the registers, of the chance that a hash assigned to the register
// raises it: the chance that a new hash raises any register, times their number.
func (d *distinct) open() (sum float32) {
	for r, n := d.registers, 0; n < registers; r, n = r>>4, n+1 {
		if rank := r & 15; rank < topRank {
			sum += 1 / float32(uint(1)<<rank)
		}
	}
	return sum
}
