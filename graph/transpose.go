package graph

import "fmt"

// Transpose writes the graph whose links are those of g reversed, with the same nodes
// and parameters, to the files of base; it writes no list of URLs, that of g serves. Links
// are sorted in at most memory bytes (1 MiB at least) and temporary files in dir, of eight
// bytes a link; with dir "" in the default folder for those.
func Transpose(g *Graph, base, dir string, memory int64) (Stats, error) {
	sorter := newPairSorter(dir, memory)
	defer sorter.close()
	scan := g.Scan(0, g.Nodes())
	for node := uint32(0); ; node++ {
		list, ok := scan.Next()
		if !ok {
			break
		}
		for _, to := range list {
			if err := sorter.add(pairOf(to, node)); err != nil {
				return Stats{}, err
			}
		}
	}
	if err := scan.Err(); err != nil {
		return Stats{}, fmt.Errorf("transpose: %w", err)
	}
	pairs, err := sorter.sorted()
	if err != nil {
		return Stats{}, err
	}
	return Write(base, g.Nodes(), newPairLists(g.Nodes(), pairs), g.Params())
}
