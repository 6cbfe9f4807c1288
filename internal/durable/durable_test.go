package durable

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteFileReplacesWhole(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "report.json")
	for _, content := range []string{"first, and longer than the second", "second", ""} {
		if err := WriteFile(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != content {
			t.Errorf("read %q, %v; want %q", got, err, content)
		}
	}
	onlyFile(t, dir, "report.json")
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A write that fails leaves the old content and nothing beside it.
func TestWriteFileThatFails(t *testing.T) {
	if err := WriteFile(filepath.Join(t.TempDir(), "no such", "file"), nil); err == nil {
		t.Error("wrote into a directory that is not there")
	}
	dir := t.TempDir()
	target := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(target, "below"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(target, []byte("x")); err == nil {
		t.Error("replaced a directory by a file")
	}
	onlyFile(t, dir, "taken")
}

func onlyFile(t *testing.T, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != name {
		t.Errorf("the directory holds %v, want %s alone", entries, name)
	}
}

func TestWriteFileFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := errors.Join(WriteFile(target, []byte("old")), os.Symlink("target", link), WriteFile(link, []byte("new"))); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "new" {
		t.Errorf("the target has %q, %v", data, err)
	}
}
