package crawler_test

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	glossaryEntry = regexp.MustCompile(`(?s)^\*\*([^*]+)\*\*: (.+)$`)
	dottedCode    = regexp.MustCompile("`([^` ]+)\\.([^` ]+)`")
)

// The glossary has each term once, in order, and names no type that is not there: whoever
// renames one finds its entry.
func TestGlossary(t *testing.T) {
	_, list, _ := strings.Cut(readText(t, "docs/glossary.md"), "\n- ")
	folders := map[string]string{}
	for dir := range rooms {
		folders[path.Base(dir)] = dir
	}
	names := map[string]map[string]bool{}
	var terms []string
	for _, text := range strings.Split(list, "\n- ") {
		e := glossaryEntry.FindStringSubmatch(text)
		if e == nil {
			t.Errorf("not \"**term**: text\": %s", text)
			continue
		}
		terms = append(terms, strings.ToLower(e[1]))
		for _, n := range dottedCode.FindAllStringSubmatch(e[2], -1) {
			dir, ok := folders[n[1]]
			if !ok {
				t.Errorf("%s: there is no package %s", e[1], n[1])
				continue
			}
			if names[dir] == nil {
				names[dir] = declaredNames(t, dir)
			}
			if !names[dir][n[2]] {
				t.Errorf("%s: package %s declares no %s", e[1], n[1], n[2])
			}
		}
	}
	if len(terms) < 50 || len(names) < 10 {
		t.Errorf("only %d terms of %d packages were found", len(terms), len(names))
	}
	for i := 1; i < len(terms); i++ {
		if terms[i-1] >= terms[i] {
			t.Errorf("%q stands before %q", terms[i-1], terms[i])
		}
	}
}

var markdownLink = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// Every page of docs is in the index, and every link leads somewhere.
func TestDocs(t *testing.T) {
	pages := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			pages = append(pages, filepath.ToSlash(name))
		}
	}
	const index = "docs/README.md"
	listed := map[string]int{index: 1}
	links := 0
	for _, page := range pages {
		for _, m := range markdownLink.FindAllStringSubmatch(readText(t, page), -1) {
			file, _, _ := strings.Cut(m[1], "#")
			if file == "" || strings.Contains(file, ":") { // a place on the page; a URL
				continue
			}
			links++
			file = path.Join(path.Dir(page), file)
			if _, err := os.Stat(filepath.FromSlash(file)); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", page, m[1])
			}
			if page == index {
				listed[file]++
			}
		}
	}
	for _, page := range pages {
		if n := listed[page]; n != 1 && strings.HasPrefix(page, "docs/") {
			t.Errorf("%s stands %d times in %s", page, n, index)
		}
	}
	if len(pages) < 30 || links < 60 {
		t.Errorf("only %d pages and %d links were found", len(pages), links)
	}
}

// The README is read in one go: what is longer stands in docs.
func TestReadmeIsShort(t *testing.T) {
	const most = 150
	if n := strings.Count(readText(t, "README.md"), "\n"); n > most {
		t.Errorf("README.md has %d lines, at most %d may be", n, most)
	}
}

// declaredNames are the names that a package declares at its top level, methods aside.
func declaredNames(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, f := range parseDir(t, dir) {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[d.Name.Name] = names[d.Name.Name] || d.Recv == nil
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[n.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

func readText(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
