package bench

import (
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// blockKeys is how many keys are timed at a time: long enough that what
// somebody else left in the caches does not matter.
const blockKeys = 1 << 20

// block is a run of different keys, as URLs and as their hashes.
type block struct {
	urls   [][]byte
	hashes []uint64
	text   []byte
}

// newBlock returns the keys numbered from on.
func newBlock(from, n int) *block {
	k := &block{}
	k.fill(from, n)
	return k
}

// fill makes k the n keys numbered from on.
func (k *block) fill(from, n int) {
	ends := make([]int, 0, n)
	k.text = k.text[:0]
	for i := from; i < from+n; i++ {
		k.text = appendURL(k.text, uint64(i))
		ends = append(ends, len(k.text))
	}
	k.urls, k.hashes = k.urls[:0], k.hashes[:0]
	start := 0
	for _, end := range ends {
		u := k.text[start:end:end]
		k.urls = append(k.urls, u)
		k.hashes = append(k.hashes, xxhash.Sum64(u))
		start = end
	}
}

// appendURL appends URL number i, some 50 bytes. Neighbours are of different
// hosts, as they are in a crawl.
func appendURL(dst []byte, i uint64) []byte {
	dst = append(dst, "https://www.host"...)
	dst = strconv.AppendUint(dst, i%9973, 10)
	dst = append(dst, ".example/path/"...)
	dst = strconv.AppendUint(dst, i%97, 36)
	dst = append(dst, "/article-"...)
	dst = strconv.AppendUint(dst, i, 10)
	return append(dst, ".html"...)
}

// mixed returns n keys, by turns of a and of b.
func mixed(a, b *block) *block {
	m := &block{}
	// Turns by the bits of the hash, so that no branch predictor learns them.
	for i, h := range a.hashes {
		from := a
		if h&1 == 0 {
			from = b
		}
		m.urls = append(m.urls, from.urls[i])
		m.hashes = append(m.hashes, from.hashes[i])
	}
	return m
}
