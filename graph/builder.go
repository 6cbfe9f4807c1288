package graph

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// BuildConfig says how a [Builder] works.
type BuildConfig struct {
	// Dir is the folder of temporary files, removed in the end: eight bytes a link and
	// the URLs, a few times. "" is the default folder for those.
	Dir string
	// Memory is about how many bytes to use, 256 MiB if 0, at least 4 MiB: one half
	// for keys and then for links being sorted, the other for the numbers of the URLs,
	// four bytes each. A URL that comes again after the keys went to disk in between
	// counts again.
	Memory int64
	// Params says how to compress; the zero Params are the framework's defaults.
	Params Params
}

const (
	defaultMemory = 256 << 20
	leastMemory   = 4 << 20
)

// A Builder makes a graph of pages and their links, given in any order. The nodes are all
// URLs added to it, as source, as target or alone, numbered in SURT order; links that
// come several times count once, links of a page to itself stay. URLs are numbered as
// they come and keyed in memory; when that is full the sorted keys go to disk. Build
// merges the keys, which gives the nodes, renames the links by them and sorts those.
// Not for concurrent use.
type Builder struct {
	cfg   BuildConfig
	dict  *dict
	first uint32 // the provisional number of the dict's entry 0
	key   []byte
	runs  []*os.File
	file  *os.File // of links
	links *bufio.Writer
	err   error // the first; everything after it fails with it
}

// NewBuilder returns an empty Builder. Build or Close must follow.
func NewBuilder(cfg BuildConfig) (*Builder, error) {
	if cfg.Memory == 0 {
		cfg.Memory = defaultMemory
	}
	if cfg.Memory < leastMemory {
		return nil, fmt.Errorf("building a graph in %d bytes: want %d at least", cfg.Memory, leastMemory)
	}
	var err error
	if cfg.Params, err = cfg.Params.normal(); err != nil {
		return nil, err
	}
	b := &Builder{cfg: cfg, dict: newDict(cfg.Memory / 2)}
	if b.file, err = tempFile(cfg.Dir); err != nil {
		return nil, err
	}
	b.links = bufio.NewWriterSize(b.file, writeBuffer)
	return b, nil
}

// AddNode adds a page.
func (b *Builder) AddNode(url string) error {
	_, err := b.number(url)
	return err
}

// AddPage adds a page and its links, some 0.4 µs each. A page may be added in parts. A
// URL that is refused (see [MaxURL]) refuses the rest of the page and nothing else.
func (b *Builder) AddPage(from string, to []string) error {
	source, err := b.number(from)
	if err != nil {
		return err
	}
	for _, url := range to {
		target, err := b.number(url)
		if err != nil {
			return fmt.Errorf("link of %s: %w", from, err)
		}
		p := pairOf(source, target)
		if _, err := b.links.Write(binary.LittleEndian.AppendUint64(b.links.AvailableBuffer(), uint64(p))); err != nil {
			b.err = err
			return err
		}
	}
	return nil
}

// number returns a provisional number of a URL.
func (b *Builder) number(url string) (uint32, error) {
	if b.err != nil {
		return 0, b.err
	}
	var err error
	if b.key, err = appendKey(b.key[:0], url); err != nil {
		return 0, err
	}
	if b.dict.full(len(b.key)) {
		if b.err = b.spill(); b.err != nil {
			return 0, b.err
		}
	}
	entry := b.dict.add(b.key)
	return b.first + entry, nil
}

// spill writes the keys in memory as a run, and merges runs when they are many.
func (b *Builder) spill() error {
	n := uint64(len(b.dict.ends))
	if uint64(b.first)+n > math.MaxUint32-uint64(cap(b.dict.ends)) {
		return fmt.Errorf("more than 2^32 URLs, counting those that came again: build with more memory than %d bytes", b.cfg.Memory)
	}
	err := b.newRun(func(run *keyRun) error {
		for _, entry := range b.dict.sorted() {
			run.add(numbered{b.dict.key(uint32(entry)), b.first + uint32(entry)})
		}
		return nil
	})
	b.first += uint32(n)
	b.dict.reset()
	if err != nil || len(b.runs) < maxRuns {
		return err
	}
	return b.mergeRuns()
}

