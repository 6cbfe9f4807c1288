package procinfo

import (
	"errors"
	"testing"
)

// The machine's memory, or what a container may have of it.
func TestMemory(t *testing.T) {
	for want, files := range map[int64]map[string]string{
		0:         {},
		4 << 30:   {"m": "MemTotal:        4194304 kB\nMemFree: 1 kB\n"},
		512 << 20: {"m": "MemFree: 1 kB\nMemTotal: 4194304 kB\n", "a": "536870912\n"},
		1 << 30:   {"m": "MemTotal: 1048576 kB\n", "a": "max\n", "b": "9223372036854771712\n"},
		2 << 20:   {"m": "nonsense", "b": "2097152"},
	} {
		got := leastMemory(func(name string) ([]byte, error) {
			if text, ok := files[name]; ok {
				return []byte(text), nil
			}
			return nil, errors.New("no such file")
		}, "m", "a", "b")
		if got != want {
			t.Errorf("%v: %d, want %d", files, got, want)
		}
	}
}
