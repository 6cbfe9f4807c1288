package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"crawler/chunk"
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
	InLinks  *InLinks  `json:"inlinks,omitempty"`  // if the crawl counted links to URLs
	Admitted *bool     `json:"admitted,omitempty"` // what the exact log says, if it was asked
	Seed     bool      `json:"seed,omitempty"`     // one of the crawl's, if its seeds are known
	Lossy    bool      `json:"-"`                  // the crawl's filter may have lost URLs
	Complete bool      `json:"-"`                  // the crawl has ended, with nothing left
	Unasked  bool      `json:"-"`                  // its queue could not be read
	Trapped  int       `json:"-"`                  // URLs that the crawl refused as traps'

	Closest []string `json:"closest,omitempty"` // URLs with records, if it has none

	Read chunk.Cost `json:"-"` // what was read of the files of records
}

// NearPage is a page of similar text.
type NearPage struct {
	URL string `json:"url"`
	Likeness
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

// What a Story lists at most.
const (
	maxStoryRecords = 20
	maxOthers       = 5
)

// Known reports whether the crawl ever met the URL, as far as the Story says.
func (s *Story) Known() bool {
	return s.Recorded() || s.Seed || s.Queued != nil || s.Admitted != nil && *s.Admitted
}

// Recorded reports whether there is a record of the URL.
func (s *Story) Recorded() bool { return len(s.Pages)+len(s.Refusals)+len(s.Hops) > 0 }

// Why returns the URL's story from the files of a crawl in dir, also while it runs. Where
// the queue has it and what the exact log says is left to the caller, who has the store.
//
// It reads the chunks of the files whose filters do not deny the URL: one and 0.1 % of the others
// for each record of it, and 0.1 % for a URL without records. What no filter covers is read whole:
// the last chunk of a crawl that is running or was killed, and all of one that an earlier version
// made, at about 1 GB/s. Memory does not grow with the files. With similar it also looks for pages
// of the same or similar text, and for the closest URLs of one without records, for which it reads
// everything.
//
// The error wraps store.ErrNoCrawl if dir holds no crawl.
func Why(dir string, u weburl.URL, similar bool) (*Story, error) {
	return WhyIn([]string{dir}, u, similar)
}

// WhyIn is Why of the records of several directories together: the shards of a crawl.
func WhyIn(dirs []string, u weburl.URL, similar bool) (*Story, error) {
	for _, dir := range dirs {
		switch found, err := holdsCrawl(dir); {
		case err != nil:
			return nil, err
		case !found:
			return nil, fmt.Errorf("%s %w", dir, store.ErrNoCrawl)
		}
	}
	w := &why{dirs: dirs, story: &Story{URL: u.String()}, counted: map[string]bool{}}
	err := w.records()
	if err == nil {
		err = w.hops()
	}
	switch {
	case err != nil || !similar:
	case len(w.story.Pages) > 0:
		if w.story.Pages[0].Digest != "" {
			err = w.others()
		}
	case !w.story.Recorded():
		w.story.Closest, err = closest(dirs, u)
	}
	if err != nil {
		return nil, err
	}
	return w.story, nil
}

// why is a Story in the making.
type why struct {
	dirs  []string
	story *Story

	asked   string          // the URL that plans are about
	plans   []*chunk.Plan   // of each directory; nil: none were made
	counted map[string]bool // files whose size counts already
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
	return w.about(name, url, func(line []byte) error {
		if bytes.Equal(urlOf(line), want) {
			return fn(line)
		}
		return nil
	})
}

// about gives fn the lines of the chunks of a file that may have records of a URL, or of what
// redirects to it.
func (w *why) about(name, url string, fn func(line []byte) error) error {
	if w.plans == nil || w.asked != url {
		w.asked, w.plans = url, make([]*chunk.Plan, len(w.dirs))
		for i, dir := range w.dirs {
			var err error
			if w.plans[i], err = askSidecar(dir, chunk.OfURL(url)); err != nil {
				return err
			}
		}
	}
	for i, dir := range w.dirs {
		if err := w.planned(w.plans[i], filepath.Join(dir, name), fn); err != nil {
			return err
		}
	}
	return nil
}

// planned gives fn the lines of the chunks of a file that the plan says.
func (w *why) planned(plan *chunk.Plan, path string, fn func(line []byte) error) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	reading := plan.In(filepath.Base(path), info.Size())
	if w.counted[path] {
		w.story.Read.Read += reading.Read
	} else {
		w.counted[path] = true
		w.story.Read.Add(reading.Cost)
	}
	for _, part := range reading.Parts {
		if err := scanPart(f, part.From, part.To, fn); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// each gives fn the lines of a file, of all directories.
func (w *why) each(name string, fn func(line []byte) error) error {
	return eachIn(w.dirs, name, fn)
}

// eachIn gives fn the lines of the files of one name in several directories.
func eachIn(dirs []string, name string, fn func(line []byte) error) error {
	for _, dir := range dirs {
		err := scan(filepath.Join(dir, name), func(lines []byte) error { return eachLine(lines, fn) })
		if err != nil {
			return err
		}
	}
	return nil
}

func damaged(line []byte, err error) error {
	return fmt.Errorf("damaged line %.60q: %w", line, err)
}

// others finds pages of the same text, the first in the file, and of nearly the same, the most
// similar.
func (w *why) others() error {
	page := w.story.Pages[0]
	near := newNearTexts(&page)
	return w.each(PagesFile, func(line []byte) error {
		digest, signature := textsOf(line)
		if digest == nil {
			return nil
		}
		if string(digest) == page.Digest {
			return w.sameText(line)
		}
		if !near.take(signature) {
			return nil
		}
		p, err := recordIn[PageRecord](line)
		if err == nil {
			w.story.NearText = near.insert(w.story.NearText, &p)
		}
		return err
	})
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

// recordIn reads a line.
func recordIn[R any](line []byte) (r R, err error) {
	if err = json.Unmarshal(line, &r); err != nil {
		err = damaged(line, err)
	}
	return r, err
}
