//go:build !race

package bsp

// scale divides the sizes of graphs under the race detector.
const scale = 1
