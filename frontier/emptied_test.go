package frontier

import (
	"strings"
	"testing"
)

// A queue that was leased to its end, its blocks still on disk, takes a URL that is
// longer than what it held.
func TestLongURLAfterAnEmptiedTail(t *testing.T) {
	for _, leases := range []bool{true, false} {
		d := newMemDisk()
		f := New(Config{Disk: d, Delay: NoDelay})
		lease := func(want string) {
			t.Helper()
			it, ok := f.Next(epoch)
			if !ok || it.URL.String() != want {
				t.Fatalf("leased %s, want %s: %v", it.URL, want, f.Err())
			}
			f.Done(it, epoch, Outcome{Started: epoch})
		}
		long := "http://a.example/" + strings.Repeat("x", 200)
		f.Push(item(t, "http://a.example/1", 1))
		f.Commit(d)
		d.land()
		f.Landed()
		f.Push(item(t, "http://a.example/2", 1))
		lease("http://a.example/1")
		lease("http://a.example/2")
		f.Push(item(t, long, 1))
		if !leases {
			f.Commit(d)
			d.land()
			f.Landed()
		}
		lease(long)
	}
}
