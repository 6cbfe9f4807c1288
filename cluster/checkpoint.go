package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/nats-io/nats.go/jetstream"
)

// Limits of a checkpoint that is read.
const (
	maxManifest = 64 << 20 // bytes
	// maxParts is in how many parts a file that grows is kept; then it is sent whole.
	maxParts = 64
)

// Manifest is a checkpoint of a shard: its files, in parts that stay where they are while
// checkpoints share them.
type Manifest struct {
	Version  int       `json:"version"`
	Crawl    string    `json:"crawl"`
	Shard    int       `json:"shard"`
	Epoch    uint64    `json:"epoch"`
	At       time.Time `json:"at"`
	Position uint64    `json:"position"` // in the stream of links, at least
	Files    []Copied  `json:"files"`
}

// Copied is a file of a checkpoint.
type Copied struct {
	Name  string `json:"name"` // in the crawl directory, with slashes
	Size  int64  `json:"size"`
	Parts []Part `json:"parts"`
}

// Part is a part of a file, as it is kept.
type Part struct {
	Blob  string `json:"blob"`
	Bytes int64  `json:"bytes"`
	Sum   uint64 `json:"sum"` // XXH64
}

// Piece is a file of a snapshot.
type Piece struct {
	Name string // in the crawl directory, with slashes
	Path string // where its bytes are
	Size int64  // of them, from the beginning; the file may have more
	// A fixed file never changes under its name, one that grows keeps its beginning.
	Fixed, Grows bool
}

// Snapshot has the running shard put a state of its files below a directory, and names them with
// those that stay where they are.
type Snapshot func(ctx context.Context, to string) ([]Piece, error)

// ref is what the broker knows of a shard's last checkpoint.
type ref struct {
	Epoch    uint64    `json:"epoch"` // of the run that may replace it
	Manifest string    `json:"manifest,omitempty"`
	At       time.Time `json:"at"`
	Position uint64    `json:"position"`
}

// reference reads a shard's ref; revision is 0 if there is none.
func (c *Crawl) reference(ctx context.Context, shard int) (r ref, revision uint64, err error) {
	e, err := c.status.Get(ctx, checkpointKey(shard))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return r, 0, nil
	}
	if err == nil {
		revision = e.Revision()
		err = json.Unmarshal(e.Value(), &r)
	}
	if err != nil {
		return r, 0, fmt.Errorf("checkpoint of shard %d: %w", shard, err)
	}
	return r, revision, nil
}

// refer makes a shard's ref what change does of it, unless a later run has it.
func (c *Crawl) refer(ctx context.Context, shard int, epoch uint64, change func(*ref)) (r ref, err error) {
	for range casTries {
		was, revision, err := c.reference(ctx, shard)
		if err != nil {
			return r, err
		}
		if was.Epoch > epoch {
			return r, errSuperseded
		}
		r = was
		r.Epoch = epoch
		change(&r)
		if r == was && revision > 0 {
			return r, nil
		}
		data, err := json.Marshal(r)
		if err != nil {
			return r, err
		}
		if revision == 0 {
			_, err = c.status.Create(ctx, checkpointKey(shard), data)
		} else {
			_, err = c.status.Update(ctx, checkpointKey(shard), data, revision)
		}
		if err == nil || !conflict(err) {
			return r, err
		}
	}
	return r, fmt.Errorf("checkpoint of shard %d: too many others change it", shard)
}

// checkpoint returns a shard's last checkpoint, nil if there is none, and keeps runs before epoch
// from replacing it.
func (c *Crawl) checkpoint(ctx context.Context, from Blobs, shard int, epoch uint64) (*Manifest, error) {
	r, err := c.refer(ctx, shard, epoch, func(*ref) {})
	if err != nil || r.Manifest == "" {
		return nil, err
	}
	return readManifest(ctx, from, r.Manifest, c.Settings.ID, shard)
}

// LastCheckpoint returns a shard's last checkpoint, nil if there is none.
func (c *Crawl) LastCheckpoint(ctx context.Context, from Blobs, shard int) (*Manifest, error) {
	r, _, err := c.reference(ctx, shard)
	if err != nil || r.Manifest == "" {
		return nil, err
	}
	return readManifest(ctx, from, r.Manifest, c.Settings.ID, shard)
}

