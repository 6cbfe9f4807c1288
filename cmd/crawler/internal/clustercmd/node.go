package clustercmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"crawler/cluster"
	"crawler/cmd/crawler/internal/crawlcmd"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/internal/durable"
	"crawler/store"
)

// maxName bounds a machine's name within that of a node, in bytes.
const maxName = 40

// machine is a name for where paths mean the same: this machine since it was started, or this
// container.
func machine() string {
	host, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // empty elsewhere
	sum := sha256.Sum256([]byte(host + "\n" + string(boot)))
	return hex.EncodeToString(sum[:8])
}

// member is this process as a node of a crawl in dir.
func member(dir string, f cluster.Folder) (cluster.Member, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return cluster.Member{}, err
	}
	host, _ := os.Hostname()
	host = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, host)
	return cluster.Member{
		Name: fmt.Sprintf("%s-%d-%s", shell.Clip(host, maxName), os.Getpid(), cluster.NewID()), Disk: f.Disk, Machine: machine(), Dir: abs,
	}, nil
}

// folder reads the directory's cluster.json, or makes it for a crawl.
func folder(dir, id string, shards int) (cluster.Folder, error) {
	f, err := cluster.ReadFolder(dir)
	if err == nil {
		if f.ID != id {
			return f, shell.UsageError("choose another directory", "%s is of the crawl %s, and this is %s", dir, f.ID, id)
		}
		return f, nil
	}
	if !os.IsNotExist(err) {
		return f, shell.UsageError("choose another directory", "%w", err)
	}
	if _, err := store.ReadMeta(store.Disk(), dir); err == nil {
		return f, shell.UsageError("choose another directory", "%s holds a crawl that is no cluster's", dir)
	}
	f = cluster.Folder{Version: 1, ID: id, Shards: shards, Disk: cluster.NewID() + cluster.NewID(), Created: time.Now().UTC()}
	return f, writeFolder(dir, f)
}

func writeFolder(dir string, f cluster.Folder) error {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "shards"), 0o755); err != nil {
		return shell.DiskError(err)
	}
	if err := durable.WriteFile(filepath.Join(dir, cluster.File), append(data, '\n')); err != nil {
		return shell.DiskError(err)
	}
	return nil
}

// local are the flags that concern one process alone, beside those of access.
var local = map[string]bool{
	"quiet": true, "verbose": true, "log-format": true, "no-live": true, "no-color": true,
	"concurrency": true, "max-memory": true, "min-free": true,
}

// shared are the settings that all nodes have: what crawl.json would keep, without access.
func shared(f *pflag.FlagSet) (map[string][]string, []string, error) {
	kept, err := settings.Kept(f)
	if err != nil {
		return nil, nil, err
	}
	var access []string
	f.VisitAll(func(fl *pflag.Flag) {
		if settings.Access(fl.Name) && kept[fl.Name] != nil {
			access = append(access, fl.Name)
			delete(kept, fl.Name)
		}
	})
	return kept, access, nil
}

// adopt takes the crawl's settings from the broker. One of access, or one that start does not
// take, is an error: whoever steers the broker would turn the address guard off.
func adopt(f *pflag.FlagSet, given map[string]bool, shared map[string][]string) error {
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		if settings.Access(name) || name == "warc" {
			return fmt.Errorf("the broker has --%s among them, which each node is told on its own command line: somebody has changed them", name)
		}
	}
	return settings.Restore(f, given, shared)
}

// work is a node at work, whichever verb began it.
type work struct {
	dir     string
	crawl   *cluster.Crawl
	station *crawlcmd.Station
	blobs   cluster.Blobs
	engines *engines
	node    *cluster.Node
}

// clusterKey marks in crawl.json a shard, which crawler resume must not run alone.
const clusterKey = "cluster"

// prepare makes the node of a crawl that is found.
func (w *work) prepare(cfg crawl.Config, f cluster.Folder) error {
	s := w.crawl.Settings
	cfg.Gate.Dedup.Seed = s.Seed
	meta := store.Meta{Version: shell.Version, Created: s.Created, Seeds: s.Seeds, Flags: map[string][]string{clusterKey: {s.ID}}}
	for name, v := range s.Flags {
		meta.Flags[name] = v
	}
	var err error
	if w.engines, err = newEngines(w.station, cfg, meta, s.Shards); err != nil {
		return shell.UsageError("", "%w", err)
	}
	me, err := member(w.dir, f)
	if err != nil {
		return err
	}
	w.node = &cluster.Node{Crawl: w.crawl, Me: me, Log: w.station.Log(), Run: w.engines.run, Checkpoints: w.blobs, Read: reader(s)}
	return nil
}

// checkpoints is where the crawl keeps its checkpoints: in a directory of this node's choice, or in
// the broker.
func checkpoints(ctx context.Context, c *cluster.Crawl, dir string) (cluster.Blobs, error) {
	switch {
	case c.Settings.Folder && dir == "":
		return nil, shell.UsageError("name it as this machine has it", "the checkpoints of this crawl are in a directory: --checkpoints DIR")
	case !c.Settings.Folder && dir != "":
		return nil, shell.UsageError("leave --checkpoints out", "the checkpoints of this crawl are in the broker")
	case c.Settings.Folder:
		return cluster.FolderOf(dir), nil
	}
	b, err := c.Objects(ctx)
	if err != nil {
		return nil, &shell.ExitError{Code: shell.ExitFailed, Err: err}
	}
	return b, nil
}
