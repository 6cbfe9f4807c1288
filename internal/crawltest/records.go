package crawltest

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"crawler/report"
)

// ReadPages reads a pages.jsonl.
func ReadPages(t *testing.T, name string) []report.PageRecord {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var pages []report.PageRecord
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 4<<20)
	for sc.Scan() {
		var p report.PageRecord
		if err := json.Unmarshal(sc.Bytes(), &p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pages = append(pages, p)
	}
	if err := sc.Err(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return pages
}