func readManifest(ctx context.Context, from Blobs, name, id string, shard int) (*Manifest, error) {
	f, err := from.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err != nil {
		return nil, fmt.Errorf("checkpoint %s: %w", name, err)
	}
	if len(data) > maxManifest {
		return nil, fmt.Errorf("checkpoint %s has more than %d bytes", name, maxManifest)
	}
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("checkpoint %s: %w", name, err)
	}
	if m.Version > formVersion {
		return nil, fmt.Errorf("checkpoint %s %w", name, ErrNewer)
	}
	if m.Crawl != id || m.Shard != shard {
		return nil, fmt.Errorf("checkpoint %s is of shard %d of crawl %s", name, m.Shard, m.Crawl)
	}
	for _, f := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) || f.Size < 0 {
			return nil, fmt.Errorf("checkpoint %s has a file %q", name, f.Name)
		}
	}
	return m, nil
}

// sender writes one checkpoint.
type sender struct {
	to     Blobs
	prefix string // of the blobs' names
	n      int
	had    map[string]Copied // by name: of the checkpoint before
	keeps  map[string]bool   // blobs that the new one shares with it
}

// send keeps a file, its new bytes alone where that is possible.
func (s *sender) send(ctx context.Context, p Piece) (Copied, error) {
	was, known := s.had[p.Name]
	out := Copied{Name: p.Name, Size: p.Size}
	from := int64(0)
	switch {
	case known && p.Fixed && was.Size == p.Size:
		out.Parts, from = was.Parts, p.Size
	case known && p.Grows && was.Size <= p.Size && len(was.Parts) < maxParts:
		out.Parts, from = append(out.Parts, was.Parts...), was.Size
	}
	for _, part := range out.Parts {
		s.keeps[part.Blob] = true
	}
	if from == p.Size {
		return out, nil
	}
	f, err := os.Open(p.Path)
	if err != nil {
		return out, err
	}
	defer f.Close()
	s.n++
	blob := fmt.Sprintf("%s-%d", s.prefix, s.n)
	sum := xxhash.New()
	if err := s.to.Put(ctx, blob, io.TeeReader(io.NewSectionReader(f, from, p.Size-from), sum)); err != nil {
		return out, fmt.Errorf("%s: %w", p.Name, err)
	}
	out.Parts = append(out.Parts, Part{blob, p.Size - from, sum.Sum64()})
	return out, nil
}

// write keeps all pieces and the manifest, and returns that and its name.
func (s *sender) write(ctx context.Context, m Manifest, pieces []Piece) (*Manifest, string, error) {
	for _, p := range pieces {
		f, err := s.send(ctx, p)
		if err != nil {
			return nil, "", err
		}
		m.Files = append(m.Files, f)
	}
	data, err := json.Marshal(m)
	if err != nil {
		return nil, "", err
	}
	name := s.prefix + "-manifest"
	return &m, name, s.to.Put(ctx, name, bytes.NewReader(data))
}

// restore makes a shard's directory of a checkpoint. It is there whole, or not at all.
func restore(ctx context.Context, from Blobs, m *Manifest, dir string) error {
	fresh := dir + ".restored"
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	for _, f := range m.Files {
		if err := fetch(ctx, from, f, filepath.Join(fresh, filepath.FromSlash(f.Name))); err != nil {
			return fmt.Errorf("shard %d from its checkpoint: %s: %w", m.Shard, f.Name, err)
		}
	}
	if err := os.Rename(fresh, dir); err != nil {
		return err
	}
	return syncDir(path.Dir(dir))
}

// fetch writes one file, and compares its sums.
func fetch(ctx context.Context, from Blobs, c Copied, name string) (err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, modeOf(c.Name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size := int64(0)
	for _, p := range c.Parts {
		if err := fetchPart(ctx, from, p, f); err != nil {
			return err
		}
		size += p.Bytes
	}
	if size != c.Size {
		return fmt.Errorf("%d bytes, not %d", size, c.Size)
	}
	return f.Sync()
}

func fetchPart(ctx context.Context, from Blobs, p Part, to io.Writer) error {
	r, err := from.Get(ctx, p.Blob)
	if err != nil {
		return err
	}
	defer r.Close()
	sum := xxhash.New()
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(r, p.Bytes+1))
	if err == nil && (n != p.Bytes || sum.Sum64() != p.Sum) {
		err = fmt.Errorf("%s is not as it was written", p.Blob)
	}
	return err
}

// modeOf is who may read a file: crawl.json may have secrets.
func modeOf(name string) fs.FileMode {
	if name == "crawl.json" {
		return 0o600
	}
	return 0o644
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
