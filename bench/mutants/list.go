package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// mutant is a change of one line. It has a variant for each tree in which that line reads, or
// lies, differently; the first one that fits is used.
type mutant struct {
	title    string
	variants []variant
}

type variant struct{ file, old, new string }

// parse reads a list: a line "@ title" begins a mutant, and each of its variants is three
// lines, "file", "- what stands there, once" and "+ what stands there instead". Other lines
// that begin with # are comments.
func parse(list string) (all []mutant, err error) {
	for n, line := range strings.Split(list, "\n") {
		var last *variant
		if i := len(all) - 1; i >= 0 && len(all[i].variants) > 0 {
			last = &all[i].variants[len(all[i].variants)-1]
		}
		mark, text := line, ""
		if len(line) > 1 {
			mark, text = line[:2], line[2:]
		}
		switch {
		case strings.TrimSpace(line) == "", line[0] == '#':
		case mark == "@ ":
			all = append(all, mutant{title: text})
		case mark == "- " && last != nil && last.old == "":
			last.old = text
		case (mark == "+ " || line == "+") && last != nil && last.old != "":
			last.new = text
		case len(all) > 0 && strings.HasSuffix(line, ".go"):
			m := &all[len(all)-1]
			m.variants = append(m.variants, variant{file: line})
		default:
			return nil, fmt.Errorf("line %d: %q", n+1, line)
		}
	}
	return all, nil
}

var errNoPlace = errors.New("its line is not there, or there twice")

// place returns the variant that fits a tree, and its file's text.
func (m *mutant) place(tree string) (v variant, text []byte, err error) {
	for _, v := range m.variants {
		text, err := os.ReadFile(filepath.Join(tree, filepath.FromSlash(v.file)))
		if err == nil && strings.Count(string(text), v.old) == 1 {
			return v, text, nil
		}
	}
	return v, nil, errNoPlace
}

// dir is the folder of the changed package.
func (m *mutant) dir(tree string) (string, error) {
	v, _, err := m.place(tree)
	return path.Dir(v.file), err
}

// apply makes the change in a tree, and returns what undoes it.
func (m *mutant) apply(tree string) (undo func() error, err error) {
	v, text, err := m.place(tree)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(tree, filepath.FromSlash(v.file))
	undo = func() error { return os.WriteFile(name, text, 0o644) }
	return undo, os.WriteFile(name, []byte(strings.Replace(string(text), v.old, v.new, 1)), 0o644)
}
