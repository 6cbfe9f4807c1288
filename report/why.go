package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"crawler/dedup"
	"crawler/gate"
	"crawler/store"
	"crawler/weburl"
)

// Story is what a crawl directory knows of one URL.
type Story struct {
	URL      string           `json:"url"`
	Pages    []PageRecord     `json:"pages,omitempty"`     // of it
	Refusals []gate.Skip      `json:"refusals,omitempty"`  // of it
	Hops     []RedirectRecord `json:"redirects,omitempty"` // from the URL on, if it redirects
	End      string           `json:"end,omitempty"`       // of the last one's target, in words
	LedBy    []RedirectRecord `json:"led_by,omitempty"`    // by which it was found, in order
	LedHere  []string         `json:"led_here,omitempty"`  // further URLs that redirect to it
	SameText []string         `json:"same_text,omitempty"`
	NearText []NearPage       `json:"near_text,omitempty"`

	Queued   *QueuedAt `json:"queued,omitempty"`   // if it waits for its turn and that is known
	Admitted *bool     `json:"admitted,omitempty"` // what the exact log says, if it was asked
	Seed     bool      `json:"seed,omitempty"`     // one of the crawl's, if its seeds are known
	Lossy    bool      `json:"-"`                  // the crawl's filter may have lost URLs
	Complete bool      `json:"-"`                  // the crawl has ended, with nothing left
	Unasked  bool      `json:"-"`                  // its queue could not be read

	Closest []string `json:"closest,omitempty"` // URLs with records, if it has none
}

// NearPage is a page of similar text.
type NearPage struct {
	URL      string `json:"url"`
	Distance int    `json:"distance"` // differing bits of 64
}

// QueuedAt says where a URL waits.
type QueuedAt struct {
	Position int    `json:"position"` // URLs of its host before it; 0: it is next
	Depth    int    `json:"depth"`
	Via      string `json:"via,omitempty"`
	From     string `json:"from,omitempty"`     // URL that redirects here
	Attempt  int    `json:"attempt"`            // tries so far
	Since    string `json:"since,omitempty"`    // when the first one failed, RFC 3339
	Next     string `json:"next_try,omitempty"` // when the next one is due, if that is not its turn
}

// What a Story lists at most, and how similar a near text is: a distance of 3 in 64 bits
// is an angle below about 20 degrees, or about one sentence in ten.
const (
	maxStoryRecords = 20
	maxOthers       = 5
	nearDistance    = 3
)

// Known reports whether the crawl ever met the URL, as far as the Story says.
func (s *Story) Known() bool {
	return s.Recorded() || s.Seed || s.Queued != nil || s.Admitted != nil && *s.Admitted
}

// Recorded reports whether there is a record of the URL.
func (s *Story) Recorded() bool { return len(s.Pages)+len(s.Refusals)+len(s.Hops) > 0 }

// Why returns the URL's story from the files of a crawl in dir, also while it runs. Where
// the queue has it and what the exact log says is left to the caller, who has the store.
// It reads pages.jsonl and skipped.jsonl up to twice, and redirects.jsonl once and again for
// each hop of a chain, at about 1 GB/s, in memory that does not grow with them. A URL without
// records costs a look at every record.
//
// The error wraps store.ErrNoCrawl if dir holds no crawl.
func Why(dir string, u weburl.URL) (*Story, error) {
	switch found, err := holdsCrawl(dir); {
	case err != nil:
		return nil, err
	case !found:
		return nil, fmt.Errorf("%s %w", dir, store.ErrNoCrawl)
	}
	w := &why{dir: dir, story: &Story{URL: u.String()}}
	err := w.records()
	if err == nil {
		err = w.hops()
	}
	switch {
	case err != nil:
	case len(w.story.Pages) > 0:
		if w.story.Pages[0].Digest != "" {
			err = w.others()
		}
	case !w.story.Recorded():
		w.story.Closest, err = closest(dir, u)
	}
	if err != nil {
		return nil, err
	}
	return w.story, nil
}

// why is a Story in the making.
type why struct {
	dir   string
	story *Story
}

// records finds the lines that are records of the URL.
func (w *why) records() error {
	s := w.story
	err := w.named(PagesFile, s.URL, func(line []byte) error {
		p, err := recordIn[PageRecord](line)
		if err == nil && len(s.Pages) < maxStoryRecords {
			s.Pages = append(s.Pages, p)
		}
		return err
	})
	if err != nil {
		return err
	}
	return w.named(SkippedFile, s.URL, func(line []byte) error {
		r, err := recordIn[gate.Skip](line)
		if err == nil && len(s.Refusals) < maxStoryRecords {
			s.Refusals = append(s.Refusals, r)
		}
		return err
	})
}

// named gives fn the lines of a file that are records of the URL.
func (w *why) named(name, url string, fn func(line []byte) error) error {
	quoted := appendQuoted(nil, url)
	want := quoted[1 : len(quoted)-1]
	return w.each(name, func(line []byte) error {
		if bytes.Equal(urlOf(line), want) {
			return fn(line)
		}
		return nil
	})
}

// each gives fn the lines of a file.
func (w *why) each(name string, fn func(line []byte) error) error {
	return scan(filepath.Join(w.dir, name), func(lines []byte) error { return eachLine(lines, fn) })
}

func damaged(line []byte, err error) error {
	return fmt.Errorf("damaged line %.60q: %w", line, err)
}

// others finds pages of the same and of similar text, the first of each in the file.
func (w *why) others() error {
	s := w.story
	page := s.Pages[0]
	near, err := strconv.ParseUint(page.Simhash, 16, 64)
	hasNear := err == nil
	err = scan(filepath.Join(w.dir, PagesFile), func(lines []byte) error {
		if len(s.SameText) >= maxOthers && (!hasNear || len(s.NearText) >= maxOthers) {
			return errEnough
		}
		return eachLine(lines, func(line []byte) error {
			digest, simhash := textsOf(line)
			if digest == nil {
				return nil
			}
			if string(digest) == page.Digest {
				return w.sameText(line)
			}
			if !hasNear || simhash == nil {
				return nil
			}
			if d := dedup.HammingDistance(near, parseHex(simhash)); d <= nearDistance {
				return w.nearText(line, d)
			}
			return nil
		})
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// errEnough ends a scan early.
var errEnough = errors.New("enough")

// parseHex reads what hexOf has written.
func parseHex(digits []byte) (v uint64) {
	for _, c := range digits {
		v = v<<4 + uint64(c&15) + uint64(c>>6)*9 // '0' is 0x30, 'a' is 0x61
	}
	return v
}

// sameText lists the page of a line, unless it is the one the story is about.
func (w *why) sameText(line []byte) error {
	s := w.story
	if len(s.SameText) >= maxOthers {
		return nil
	}
	p, err := recordIn[PageRecord](line)
	if err == nil && p.URL != s.URL {
		s.SameText = append(s.SameText, p.URL)
	}
	return err
}

func (w *why) nearText(line []byte, distance int) error {
	s := w.story
	if len(s.NearText) >= maxOthers {
		return nil
	}
	p, err := recordIn[PageRecord](line)
	if err == nil {
		s.NearText = append(s.NearText, NearPage{p.URL, distance})
	}
	return err
}

// recordIn reads a line.
func recordIn[R any](line []byte) (r R, err error) {
	if err = json.Unmarshal(line, &r); err != nil {
		err = damaged(line, err)
	}
	return r, err
}
