package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// fate is what became of a mutant.
type fate string

const (
	killed   fate = "killed"
	hung     fate = "killed-t" // the tests did not end
	survived fate = "survived"
	invalid  fate = "invalid" // it could not be applied, or does not build
)

type outcome struct {
	fate   fate
	by     string // the package and the test that failed first
	detail string
}

// runner runs tests on a copy of a tree.
type runner struct {
	tree    string
	owner   bool
	skip    string
	timeout time.Duration
	trim    bool // paths are left out, so that copies of a tree share what is compiled

	copied     string              // the copy
	importers  map[string][]string // by package, both as folders below the module's
	innocent   map[string]string   // by package: its tests without a mutant, compiled
	unreliable []string            // tests that failed for another reason than a mutant
}

// open copies the tree and asks who imports whom.
func (r *runner) open(ctx context.Context) (err error) {
	if r.copied, err = os.MkdirTemp("", "mutants-"); err != nil {
		return err
	}
	if err := copyTree(r.copied, r.tree); err != nil {
		return err
	}
	out, err := r.goTool(ctx, "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{range .TestImports}} {{.}}{{end}}{{range .XTestImports}} {{.}}{{end}}`, "./...")
	if err != nil {
		return fmt.Errorf("go list: %w\n%s", err, out)
	}
	module, err := r.goTool(ctx, "list", "-m")
	if err != nil {
		return err
	}
	root := strings.TrimSpace(string(module))
	within := func(p string) (dir string, ours bool) {
		if p == root {
			return ".", true
		}
		return strings.CutPrefix(p, root+"/")
	}
	r.importers, r.innocent = map[string][]string{}, map[string]string{}
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(line)
		from, _ := within(paths[0])
		for _, p := range paths[1:] {
			if to, ours := within(p); ours && to != from && !slices.Contains(r.importers[to], from) {
				r.importers[to] = append(r.importers[to], from)
			}
		}
	}
	return nil
}

func (r *runner) close() { os.RemoveAll(r.copied) }

// copyTree copies the files of a module; what begins with a dot is left out, and so are modules
// within it.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch target := filepath.Join(to, rel); {
		case rel == ".":
			return nil
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") || rel == "bench"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(target, data, 0o644)
		}
		return nil
	})
}

// try runs the tests on a mutant.
func (r *runner) try(ctx context.Context, m mutant) outcome {
	dir, err := m.dir(r.copied)
	if err != nil {
		return outcome{fate: invalid, detail: err.Error()}
	}
	packages := []string{dir}
	if !r.owner {
		packages = append(packages, r.importers[dir]...)
	}
	for _, p := range packages {
		if o := r.test(ctx, &m, p); o.fate != survived {
			return o
		}
	}
	return outcome{fate: survived, detail: strings.Join(packages, " ")}
}

// test runs the tests of a package until the first fails that does so because of the mutant:
// alone, and not without it. Others, which depend on the machine, are left out from then on.
// (go test -failfast would do to stop, but hangs in packages with fuzz targets.)
func (r *runner) test(ctx context.Context, m *mutant, dir string) outcome {
	program := filepath.Join(r.copied, "mutant.test")
	if err := os.RemoveAll(program); err != nil {
		return outcome{fate: invalid, detail: err.Error()}
	}
	undo, err := m.apply(r.copied)
	if err != nil {
		return outcome{fate: invalid, detail: err.Error()}
	}
	out, err := r.compile(ctx, program, dir)
	if err := errors.Join(undo(), ctx.Err()); err != nil {
		return outcome{fate: invalid, detail: err.Error()}
	}
	if err != nil {
		return outcome{fate: invalid, detail: "it does not build: " + strings.TrimSpace(string(out))}
	}
	if _, err := os.Stat(program); err != nil {
		return outcome{fate: survived} // there are no tests
	}
	for {
		w := r.execute(ctx, program, dir, ".")
		switch {
		case w.hung:
			return outcome{fate: hung, by: dir + ": time limit"}
		case w.failed == "":
			return outcome{fate: survived}
		case !w.named || r.blames(ctx, program, dir, w.failed):
			return outcome{fate: killed, by: dir + ": " + w.failed}
		}
		r.unreliable = append(r.unreliable, w.failed)
	}
}

// blames reports whether a test fails because of the mutant.
func (r *runner) blames(ctx context.Context, program, dir, test string) bool {
	alone := "^" + test + "$"
	if w := r.execute(ctx, program, dir, alone); w.failed == "" {
		return false
	}
	if r.innocent[dir] == "" {
		r.innocent[dir] = filepath.Join(r.copied, strings.ReplaceAll(dir, "/", "-")+".test")
		if _, err := r.compile(ctx, r.innocent[dir], dir); err != nil {
			return false
		}
	}
	w := r.execute(ctx, r.innocent[dir], dir, alone)
	return w.failed == ""
}

func (r *runner) compile(ctx context.Context, program, dir string) ([]byte, error) {
	return r.goTool(ctx, "test", "-c", fmt.Sprintf("-trimpath=%t", r.trim), "-vet=off", "-ldflags=-s -w", "-o", program, "./"+dir)
}

// execute runs the tests of a compiled package until one fails.
func (r *runner) execute(ctx context.Context, program, dir, tests string) *watcher {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &watcher{stop: cancel}
	skip := r.skip
	for _, test := range r.unreliable {
		skip = strings.TrimPrefix(skip+"|^"+test+"$", "|")
	}
	// A mutant may wait for ever: -test.timeout ends it.
	cmd := exec.CommandContext(ctx, program, "-test.v", "-test.timeout", r.timeout.String(), "-test.run", tests, "-test.skip", skip)
	cmd.Dir, cmd.WaitDelay = filepath.Join(r.copied, dir), time.Second
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Run(); err != nil && w.failed == "" {
		w.failed = err.Error()
	}
	return w
}

// watcher looks for the first failure in what tests print.
type watcher struct {
	stop   func()
	line   []byte
	failed string // the test that failed, or else how the program ended
	named  bool   // failed is a test's name
	hung   bool
}

func (w *watcher) Write(p []byte) (int, error) {
	for _, c := range p {
		if c != '\n' {
			w.line = append(w.line, c)
			continue
		}
		w.look(string(w.line))
		w.line = w.line[:0]
	}
	return len(p), nil
}

func (w *watcher) look(line string) {
	if w.failed != "" {
		return
	}
	test, failed := strings.CutPrefix(line, "--- FAIL: ")
	cause, panicked := strings.CutPrefix(line, "panic: ")
	switch {
	case failed:
		w.failed, _, w.named = strings.Cut(test, " ")
		w.stop()
	case panicked:
		w.failed, w.hung = line, strings.HasPrefix(cause, "test timed out")
	}
}

func (r *runner) goTool(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = r.copied
	return cmd.CombinedOutput()
}
