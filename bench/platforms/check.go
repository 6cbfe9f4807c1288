package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

// moduleChecker checks a module for any platforms at once. A file is parsed once for all.
type moduleChecker struct {
	tree   string
	cgo    bool // other modules' packages are as with cgo; what they have of C is not looked at
	fset   *token.FileSet
	files  sync.Map // from names to func() parsed
	vetted sync.Map // what was vetted, from the names of the module's files and the sizes of types
}

type parsed struct {
	file *ast.File
	err  error
}

func newChecker(tree string) (*moduleChecker, error) {
	tree, err := filepath.Abs(tree)
	return &moduleChecker{tree: tree, fset: token.NewFileSet()}, err
}

// outcome is what there is to say of a platform.
type outcome struct {
	troubles     []string
	ours, others int // packages type-checked, a package and the one with its tests apart
}

// check type-checks everything for a platform as "linux/arm64", and vets the module, unless that
// was done for another with the same files of the module and the same sizes of types.
func (c *moduleChecker) check(ctx context.Context, platform string) (outcome, error) {
	system, processor, ok := strings.Cut(platform, "/")
	sizes := types.SizesFor("gc", processor)
	if !ok || sizes == nil {
		return outcome{}, errors.New("want OS/ARCH")
	}
	all, err := list(ctx, c.tree, "CGO_ENABLED="+map[bool]string{false: "0", true: "1"}[c.cgo], "GOOS="+system, "GOARCH="+processor)
	if err != nil {
		return outcome{}, err
	}
	t := target{moduleChecker: c, sizes: sizes, packages: map[string]*packages.Package{}}
	for _, p := range all {
		if p.ours() && len(p.CgoFiles) > 0 { // analyzers want the types of all expressions
			return outcome{}, fmt.Errorf("%s imports C: only packages of other modules may", p.ImportPath)
		}
		t.add(p)
	}
	t.found.others = len(all) - t.found.ours
	_, again := c.vetted.LoadOrStore(t.source(all), true)
	if !again && len(t.found.troubles) == 0 { // analyzers expect code that compiles
		if err := t.vet(all); err != nil {
			return outcome{}, err
		}
	}
	slices.Sort(t.found.troubles) // the same in a package and in the one with its tests
	t.found.troubles = slices.Compact(t.found.troubles)
	return t.found, nil
}

// target is a platform under check.
type target struct {
	*moduleChecker
	sizes    types.Sizes
	packages map[string]*packages.Package // by go list's ImportPath
	found    outcome
}

// add type-checks a package whose imports are added.
func (t *target) add(p *listed) {
	if p.ImportPath == "unsafe" {
		t.packages[p.ImportPath] = &packages.Package{Types: types.Unsafe}
		return
	}
	pkg := &packages.Package{ID: p.ImportPath, Name: p.Name, PkgPath: p.path(), Dir: p.Dir, GoFiles: p.paths(), CompiledGoFiles: p.paths(),
		Fset: t.fset, TypesSizes: t.sizes, Imports: map[string]*packages.Package{}}
	if p.Module != nil {
		pkg.Module = &packages.Module{GoVersion: p.Module.GoVersion}
	}
	for _, name := range pkg.GoFiles {
		f := t.parse(name, !p.ours())
		if f.err != nil {
			t.found.troubles = append(t.found.troubles, t.relative(f.err.Error()))
		}
		if f.file != nil {
			pkg.Syntax = append(pkg.Syntax, f.file)
		}
	}
	conf := types.Config{Sizes: t.sizes, GoVersion: p.version(), IgnoreFuncBodies: !p.ours(), FakeImportC: true, Importer: t.importer(p),
		Error: func(err error) { t.found.troubles = append(t.found.troubles, t.relative(err.Error())) }}
	if p.ours() {
		t.found.ours++
		pkg.TypesInfo = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
			Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{}}
		for _, name := range p.Imports { // the module's own alone: facts come from syntax
			if dep := t.packages[name]; dep != nil && dep.TypesInfo != nil {
				pkg.Imports[name] = dep
			}
		}
	}
	pkg.Types, _ = conf.Check(pkg.PkgPath, t.fset, pkg.Syntax, pkg.TypesInfo) // Error has them all
	t.packages[p.ImportPath] = pkg
}

// importer finds what a package imports among the packages added.
func (t *target) importer(p *listed) types.Importer {
	return importing(func(path string) (*types.Package, error) {
		if real, ok := p.ImportMap[path]; ok {
			path = real
		}
		if pkg := t.packages[path]; pkg != nil {
			return pkg.Types, nil
		}
		return nil, fmt.Errorf("go list does not name %s", path)
	})
}

type importing func(path string) (*types.Package, error)

func (f importing) Import(path string) (*types.Package, error) { return f(path) }

// parse reads a file once.
func (c *moduleChecker) parse(name string, bodiless bool) parsed {
	once, _ := c.files.LoadOrStore(name, sync.OnceValue(func() parsed { return read(c.fset, name, bodiless) }))
	return once.(func() parsed)()
}

// read reads a file. Of other modules' functions it drops the bodies, which nobody asks for and
// which are most of the memory.
func read(fset *token.FileSet, name string, bodiless bool) (p parsed) {
	mode := parser.SkipObjectResolution
	if !bodiless {
		mode |= parser.ParseComments
	}
	p.file, p.err = parser.ParseFile(fset, name, nil, mode)
	if !bodiless || p.file == nil {
		return p
	}
	for _, d := range p.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			f.Body = &ast.BlockStmt{}
		}
	}
	return p
}

// source names what vet looks at.
func (t *target) source(all []*listed) string {
	var s strings.Builder
	fmt.Fprintln(&s, t.sizes)
	for _, p := range all {
		if p.ours() {
			fmt.Fprintln(&s, p.ImportPath, p.paths())
		}
	}
	return s.String()
}

// vet runs vet's analyzers over the module's packages.
func (t *target) vet(all []*listed) error {
	var ours []*packages.Package
	for _, p := range all {
		if p.ours() {
			ours = append(ours, t.packages[p.ImportPath])
		}
	}
	graph, err := checker.Analyze(vet.Suite, ours, nil)
	if err != nil {
		return err
	}
	for act := range graph.All() {
		if act.Err != nil {
			return fmt.Errorf("%v: %w", act, act.Err)
		}
		if !act.IsRoot {
			continue
		}
		for _, d := range act.Diagnostics {
			at := t.fset.Position(d.Pos)
			t.found.troubles = append(t.found.troubles, t.relative(fmt.Sprintf("%v: %s (%s)", at, d.Message, act.Analyzer.Name)))
		}
	}
	return nil
}

// relative makes a message's file relative to the module.
func (c *moduleChecker) relative(message string) string {
	return strings.ReplaceAll(message, c.tree+string(filepath.Separator), "")
}
