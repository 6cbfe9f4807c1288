package store

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// Queue is the frontier's part of the state: blocks of queued URLs, and a record per host.
// It belongs to one goroutine.
type Queue struct {
	db         *DB
	key, value []byte // scratch
}

// Queue returns the frontier's part of the state. The crawl must be durable.
func (d *Dir) Queue() *Queue { return &Queue{db: d.db} }

// Block returns a block, which must be there. It is valid until the next call.
func (q *Queue) Block(host string, depth int, seq uint64) ([]byte, error) {
	q.key = appendBlockKey(q.key[:0], host, depth, seq)
	value, err := q.db.appendValue(q.value[:0], q.key)
	if err != nil {
		return nil, err
	}
	if value == nil {
		return nil, fmt.Errorf("%s %w: block %d of %s at depth %d is missing", stateDir, ErrDamaged, seq, host, depth)
	}
	q.value = value
	return value, nil
}

// Hosts calls fn with the record of every host, which is valid during the call. Hosts come
// as their keys do: by shard, then by name.
func (q *Queue) Hosts(fn func(host string, state []byte) error) error {
	return q.db.Scan([]byte{'h'}, func(key, value []byte) error {
		if len(key) < 3 {
			return fmt.Errorf("%s %w: a host's key has %d bytes", stateDir, ErrDamaged, len(key))
		}
		return fn(string(key[3:]), value)
	})
}

// Writer returns a writer of the frontier's changes to b.
func (q *Queue) Writer(b *Batch) QueueWriter { return QueueWriter{b} }

// QueueWriter adds the frontier's changes to a batch. It copies its arguments.
type QueueWriter struct{ b *Batch }

// PutBlock adds a block.
func (w QueueWriter) PutBlock(host string, depth int, seq uint64, block []byte) {
	w.b.key = appendBlockKey(w.b.key[:0], host, depth, seq)
	w.b.Put(w.b.key, block)
}

// fewBlocks is up to how many single deletions are cheaper than one of a range.
const fewBlocks = 16

// DeleteBlocks removes the blocks with from <= seq < to, whether they are there or not.
func (w QueueWriter) DeleteBlocks(host string, depth int, from, to uint64) {
	if to > from && to-from > fewBlocks {
		w.b.DeleteRange(appendBlockKey(nil, host, depth, from), appendBlockKey(nil, host, depth, to))
		return
	}
	for seq := from; seq < to; seq++ {
		w.b.key = appendBlockKey(w.b.key[:0], host, depth, seq)
		w.b.Delete(w.b.key)
	}
}

// PutHost sets the record of a host.
func (w QueueWriter) PutHost(host string, state []byte) {
	w.b.key = appendHost(w.b.key[:0], 'h', host)
	w.b.Put(w.b.key, state)
}

// appendHost appends the common prefix of a host's keys: the kind, the host's shard, one of
// 1024, and its name.
func appendHost(dst []byte, kind byte, host string) []byte {
	dst = append(dst, kind)
	dst = binary.BigEndian.AppendUint16(dst, uint16(xxhash.Sum64String(host)>>54))
	return append(dst, host...)
}

func appendBlockKey(dst []byte, host string, depth int, seq uint64) []byte {
	dst = append(appendHost(dst, 'f', host), 0)
	dst = binary.BigEndian.AppendUint32(dst, uint32(depth))
	return binary.BigEndian.AppendUint64(dst, seq)
}
