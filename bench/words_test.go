package bench

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"crawler/parse"
	"github.com/cespare/xxhash/v2"
)

// text is a stream of words in pages, as bytes and as hashes.
type text struct {
	name   string
	real   bool
	pages  [][]uint64
	words  [][]byte
	hashes []uint64 // of words
}

// maxWords bounds how much of a text is read.
const maxWords = 1 << 20

// add adds a page.
func (x *text) add(words [][]byte) {
	start := len(x.hashes)
	for _, w := range words {
		x.words = append(x.words, w)
		x.hashes = append(x.hashes, xxhash.Sum64(w))
	}
	x.pages = append(x.pages, x.hashes[start:len(x.hashes):len(x.hashes)])
}

// texts returns a real text and a generated one.
func texts(t testing.TB) []*text { return []*text{realText(t), zipfText()} }

// realText returns the words of the HTML documents in BENCH_TEXT, or of those
// the parser is tested with.
func realText(t testing.TB) *text {
	name := os.Getenv("BENCH_TEXT")
	x := &text{name: "words of " + filepath.Base(name), real: true}
	if name == "" {
		name, x.name = "../parse/testdata", "words of the parser's test data"
	}
	err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || len(x.words) >= maxWords {
			return err
		}
		body, err := os.ReadFile(path)
		x.add(wordsOf(t, body))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(x.words) == 0 {
		t.Fatalf("no words in %s", name)
	}
	return x
}

// wordsOf returns the words of a document.
func wordsOf(t testing.TB, body []byte) (words [][]byte) {
	p := parse.New(parse.Options{OnWord: func(w []byte) { words = append(words, slices.Clone(w)) }})
	if err := p.Parse(parse.Input{Body: body}, &parse.Page{}); err != nil {
		t.Log(err)
	}
	return words
}

// zipfText returns words whose frequencies fall as those of a language do.
func zipfText() *text {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.05, 2, 1<<20)
	x := &text{name: "Zipf text"}
	for len(x.words) < maxWords/2 {
		page := make([][]byte, 1000)
		for i := range page {
			page[i] = strconv.AppendUint([]byte("word"), zipf.Uint64(), 36)
		}
		x.add(page)
	}
	return x
}

// different returns how many different words there are.
func (x *text) different() int {
	seen := map[uint64]bool{}
	for _, h := range x.hashes {
		seen[h] = true
	}
	return len(seen)
}

// counter makes an empty sketch, and says how it counts all words and what memory
// it then has, 0 if that is not known.
type counter struct {
	name  string
	empty func() (count func(), bytes func() int)
}

// entries gives all words to each counter: to an empty one, or to one that has
// seen them all before, as most words of a crawl have been.
func (x *text) entries(again bool, counters []counter) (entries []*entry) {
	for _, c := range counters {
		e := &entry{name: c.name, n: len(x.words), tries: tries}
		run, bytes := c.empty()
		run()
		e.bytes = int64(bytes())
		e.run = func() { run() }
		if !again {
			e.before = func() { run, _ = c.empty() }
		}
		entries = append(entries, e)
	}
	return entries
}

// each calls add with the hash of every word.
func (x *text) each(add func(h uint64)) func() {
	return func() {
		for _, h := range x.hashes {
			add(h)
		}
	}
}

// eachPage calls add with the hashes of every page.
func (x *text) eachPage(add func(hashes []uint64)) func() {
	return func() {
		for _, page := range x.pages {
			add(page)
		}
	}
}

// size is the memory of a counter that does not tell.
func size(bytes int) func() int { return func() int { return bytes } }
