package crawl_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/memweb"
	"crawler/store"
)

// A copy of the directory that is taken while the crawl runs is the crawl at a commit: it is
// resumed as after a crash, and nothing is lost or recorded twice.
func TestCheckpointsOfARunningCrawl(t *testing.T) {
	copies, seeds := 0, fewer(10)
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { copies += checkpoints(t, seed) })
		})
	}
	if copies < int(seeds) {
		t.Errorf("only %d checkpoints were taken", copies)
	}
}

func checkpoints(t *testing.T, seed uint64) int {
	rng := rand.New(rand.NewPCG(seed, 44))
	s, want := randomWeb(rng)
	web := memweb.New(s.hosts())
	defer web.Close()
	d := &durable{t: t, mem: vfs.NewCrashableMem(), site: s, web: web, seed: "http://h0.example/p0", cfg: func(c *crawl.Config) {
		c.Gate.Scope.Mode, c.Tail = gate.ScopeAny, 1+int(seed%7)
		c.Gate.MaxDepth = int(seed % 2 * 50)
		c.Gate.Dedup = dedup.Config{ExpectURLs: 1 + int(seed%100), BitsPerURL: 2, RestartEvery: int(seed % 3 * 9), Seed: seed}
		c.Gate.Frontier = frontier.Config{Delay: frontier.NoDelay, Retries: 3, PerHost: 1, Window: 1}
	}}
	dir, err := d.open()
	if err != nil {
		t.Fatal(err)
	}
	k := &copier{t: t, dir: dir, from: d.mem}
	s.asked = k.asked
	res, rep, err := d.crawl(t.Context(), dir)
	k.busy.Wait()
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	d.check(want, res, rep)
	s.asked = nil
	for _, mem := range k.copies {
		again := *d
		again.mem = mem
		res, rep, err := again.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		again.check(want, res, rep)
	}
	return len(k.copies)
}

// copier copies a crawl's directory beside the crawl, at some requests.
type copier struct {
	t    *testing.T
	dir  *store.Dir
	from *vfs.MemFS
	busy sync.WaitGroup

	mu     sync.Mutex // guards all below
	n      int
	copies []*vfs.MemFS
}

func (k *copier) asked() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.n++
	if n := k.n; n%5 == 2 {
		k.busy.Go(func() { k.copy(n) })
	}
}

func (k *copier) copy(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	files, err := k.dir.Checkpoint(fmt.Sprint("checkpoint", n))
	if err != nil {
		if !strings.Contains(err.Error(), "try again") {
			k.t.Error(err)
		}
		return
	}
	mem := vfs.NewCrashableMem()
	for _, f := range files {
		if err := k.copyFile(mem, f); err != nil {
			k.t.Errorf("%s: %v", f.Name, err)
		}
	}
	k.copies = append(k.copies, mem)
}

func (k *copier) copyFile(to *vfs.MemFS, c store.CheckpointFile) error {
	name := path.Join(crawlDir, c.Name)
	if err := to.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	in, err := k.from.Open(c.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	defer out.Close()
	_, err = io.CopyN(out, in, c.Size)
	return err
}
