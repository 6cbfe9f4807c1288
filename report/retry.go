package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"crawler/crawl"
	"crawler/gate"
	"crawler/store"
	"crawler/weburl"
)

// errWithdraw says that the records and what was given up contradict each other.
var errWithdraw = errors.New("the records do not fit what was given up")

// Retry makes a crawl that is not running one that has not asked yet for what it gave up and is
// wanted, and returns how many URLs that are. It takes them out of the files of records and of the
// figures: of a page its line, its links and its counts, of a refusal its line. So every URL
// has one record at most, before and after. All this is one commit: a crash leaves the crawl
// as it was or as it will be. It comes before NewRecorder, takes memory for the URLs that were
// given up, and reads the files once. If there is something to ask for, begin is called before
// anything is changed that is there.
func Retry(dir *store.Dir, wanted func(*gate.GivenUp) bool, begin func() error) (n int, err error) {
	if !dir.Resumed() {
		return 0, nil
	}
	b := dir.DB().NewBatch()
	list, err := gate.Requeue(dir.DB(), b, wanted)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	taken, err := withdraw(dir, list, b)
	if err == nil {
		err = crawl.Reopen(dir.DB(), b, list, taken)
	}
	if err == nil {
		err = begin()
	}
	if err == nil {
		err = dir.DB().Commit(b)
	}
	if err == nil {
		err = dir.Replace()
	}
	return len(list), err
}

// withdraw takes out what is listed, and puts what is left into b.
func withdraw(dir *store.Dir, list []gate.GivenUp, b crawl.Batch) (crawl.Withdrawn, error) {
	r := newRecorder(Config{Dir: dir})
	if err := r.Restore(dir.DB()); err != nil {
		return crawl.Withdrawn{}, err
	}
	w := newWithdrawal(r, list)
	for _, file := range []struct {
		name string
		keep func(line []byte) (bool, error)
	}{
		{PagesFile, w.keepPage},
		{SkippedFile, w.keepSkip},
		{LinksFile, w.keepLinks},
		{EdgesFile, w.keepEdges},
		{EdgesCSVFile, w.keepRow},
		{ChunksFile, keepNone}, // NewRecorder makes it anew
	} {
		if err := dir.Rewrite(file.name, file.keep); err != nil {
			return w.taken, err
		}
	}
	if err := w.left(); err != nil {
		return w.taken, err
	}
	w.lists()
	return w.taken, r.Cut(b)
}

// withdrawal is what withdraw works on.
type withdrawal struct {
	rec   *Recorder
	pages map[string]bool    // URLs of pages; true once the record is out
	skips map[refusedFor]int // lines to be taken out
	spare []Broken           // links that lead to an error, of the pages that stay
	full  bool               // the report's list of these was full
	links PageLinks          // scratch
	taken crawl.Withdrawn
}

type refusedFor struct {
	url    string
	reason gate.Reason
}

func newWithdrawal(r *Recorder, list []gate.GivenUp) *withdrawal {
	w := &withdrawal{rec: r, pages: map[string]bool{}, skips: map[refusedFor]int{}, full: len(r.broken) >= maxBroken}
	for _, g := range list {
		switch {
		case g.Status > 0:
			w.pages[g.URL] = false
		case g.Recorded:
			w.skips[refusedFor{g.URL, g.Reason}]++
		}
	}
	return w
}

// left returns an error if a line was not found.
func (w *withdrawal) left() error {
	for url, out := range w.pages {
		if !out {
			return fmt.Errorf("%w: %s has no page in %s", errWithdraw, url, PagesFile)
		}
	}
	for s, n := range w.skips {
		if n > 0 {
			return fmt.Errorf("%w: %s is not refused as %s in %s", errWithdraw, s.url, s.reason, SkippedFile)
		}
	}
	return nil
}

// urlText is urlOf as text: a canonical URL may have a backslash.
func urlText(line []byte) string {
	quoted := urlOf(line)
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted)
	}
	var text string
	if json.Unmarshal(slices.Concat([]byte{'"'}, quoted, []byte{'"'}), &text) != nil {
		return ""
	}
	return text
}

func (w *withdrawal) keepPage(line []byte) (bool, error) {
	url := urlText(line)
	out, ours := w.pages[url]
	if !ours && !w.full {
		return true, nil
	}
	var p PageRecord
	if err := json.Unmarshal(line, &p); err != nil {
		return false, fmt.Errorf("the record of %s: %w", url, err)
	}
	switch {
	case !ours:
		w.stays(&p)
		return true, nil
	case out || p.Digest != "":
		return false, fmt.Errorf("%w: %s has a page with status %d", errWithdraw, url, p.Status)
	}
	w.pages[url] = true
	w.taken.Pages++
	w.taken.Bytes += p.Bytes
	w.taken.WireBytes += p.WireBytes
	return false, w.rec.uncount(&p)
}

