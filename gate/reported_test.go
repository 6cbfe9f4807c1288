package gate

import (
	"fmt"
	"maps"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/store"
)

// What was reported survives, and when it begins afresh the records of before go.
func TestReportedBeginsAfreshOnDiskToo(t *testing.T) {
	dir, err := store.Create(store.OnMem(vfs.NewMem()), "crawl", store.Meta{}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	before, seq := reported{durable: true}, uint64(0)
	commit := func() {
		b := dir.DB().NewBatch()
		seq++
		before.commit(b, seq)
		if err := dir.DB().Commit(b); err != nil {
			t.Fatal(err)
		}
	}
	for i := range maxReported + 1000 {
		before.first(fmt.Sprint(i), Nofollow)
		if i%50_000 == 0 {
			commit()
		}
	}
	before.forget(fmt.Sprint(maxReported+3), Nofollow)
	commit()
	var after reported
	records := 0
	err = dir.DB().Scan(recordKey(keyReported), func(_, events []byte) error {
		records++
		return after.replay(events)
	})
	if err != nil || records != 1 || !maps.Equal(before.fps, after.fps) {
		t.Errorf("%d of %d keys in %d records, want one: %v", len(after.fps), len(before.fps), records, err)
	}
}