// newRun adds a run that fill writes.
func (b *Builder) newRun(fill func(*keyRun) error) error {
	f, err := tempFile(b.cfg.Dir)
	if err != nil {
		return err
	}
	b.runs = append(b.runs, f)
	run := newKeyRun(f)
	return errors.Join(fill(run), run.w.Flush())
}

// mergeRuns makes one run of all.
func (b *Builder) mergeRuns() error {
	old := b.runs
	defer closeAll(old)
	b.runs = nil
	keys, err := mergeKeys(old)
	if err != nil {
		return err
	}
	return b.newRun(func(run *keyRun) error {
		for keys.more() {
			run.add(keys.next())
		}
		return keys.err
	})
}

// Build writes the graph to the files of base, its URLs among them, and closes the
// Builder.
func (b *Builder) Build(base string) (Stats, error) {
	defer b.Close()
	if b.err != nil {
		return Stats{}, b.err
	}
	if err := errors.Join(b.spill(), b.links.Flush(), clearBase(base)); err != nil {
		return Stats{}, err
	}
	b.dict = nil
	nodes, n, err := b.writeURLs(base + extURLs)
	if err != nil {
		return Stats{}, err
	}
	sorter := newPairSorter(b.cfg.Dir, b.cfg.Memory/2)
	defer sorter.close()
	if err := b.renumber(nodes, sorter); err != nil {
		return Stats{}, err
	}
	pairs, err := sorter.sorted()
	if err != nil {
		return Stats{}, err
	}
	return write(base, n, newPairLists(n, pairs), b.cfg.Params)
}

// writeURLs writes all keys, each once, and returns the node of each provisional number
// and how many nodes there are.
func (b *Builder) writeURLs(name string) (nodes []uint32, n int, err error) {
	if int64(b.first) > b.cfg.Memory/8 {
		return nil, 0, fmt.Errorf("%d URLs, counting those that came again: build with %d bytes of memory at least",
			b.first, 8*int64(b.first))
	}
	nodes = make([]uint32, b.first)
	urls, err := newURLsWriter(name)
	if err != nil {
		return nil, 0, err
	}
	defer urls.out.abandon()
	keys, err := mergeKeys(b.runs)
	if err != nil {
		return nil, 0, err
	}
	for keys.more() {
		k := keys.next()
		if urls.n == 0 || !bytes.Equal(k.key, urls.last) {
			urls.add(k.key)
		}
		nodes[k.id] = uint32(urls.n - 1)
	}
	if keys.err == nil && urls.n > maxNodes {
		keys.err = fmt.Errorf("%d nodes: want at most %d", urls.n, maxNodes)
	}
	if keys.err != nil {
		return nil, 0, keys.err
	}
	closeAll(b.runs)
	b.runs = nil
	return nodes, urls.n, urls.commit()
}

// renumber feeds all links to the sorter, by their nodes.
func (b *Builder) renumber(nodes []uint32, sorter *pairSorter) error {
	links, err := pairRuns([]*os.File{b.file})
	if err != nil {
		return err
	}
	for {
		p, err := links[0]()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = sorter.add(pairOf(nodes[p>>32], nodes[uint32(p)]))
		}
		if err != nil {
			return err
		}
	}
}

// Close removes the temporary files and drops what was not built.
func (b *Builder) Close() error {
	closeAll(b.runs)
	if b.file != nil {
		closeAll([]*os.File{b.file})
	}
	b.runs, b.file, b.dict = nil, nil, nil
	if b.err == nil {
		b.err = errors.New("the graph's Builder is closed")
	}
	return nil
}
