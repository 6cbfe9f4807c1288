package crawler_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// callsBack are the packages that call their users' code from goroutines of their own: a
// Recorder, a handler. (graph/bsp calls a graph's Scan so; whoever brings no graph of a type of
// its own has nothing called. graph/survey does, and crawls in its tests.)
var callsBack = []string{"crawl", "internal/memweb", "internal/hostile"}

// startsGoroutines are the calls that run a function in a goroutine or serve by one:
// sync.WaitGroup's and errgroup.Group's Go, testing's Parallel, net/http's servers.
var startsGoroutines = []string{"Go", "AfterFunc", "Parallel", "RunParallel", "NewServer", "NewTLSServer",
	"NewUnstartedServer", "ListenAndServe", "Serve"}

// The packages of the Makefile's list SERIAL are tested without the race detector. None of
// them starts a goroutine, its tests included, and none has its code called from one: the
// detector could find nothing there, at ten times the cost. A package that is not in the list
// is tested under the detector too, so whoever adds one need do nothing.
func TestSerialPackagesStartNoGoroutine(t *testing.T) {
	prefix := module(t) + "/"
	serial := serialPackages(t)
	for _, dir := range serial {
		if _, ok := rooms[dir]; !ok && dir != "." {
			t.Errorf("the Makefile's SERIAL lists %s, which is no package", dir)
		}
		for _, reason := range concurrency(t, prefix, dir) {
			t.Errorf("%s: take %s out of the Makefile's SERIAL", reason, dir)
		}
	}
	for _, dir := range pure {
		if !slices.Contains(serial, dir) {
			t.Errorf("%s is pure: the Makefile's SERIAL should list it", dir)
		}
	}
	for _, dir := range []string{"crawl", "store", "report", "graph", "graph/bsp", "internal/durable"} {
		if len(concurrency(t, prefix, dir)) == 0 {
			t.Errorf("%s seems to start no goroutine: what this test looks for has changed", dir)
		}
	}
}

// serialPackages reads the folders of the Makefile's list.
func serialPackages(t *testing.T) (dirs []string) {
	t.Helper()
	data, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^SERIAL = ((?:.*\\\n)*.*)`).FindSubmatch(data)
	if list == nil {
		t.Fatal("the Makefile has no list SERIAL")
	}
	for dir := range strings.FieldsSeq(strings.ReplaceAll(string(list[1]), "\\\n", " ")) {
		dirs = append(dirs, path.Clean(dir))
	}
	return dirs
}

// concurrency returns why the files of a folder, tests included, need the race detector.
func concurrency(t *testing.T, module, dir string) (reasons []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has no Go files, %v", dir, err)
	}
	for _, name := range names {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		at := func(n ast.Node) string { return set.Position(n.Pos()).String() }
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				reasons = append(reasons, at(n)+" starts a goroutine")
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(startsGoroutines, s.Sel.Name) {
					reasons = append(reasons, at(n)+" calls "+s.Sel.Name)
				}
			case *ast.ImportSpec:
				name := strings.TrimPrefix(strings.Trim(n.Path.Value, `"`), module)
				if name == "testing/synctest" || slices.Contains(callsBack, name) {
					reasons = append(reasons, at(n)+" imports "+name)
				}
			}
			return true
		})
	}
	return reasons
}
