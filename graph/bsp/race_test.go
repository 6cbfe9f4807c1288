//go:build race

package bsp

// raceScale divides the sizes of graphs: the race detector is ten times slower.
const raceScale = 20
