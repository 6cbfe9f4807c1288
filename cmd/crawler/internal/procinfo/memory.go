package procinfo

import (
	"fmt"
	"math"
	"os"
	"strings"
)

// Memory returns how many bytes of memory the machine has, or the container in it that this process
// is in; 0 if the system does not say.
func Memory() int64 {
	return leastMemory(os.ReadFile, "/proc/meminfo", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
}

// leastMemory reads the total of a meminfo, and the limits of control groups.
func leastMemory(read func(name string) ([]byte, error), meminfo string, limits ...string) int64 {
	least := int64(math.MaxInt64)
	if text, err := read(meminfo); err == nil {
		var kb int64
		_, after, _ := strings.Cut("\n"+string(text), "\nMemTotal:")
		if _, err := fmt.Sscanf(after, "%d kB", &kb); err == nil && kb > 0 {
			least = kb << 10
		}
	}
	for _, name := range limits {
		text, err := read(name)
		if err != nil {
			continue
		}
		var n int64 // or "max"
		if _, err := fmt.Sscanf(string(text), "%d", &n); err == nil && n > 0 {
			least = min(least, n)
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}
