package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// listed is a package as go list has it. One whose tests add files to it is there twice: for
// others that import it, and as ImportPath "p [p.test]".
type listed struct {
	ImportPath string
	Name       string
	Dir        string
	GoFiles    []string
	CgoFiles   []string // those that import "C"; there are none without cgo
	Imports    []string
	ImportMap  map[string]string // what an import in the source means, if not itself
	ForTest    string
	Module     *struct {
		GoVersion string
		Main      bool
	}
}

// ours is whether a package is one of the module.
func (p *listed) ours() bool { return p.Module != nil && p.Module.Main }

// paths returns the package's files with their folder.
func (p *listed) paths() (all []string) {
	for _, name := range slices.Sorted(slices.Values(slices.Concat(p.GoFiles, p.CgoFiles))) {
		all = append(all, filepath.Join(p.Dir, name))
	}
	return all
}

// path is the import path without the test it is compiled for.
func (p *listed) path() string {
	path, _, _ := strings.Cut(p.ImportPath, " ")
	return path
}

// version is the language of the package as go/types wants it, "" for the newest.
func (p *listed) version() string {
	if p.Module == nil || p.Module.GoVersion == "" {
		return ""
	}
	return "go" + p.Module.GoVersion
}

// list returns all packages that the module's packages and their tests need, each after those it
// imports; generated main packages of tests are left out.
func list(ctx context.Context, tree string, environment ...string) (all []*listed, err error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-test",
		"-json=ImportPath,Name,Dir,GoFiles,CgoFiles,Imports,ImportMap,ForTest,Module", "./...")
	cmd.Dir = tree
	cmd.Env = append(os.Environ(), environment...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, complaint.Bytes())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &listed{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("what go list says: %w", err)
		}
		if !strings.HasSuffix(p.ImportPath, ".test") {
			all = append(all, p)
		}
	}
}
