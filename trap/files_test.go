package trap_test

import (
	"testing"

	"crawler/internal/mazes"
	"crawler/trap"
)

// A tree of files is fetched whole, though thousands of them in a row have no word, and its
// directories lead to more and more: most pages lead no further, so somebody has put them there.
func TestFileServerIsFetchedWhole(t *testing.T) {
	for _, files := range []int{300, 3000, 12_000} {
		s := mazes.FileServer(*first, files)
		without, with := walkLabelled(s, nil), walkLabelled(s, trap.New(trap.Config{}))
		without.until(1 << 30)
		with.until(1 << 30)
		if n := without.Honest(); n < files {
			t.Errorf("the tree has %d pages, want at least %d", n, files)
		}
		if lost := len(with.Missing(without.Tally)); lost > 0 {
			t.Errorf("%d of %d pages lost; closed: %+v", lost, without.Honest(), with.guard.Closed())
		}
	}
}
