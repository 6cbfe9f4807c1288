package main

import (
	"context"
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

	copied    string              // the copy
	importers map[string][]string // by package, both as folders below the module's
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
	root := strings.TrimSpace(string(module)) + "/"
	r.importers = map[string][]string{}
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(line)
		from, ok := strings.CutPrefix(paths[0], root)
		for _, p := range paths[1:] {
			to, ours := strings.CutPrefix(p, root)
			if ok && ours && to != from && !slices.Contains(r.importers[to], from) {
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

// try applies a mutant, runs the tests, and takes it back.
func (r *runner) try(ctx context.Context, m mutant) (o outcome) {
	dir, undo, err := m.apply(r.copied)
	if err != nil {
		return outcome{fate: invalid, detail: err.Error()}
	}
	defer func() {
		if err := undo(); err != nil {
			o = outcome{fate: invalid, detail: err.Error()}
		}
	}()
	dir = filepath.ToSlash(dir)
	packages := []string{dir}
	if !r.owner {
		packages = append(packages, r.importers[dir]...)
	}
	for _, p := range packages {
		if o := r.test(ctx, p); o.fate != survived {
			return o
		}
	}
	return outcome{fate: survived, detail: strings.Join(packages, " ")}
}

// test runs the tests of a package until the first fails. (go test -failfast would do, but hangs
// in packages with fuzz targets.)
func (r *runner) test(ctx context.Context, dir string) outcome {
	program := filepath.Join(r.copied, "mutant.test")
	if err := os.RemoveAll(program); err != nil {
		return outcome{fate: invalid, detail: err.Error()}
	}
	if out, err := r.goTool(ctx, "test", "-c", "-trimpath", "-vet=off", "-o", program, "./"+dir); err != nil {
		return outcome{fate: invalid, detail: "it does not build: " + strings.TrimSpace(string(out))}
	}
	if _, err := os.Stat(program); err != nil {
		return outcome{fate: survived} // there are no tests
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A mutant may wait for ever: -test.timeout ends it.
	cmd := exec.CommandContext(ctx, program, "-test.v", "-test.timeout", r.timeout.String(), "-test.skip", r.skip)
	cmd.Dir, cmd.WaitDelay = filepath.Join(r.copied, dir), time.Second
	w := &watcher{failed: cancel}
	cmd.Stdout, cmd.Stderr = w, w
	err := cmd.Run()
	switch {
	case w.hung:
		return outcome{fate: hung, by: dir + ": time limit"}
	case w.by != "":
		return outcome{fate: killed, by: dir + ": " + w.by}
	case err != nil:
		return outcome{fate: killed, by: dir + ": " + err.Error()}
	}
	return outcome{fate: survived}
}

// watcher looks for the first failure in what tests print.
type watcher struct {
	failed func()
	line   []byte
	by     string // the test that failed, or what it panicked with
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
	if w.by != "" {
		return
	}
	rest, failed := strings.CutPrefix(strings.TrimLeft(line, " "), "--- FAIL: ")
	cause, panicked := strings.CutPrefix(line, "panic: ")
	switch {
	case failed:
		w.by, _, _ = strings.Cut(rest, " ")
		w.failed()
	case panicked:
		w.by, w.hung = line, strings.HasPrefix(cause, "test timed out")
	}
}

func (r *runner) goTool(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = r.copied
	return cmd.CombinedOutput()
}
