package report

import (
	"crawler/crawl"
	"crawler/stats"
)

// prepared is what of a page's record depends on that page alone: two thirds of the time that
// it takes. It is made where pages are read, in several goroutines at once, and stays with the
// Visit, to be used again for another page.
type prepared struct {
	of    string // the URL of the page
	line  []byte // of pages.jsonl
	links []byte // of links.bin
	text  stats.Folded
}

// maxPrepared bounds what a Visit keeps of an enormous page.
const maxPrepared = 128 << 10

// preparing is scratch memory, 56 KiB of it.
type preparing struct {
	links  linkWriter
	bag    stats.Bag
	signer signer
}

// Prepare makes the parts of a page's record beforehand; see crawl.Preparer.
func (r *Recorder) Prepare(v *crawl.Visit) {
	p, ok := v.Prepared.(*prepared)
	if !ok || p.bytes() > maxPrepared {
		p = new(prepared)
		v.Prepared = p
	}
	s, ok := r.scratch.Get().(*preparing)
	if !ok {
		s = &preparing{signer: signer{hash: r.hash.Clone()}}
	}
	p.of = v.URL.String()
	if r.pageLines != nil || r.cfg.Stream != nil {
		record := recordOf(v)
		if !v.CutOff {
			record.Signature = s.signer.sign(v.Page.Words)
		}
		p.line = record.appendLine(p.line[:0])
	}
	if r.linkLines != nil {
		p.links = s.links.appendPage(p.links[:0], v)
	}
	if r.countsWords(v) {
		s.bag.Fold(v.Page.Words, r.cfg.Seed, &p.text)
	}
	r.scratch.Put(s)
}

// preparedOf returns what was prepared for a page, which it does now for who has not.
func (r *Recorder) preparedOf(v *crawl.Visit) *prepared {
	if p, ok := v.Prepared.(*prepared); ok && p.of == v.URL.String() {
		return p
	}
	r.Prepare(v)
	return v.Prepared.(*prepared)
}

// forget marks what was prepared as used: the Visit's next page may have the same URL. What an
// enormous page took is given up.
func forget(v *crawl.Visit) {
	p, ok := v.Prepared.(*prepared)
	switch {
	case ok && p.bytes() > maxPrepared:
		v.Prepared = nil
	case ok:
		p.of = ""
	}
}

// bytes is the memory that p holds.
func (p *prepared) bytes() int { return cap(p.line) + cap(p.links) + p.text.Bytes() }
