package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"crawler/store"
)

// preparedCrawl records the same pages, each of which was prepared, by prepare, or not.
func preparedCrawl(t *testing.T, prepare func(*Recorder, []int, func(i int) func())) (files map[string][]byte, rep Report) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "crawl")
	d, err := store.Create(store.Disk(), dir, store.Meta{}, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewRecorder(Config{Dir: d, Seed: 7, Exact: true, Edges: true})
	if err != nil {
		t.Fatal(err)
	}
	pages := benchPages(new(testing.B), 60)
	pages[3].Page.NoIndex, pages[4].Page.Words, pages[5].Status, pages[6].CutOff = true, nil, 404, true
	pages[6].ParseErr = os.ErrClosed
	order := make([]int, len(pages))
	for i := range order {
		order[i] = i
	}
	prepare(r, order, func(i int) func() { return func() { r.Prepare(pages[i]) } })
	for _, v := range pages {
		if err := r.Page(v); err != nil {
			t.Fatal(err)
		}
	}
	// The same Visit again, with the same URL and another text, not prepared.
	v := pages[0]
	v.Page.Words, v.Page.Title = append([]uint64{1, 2, 3}, v.Page.Words[:90]...), "another"
	if err := r.Page(v); err != nil {
		t.Fatal(err)
	}
	r.Fill(&rep)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	files = map[string][]byte{}
	for _, name := range []string{PagesFile, LinksFile, EdgesFile} {
		if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return files, rep
}

// It makes no difference whether a page was prepared, by whom, and how often.
func TestPrepared(t *testing.T) {
	want, wantRep := preparedCrawl(t, func(*Recorder, []int, func(int) func()) {})
	if n := bytes.Count(want[PagesFile], []byte("\n")); n != 61 || len(want[LinksFile]) == 0 {
		t.Fatalf("%d pages, %d bytes of links", n, len(want[LinksFile]))
	}
	for name, prepare := range map[string]func(*Recorder, []int, func(int) func()){
		"once": func(_ *Recorder, all []int, prepare func(int) func()) {
			for _, i := range all {
				prepare(i)()
			}
		},
		"twice, some": func(_ *Recorder, all []int, prepare func(int) func()) {
			for _, i := range all {
				if i%3 > 0 {
					prepare(i)()
					prepare(i)()
				}
			}
		},
		"by eight at once": func(_ *Recorder, all []int, prepare func(int) func()) {
			var workers sync.WaitGroup
			for w := range 8 {
				workers.Go(func() {
					for _, i := range all {
						if i%8 == w {
							prepare(i)()
						}
					}
				})
			}
			workers.Wait()
		},
	} {
		got, rep := preparedCrawl(t, prepare)
		for file := range want {
			if !bytes.Equal(got[file], want[file]) {
				t.Errorf("%s: %s differs", name, file)
			}
		}
		if !reflect.DeepEqual(rep, wantRep) {
			t.Errorf("%s: %s, want %s", name, fmt.Sprint(rep), fmt.Sprint(wantRep))
		}
	}
}

// What an enormous page took does not stay with the Visit that the next page is read into.
func TestEnormousPagesAreForgotten(t *testing.T) {
	for _, words := range []int{100, 200_000} {
		r := newRecorder(Config{Seed: 1})
		v := visit(t, "http://a.example/", 200)
		for i := range words {
			v.Page.Words = append(v.Page.Words, uint64(i+1)*0x9e3779b97f4a7c15)
		}
		r.Prepare(v)
		forget(v)
		if kept := v.Prepared != nil; kept != (words == 100) {
			t.Errorf("%d words: kept %v", words, kept)
		}
	}
}
