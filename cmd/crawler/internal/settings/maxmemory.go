package settings

import (
	"fmt"

	"crawler/cmd/crawler/internal/shell"
)

// memorySize is what --max-memory allows the process, in bytes; 0 for no limit. It is a
// soft limit, as GOMEMLIMIT is: nothing is refused for it.
type memorySize shell.Size

// minMemory is what a crawl needs before its first page, and leaves room for some.
const minMemory = 64 << 20

func (m *memorySize) String() string { return (*shell.Size)(m).String() }

func (m *memorySize) Type() string { return "size" }

func (m *memorySize) Set(s string) error {
	var z shell.Size
	if err := z.Set(s); err != nil {
		return err
	}
	if z != 0 && z < minMemory {
		return fmt.Errorf("want at least 64MiB, or 0 for no limit")
	}
	*m = memorySize(z)
	return nil
}
