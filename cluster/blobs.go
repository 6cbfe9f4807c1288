package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"crawler/internal/durable"
)

// Blobs is where checkpoints are kept. Names are relative paths; what is put under a name stays as
// it is until it is removed. Put is durable once it returns.
type Blobs interface {
	Put(ctx context.Context, name string, r io.Reader) error
	Get(ctx context.Context, name string) (io.ReadCloser, error) // fs.ErrNotExist if there is none
	Remove(ctx context.Context, name string) error               // of one that is not there, too
}

// FolderOf keeps checkpoints below a directory: a network file system, or one that is copied from
// there.
func FolderOf(dir string) Blobs { return folder{dir} }

type folder struct{ dir string }

func (f folder) path(name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("checkpoint: %q is no name of a file there", name)
	}
	return filepath.Join(f.dir, filepath.FromSlash(name)), nil
}

func (f folder) Put(_ context.Context, name string, r io.Reader) error {
	path, err := f.path(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return durable.Write(path, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}

func (f folder) Get(_ context.Context, name string) (io.ReadCloser, error) {
	path, err := f.path(name)
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

func (f folder) Remove(_ context.Context, name string) error {
	path, err := f.path(name)
	if err != nil {
		return err
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Objects keeps checkpoints in the broker's object store, which is made when the crawl is.
func (c *Crawl) Objects(ctx context.Context) (Blobs, error) {
	ctx, cancel := context.WithTimeout(ctx, creating)
	defer cancel()
	store, err := c.js.ObjectStore(ctx, c.names.checkpoints())
	if isGone(err) {
		store, err = c.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: c.names.checkpoints(), Description: "checkpoints of a crawl's shards", Storage: jetstream.FileStorage, Replicas: c.Settings.Replicas,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("object store: %w", err)
	}
	return objects{store}, nil
}

type objects struct{ store jetstream.ObjectStore }

func (o objects) Put(ctx context.Context, name string, r io.Reader) error {
	_, err := o.store.Put(ctx, jetstream.ObjectMeta{Name: name}, r)
	return err
}

func (o objects) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := o.store.Get(ctx, name)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, fmt.Errorf("checkpoint %s: %w", name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return checked{r}, nil
}

// checked is an object whose digest the client compares at its end.
type checked struct{ jetstream.ObjectResult }

func (c checked) Read(b []byte) (int, error) {
	n, err := c.ObjectResult.Read(b)
	if err != nil && strings.Contains(err.Error(), "digest") {
		err = fmt.Errorf("checkpoint is damaged: %w", err)
	}
	return n, err
}

func (o objects) Remove(ctx context.Context, name string) error {
	if err := o.store.Delete(ctx, name); !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	return nil
}
