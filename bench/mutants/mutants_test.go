package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// tree is a module of a package with tests and one that uses it.
var tree = map[string]string{
	"go.mod":       "module m\n\ngo 1.26\n",
	"a/a.go":       "package a\n\nfunc Add(x, y int) int { return x + y }\n\nfunc Less(x, y int) bool { return x < y }\n\nfunc Wait(stop bool) { for !stop { } }\n",
	"a/a_test.go":  "package a\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tWait(true)\n\tif Add(1, 2) != 3 {\n\t\tt.Error()\n\t}\n}\n",
	"b/b.go":       "package b\n\nimport \"m/a\"\n\nfunc Small(x int) bool { return a.Less(x, 10) }\n",
	"b/b_test.go":  "package b\n\nimport \"testing\"\n\nfunc TestSmall(t *testing.T) {\n\tif Small(10) {\n\t\tt.Error()\n\t}\n}\n",
	".git/ignored": "",
}

func TestFates(t *testing.T) {
	dir := t.TempDir()
	for name, text := range tree {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	all, err := parse(`# comment
@ by its own test
gone.go
- x + y
+ x
a/a.go
- x + y
+ x - y

@ by an importer's test
a/a.go
- x < y
+ x <= y

@ without the importers
a/a.go
- x < y
+ x <= y

@ there is no such line
a/a.go
- x > y
+ x

@ there are two
a/a.go
- return
+ panic

@ no program
a/a.go
- x + y
+ x +

@ for ever
a/a.go
- !stop
+ stop
`)
	if err != nil {
		t.Fatal(err)
	}
	r := runner{tree: dir, timeout: time.Second}
	defer r.close()
	if err := r.open(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []outcome{
		{fate: killed, by: "a: TestAdd"}, {fate: killed, by: "b: TestSmall"}, {fate: survived},
		{fate: invalid}, {fate: invalid}, {fate: invalid}, {fate: hung, by: "a: time limit"},
	} {
		r.owner = i == 2
		if got := r.try(t.Context(), all[i]); got.fate != want.fate || got.by != want.by {
			t.Errorf("%s: %+v, want %+v", all[i].title, got, want)
		}
	}
	for name, text := range tree {
		got, err := os.ReadFile(filepath.Join(r.copied, name))
		if copied := name[0] != '.'; copied != (err == nil) || copied && string(got) != text {
			t.Errorf("%s afterwards: %q, %v", name, got, err)
		}
	}
}

func TestBadLists(t *testing.T) {
	for _, list := range []string{"x", "a.go", "@ a\n- b", "@ a\na.go\n+ b", "@ a\na.go\n- b\n- c"} {
		if all, err := parse(list); err == nil {
			t.Errorf("%q: %v", list, all)
		}
	}
}

// Today's list is whole: every mutant has a place in the tree.
func TestList(t *testing.T) {
	text, err := os.ReadFile("list.txt")
	if err != nil {
		t.Fatal(err)
	}
	all, err := parse(string(text))
	if err != nil || len(all) < 60 {
		t.Fatalf("%d mutants: %v", len(all), err)
	}
	dir := t.TempDir()
	if err := copyTree(dir, filepath.Join("..", "..")); err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		undo, err := m.apply(dir)
		if err == nil {
			err = undo()
		}
		if err != nil {
			t.Errorf("%s: %v", m.title, err)
		}
	}
}
