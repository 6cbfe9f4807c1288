//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package graph

import (
	"fmt"
	"math"
	"os"
	"syscall"
)

// mapFile returns the content of a file, mapped into memory, and what ends that.
func mapFile(name string) ([]byte, func() error, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	size := info.Size()
	if size == 0 {
		return nil, func() error { return nil }, nil
	}
	if size > math.MaxInt {
		return nil, nil, fmt.Errorf("%s: %d bytes: more than this machine can address", name, size)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("map %s: %w", name, err)
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}
