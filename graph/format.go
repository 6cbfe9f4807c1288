package graph

import "fmt"

// maxNodes is the most nodes a graph may have: the framework counts them in a Java int.
const maxNodes = 1<<31 - 1

// format is what encoder and decoder both need of a graph: its parameters with the
// tables of their codes. Read-only once made, so shared by all scans.
type format struct {
	Params
	nodes                                             int
	outdegree, reference, blockCount, block, residual *coding
	offset, gamma                                     *coding
	// interval is the least run written as an interval: MinInterval, but never one node.
	interval int
}

// newFormat makes the tables of p for a graph of that many nodes.
func newFormat(nodes int, p Params) (*format, error) {
	if nodes < 0 || nodes > maxNodes {
		return nil, fmt.Errorf("%d nodes: want 0 to %d", nodes, maxNodes)
	}
	p, err := p.normal()
	if err != nil {
		return nil, err
	}
	f := &format{Params: p, nodes: nodes, interval: max(p.MinInterval, 2)}
	made := map[Code]*coding{}
	coding := func(c Code) *coding {
		if made[c] == nil {
			made[c] = newCoding(c, p.ZetaK)
		}
		return made[c]
	}
	f.outdegree, f.reference = coding(p.Outdegrees), coding(p.References)
	f.blockCount, f.block = coding(p.BlockCounts), coding(p.Blocks)
	f.residual, f.offset, f.gamma = coding(p.Residuals), coding(p.Offsets), coding(Gamma)
	return f, nil
}
