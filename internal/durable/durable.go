// Package durable writes files so that a crash leaves either the old content or the
// new, never half of it.
package durable

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteFile replaces the named file: a temporary file beside it is written, synced
// and renamed, and the directory is synced, so that the new content is on disk when
// it returns. A symbolic link is followed. What is no regular file, such as a device
// or a pipe, is not replaced but written to.
func WriteFile(name string, data []byte) error {
	return Write(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Write is WriteFile for content that need not be in memory: write writes it, and is called once.
func Write(name string, write func(io.Writer) error) error { return replace(name, 0o644, write) }

// WritePrivate is Write of a file that its owner alone may read, at any time.
func WritePrivate(name string, write func(io.Writer) error) error { return replace(name, 0o600, write) }

func replace(name string, mode os.FileMode, write func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return writeTo(name, write)
	}
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, filepath.Base(name)+".tmp*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err = write(f); err != nil {
		return err
	}
	if err = f.Chmod(mode); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), name); err != nil {
		return err
	}
	return syncDir(dir)
}

// writeTo writes to an existing file.
func writeTo(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}
