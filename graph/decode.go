package graph

import "fmt"

// A decoder turns bits into successor lists. Every number it reads is checked against
// what the format allows there, so damaged files end in an error and take no more memory
// than a list of all nodes. Not for concurrent use; format and data are shared.
type decoder struct {
	*format
	bitReader
	name string // of the graph file

	copied, extra, residuals []uint32
	intervals                []interval
}

// interval is the nodes from left to end-1.
type interval struct{ left, end uint32 }

func (g *Graph) decoder() decoder {
	return decoder{format: g.format, bitReader: bitReader{data: g.data}, name: g.base + extGraph}
}

// damaged returns the error for a list that cannot be.
func (d *decoder) damaged(node int, what string) error {
	return fmt.Errorf("%s: node %d, before bit %d: %s: the file is %w",
		d.name, node, d.pos, what, ErrDamaged)
}

// header reads the outdegree of a node and how far back its reference is, 0 for none.
func (d *decoder) header(node int) (degree, ref int, err error) {
	x := d.read(d.outdegree)
	if x > uint64(d.nodes) {
		return 0, 0, d.damaged(node, "an outdegree beyond the number of nodes")
	}
	if x == 0 || d.Window == 0 {
		return int(x), 0, nil
	}
	r := d.read(d.reference)
	if r > uint64(min(d.Window, node)) {
		return 0, 0, d.damaged(node, "a reference out of the window")
	}
	return int(x), int(r), nil
}

// body reads what follows the header of a node, whose reference, if ref is not 0, has
// the list from. It returns the list in the memory of dst.
func (d *decoder) body(node, degree, ref int, from, dst []uint32) ([]uint32, error) {
	dst = dst[:0]
	if degree == 0 {
		return dst, nil
	}
	if ref == 0 {
		return d.extras(node, degree, dst)
	}
	copied, err := d.copies(node, from, d.copied[:0])
	if err != nil {
		return nil, err
	}
	d.copied = copied
	extra := degree - len(copied)
	if extra < 0 {
		return nil, d.damaged(node, "more nodes copied than the outdegree")
	}
	if extra == 0 {
		return append(dst, copied...), nil
	}
	if d.extra, err = d.extras(node, extra, d.extra[:0]); err != nil {
		return nil, err
	}
	return d.merge(node, copied, d.extra, dst)
}

// copies reads the copy blocks and appends to dst what they copy from the list from.
func (d *decoder) copies(node int, from, dst []uint32) ([]uint32, error) {
	count := d.read(d.blockCount)
	if count > uint64(len(from))+1 {
		return nil, d.damaged(node, "more copy blocks than the reference has nodes")
	}
	for i := uint64(0); i < count; i++ {
		n := d.read(d.block)
		if i > 0 {
			n++
		}
		if n > uint64(len(from)) {
			return nil, d.damaged(node, "a copy block beyond the end of the reference")
		}
		if i%2 == 0 {
			dst = append(dst, from[:n]...)
		}
		from = from[n:]
	}
	if count%2 == 0 {
		dst = append(dst, from...)
	}
	return dst, nil
}

// extras reads n nodes, at least one, written as intervals and residuals, and appends
// them to dst, which must be empty.
func (d *decoder) extras(node, n int, dst []uint32) ([]uint32, error) {
	if d.MinInterval == 0 {
		return d.gaps(node, n, dst)
	}
	count := d.read(d.gamma)
	if count == 0 {
		return d.gaps(node, n, dst)
	}
	left, err := d.readIntervals(node, count, n)
	if err != nil {
		return nil, err
	}
	if d.residuals, err = d.gaps(node, left, d.residuals[:0]); err != nil {
		return nil, err
	}
	return d.mergeIntervals(node, dst)
}

// readIntervals reads count intervals of at most n nodes in all into d.intervals, and
// returns how many nodes are left.
func (d *decoder) readIntervals(node int, count uint64, n int) (int, error) {
	d.intervals = d.intervals[:0]
	if count > uint64(n/d.MinInterval) {
		return 0, d.damaged(node, "more intervals than the outdegree allows")
	}
	end := int64(-1)
	for ; count > 0; count-- {
		x := d.read(d.gamma)
		left := end + 1 + int64(x)
		if len(d.intervals) == 0 {
			left = int64(node) + nat2int(x)
		}
		size := d.read(d.gamma) + uint64(d.MinInterval)
		if left < 0 || left >= int64(d.nodes) || size > uint64(n) || left+int64(size) > int64(d.nodes) {
			return 0, d.damaged(node, "an interval beyond the nodes or the outdegree")
		}
		end = left + int64(size)
		d.intervals = append(d.intervals, interval{uint32(left), uint32(end)})
		n -= int(size)
	}
	return n, nil
}

// gaps reads n residuals and appends them to dst.
func (d *decoder) gaps(node, n int, dst []uint32) ([]uint32, error) {
	if n == 0 {
		return dst, nil
	}
	v, limit := uint64(int64(node)+nat2int(d.read(d.residual))), uint64(d.nodes)
	for n--; ; n-- {
		if v >= limit { // a negative first one as well
			return nil, d.damaged(node, "a successor out of the graph")
		}
		dst = append(dst, uint32(v))
		if n == 0 {
			return dst, nil
		}
		v += d.read(d.residual) + 1
	}
}

// mergeIntervals appends d.intervals and d.residuals to dst in ascending order.
func (d *decoder) mergeIntervals(node int, dst []uint32) ([]uint32, error) {
	rest := d.residuals
	for _, iv := range d.intervals {
		i := 0
		for i < len(rest) && rest[i] < iv.left {
			i++
		}
		dst = append(dst, rest[:i]...)
		if rest = rest[i:]; len(rest) > 0 && rest[0] < iv.end {
			return nil, d.damaged(node, "a residual within an interval")
		}
		for x := iv.left; x < iv.end; x++ {
			dst = append(dst, x)
		}
	}
	return append(dst, rest...), nil
}

// merge appends a and b, both ascending, to dst in ascending order.
func (d *decoder) merge(node int, a, b, dst []uint32) ([]uint32, error) {
	for _, x := range b {
		i := 0
		for i < len(a) && a[i] < x {
			i++
		}
		dst = append(dst, a[:i]...)
		if a = a[i:]; len(a) > 0 && a[0] == x {
			return nil, d.damaged(node, "a node both copied and written")
		}
		dst = append(dst, x)
	}
	return append(dst, a...), nil
}
