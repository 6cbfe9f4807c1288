package report

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// slowRecord is a record of links.bin as slowLinks reads it.
type slowRecord struct {
	flags int
	url   string
	links []slowLink
}

type slowLink struct {
	attributes int
	url        string
}

// slowLinks reads a links.bin that is whole, from docs/format/links.md alone.
func slowLinks(data string) (out []slowRecord, err error) {
	for line := range strings.SplitAfterSeq(data, "\n") {
		if !strings.HasSuffix(line, "\n") { // torn, or behind the last
			return out, nil
		}
		r, err := slowOne(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return out, err
		}
		out = append(out, r)
	}
	return out, nil
}

var errSlow = errors.New("not as the format says")

func slowOne(line string) (r slowRecord, err error) {
	if len(line) < 5 {
		return r, errSlow
	}
	body, sum := line[:len(line)-5], uint64(0)
	for i := range 5 {
		c := uint64(line[len(body)+i])
		if c < 128 {
			return r, errSlow
		}
		sum += (c - 128) << (7 * i)
	}
	if xxhash.Sum64String(body)%(1<<35) != sum {
		return r, fmt.Errorf("%w: checksum", errSlow)
	}
	s := &slowReader{body: body}
	r.flags = s.byte() - 0x40
	r.url = s.text()
	last, attributes := r.url, 0x40
	for s.at < len(body) {
		head := s.number()
		if head%2 == 1 {
			attributes = s.byte()
		}
		base := last
		if head/2%2 == 1 {
			base = r.url
		}
		drop, rest := head/4, s.text()
		if s.bad || drop > len(base) || attributes < 0x40 || attributes > 0x7f || (attributes-0x40)%0x20 > 10 {
			return r, errSlow
		}
		last = base[:len(base)-drop] + rest
		if last == "" || len(last) > 8192 {
			return r, errSlow
		}
		r.links = append(r.links, slowLink{attributes - 0x40, last})
	}
	if s.bad || r.flags < 0 || r.flags > 3 || r.url == "" || len(r.url) > 8192 || r.flags%2 == 1 && len(r.links) != 1 {
		return r, errSlow
	}
	return r, nil
}

type slowReader struct {
	body string
	at   int
	bad  bool
}

func (s *slowReader) byte() int {
	if s.at >= len(s.body) {
		s.bad = true
		return 0
	}
	s.at++
	return int(s.body[s.at-1])
}

func (s *slowReader) number() int {
	n, unit := 0, 1
	for range 3 {
		b := s.byte()
		if b < 128 {
			if b > 10 {
				b--
			}
			return n + b*unit
		}
		n, unit = n+(b-128)*unit, unit*128
	}
	s.bad = true
	return 0
}

func (s *slowReader) text() string {
	n := s.number()
	if n > len(s.body)-s.at {
		s.bad = true
		return ""
	}
	s.at += n
	return s.body[s.at-n : s.at]
}
