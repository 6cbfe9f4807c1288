package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"crawler/parse"
	"crawler/weburl"
)

// PageLinks is a record of links.bin: a page and its links, or a redirect. Its bytes are
// valid until the function that was given it returns.
type PageLinks struct {
	URL      []byte // that answered, canonical; of a redirect, the one that leads elsewhere
	Redirect bool   // URL is no page: it redirects to its only link
	Cut      bool   // the page had more links than these

	last   []byte // target of the link before; URL before the first
	spare  []byte // the memory of the one before that
	link   PageLink
	rest   []byte // of the record
	shape  byte   // attributes of the link before
	number int    // links so far
	err    error
}

// PageLink is one link of a page.
type PageLink struct {
	URL      []byte // canonical; valid until the next call of Next
	Kind     parse.LinkKind
	NoFollow bool // the link says so, or its page
}

// ErrLinks is in the chain of every error about a damaged record of links.bin.
var ErrLinks = errors.New("damaged record of links")

// errLinkSum is the ErrLinks of a line that is not what was written.
var errLinkSum = fmt.Errorf("%w", ErrLinks)

// ReadLinks gives fn the records of a crawl directory's links.bin, in the order in which
// they were written, also while the crawl runs; a last record that is not yet whole is left
// out. fn takes the links from it with Next, or does not, which skips them. It takes about
// 20 ns a link, and memory for the longest record, at most 64 MiB.
//
// An error of fn ends it and is returned. Damage is an ErrLinks that names the file and the
// record. The error wraps fs.ErrNotExist if there is no such file, as in a crawl of an
// earlier version. Links to one target may stand more than once.
func ReadLinks(dir string, fn func(*PageLinks) error) error {
	return readLinks(dir, fn, func(err error) error { return err })
}

// ReadSoundLinks is ReadLinks, but records whose checksum is wrong are left out; bad is how many
// lines these are.
func ReadSoundLinks(dir string, fn func(*PageLinks) error) (bad int, err error) {
	err = readLinks(dir, fn, func(err error) error {
		if !errors.Is(err, errLinkSum) {
			return err
		}
		bad++
		return nil
	})
	return bad, err
}

// readLinks gives fn the records, and failed the errors.
func readLinks(dir string, fn func(*PageLinks) error, failed func(error) error) error {
	name := filepath.Join(dir, LinksFile)
	if _, err := os.Stat(name); err != nil {
		return fmt.Errorf("the links of a crawl: %w", err)
	}
	p, record := new(PageLinks), 0
	return scan(name, func(lines []byte) error {
		return eachLine(lines, func(line []byte) error {
			record++
			if err := p.read(line, fn); err != nil {
				return failed(fmt.Errorf("record %d: %w", record, err))
			}
			return nil
		})
	})
}

// read gives fn one record.
func (p *PageLinks) read(line []byte, fn func(*PageLinks) error) error {
	if err := p.open(line); err != nil {
		return err
	}
	if err := fn(p); err != nil {
		return err
	}
	return p.err
}

// open reads the record up to its links.
func (p *PageLinks) open(line []byte) error {
	n := len(line) - linkSumBytes
	if n < 0 {
		return fmt.Errorf("%w: it has %d bytes", errLinkSum, len(line))
	}
	if sum := linkSum(line[:n]); string(sum[:]) != string(line[n:]) {
		return fmt.Errorf("%w: its checksum is wrong", errLinkSum)
	}
	*p = PageLinks{last: p.last, spare: p.spare, rest: line[:n], shape: linkAttributes}
	flags := p.uint8()
	p.Redirect, p.Cut = flags&linkRedirect != 0, flags&linkCut != 0
	if flags&^(linkRedirect|linkCut) != linkRecord {
		p.fail("unknown flags %#x: it may be of a later version of this program", flags)
	}
	if p.URL = p.text(); len(p.URL) == 0 || len(p.URL) > weburl.MaxLen {
		p.fail("its URL has %d bytes", len(p.URL))
	}
	p.last = append(p.last[:0], p.URL...)
	return p.err
}

// Next moves on to the next link, which Link then returns, and reports whether there is
// one.
func (p *PageLinks) Next() bool {
	if len(p.rest) == 0 {
		if p.Redirect && p.number == 0 {
			p.fail("a redirect to nowhere")
		}
		return false
	}
	head := p.uint()
	if head&linkOther != 0 {
		p.shape = p.uint8()
	}
	base := p.last
	if head&linkFromSource != 0 {
		base = p.URL
	}
	end, drop := p.text(), head>>linkHeadBits
	kind := parse.LinkKind(p.shape &^ (linkAttributes | linkNoFollow))
	size := len(base) - int(drop) + len(end)
	p.number++
	switch {
	case p.shape&linkAttributes == 0 || kind > parse.Sitemap || p.shape > 0x7f:
		p.fail("unknown attributes %#x: it may be of a later version of this program", p.shape)
	case int(drop) > len(base):
		p.fail("a target drops %d bytes of %d", drop, len(base))
	case size == 0 || size > weburl.MaxLen:
		p.fail("a target of %d bytes", size)
	case p.Redirect && p.number > 1:
		p.fail("a redirect with more than one target")
	}
	if p.err != nil {
		return false
	}
	p.spare = append(append(p.spare[:0], base[:len(base)-int(drop)]...), end...)
	p.last, p.spare = p.spare, p.last
	p.link = PageLink{URL: p.last, Kind: kind, NoFollow: p.shape&linkNoFollow != 0}
	return true
}

// Link returns the link that Next moved on to.
func (p *PageLinks) Link() PageLink { return p.link }

// fail keeps the first error and ends the record.
func (p *PageLinks) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%w: %s", ErrLinks, fmt.Sprintf(format, args...))
	}
	p.rest = nil
}

func (p *PageLinks) uint8() byte {
	if len(p.rest) == 0 {
		p.fail("it is too short")
		return 0
	}
	b := p.rest[0]
	p.rest = p.rest[1:]
	return b
}

// uint reads a number as appendLinkNumber writes it, of at most three bytes.
func (p *PageLinks) uint() (n uint) {
	for shift := 0; shift <= 14; shift += 7 {
		b := p.uint8()
		switch {
		case b >= 0x80:
			n |= uint(b&0x7f) << shift
			continue
		case b > '\n':
			b--
		}
		return n | uint(b)<<shift
	}
	p.fail("a number of more than 3 bytes")
	return 0
}

// text reads a length and as many bytes.
func (p *PageLinks) text() []byte {
	n := p.uint()
	if n > uint(len(p.rest)) {
		p.fail("%d bytes wanted, %d there", n, len(p.rest))
		return nil
	}
	s := p.rest[:n]
	p.rest = p.rest[n:]
	return s
}
