package shards

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"crawler/crawl"
	"crawler/ledger/disk"
	"crawler/store"
)

// Names within a cluster's directory.
const (
	ClusterFile = "cluster.json"
	Folder      = "shards"
)

// Limits of what a cluster's directory may say.
const (
	maxClusterFile = 1 << 20
	maxShards      = 1 << 16
)

// ErrMissing says that a shard of a cluster is in none of the directories.
var ErrMissing = errors.New("shards are missing")

// Shard is the crawl directory of one shard, or of a crawl that is none.
type Shard struct {
	Number int // within its cluster; -1 if it is of none
	Dir    string
}

// Set is the shards of a crawl.
type Set struct {
	Shards []Shard // by number, or as they were given
	Home   string  // the cluster's directory, if all stand in one
	Of     int     // how many shards the cluster has; 0 if they are of none
}

// Dirs returns the directories of the shards.
func (s Set) Dirs() []string {
	dirs := make([]string, len(s.Shards))
	for i := range s.Shards {
		dirs[i] = s.Shards[i].Dir
	}
	return dirs
}

// Single reports whether this is one directory, which belongs to no cluster.
func (s Set) Single() bool { return len(s.Shards) == 1 && s.Of == 0 }

// cluster is what cluster.json has to say here.
type cluster struct {
	ID     string `json:"id"`
	Shards int    `json:"shards"`
}

// IsCluster reports whether a directory is that of a cluster.
func IsCluster(dir string) bool {
	for _, name := range []string{ClusterFile, Folder} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// Find returns the crawl directories that are meant by some directories: by a cluster's those of
// its shards, by any other itself, whatever it is. The directories of several machines must be of
// one cluster. The error wraps ErrMissing, or store.ErrDamaged if cluster.json cannot be read.
func Find(dirs ...string) (Set, error) {
	var set Set
	var of cluster
	clusters := 0
	found := map[int]string{}
	for _, dir := range dirs {
		if !IsCluster(dir) {
			set.Shards = append(set.Shards, Shard{-1, dir})
			continue
		}
		c, err := readCluster(dir)
		if err != nil {
			return Set{}, err
		}
		if clusters > 0 && c != of {
			return Set{}, fmt.Errorf("%s is of another cluster than %s: name the directories of one", dir, set.Home)
		}
		if of, clusters = c, clusters+1; clusters == 1 {
			set.Home = dir
		}
		if err := addShards(found, dir, c.Shards); err != nil {
			return Set{}, err
		}
	}
	if clusters == 0 {
		return set, nil
	}
	if len(set.Shards) > 0 {
		return Set{}, fmt.Errorf("%s is no cluster's directory, and %s is: name those of one crawl", set.Shards[0].Dir, set.Home)
	}
	if clusters > 1 {
		set.Home = ""
	}
	set.Of = of.Shards
	return set, set.complete(found, dirs)
}

// complete lists the shards, of which none may be missing.
func (s *Set) complete(found map[int]string, dirs []string) error {
	var missing []string
	for n := range s.Of {
		if found[n] == "" {
			missing = append(missing, Name(n))
			continue
		}
		s.Shards = append(s.Shards, Shard{n, found[n]})
	}
	if missing == nil {
		return nil
	}
	if few := 10; len(missing) > few {
		missing = append(missing[:few], fmt.Sprintf("and %d more", len(missing)-few))
	}
	return fmt.Errorf("%s: %w: %s of %d", strings.Join(dirs, ", "), ErrMissing, strings.Join(missing, ", "), s.Of)
}

// Name is the name of a shard's directory within Folder.
func Name(number int) string { return fmt.Sprintf("%03d", number) }

func readCluster(dir string) (c cluster, err error) {
	name := filepath.Join(dir, ClusterFile)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("%s %w: it is missing, so nobody knows how many shards there are", name, store.ErrDamaged)
	}
	if err != nil {
		return c, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxClusterFile+1))
	switch {
	case err != nil:
		return c, err
	case len(data) > maxClusterFile:
		err = fmt.Errorf("it has more than %d bytes", maxClusterFile)
	default:
		err = json.Unmarshal(data, &c)
	}
	if err == nil && (c.Shards < 1 || c.Shards > maxShards) {
		err = fmt.Errorf("it says that there are %d shards, and 1 to %d can be", c.Shards, maxShards)
	}
	if err != nil {
		return c, fmt.Errorf("%s %w: %w", name, store.ErrDamaged, err)
	}
	return c, nil
}

// addShards adds the shards that a cluster's directory has.
func addShards(found map[int]string, dir string, most int) error {
	entries, err := os.ReadDir(filepath.Join(dir, Folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil || Name(n) != e.Name() || n < 0 || n >= most || !e.IsDir() {
			continue
		}
		name := filepath.Join(dir, Folder, e.Name())
		if found[n] == "" {
			found[n] = name
		} else if found[n], err = newer(found[n], name); err != nil {
			return err
		}
	}
	return nil
}

// newer returns which of two copies of a shard went further.
func newer(a, b string) (string, error) {
	ofA, err := progressOf(a)
	if err != nil {
		return "", err
	}
	ofB, err := progressOf(b)
	if err != nil {
		return "", err
	}
	if ofB.complete != ofA.complete && ofB.complete || ofB.complete == ofA.complete && ofB.at.After(ofA.at) {
		return b, nil
	}
	return a, nil
}

// progress is how far a copy of a shard went.
type progress struct {
	complete bool
	at       time.Time // of its last commit
}

func progressOf(dir string) (p progress, err error) {
	d, err := store.OpenRead(store.Disk(), dir)
	if errors.Is(err, store.ErrNoCrawl) {
		return p, nil // it ended before its first commit
	}
	if err != nil {
		return p, err
	}
	defer d.Close()
	complete, last, err := crawl.Complete(disk.Of(d))
	return progress{complete, last.Finished}, err
}

// Within is how a file or directory is written down in a file of another directory: relative to
// that, if it can be, with slashes.
func Within(dir, name string) string {
	a, errA := filepath.Abs(dir)
	b, errB := filepath.Abs(name)
	if rel, err := filepath.Rel(a, b); dir != "" && errA == nil && errB == nil && err == nil {
		name = rel
	}
	return filepath.ToSlash(name)
}
