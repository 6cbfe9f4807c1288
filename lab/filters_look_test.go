package lab

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// LAB_PAGES=dir writes the comparison as text, JSON and HTML, to be looked at; of
// LAB_URLS=n generated URLs, or of LAB_CORPUS=file or directory.
func TestFiltersToLookAt(t *testing.T) {
	dir := os.Getenv("LAB_PAGES")
	if dir == "" {
		t.Skip("LAB_PAGES=dir writes the comparison there, of LAB_URLS=n generated URLs or of LAB_CORPUS=file or directory")
	}
	n, err := strconv.Atoi(os.Getenv("LAB_URLS"))
	if err != nil {
		n = 100_000
	}
	corpus, err := GenerateCorpus(context.Background(), CorpusConfig{MaxURLs: n, Seed: 1})
	if path := os.Getenv("LAB_CORPUS"); path != "" {
		corpus, err = LoadCorpus(context.Background(), path, CorpusConfig{Seed: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := Filters(context.Background(), FiltersConfig{Corpus: corpus, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, save := range map[string]func(*os.File) error{
		"filters.txt":  func(f *os.File) error { return s.Text(f) },
		"filters.json": func(f *os.File) error { return s.JSON(f) },
		"filters.html": func(f *os.File) error { return s.HTML(f) },
	} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := save(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
