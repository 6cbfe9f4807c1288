package crawler_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms is who may import whom: each package with the packages of this module that
// its code (tests aside) may import. The reasoning stands in docs/design; change the
// table only together with it.
var rooms = map[string][]string{
	"weburl":                           {},
	"stats":                            {"internal/binform", "internal/splitmix"},
	"frontier":                         {"weburl", "internal/binform", "internal/splitmix"},
	"dedup":                            {"stats", "weburl", "internal/binform", "internal/splitmix"},
	"parse":                            {"weburl"},
	"fetch":                            {"weburl", "internal/inflate"},
	"store":                            {"internal/sums"},
	"trap":                             {"parse", "weburl", "internal/binform"},
	"gate":                             {"dedup", "frontier", "parse", "stats", "trap", "weburl", "internal/binform"},
	"near":                             {"dedup"},
	"ledger":                           {"dedup", "frontier", "weburl"},
	"ledger/disk":                      {"frontier", "ledger", "store"},
	"crawl":                            {"fetch", "frontier", "gate", "ledger", "parse", "weburl", "internal/room"},
	"report":                           {"chunk", "crawl", "dedup", "fetch", "gate", "parse", "stats", "store", "trap", "weburl", "internal/binform", "internal/durable", "internal/sums", "near"},
	"graph":                            {},
	"graph/bsp":                        {"stats", "internal/splitmix"},
	"report/shards":                    {"crawl", "dedup", "frontier", "gate", "ledger/disk", "report", "store", "weburl", "internal/sums"},
	"graph/survey":                     {"crawl", "gate", "graph", "graph/bsp", "parse", "report", "report/shards", "stats", "store", "internal/durable", "internal/sheet", "internal/sums"},
	"chunk":                            {"dedup", "internal/binform"},
	"lab":                              {"chunk", "dedup", "frontier", "graph", "graph/bsp", "parse", "report", "stats", "weburl", "internal/sheet", "ring", "internal/splitmix", "near"},
	"internal/binform":                 {},
	"internal/bigsite":                 {"internal/splitmix"},
	"internal/crawltest":               {"report"},
	"internal/durable":                 {},
	"internal/hostile":                 {"internal/bigsite", "internal/mazes"},
	"internal/inflate":                 {},
	"internal/mazes":                   {},
	"internal/memweb":                  {},
	"internal/demosite":                {},
	"internal/noprometheus/prometheus": {},
	"internal/sheet":                   {},
	"internal/splitmix":                {},
	"internal/sums":                    {},
	"configs":                          {},
	"cmd/crawler":                      {"cmd/crawler/internal/archivecmd", "cmd/crawler/internal/benchcmd", "cmd/crawler/internal/checkcmd", "cmd/crawler/internal/clustercmd", "cmd/crawler/internal/crawlcmd", "cmd/crawler/internal/graphcmd", "cmd/crawler/internal/labcmd", "cmd/crawler/internal/readcmd", "cmd/crawler/internal/shell", "cmd/crawler/internal/diffcmd"},
	"cluster":                          {"crawl", "ring", "store", "weburl", "internal/durable"},
	"cluster/broker":                   {},
	"cmd/crawler/internal/clustercmd":  {"cluster", "cluster/broker", "crawl", "dedup", "fetch", "frontier", "report", "report/shards", "store", "weburl", "internal/durable", "cmd/crawler/internal/crawlcmd", "cmd/crawler/internal/crawldir", "cmd/crawler/internal/procinfo", "cmd/crawler/internal/settings", "cmd/crawler/internal/shell"},
	"cmd/crawler/internal/shell":       {"report", "weburl"},
	"cmd/crawler/internal/procinfo":    {"report"},
	"cmd/crawler/internal/settings":    {"archive", "warc", "crawl", "dedup", "fetch", "frontier", "gate", "parse", "trap", "weburl", "cmd/crawler/internal/procinfo", "cmd/crawler/internal/shell"},
	"cmd/crawler/internal/crawldir":    {"crawl", "report", "report/shards", "store", "internal/sums", "cmd/crawler/internal/shell"},
	"cmd/crawler/internal/sheetflags":  {"internal/durable", "internal/sheet", "cmd/crawler/internal/shell"},
	"cmd/crawler/internal/crawlcmd":    {"archive", "crawl", "fetch", "frontier", "gate", "ledger/disk", "report", "store", "weburl", "internal/demosite", "cmd/crawler/internal/crawldir", "cmd/crawler/internal/procinfo", "cmd/crawler/internal/settings", "cmd/crawler/internal/shell"},
	"cmd/crawler/internal/archivecmd":  {"archive", "archive/replay", "internal/durable", "report", "weburl", "cmd/crawler/internal/crawldir", "cmd/crawler/internal/shell"},
	"cmd/crawler/internal/readcmd":     {"crawl", "fetch", "frontier", "ledger", "ledger/disk", "report", "report/shards", "store", "internal/sums", "weburl", "cmd/crawler/internal/crawldir", "cmd/crawler/internal/shell"},
	"cmd/crawler/internal/graphcmd":    {"graph", "graph/bsp", "graph/survey", "report", "report/shards", "store", "weburl", "internal/sheet", "cmd/crawler/internal/crawldir", "cmd/crawler/internal/sheetflags", "cmd/crawler/internal/shell"},
	"cmd/crawler/internal/checkcmd":    {"archive", "chunk", "crawl", "frontier", "graph", "graph/survey", "ledger", "ledger/disk", "report", "report/shards", "store", "internal/durable", "internal/sums", "cmd/crawler/internal/crawldir", "cmd/crawler/internal/settings", "cmd/crawler/internal/shell"},
	"cmd/crawler/internal/labcmd":      {"frontier", "lab", "internal/sheet", "cmd/crawler/internal/sheetflags", "cmd/crawler/internal/shell"},
	"cmd/crawler/internal/benchcmd":    {"dedup", "report", "weburl", "internal/bigsite", "internal/sheet", "cmd/crawler/internal/crawlcmd", "cmd/crawler/internal/procinfo", "cmd/crawler/internal/settings", "cmd/crawler/internal/shell"},
	"diff":                             {"dedup", "weburl"},
	"ring":                             {"internal/splitmix"},
	"cmd/crawler/internal/diffcmd":     {"crawl", "diff", "frontier", "report", "store", "cmd/crawler/internal/crawldir", "cmd/crawler/internal/shell"},
	"internal/room":                    {},
	"archive":                          {"chunk", "parse", "weburl", "internal/durable", "internal/sums", "crawl", "dedup", "fetch", "store", "warc"},
	"archive/replay":                   {"archive", "chunk", "weburl"},
	"warc":                             {},
}

