//go:build race

package bsp

// scale divides the sizes of graphs: the race detector is ten times slower.
const scale = 20
