//go:build !race

package bsp

// raceScale divides the sizes of graphs under the race detector.
const raceScale = 1