// pure packages take time, randomness and bytes as arguments: none of these may be
// imported there. (math/rand/v2 may: its seeded generators are pure.)
var (
	pure      = []string{"weburl", "stats", "frontier", "dedup", "chunk", "diff", "ring", "parse", "trap", "gate", "warc"}
	forbidden = []string{"sync", "sync/atomic", "log", "log/slog", "os", "net/http", "math/rand", "crypto/rand"}
)

func TestRooms(t *testing.T) {
	found := map[string]bool{}
	ours := module(t) + "/"
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || name == "bench" || strings.HasPrefix(name, ".") && path != "." {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			dir := filepath.ToSlash(filepath.Dir(path))
			found[dir] = checkImports(t, ours, dir, path) || found[dir]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, documented := range found {
		if !documented {
			t.Errorf("%s has no package comment", dir)
		}
	}
	for dir := range rooms {
		if _, ok := found[dir]; !ok {
			t.Errorf("the table lists %s, which has no Go files", dir)
		}
	}
}

// module is this module's path, as go.mod has it, so that the table holds under any name.
func module(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	path, ok := strings.CutPrefix(first, "module ")
	if !ok {
		t.Fatalf("go.mod begins with %q, not with the module's path", first)
	}
	return strings.TrimSpace(path)
}

// checkImports holds one file against the table and reports whether it carries the
// package comment.
func checkImports(t *testing.T, module, dir, path string) (documented bool) {
	allowed, listed := rooms[dir]
	if !listed {
		t.Errorf("%s is in no room of the table", path)
		return true
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, imp := range f.Imports {
		name, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if ours, ok := strings.CutPrefix(name, module); ok && !slices.Contains(allowed, ours) {
			t.Errorf("%s imports %s, which the table does not allow %s", path, ours, dir)
		}
		if slices.Contains(pure, dir) && slices.Contains(forbidden, name) {
			t.Errorf("%s imports %s; %s is a pure package", path, name, dir)
		}
	}
	return f.Doc != nil && len(f.Doc.Text()) > 80
}

// mostPackages is how many packages outside the standard library a program brings along that
// crawls in memory.
const mostPackages = 100

// others returns the packages outside the standard library that come along with one of ours.
func others(t *testing.T, pkg string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", pkg).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// Whoever crawls in memory, in a test of one's own site, brings along neither the database
// nor plots: those come with ledger/disk, report and lab.
func TestACrawlInMemoryIsSmall(t *testing.T) {
	list := others(t, "./crawl")
	if len(list) < 20 || len(list) > mostPackages {
		t.Errorf("crawl brings %d packages along, at most %d may be", len(list), mostPackages)
	}
	for _, p := range list {
		if strings.Contains(p, "pebble") || strings.Contains(p, "gonum") {
			t.Errorf("crawl brings %s along", p)
		}
	}
}

// The verbs that crawl stay free of plots and sheets; those that compare and survey have them.
func TestVerbsThatCrawlBringNoPlots(t *testing.T) {
	brings := func(pkg string) (found string) {
		for _, p := range others(t, "./cmd/crawler/internal/"+pkg) {
			if strings.Contains(p, "gonum.org") || strings.HasSuffix(p, "internal/sheet") || strings.HasSuffix(p, "/lab") || strings.Contains(p, "/graph") {
				found = p
			}
		}
		return found
	}
	for pkg, plots := range map[string]bool{"crawlcmd": false, "diffcmd": false, "readcmd": false, "labcmd": true, "graphcmd": true} {
		if found := brings(pkg); (found != "") != plots {
			t.Errorf("%s brings along %q", pkg, found)
		}
	}
}

// natsAt is who may know NATS: the room that speaks it, the broker of our own, and the command.
var natsAt = map[string][]string{
	"github.com/nats-io/nats.go":        {"cluster", "cmd/crawler/internal/clustercmd"},
	"github.com/nats-io/nats-server/v2": {"cluster/broker"},
}

// The broker and its client stay where they can be replaced.
func TestOnlyTheClusterKnowsNATS(t *testing.T) {
	found := map[string]bool{}
	for dir := range rooms {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, imp := range f.Imports {
				for module, at := range natsAt {
					if !strings.HasPrefix(strings.Trim(imp.Path.Value, `"`), module) {
						continue
					}
					if found[module] = true; !slices.Contains(at, dir) {
						t.Errorf("%s imports %s", name, imp.Path.Value)
					}
				}
			}
		}
	}
	if len(found) != len(natsAt) {
		t.Errorf("found imports of %v only", found)
	}
}
