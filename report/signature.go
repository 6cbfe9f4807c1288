package report

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"crawler/dedup"
	"crawler/near"
)

// signer signs texts for near_signature. It belongs to one goroutine.
type signer struct {
	hash *dedup.MinHash
	last dedup.Signature // scratch, as what follows
	raw  []byte
}

// newHash makes what the signers of a Recorder are clones of.
func newHash() *dedup.MinHash {
	hash, err := dedup.NewMinHash(dedup.PageSignature())
	if err != nil {
		panic("report: the signature of a page: " + err.Error())
	}
	return hash
}

// sign returns the signature of a text, 128 bytes, and none for one without words. It is valid
// until the next call.
func (s *signer) sign(words []uint64) []byte {
	s.last = s.hash.SketchWords(s.last, words)
	s.raw = s.last.AppendSlots(s.raw[:0])
	return s.raw
}

// slotsOf reads the value of near_signature; false means that it is none.
func slotsOf(dst []uint64, value []byte) ([]uint64, bool) {
	var raw [signatureLength]byte // more than is decoded
	if len(value) != signatureLength {
		return dst, false
	}
	n, err := base64.StdEncoding.Decode(raw[:], value)
	if err != nil {
		return dst, false
	}
	dst, err = dedup.PageSignature().DecodeSlots(dst, raw[:n])
	return dst, err == nil
}

// Likeness is how much two pages' texts resemble each other: the share of their runs of three
// words that they have in common, estimated, with its 95 % interval. Of equal texts it is 1.
type Likeness struct {
	Resemblance float64 `json:"resemblance"`
	Low         float64 `json:"low"`
	High        float64 `json:"high"`
}

// sameLikeness is that of equal texts.
var sameLikeness = Likeness{1, 1, 1}

// likeness estimates it for texts of so many words, whose signatures agree in so many slots.
func likeness(agreeing, words, others int) Likeness {
	r := dedup.PageSignature().Resemblance(agreeing, shinglesOf((words+others)/2))
	round := func(v float64) float64 { return math.Round(v*1e4) / 1e4 }
	return Likeness{round(r.Estimate), round(r.Low), round(r.High)}
}

// shinglesOf is about how many different shingles a page of so many words has: three quarters,
// as some are repeated.
func shinglesOf(words int) int { return max(3*(words-dedup.DefaultShingle+1)/4, 1) }

// text writes it for people.
func (l Likeness) text() string {
	if l == sameLikeness {
		return "the same text"
	}
	return fmt.Sprintf("resemblance %.2f, %.2f to %.2f", l.Resemblance, l.Low, l.High)
}

// nearTexts looks for the pages that a page resembles most.
type nearTexts struct {
	page     *PageRecord
	slots    []uint64 // of the page; nil if it has no signature
	other    []uint64 // scratch
	agreeing int      // in how many slots the last one that was taken agrees
	least    int      // that count
}

func newNearTexts(page *PageRecord) *nearTexts {
	n := &nearTexts{page: page, least: dedup.PageSignature().SlotsFor(near.Bar)}
	n.slots, _ = dedup.PageSignature().DecodeSlots(nil, page.Signature) // nil if it has none
	return n
}

// take reports whether a page with that signature is near.
func (n *nearTexts) take(signature []byte) bool {
	if n.slots == nil {
		return false
	}
	var ok bool
	if n.other, ok = slotsOf(n.other[:0], signature); !ok {
		return false
	}
	n.agreeing = dedup.PageSignature().Agreeing(n.slots, n.other)
	return n.agreeing >= n.least
}

// insert puts the page that was taken last into the list of the most similar ones.
func (n *nearTexts) insert(list []NearPage, p *PageRecord) []NearPage {
	found := NearPage{p.URL, likeness(n.agreeing, n.page.Words, p.Words)}
	at, _ := slices.BinarySearchFunc(list, found, func(a, b NearPage) int {
		return cmp.Or(cmp.Compare(b.Resemblance, a.Resemblance), -1) // behind its equals
	})
	list = slices.Insert(list, at, found)
	return list[:min(len(list), maxOthers)]
}

// Signatures calls fn for every page of the crawl in dir that has a signature, in the order of
// pages.jsonl, also while it runs. The slots are those of dedup.PageSignature, valid during the
// call.
func Signatures(dir string, fn func(url string, slots []uint64) error) error {
	var slots []uint64
	return scan(filepath.Join(dir, PagesFile), func(lines []byte) error {
		return eachLine(lines, func(line []byte) error {
			_, signature := textsOf(line)
			var ok bool
			if slots, ok = slotsOf(slots[:0], signature); !ok {
				return nil
			}
			return fn(urlText(line), slots)
		})
	})
}
