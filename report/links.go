package report

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"crawler/crawl"
	"crawler/parse"
)

// LinksFile is the file of a crawl directory with every page's links; ReadLinks reads it.
// docs/format/links.md describes its bytes.
const LinksFile = "links.bin"

// The first byte of a record, with its flags; a link's head beside how much of the base is
// dropped; and its attributes beside the kind.
const (
	linkRecord   = 0x40
	linkRedirect = 1
	linkCut      = 2

	linkOther      = 1
	linkFromSource = 2
	linkHeadBits   = 2

	linkAttributes = 0x40
	linkNoFollow   = 0x20

	linkSumBytes = 5
)

// maxLinkRecord is how many bytes a record may have; further links are left out, and a flag
// says so. A page of 10 MiB, where --max-size cuts, stays far below.
const maxLinkRecord = 64 << 20

// linkPlaces is how many targets of a page are remembered, to write each once.
const (
	linkPlaceBits = 10
	linkPlaces    = 1 << linkPlaceBits
)

// writeLinks writes the page's links in every form that is asked for.
func (r *Recorder) writeLinks(v *crawl.Visit, p *prepared) error {
	err := r.linkLines.AppendLine(func(b []byte) []byte { return append(b, p.links...) })
	if err == nil && r.edgeLines != nil {
		err = r.edgeLines.AppendLine(func(b []byte) []byte { return appendEdges(b, v) })
	}
	if err == nil && r.rowLines != nil {
		err = r.rowLines.AppendLine(func(b []byte) []byte { return appendRows(b, v) })
	}
	return err
}

// linkWriter appends the records of links.bin. Its zero value is ready for use. It takes
// 15 to 25 ns a link and allocates nothing but what the buffer needs to grow. A link of the
// PostgreSQL manual takes 11.5 bytes, one of Java's API 9.0, URLs of pages included.
type linkWriter struct {
	places [linkPlaces]uint32 // the last link written of each: its index on the page, plus 1
}

// appendPage appends the record of a page.
func (w *linkWriter) appendPage(b []byte, v *crawl.Visit) []byte {
	source := v.URL.String()
	start := len(b)
	b = appendLinkText(append(b, linkRecord), source)
	b, all := w.appendLinks(b, source, v.Page.Links, start+maxLinkRecord)
	if !all || v.Page.LinksCut {
		b[start] |= linkCut
	}
	return endLinkRecord(b, start)
}

// appendRedirect appends the record of a URL that leads to another one.
func appendRedirect(b []byte, from, to string) []byte {
	start := len(b)
	b = appendLinkText(append(b, linkRecord|linkRedirect), from)
	common := commonPrefix(from, to)
	b = appendLinkNumber(b, uint(len(from)-common)<<linkHeadBits)
	b = appendLinkText(b, to[common:])
	return endLinkRecord(b, start)
}

// appendLinks appends a page's links up to the given end, and reports whether these are
// all of them.
func (w *linkWriter) appendLinks(b []byte, source string, links []parse.Link, end int) (_ []byte, all bool) {
	if len(links) > 0 {
		clear(w.places[:])
	}
	attributes := byte(linkAttributes)
	// last is the target before, shared how much of the source it begins with.
	last, shared := source, len(source)
	for i := range links {
		l := &links[i]
		target := l.URL.String()
		place := &w.places[linkPlace(target)]
		if *place > 0 && links[*place-1] == *l {
			continue
		}
		*place = uint32(i + 1)
		head, common := uint(0), commonPrefix(last, target)
		drop := len(last) - common
		if common <= shared { // otherwise the target has as much of the source as the last
			if shared = common + commonPrefix(source[common:], target[common:]); shared > common {
				head, common, drop = linkFromSource, shared, len(source)-shared
			}
		}
		last = target
		if a := attributesOf(l); a != attributes {
			attributes = a
			b = append(appendLinkNumber(b, uint(drop)<<linkHeadBits|head|linkOther), a)
		} else {
			b = appendLinkNumber(b, uint(drop)<<linkHeadBits|head)
		}
		if b = appendLinkText(b, target[common:]); len(b) > end {
			return b, i+1 == len(links)
		}
	}
	return b, true
}

func attributesOf(l *parse.Link) byte {
	a := linkAttributes | byte(l.Kind)
	if l.NoFollow {
		a |= linkNoFollow
	}
	return a
}

// appendLinkNumber appends a number without a byte that ends a line.
func appendLinkNumber(b []byte, n uint) []byte {
	for ; n >= 127; n >>= 7 {
		b = append(b, 0x80|byte(n))
	}
	if n >= '\n' {
		n++
	}
	return append(b, byte(n))
}

func appendLinkText(b []byte, s string) []byte {
	return append(appendLinkNumber(b, uint(len(s))), s...)
}

// endLinkRecord appends the checksum of the record that begins at start, and its end.
func endLinkRecord(b []byte, start int) []byte {
	sum := linkSum(b[start:])
	return append(append(b, sum[:]...), '\n')
}

func linkSum(record []byte) (sum [linkSumBytes]byte) {
	h := xxhash.Sum64(record)
	for i := range sum {
		sum[i] = 0x80 | byte(h>>(7*i))
	}
	return sum
}

// linkPlace hashes the end of a URL, in which those of a page differ most.
func linkPlace(url string) int {
	h := uint64(len(url))
	if n := len(url); n >= 16 {
		h ^= word(url, n-8) ^ bits.RotateLeft64(word(url, n-16)*0x9e3779b97f4a7c15, 32)
	}
	return int(h * 0x9e3779b97f4a7c15 >> (64 - linkPlaceBits)) // 2^64 / golden ratio
}

// commonPrefix returns how many bytes two URLs begin with in common.
func commonPrefix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for ; i+8 <= n; i += 8 {
		if x := word(a, i) ^ word(b, i); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// word returns the eight bytes at i, which the compiler makes one load of.
func word(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
