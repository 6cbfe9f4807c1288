package crawler_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The tests of the Makefile's list LONG are those of packages with goroutines that are smaller
// under -short, or left out: without the race detector, at their full size, only they are run
// besides the packages that are not run under it. All others it would only repeat.
func TestLongListsWhatShortLeavesOut(t *testing.T) {
	var want []string
	once := append(packagesIn(t, "SERIAL"), packagesIn(t, "QUIET")...)
	for dir := range rooms {
		if !slices.Contains(once, dir) {
			want = append(want, shorter(t, dir)...)
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	got := wordsIn(t, "LONG")
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the Makefile's LONG should be\n%s", strings.Join(want, " "))
	}
}

// shorter returns the tests of a folder that ask testing.Short or use raceScale, what sizes are
// divided by under the race detector, or call a function of the folder's tests that does.
func shorter(t *testing.T, dir string) (tests []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string][]string{}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					calls[fn.Name.Name] = append(calls[fn.Name.Name], n.Sel.Name)
				case *ast.Ident:
					calls[fn.Name.Name] = append(calls[fn.Name.Name], n.Name)
				}
				return true
			})
		}
	}
	asks := map[string]bool{"Short": true, "raceScale": true}
	for more := true; more; {
		more = false
		for fn, names := range calls {
			if !asks[fn] && slices.ContainsFunc(names, func(n string) bool { return asks[n] }) {
				asks[fn], more = true, true
			}
		}
	}
	for fn := range asks {
		if strings.HasPrefix(fn, "Test") {
			tests = append(tests, fn)
		}
	}
	return tests
}
