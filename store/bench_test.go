package store

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// benchDir is a durable crawl directory in memory: syncing costs nothing.
func benchDir(b *testing.B) *Dir {
	dir, err := Create(OnMem(vfs.NewMem()), "c", Meta{}, true)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := dir.Close(); err != nil {
			b.Error(err)
		}
	})
	return dir
}

// BenchmarkLines is a page's line, encoded and written to a file of the disk.
func BenchmarkLines(b *testing.B) {
	dir, err := Create(Disk(), b.TempDir()+"/c", Meta{}, false)
	if err != nil {
		b.Fatal(err)
	}
	defer dir.Close()
	l, err := dir.Lines("pages.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	line := struct {
		URL, Via, Title string
		Status, Words   int
		Millis          float64
	}{"https://docs.example/manual/part-3/page-17.html", "https://docs.example/manual/part-3/index.html", "Chapter 17: On <configuration>", 200, 1012, 20.4}
	b.Run("Write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := l.Write(line); err != nil {
				b.Fatal(err)
			}
		}
	})
	ready := append(bytes.Repeat([]byte("x"), 200), '\n')
	b.Run("AppendLine", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(ready)))
		for b.Loop() {
			if err := l.AppendLine(func(buf []byte) []byte { return append(buf, ready...) }); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// benchBlock is about 40 queued URLs.
var benchBlock = bytes.Repeat([]byte("/docs/section-17/page-123456.html\x00"), 120)

func benchHost(i int) string { return fmt.Sprintf("www.site-%d.example", i) }

// BenchmarkCommit is a commit as a crawl of many hosts makes it: a block and a record for
// each of 64, of which the blocks before are deleted.
func BenchmarkCommit(b *testing.B) {
	dir := benchDir(b)
	q, state := dir.Queue(), bytes.Repeat([]byte("s"), 120)
	seq := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		batch := dir.DB().NewBatch()
		w := q.Writer(batch)
		for i := range 64 {
			w.PutBlock(benchHost(i), 3, seq, benchBlock)
			if seq > 0 {
				w.DeleteBlocks(benchHost(i), 3, seq-1, seq)
			}
			w.PutHost(benchHost(i), state)
		}
		seq++
		if err := dir.DB().Commit(batch); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBlock reads blocks of the queue, of a thousand hosts by turns.
func BenchmarkBlock(b *testing.B) {
	const hosts, blocks = 1000, 4
	dir := benchDir(b)
	q := dir.Queue()
	for seq := range uint64(blocks) {
		batch := dir.DB().NewBatch()
		for i := range hosts {
			q.Writer(batch).PutBlock(benchHost(i), 3, seq, benchBlock)
		}
		if err := dir.DB().Commit(batch); err != nil {
			b.Fatal(err)
		}
	}
	names := make([]string, hosts)
	for i := range names {
		names[i] = benchHost(i)
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		if _, err := q.Block(names[i%hosts], 3, uint64(i/hosts%blocks)); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
