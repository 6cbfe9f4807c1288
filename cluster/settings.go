package cluster

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go/jetstream"

	"crawler/crawl"
)

// formVersion is the version of all that nodes tell each other. A node refuses what has a higher
// one.
const formVersion = 1

// MaxShards is how many shards a crawl may have.
const MaxShards = 4096

const (
	// seedChunk is how many bytes of seeds, compressed, one record has: a broker takes 1 MiB.
	seedChunk = 512 << 10
	// maxSeeds bounds the seeds, in bytes, as crawl.json does.
	maxSeeds = 64 << 20
)

// Settings are what all nodes of a crawl have in common, for good.
type Settings struct {
	Version int       `json:"version"`
	ID      string    `json:"id"`
	Program string    `json:"program"` // its version
	Created time.Time `json:"created"`
	Shards  int       `json:"shards"`
	// Flags are the crawl's settings, without those of access, which each node has of its own.
	// Access names those of them that the first node was given.
	Flags  map[string][]string `json:"flags"`
	Access []string            `json:"access,omitempty"`
	// Seed is that of all shards' hashes, so that their sketches merge.
	Seed uint64 `json:"seed"`

	Lease time.Duration `json:"lease"`
	// CheckpointEvery is how often a shard is copied to where another node has it from when its
	// disk is lost; 0 says that disks survive. Folder says that checkpoints are in a directory
	// that every node is told, not in the broker.
	CheckpointEvery time.Duration `json:"checkpoint_every"`
	Folder          bool          `json:"folder,omitempty"`

	MaxPages  int           `json:"max_pages,omitempty"`
	MaxBytes  int64         `json:"max_bytes,omitempty"`
	TimeLimit time.Duration `json:"time_limit,omitempty"`
	MaxLinks  int64         `json:"max_links"` // bytes that the stream of links may have
	Replicas  int           `json:"replicas"`

	Seeds []string `json:"-"` // records of their own
}

// ErrNewer means that a newer version of the program has written something.
var ErrNewer = errors.New("is of a newer version of this program")

// NewID draws the id of a crawl.
func NewID() string {
	var b [4]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// Want is what the nodes are to do.
type Want string

// The states of a crawl.
const (
	Run    Want = "run"
	Pause  Want = "pause"  // fetch nothing until Run
	Ending Want = "ending" // all is done: keep it, and say so
	Stop   Want = "stop"   // end now, resumably
	End    Want = "end"    // all is done, and kept
)

// State is what the nodes are to do, and why.
type State struct {
	Want  Want          `json:"want"`
	Why   crawl.EndedBy `json:"why,omitempty"` // of Stop and End
	Run   int           `json:"run"`           // of the crawl, from 1
	Began time.Time     `json:"began"`         // this run, by the clock of the node that began it
}

// putSettings writes the settings, the seeds first: who finds settings finds all.
func (c *Crawl) putSettings(ctx context.Context, s Settings) error {
	text := []byte(strings.Join(s.Seeds, "\n"))
	if len(text) > maxSeeds {
		return fmt.Errorf("the seeds have %d bytes, at most %d may be", len(text), maxSeeds)
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	z := enc.EncodeAll(text, nil)
	for i := 0; i == 0 || len(z) > 0; i++ {
		n := min(len(z), seedChunk)
		if _, err := c.conf.Put(ctx, fmt.Sprintf("%s.%d", keySeeds, i), z[:n]); err != nil {
			return fmt.Errorf("seeds: %w", err)
		}
		z = z[n:]
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = c.conf.Put(ctx, keySettings, data)
	return err
}

// settings reads what putSettings wrote.
func (c *Crawl) settings(ctx context.Context) (s Settings, err error) {
	e, err := c.conf.Get(ctx, keySettings)
	if err != nil {
		return s, fmt.Errorf("settings: %w", err)
	}
	var version struct{ Version int }
	if err := json.Unmarshal(e.Value(), &version); err != nil {
		return s, fmt.Errorf("settings: %w", err)
	}
	if version.Version > formVersion {
		return s, fmt.Errorf("crawl %s %w: version %d, this one knows %d", c.names.id, ErrNewer, version.Version, formVersion)
	}
	if err := json.Unmarshal(e.Value(), &s); err != nil {
		return s, fmt.Errorf("settings: %w", err)
	}
	if s.Shards < 1 || s.Shards > MaxShards || s.Lease < MinLease || s.Lease > MaxLease {
		return s, fmt.Errorf("settings: %d shards, a lease of %v", s.Shards, s.Lease)
	}
	s.Seeds, err = c.seeds(ctx)
	return s, err
}

func (c *Crawl) seeds(ctx context.Context) ([]string, error) {
	var z []byte
	for i := 0; ; i++ {
		e, err := c.conf.Get(ctx, fmt.Sprintf("%s.%d", keySeeds, i))
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("seeds: %w", err)
		}
		if z = append(z, e.Value()...); len(z) > maxSeeds {
			return nil, fmt.Errorf("the seeds have more than %d bytes", maxSeeds)
		}
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxSeeds))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	text, err := dec.DecodeAll(z, nil)
	if err != nil {
		return nil, fmt.Errorf("seeds: %w", err)
	}
	return strings.Split(string(text), "\n"), nil
}

// State returns what the nodes are to do.
func (c *Crawl) State(ctx context.Context) (State, error) {
	s, _, err := c.state(ctx)
	return s, err
}

func (c *Crawl) state(ctx context.Context) (s State, revision uint64, err error) {
	e, err := c.conf.Get(ctx, keyState)
	if err != nil {
		return s, 0, fmt.Errorf("state: %w", err)
	}
	if err := json.Unmarshal(e.Value(), &s); err != nil {
		return s, 0, fmt.Errorf("state: %w", err)
	}
	return s, e.Revision(), nil
}

// casTries is how often a record is read again because somebody else has changed it meanwhile.
const casTries = 64

// Change makes the state what next returns of the present one; false leaves it. It returns the
// state that stands then.
func (c *Crawl) Change(ctx context.Context, next func(State) (State, bool)) (State, error) {
	for range casTries {
		s, revision, err := c.state(ctx)
		if err != nil {
			return s, err
		}
		to, change := next(s)
		if !change {
			return s, nil
		}
		data, err := json.Marshal(to)
		if err != nil {
			return s, err
		}
		if _, err = c.conf.Update(ctx, keyState, data, revision); err == nil {
			return to, nil
		}
		if !conflict(err) {
			return s, fmt.Errorf("state: %w", err)
		}
	}
	return State{}, errors.New("state: too many others change it")
}

// conflict reports whether a compare-and-swap failed because of another one.
func conflict(err error) bool {
	return errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch)
}
