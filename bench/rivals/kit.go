package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

//go:embed scripts
var scripts embed.FS

// kit is what the contestants are started from.
type kit struct {
	dir  string           // folder of everything temporary
	self string           // this program
	here string           // folder of this module
	made map[string]error // how building a rival's program went
	node []string         // folders with node_modules
}

// newKit builds ours below dir; without it there is no race.
func newKit(ctx context.Context, dir string, node string) (*kit, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	here, err := moduleDir(ctx, "crawler/bench/rivals")
	if err != nil {
		return nil, err
	}
	root, err := moduleDir(ctx, "crawler")
	if err != nil {
		return nil, err
	}
	k := &kit{dir: dir, self: self, here: here, made: map[string]error{}}
	for folder := range strings.SplitSeq(node, ",") {
		if folder, err = filepath.Abs(folder); err != nil {
			return nil, err
		}
		k.node = append(k.node, folder)
	}
	if err := os.CopyFS(dir, scripts); err != nil {
		return nil, err
	}
	return k, build(root, k.bin("crawler"), "-trimpath", "-ldflags=-s -w", "./cmd/crawler")
}

// build builds a Go program into the file out, from a module's folder.
func build(dir, out string, args ...string) error {
	cmd := exec.Command("go", append([]string{"build", "-o", out}, args...)...)
	cmd.Dir = dir
	if msg, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w: %s", strings.Join(args, " "), err, lastLine(msg))
	}
	return nil
}

func moduleDir(ctx context.Context, path string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w; run this command in bench/rivals", path, err)
	}
	return strings.TrimSpace(string(out)), nil
}

func (k *kit) bin(name string) string    { return filepath.Join(k.dir, "bin", name) }
func (k *kit) script(name string) string { return filepath.Join(k.dir, "scripts", name) }

// built builds a rival's program of this module at the first call.
func (k *kit) built(name string) error {
	err, done := k.made[name]
	if !done {
		err = build(k.here, k.bin(name), "./"+name)
		k.made[name] = err
	}
	return err
}

// nodeFolder returns the folder in whose node_modules the module is.
func (k *kit) nodeFolder(module string) (string, error) {
	for _, folder := range k.node {
		if _, err := os.Stat(filepath.Join(folder, "node_modules", module, "package.json")); err == nil {
			return folder, nil
		}
	}
	return "", fmt.Errorf("no node_modules has %s; name a folder where npm installed it by -node", module)
}

func lookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is not installed", name)
	}
	return path, nil
}

func goVersion(*kit) string { return runtime.Version() }

func oursVersion(k *kit) string { return firstLine(k.bin("crawler"), "version") }

// says asks a program for its version.
func says(name string, args ...string) func(*kit) string {
	return func(*kit) string { return firstLine(name, args...) }
}

// firstLine is the first line that a program prints.
func firstLine(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	line, _, _ = strings.Cut(line, " - ") // what follows praises the program
	return line
}

func lastLine(b []byte) string {
	b = bytes.TrimSpace(b)
	return string(b[bytes.LastIndexByte(b, '\n')+1:])
}

// module reads a module's version from the program that it was built into.
func module(path string) func(*kit) string {
	return func(k *kit) string {
		for _, name := range []string{"libs", "katana"} {
			info, err := buildinfo.ReadFile(k.bin(name))
			if err != nil {
				continue
			}
			for _, dep := range info.Deps {
				if dep.Path == path {
					return dep.Version
				}
			}
		}
		return "unknown"
	}
}

func nodeModule(name string) func(*kit) string {
	return func(k *kit) string {
		version, err := k.nodeVersion(name)
		if err != nil {
			return "unknown"
		}
		return version + ", node " + firstLine("node", "--version")
	}
}

func (k *kit) nodeVersion(name string) (string, error) {
	folder, err := k.nodeFolder(name)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(folder, "node_modules", name, "package.json"))
	if err != nil {
		return "", err
	}
	var p struct{ Version string }
	if err := json.Unmarshal(text, &p); err != nil {
		return "", err
	}
	if p.Version == "" {
		return "", errors.New("no version")
	}
	return p.Version, nil
}

// shown is a command as the tables show it: without folders and addresses.
func (k *kit) shown(argv []string, t task) string {
	line := strings.Join(append([]string{filepath.Base(argv[0])}, argv[1:]...), " ")
	for _, folder := range k.node {
		line = strings.ReplaceAll(line, " "+folder+" ", " FOLDER ")
	}
	return strings.NewReplacer(t.seed, "URL", t.urls, "URLS", t.dir, "DIR", k.dir+"/scripts/", "", k.dir, "DIR").Replace(line)
}
