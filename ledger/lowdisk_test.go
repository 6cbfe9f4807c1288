package ledger

import (
	"errors"
	"testing"
)

// space is a Store that keeps nothing, on a disk with so many bytes free.
type space struct {
	Store
	free int64
	err  error
}

func (space) Durable() bool          { return false }
func (s space) Free() (int64, error) { return s.free, s.err }

func TestLowDisk(t *testing.T) {
	for _, c := range []struct {
		store   Store
		minFree int64
		want    bool
	}{
		{space{free: 99}, 100, true},
		{space{free: 100}, 100, false},
		{space{free: 1 << 40}, 100, false},
		{space{free: 0}, 0, false}, // not watched
		{space{err: errors.New("the disk does not say")}, 100, false},
		{nil, 100, false},
	} {
		l, err := Open(Config{Store: c.store, MinFree: c.minFree}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.LowDisk(); got != c.want {
			t.Errorf("%+v is low below %d: %v", c.store, c.minFree, got)
		}
	}
}
