package frontier

import (
	"fmt"
	"strings"
	"testing"
)

// A few URLs a commit make small blocks. As many as fit the window, and 4 KiB a queue,
// are served from memory, all come in order, and the window gets its room back.
func TestSmallBlocksStayInMemory(t *testing.T) {
	for _, c := range []struct {
		window, commits, path int
		least, most           int // reads
	}{
		{1 << 20, 30, 20, 0, 0},
		{1 << 20, 30, 500, 15, 26}, // 4 KiB hold seven URLs
		{500, 30, 20, 20, 29},      // the window holds three blocks
		{1, 30, 20, 60, 60},        // one read a lease
	} {
		d := newMemDisk()
		f := New(Config{Disk: d, Window: c.window, Delay: NoDelay})
		url := func(n int) string { return fmt.Sprintf("http://a.example/%d-%s", n, strings.Repeat("x", c.path)) }
		for i := range c.commits {
			f.Push(item(t, url(2*i), 1))
			f.Push(item(t, url(2*i+1), 1))
			f.Commit(d)
			d.land()
			f.Landed()
		}
		for i := range 2 * c.commits {
			it, ok := f.Next(epoch)
			if !ok || it.URL.String() != url(i) {
				t.Fatalf("%+v: lease %d is %s: %v", c, i, it.URL, f.Err())
			}
			f.Done(it, epoch, Outcome{Started: epoch})
		}
		if d.reads < c.least || d.reads > c.most {
			t.Errorf("%+v: %d reads for %d blocks", c, d.reads, c.commits)
		}
		if !f.Idle() || f.pager.room != c.window {
			t.Errorf("%+v: idle %v, %d bytes of the window are free", c, f.Idle(), f.pager.room)
		}
	}
}
