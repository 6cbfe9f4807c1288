package parse

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPagesAsGoquery holds the parser against goquery on the committed pages,
// each of which collects constructs of one sort.
func TestPagesAsGoquery(t *testing.T) {
	paths, err := filepath.Glob("testdata/pages/*.html")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d pages, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			newComparer(t).compare("http://docs.example/a/b/"+filepath.Base(path), "text/html", body)
		})
	}
}
