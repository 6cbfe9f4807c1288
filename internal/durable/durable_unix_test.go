//go:build unix

package durable

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestWriteFileWritesToPipes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	got := make(chan string)
	go func() {
		f, err := os.Open(name)
		if err != nil {
			got <- err.Error()
			return
		}
		defer f.Close()
		data, _ := io.ReadAll(f)
		got <- string(data)
	}()
	if err := WriteFile(name, []byte("through")); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s != "through" {
		t.Errorf("the reader got %q", s)
	}
	if info, err := os.Lstat(name); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe was replaced: %v, %v", info, err)
	}
}

// A disk that is full leaves the old content and nothing beside it.
func TestWriteFileOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "report.json")
	if err := WriteFile(name, []byte("old")); err != nil {
		t.Fatal(err)
	}
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Skip("no limit of a file's size here: ", err)
	}
	limit := before
	limit.Cur = 4
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip("no limit of a file's size here: ", err)
	}
	err := WriteFile(name, []byte("longer than the limit"))
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err == nil {
		t.Error("more was written than the limit allows")
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != "old" {
		t.Errorf("read %q, %v", got, err)
	}
	onlyFile(t, dir, "report.json")
}
