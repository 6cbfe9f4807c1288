package crawler_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// How large a type of the engine may become. The coordinator once had 92 methods and 50
// fields, and every file of it called every other.
const (
	mostFields  = 20 // of a struct that is not exported
	mostMethods = 30
)

// engine are the rooms that the limits hold in.
var engine = []string{"gate", "ledger", "crawl"}

// declared is what a package's source says of a type.
type declared struct {
	fields   int      // its own, without embedded ones
	embedded []string // names, with the package's folder before the dot
	methods  []string
	isStruct bool
}

// Fields and methods are counted with those of embedded types.
func TestNoTypeIsTheWholeProgram(t *testing.T) {
	prefix := module(t) + "/"
	types := map[string]*declared{}
	for dir := range rooms {
		readTypes(t, prefix, dir, types)
	}
	checked := 0
	for _, name := range slices.Sorted(maps.Keys(types)) {
		dir, typ, _ := strings.Cut(name, ".")
		if !slices.Contains(engine, dir) {
			continue
		}
		checked++
		fields, methods := counted(types, name, map[string]bool{})
		if d := types[name]; d.isStruct && !ast.IsExported(typ) && fields > mostFields {
			t.Errorf("%s has %d fields, at most %d may be", name, fields, mostFields)
		}
		if len(methods) > mostMethods {
			t.Errorf("%s has %d methods, at most %d may be", name, len(methods), mostMethods)
		}
		if testing.Verbose() && (fields > mostFields/2 || len(methods) > mostMethods/2) {
			t.Logf("%s: %d fields, %d methods", name, fields, len(methods))
		}
	}
	if checked < 50 {
		t.Errorf("only %d types were found in %v", checked, engine)
	}
}

// counted returns the fields and the names of the methods of a type, those of embedded
// types included.
func counted(types map[string]*declared, name string, seen map[string]bool) (fields int, methods map[string]bool) {
	methods = map[string]bool{}
	d, ok := types[name]
	if !ok || seen[name] {
		return 1, methods // a type of somebody else's is one field
	}
	seen[name] = true
	for _, m := range d.methods {
		methods[m] = true
	}
	fields = d.fields
	for _, e := range d.embedded {
		n, more := counted(types, e, seen)
		fields += n
		maps.Copy(methods, more)
	}
	return fields, methods
}

// parseDir reads the files of a folder, tests aside.
func parseDir(t *testing.T, dir string) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if files[name], err = parser.ParseFile(token.NewFileSet(), name, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// readTypes adds what the files of a folder declare.
func readTypes(t *testing.T, prefix, dir string, types map[string]*declared) {
	t.Helper()
	of := func(name string) *declared {
		if types[name] == nil {
			types[name] = &declared{}
		}
		return types[name]
	}
	for _, f := range parseDir(t, dir) {
		folders := map[string]string{}
		for _, imp := range f.Imports {
			if path, ok := strings.CutPrefix(strings.Trim(imp.Path.Value, `"`), prefix); ok {
				folders[path[strings.LastIndex(path, "/")+1:]] = path
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					d := of(dir + "." + typeName(n.Recv.List[0].Type, "", nil))
					d.methods = append(d.methods, n.Name.Name)
				}
				return false
			case *ast.TypeSpec:
				readType(of(dir+"."+n.Name.Name), dir, n.Type, folders)
			}
			return true
		})
	}
}

// readType adds a type's fields, or an interface's methods.
func readType(d *declared, dir string, expr ast.Expr, folders map[string]string) {
	switch x := expr.(type) {
	case *ast.StructType:
		d.isStruct = true
		for _, f := range x.Fields.List {
			if len(f.Names) == 0 {
				d.embedded = append(d.embedded, typeName(f.Type, dir, folders))
			}
			d.fields += len(f.Names)
		}
	case *ast.InterfaceType:
		for _, f := range x.Methods.List {
			if len(f.Names) == 0 {
				d.embedded = append(d.embedded, typeName(f.Type, dir, folders))
				continue
			}
			d.methods = append(d.methods, f.Names[0].Name)
		}
	}
}

// typeName is the name of a type, with its package's folder if dir is given.
func typeName(expr ast.Expr, dir string, folders map[string]string) string {
	switch x := expr.(type) {
	case *ast.StarExpr:
		return typeName(x.X, dir, folders)
	case *ast.IndexExpr:
		return typeName(x.X, dir, folders)
	case *ast.Ident:
		if dir == "" {
			return x.Name
		}
		return dir + "." + x.Name
	case *ast.SelectorExpr:
		return folders[x.X.(*ast.Ident).Name] + "." + x.Sel.Name
	}
	return ""
}

// The coordinator alone owns gate and ledger. It sends URLs to the workers by channel and
// gets their links back by channel, so there is no lock, and nobody else has a way to reach
// what it owns. What crosses between goroutines are the fields of ring, and those of Inbox.
func TestTheCoordinatorAloneOwnsGateAndLedger(t *testing.T) {
	locks := []string{"Mutex", "RWMutex", "Cond", "Map", "Pool"}
	held := 0
	for _, dir := range engine {
		for file, f := range parseDir(t, dir) {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ImportSpec:
					if n.Path.Value == `"sync/atomic"` {
						t.Errorf("%s imports sync/atomic", file)
					}
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && x.Name == "sync" && slices.Contains(locks, n.Sel.Name) {
						t.Errorf("%s uses sync.%s", file, n.Sel.Name)
					}
				case *ast.GoStmt:
					t.Errorf("%s starts a goroutine that nobody waits for", file)
				case *ast.TypeSpec:
					if s, ok := n.Type.(*ast.StructType); ok && dir == "crawl" {
						held += owned(t, file, n.Name.Name, s)
					}
				case *ast.ChanType:
					if name := typeName(n.Value, "", nil); dir == "crawl" && (name == "Gate" || name == "Ledger") {
						t.Errorf("%s sends a %s", file, name)
					}
				}
				return true
			})
		}
	}
	if held != 3 {
		t.Errorf("%d fields lead to gate or ledger, not 3", held)
	}
}

// owned returns how many fields of a struct lead to gate or ledger: only the coordinator's may,
// and those of state, which is the coordinator as its ledger sees it.
func owned(t *testing.T, file, name string, s *ast.StructType) (n int) {
	for _, f := range s.Fields.List {
		switch typeName(f.Type, "crawl", map[string]string{"gate": "gate", "ledger": "ledger"}) {
		case "gate.Gate", "ledger.Ledger", "crawl.coordinator":
			if n++; name != "coordinator" && name != "state" {
				t.Errorf("%s: %s has a %s", file, name, f.Names[0].Name)
			}
		}
	}
	return n
}
