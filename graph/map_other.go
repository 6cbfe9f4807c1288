//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package graph

import "os"

// mapFile returns the content of a file. Where mapping is not in Go's standard library,
// that is a copy in memory.
func mapFile(name string) ([]byte, func() error, error) {
	data, err := os.ReadFile(name)
	return data, func() error { return nil }, err
}
