package bsp

import "context"

// InDegrees counts the links to each node, in one pass by one goroutine: 4 bytes a node.
// With the transpose, it counts the links from each.
func InDegrees(ctx context.Context, g Graph) ([]uint32, error) {
	degrees := make([]uint32, g.Nodes())
	err := each(ctx, g, 0, g.Nodes(), func(_ int, list []uint32) {
		for _, w := range list {
			degrees[w]++
		}
	})
	return degrees, err
}

// Degrees returns the length of each list, in one pass by one goroutine: 4 bytes a node.
func Degrees(ctx context.Context, g Graph) ([]uint32, error) {
	degrees := make([]uint32, g.Nodes())
	err := each(ctx, g, 0, g.Nodes(), func(v int, list []uint32) { degrees[v] = uint32(len(list)) })
	return degrees, err
}