// stays keeps a broken link that stays, so that the report's list is as long as it was.
func (w *withdrawal) stays(p *PageRecord) {
	if p.Status < 400 || refuses(p.Status, p.Challenge, false) || len(w.spare) >= maxBroken {
		return
	}
	b := Broken{URL: p.URL, Status: p.Status, Via: p.Via}
	if p.From != "" {
		b.URL, b.End = p.From, p.URL
	}
	w.spare = append(w.spare, b)
}

func (w *withdrawal) keepSkip(line []byte) (bool, error) {
	var s gate.Skip
	if err := json.Unmarshal(line, &s); err != nil {
		return false, fmt.Errorf("a record of a refusal: %w", err)
	}
	at := refusedFor{s.URL, s.Reason}
	if w.skips[at] == 0 {
		return true, nil
	}
	w.skips[at]--
	return false, nil
}

func keepNone([]byte) (bool, error) { return false, nil }

// keepLinks, keepEdges and keepRow drop the links of a page. A redirect has no page.

func (w *withdrawal) keepLinks(line []byte) (bool, error) {
	if err := w.links.open(bytes.TrimSuffix(line, []byte{'\n'})); err != nil {
		return false, err
	}
	_, ours := w.pages[string(w.links.URL)]
	return !ours || w.links.Redirect, nil
}

func (w *withdrawal) keepEdges(line []byte) (bool, error) {
	_, ours := w.pages[urlText(line)]
	return !ours, nil
}

func (w *withdrawal) keepRow(line []byte) (bool, error) {
	source, err := rowSource(line)
	_, ours := w.pages[source]
	return !ours, err
}

// rowSource returns the first field of a row of edges.csv.
func rowSource(line []byte) (string, error) {
	field, quoted := bytes.CutPrefix(line, []byte{'"'})
	end := bytes.IndexByte(field, ',')
	if quoted {
		end = closingQuote(field)
	}
	if end < 0 {
		return "", fmt.Errorf("a row without a source: %.80q", line)
	}
	if field = field[:end]; quoted {
		field = bytes.ReplaceAll(field, []byte(`""`), []byte(`"`))
	}
	return string(field), nil
}

// closingQuote returns where a quoted field ends, -1 if it does not.
func closingQuote(field []byte) int {
	for i := 0; i < len(field); i++ {
		if field[i] != '"' {
			continue
		}
		if i+1 == len(field) || field[i+1] != '"' {
			return i
		}
		i++
	}
	return -1
}

// uncount takes back what count has counted of a page whose words did not count.
func (r *Recorder) uncount(p *PageRecord) error {
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return fmt.Errorf("%s: %w", p.URL, err)
	}
	s, ok := r.sites[u.Host()]
	if !ok {
		s, ok = r.sites[OtherSites]
	}
	if !ok || s.pages == 0 || r.status[p.Status] == 0 || !crawl.MayPass(p.Status) && r.cutOff == 0 {
		return fmt.Errorf("%w: nothing is counted of %s", errWithdraw, p.URL)
	}
	s.pages--
	r.changed(s)
	r.pages--
	r.bytes -= p.Bytes
	if !crawl.MayPass(p.Status) { // its body broke off
		r.good--
		r.cutOff--
	}
	takeOne(r.status, p.Status)
	mediaType := p.ContentType[:min(len(p.ContentType), maxTypeLength)]
	if _, known := r.types[mediaType]; !known {
		mediaType = otherType
	}
	takeOne(r.types, mediaType)
	takeOne(r.depths, min(p.Depth, maxDepths))
	return nil
}

func takeOne[K comparable](counts map[K]int, k K) {
	if counts[k]--; counts[k] <= 0 {
		delete(counts, k)
	}
}

// lists takes what is asked again out of the report's lists, and fills the list of broken links up.
func (w *withdrawal) lists() {
	r := w.rec
	r.unsaved.lists = true
	r.broken = slices.DeleteFunc(r.broken, func(b Broken) bool {
		_, ours := w.pages[b.URL]
		if b.End != "" {
			_, ours = w.pages[b.End]
		}
		return ours
	})
	r.failures = slices.DeleteFunc(r.failures, func(s gate.Skip) bool {
		_, page := w.pages[s.URL]
		_, skip := w.skips[refusedFor{s.URL, s.Reason}]
		return page && s.Reason == "" || skip
	})
	listed := map[string]bool{}
	for _, b := range r.broken {
		listed[b.URL], listed[b.End] = true, true
	}
	for _, b := range w.spare {
		if len(r.broken) < maxBroken && !listed[b.URL] {
			r.broken = append(r.broken, b)
		}
	}
}
