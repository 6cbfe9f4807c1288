package diff

import (
	"fmt"
	"strings"

	"crawler/weburl"
)

// What is compared.
type What uint8

// The sets of a crawl that can be compared.
const (
	Pages   What = iota // URLs that answered
	Known               // all URLs that were met: pages, redirects, refusals, what is queued
	Content             // pages with the digest of their text
)

var whatNames = []string{"pages", "known", "content"}

func (w What) String() string { return nameOf(whatNames, int(w)) }

// Method is how the keys in which two sides differ are found.
type Method uint8

// The methods. The first two find all; the others, which send a filter of each side to the
// other, most.
const (
	Rateless Method = iota // dedup.Rateless
	Ranges                 // dedup.Ranges
	Merkle                 // dedup.MerkleFilter
	Bloom                  // dedup.Bloom, 16 bits an item
	Digest                 // dedup.Golomb, a compressed filter of some 16 bits an item
)

var methodNames = []string{"rateless", "ranges", "merkle", "bloom", "digest"}

func (m Method) String() string { return nameOf(methodNames, int(m)) }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprint(i)
}

// Whats and Methods are their names, in the order of their values.
func Whats() []string { return append([]string(nil), whatNames...) }

// Methods is explained at Whats.
func Methods() []string { return append([]string(nil), methodNames...) }

// Item is one element of a set that is compared.
type Item struct {
	URL  weburl.URL
	Text uint64 // digest of its text, with Content; 0 if it has none
}

// Source is a crawl as a side of a comparison sees it.
type Source interface {
	// Each gives fn every item, until fn fails; an item may come more than once. It is called
	// several times. partial says that the crawl has items that are not known any more.
	Each(what What, fn func(Item) error) (partial bool, err error)
}

func compareItems(a, b Item) int { return strings.Compare(a.URL.String(), b.URL.String()) }
