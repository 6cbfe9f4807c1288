package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"crawler/report"
)

func readPages(t *testing.T, name string) []report.PageRecord {
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
	return pages
}

func readRecords[T any](t *testing.T, name string, key func(T) string) map[string]T {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]T{}
	for line := range strings.Lines(string(data)) {
		var r T
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[key(r)] = r
	}
	return all
}

func note[V any](t *testing.T, m map[string]V, url string, v V) {
	t.Helper()
	if _, ok := m[url]; ok {
		t.Errorf("%s has two records", url)
	}
	m[url] = v
}

// eachLine decodes a file of JSON lines, of which the last must be whole, too.
func eachLine[R any](t *testing.T, name string, do func(R)) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		t.Errorf("%s ends in a torn line", name)
	}
	for line := range bytes.Lines(data) {
		var r R
		if err := json.Unmarshal(line, &r); err != nil {
			t.Errorf("%s: %v in %q", name, err, line)
			continue
		}
		do(r)
	}
}
