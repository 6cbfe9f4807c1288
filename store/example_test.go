package store_test

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/store"
)

func Example() {
	fs := store.OnMem(vfs.NewMem()) // store.Disk() outside of tests
	dir, err := store.Create(fs, "/crawl", store.Meta{Seeds: []string{"http://a.test/"}}, true)
	if err != nil {
		panic(err)
	}
	pages, err := dir.Lines("pages.jsonl")
	if err != nil {
		panic(err)
	}
	b := dir.DB().NewBatch()
	b.Put([]byte("mpages"), []byte{1, 1})
	if err := errors.Join(pages.Write("the first"), dir.Cut(b), dir.Sync(), dir.DB().Commit(b)); err != nil {
		panic(err)
	}
	// This one is behind the commit.
	if err := errors.Join(pages.Write("the second"), dir.Close()); err != nil {
		panic(err)
	}

	dir, err = store.Open(fs, "/crawl")
	if err != nil {
		panic(err)
	}
	defer dir.Close()
	if _, err := dir.Lines("pages.jsonl"); err != nil {
		panic(err)
	}
	fmt.Println("resumed:", dir.Resumed())
	for _, cut := range dir.Cuts() {
		fmt.Printf("%s: %d record cut, %d bytes\n", cut.File, cut.Records, cut.Bytes)
	}
	// Output:
	// resumed: true
	// pages.jsonl: 1 record cut, 13 bytes
}

// A disk that writes, but cuts no file.
func ExampleWrap() {
	fs := store.Wrap(vfs.NewMem(), func(string, int64) error { return errors.ErrUnsupported })
	fmt.Println(fs.Truncate("/crawl/pages.jsonl", 0))
	// Output: unsupported operation
}
