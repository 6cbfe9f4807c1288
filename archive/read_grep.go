package archive

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"crawler/chunk"
	"crawler/dedup"
	"crawler/parse"
	"crawler/warc"
	"crawler/weburl"
)

// maxPage is how many bytes of a page are read for its words.
const maxPage = 64 << 20

// WordOf returns the hash of a word as pages are searched for it: lower-cased, and what a page's
// text with it alone would count. It is an error if the text is no word, or several.
func WordOf(text string) (uint64, error) {
	var page parse.Page
	err := parse.New(parse.Options{}).Parse(parse.Input{ContentType: "text/plain; charset=utf-8", Body: []byte(text)}, &page)
	if err == nil && len(page.Words) != 1 {
		err = fmt.Errorf("%q is %d words, want one", text, len(page.Words))
	}
	if err != nil {
		return 0, err
	}
	return page.Words[0], nil
}

// Grep gives fn the URL of each page, once, whose text has the word, in the order of the archives.
// It reads the chunks whose filters do not deny the word, and what no filter covers. Memory: some
// 10 bytes for each URL that it gives.
func Grep(dirs []string, word uint64, fn func(url string) error) (out Readout, err error) {
	g := &grep{dirs: dirs, parser: parse.New(parse.Options{}), word: word, fn: fn}
	for _, dir := range dirs {
		err := scan(dir, WordsFile, []uint64{word}, &out, func(path string, _ *warc.Reader, f *warc.Found) error { return g.record(path, f) })
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

type grep struct {
	dirs   []string
	parser *parse.Parser
	page   parse.Page
	word   uint64
	given  dedup.Set // URLs
	fn     func(url string) error
}

// record looks for the word in a record.
func (g *grep) record(path string, f *warc.Found) error {
	url := f.TargetURI()
	if !isAnswer(f) || isRobots(url) {
		return nil
	}
	if g.given.Has(chunk.OfURL(url)) {
		return nil
	}
	has := false
	p := &Place{Path: path, Offset: f.Offset, Header: f.Header}
	look := func(_ *Place, m *Message) (err error) {
		has, err = g.has(url, m)
		return err
	}
	var err error
	if f.Get(warc.FieldType) == warc.Response {
		m, failed := open(f)
		if failed != nil {
			return passDamage(failed) // no HTTP: it has no words
		}
		err = look(p, m)
	} else {
		_, err = Answer(g.dirs, p, look)
	}
	if err = passDamage(err); err != nil || !has {
		return err
	}
	g.given.Add(chunk.OfURL(url))
	return g.fn(url)
}

// passDamage returns what is no fault of one answer: an error of the disk, or damage, which the
// reader tells. A body that cannot be decoded has no words.
func passDamage(err error) error {
	var d *warc.Damage
	if errors.As(err, &d) {
		return err
	}
	return nil
}

// has reports whether the text of a page has the word.
func (g *grep) has(url string, m *Message) (bool, error) {
	if !hasWords(m.Status) {
		return false, nil
	}
	err := g.parse(url, m)
	return slices.Contains(g.page.Words, g.word), err
}

// parse reads the text of a page.
func (g *grep) parse(url string, m *Message) error {
	g.page.Reset()
	body, err := io.ReadAll(io.LimitReader(m.Body, maxPage))
	if err != nil && len(body) == 0 {
		return err
	}
	u, _ := weburl.Parse(url) // the zero URL will do: links do not matter
	// What cannot be read has no words.
	g.parser.Parse(parse.Input{URL: u, ContentType: m.Header.Get("Content-Type"), Body: body}, &g.page)
	return nil
}

// words returns the words of an answer, valid until the next call.
func (g *grep) words(f *warc.Found) ([]uint64, error) {
	m, err := open(f)
	switch {
	case f.Get(warc.FieldType) != warc.Response:
		return nil, errNoWords
	case err != nil:
		return nil, passDamage(err)
	case !hasWords(m.Status) || isRobots(f.TargetURI()):
		return nil, nil
	}
	err = passDamage(g.parse(f.TargetURI(), m))
	return g.page.Words, err
}

// isRobots reports whether a URL is that of a robots.txt, which is no page, whatever it has.
func isRobots(url string) bool {
	return strings.HasSuffix(url, "/robots.txt") && strings.Count(url, "/") == 3
}

// hasWords reports whether an answer is a page whose words count.
func hasWords(status int) bool { return status >= 200 && status < 300 }
