package graph

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Extensions of the files of a graph.
const (
	extGraph      = ".graph"
	extOffsets    = ".offsets"
	extProperties = ".properties"
	extURLs       = ".urls"
)

// Lists are successor lists in node order: ascending, without duplicates. A list is
// valid until the next call. [Scan] is one.
type Lists interface {
	// Next returns the next list; ok is false after the last and after an error.
	Next() (successors []uint32, ok bool)
	// Err returns the error that ended the lists, if one did.
	Err() error
}

// Write compresses the lists of nodes 0 to nodes-1 into base.graph, base.offsets and
// base.properties, in one pass, with memory for Window+1 lists. The files are written
// beside their names, synced and renamed, the properties last; an older graph of that
// name loses its properties and its URL list first, so that what a crash leaves is a
// whole graph or none. Write reports an error of lists, and refuses lists that do not
// ascend, leave the nodes, or are too few or too many.
func Write(base string, nodes int, lists Lists, p Params) (Stats, error) {
	if err := clearBase(base); err != nil {
		return Stats{}, err
	}
	return write(base, nodes, lists, p)
}

// clearBase takes from an older graph what makes it one.
func clearBase(base string) error {
	for _, ext := range []string{extProperties, extURLs} {
		if err := os.Remove(base + ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return syncDir(base)
}

func write(base string, nodes int, lists Lists, p Params) (_ Stats, err error) {
	f, err := newFormat(nodes, p)
	if err != nil {
		return Stats{}, fmt.Errorf("%s: %w", base, err)
	}
	graph, err := create(base + extGraph)
	if err != nil {
		return Stats{}, err
	}
	defer graph.abandon()
	offsets, err := create(base + extOffsets)
	if err != nil {
		return Stats{}, err
	}
	defer offsets.abandon()

	e := newEncoder(f, newBitWriter(graph))
	gaps := newBitWriter(offsets)
	if err := encodeAll(e, gaps, lists); err != nil {
		return Stats{}, fmt.Errorf("%s%s: %w", base, extGraph, err)
	}
	if err := errors.Join(e.w.flush(), gaps.flush()); err != nil {
		return Stats{}, err
	}
	if err := errors.Join(graph.commit(), offsets.commit()); err != nil {
		return Stats{}, err
	}
	return e.stats, writeSmall(base+extProperties, properties(f.Params, e.stats))
}

// encodeAll writes every list, and the gap between the places of each two to gaps.
func encodeAll(e *encoder, gaps *bitWriter, lists Lists) error {
	last := uint64(0)
	mark := func() {
		gaps.write(e.offset, e.w.pos-last)
		last = e.w.pos
	}
	for {
		list, ok := lists.Next()
		if !ok {
			break
		}
		if err := check(e.node, e.nodes, list); err != nil {
			return err
		}
		mark()
		e.add(list)
	}
	if err := lists.Err(); err != nil {
		return err
	}
	if e.node != e.nodes {
		return fmt.Errorf("the lists end after %d of %d nodes", e.node, e.nodes)
	}
	mark()
	e.stats.Bits = int64(e.w.pos)
	return nil
}

// check returns why list cannot be that of the node.
func check(node, nodes int, list []uint32) error {
	if node == nodes {
		return fmt.Errorf("there are lists for more than %d nodes", nodes)
	}
	for i := 1; i < len(list); i++ {
		if list[i] <= list[i-1] {
			return fmt.Errorf("node %d: successor %d after %d; sort each list and drop duplicates", node, list[i], list[i-1])
		}
	}
	if n := len(list); n > 0 && int(list[n-1]) >= nodes {
		return fmt.Errorf("node %d: successor %d in a graph of %d nodes", node, list[n-1], nodes)
	}
	return nil
}

// output is a file that takes its name only when whole.
type output struct {
	*os.File
	name string
	done bool
}

// create opens name.tmp for writing, replacing what an earlier crash left there.
func create(name string) (*output, error) {
	f, err := os.Create(name + ".tmp")
	if err != nil {
		return nil, err
	}
	return &output{File: f, name: name}, nil
}

// commit syncs the file, closes it and gives it its name.
func (o *output) commit() error {
	o.done = true
	if err := errors.Join(o.Sync(), o.Close()); err != nil {
		os.Remove(o.File.Name())
		return err
	}
	return os.Rename(o.File.Name(), o.name)
}

// abandon removes the file unless it is committed.
func (o *output) abandon() {
	if !o.done {
		o.Close()
		os.Remove(o.File.Name())
	}
}

// writeSmall writes a file as a whole and syncs it and the directory.
func writeSmall(name string, data []byte) error {
	o, err := create(name)
	if err != nil {
		return err
	}
	defer o.abandon()
	if _, err := o.Write(data); err != nil {
		return err
	}
	if err := o.commit(); err != nil {
		return err
	}
	return syncDir(name)
}

// syncDir makes the names in the directory of name durable.
func syncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil // it cannot, and keeps names in a journal
	}
	dir, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", dir.Name(), err)
	}
	return nil
}
