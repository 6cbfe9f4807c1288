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
	serial := packagesIn(t, "SERIAL")
	for _, dir := range serial {
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

// The packages of the Makefile's list QUIET are tested without the race detector, too: their code
// starts goroutines or is called from some, but their own tests (benchmarks aside) start none.
// This sees those that tests start themselves, not what the code does that they call. For that,
// run such a package's tests with a TestMain that reads /sched/goroutines-created:goroutines of
// runtime/metrics: with GOGC=off it is the number of tests.
func TestQuietPackagesTestsStartNoGoroutine(t *testing.T) {
	for _, dir := range packagesIn(t, "QUIET") {
		reasons := concurrency(t, module(t)+"/", dir)
		if len(reasons) == 0 {
			t.Errorf("%s starts no goroutine at all: it belongs into the Makefile's SERIAL", dir)
		}
		for _, reason := range reasons {
			file, _, _ := strings.Cut(reason, ":")
			if !strings.HasSuffix(file, "_test.go") || strings.HasSuffix(reason, " imports crawl") || strings.HasSuffix(file, "_bench_test.go") {
				continue
			}
			t.Errorf("%s: take %s out of the Makefile's QUIET", reason, dir)
		}
	}
}

// packagesIn reads the folders of one of the Makefile's lists.
func packagesIn(t *testing.T, list string) (dirs []string) {
	t.Helper()
	for _, dir := range wordsIn(t, list) {
		dir = path.Clean(dir)
		if _, ok := rooms[dir]; !ok && dir != "." {
			t.Errorf("the Makefile's %s lists %s, which is no package", list, dir)
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// wordsIn reads one of the Makefile's lists.
func wordsIn(t *testing.T, list string) []string {
	t.Helper()
	data, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^` + list + ` = ((?:.*\\\n)*.*)`).FindSubmatch(data)
	if found == nil {
		t.Fatalf("the Makefile has no list %s", list)
	}
	return strings.Fields(strings.ReplaceAll(string(found[1]), "\\\n", " "))
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
