package graph

// put writes x in the code c and returns the bits that took.
func (e *encoder) put(c *coding, x uint64) int64 {
	before := e.w.pos
	e.w.write(c, x)
	return int64(e.w.pos - before)
}

// write writes list, whose outdegree is already written, by the plan e.best.
func (e *encoder) write(list []uint32) {
	p, s := &e.best, &e.stats
	if e.Window > 0 {
		s.BitsReferences += e.put(e.reference, uint64(p.ref))
	}
	if p.ref > 0 {
		s.BitsBlocks += e.put(e.blockCount, uint64(len(p.blocks)))
		for i, b := range p.blocks {
			if i > 0 {
				b--
			}
			s.BitsBlocks += e.put(e.block, uint64(b))
		}
	}
	s.CopiedArcs += int64(len(list) - len(p.extras))
	if len(p.extras) == 0 {
		return
	}
	residuals := p.extras
	if e.MinInterval > 0 {
		residuals = e.writeIntervals(p.extras)
	}
	s.ResidualArcs += int64(len(residuals))
	prev := int64(-1)
	for _, x := range residuals {
		s.BitsResiduals += e.put(e.residual, e.gap(int64(x), prev, prev < 0))
		prev = int64(x)
	}
}

// writeIntervals writes the intervals of extras and returns the other nodes, in the
// same array.
func (e *encoder) writeIntervals(extras []uint32) (residuals []uint32) {
	s, count := &e.stats, uint64(0)
	for i := 0; i < len(extras); {
		n := run(extras, i)
		if n >= e.interval {
			count++
		}
		i += n
	}
	s.BitsIntervals += e.put(e.gamma, count)
	residuals = extras[:0]
	left, first := int64(-1), true
	for i := 0; i < len(extras); {
		x, n := int64(extras[i]), run(extras, i)
		if n < e.interval {
			residuals = append(residuals, extras[i:i+n]...)
		} else {
			s.BitsIntervals += e.put(e.gamma, e.gap(x, left, first))
			s.BitsIntervals += e.put(e.gamma, uint64(n-e.MinInterval))
			s.IntervalArcs += int64(n)
			left, first = x+int64(n), false
		}
		i += n
	}
	return residuals
}
