package survey

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"crawler/graph"
	"crawler/internal/sheet"
	"crawler/internal/sums"
	"crawler/report"
	"crawler/report/shards"
	"crawler/store"
)

// Config says how Build works.
type Config struct {
	Dir     string       // of the crawl
	Parts   []string     // directories of the crawl's shards; nil: it has only Dir
	From    string       // a file of edges, in the place of a crawl; Dir is made if it is not there
	Memory  int64        // as graph.BuildConfig has it, at most; 0 is 256 MiB
	Params  graph.Params // the zero Params are WebGraph's defaults
	Include Kinds        // links that count beside the usual ones

	Progress func(what string) // is called with what comes next, if not nil
}

const (
	defaultMemory = 256 << 20 // Config.Memory if that is 0
	leastMemory   = 4 << 20   // that graph.NewBuilder takes
	memoryPerByte = 64        // of links: four times what they need, for the URLs
)

// Build makes the graph of a crawl, also while it runs: then of what it has recorded so far.
// It writes into a temporary folder beside Folder, which takes its name when whole; an
// older graph stays until then. When it ends for any reason but a kill the temporary folder
// is gone; one left by a kill is removed by the next Build. Several may run at a time.
//
// Ten million links take some 15 seconds of processor time, 8 bytes a link of temporary files,
// twice, and Config.Memory. When ctx ends, Build does so within the sorting or writing under way:
// at most a few seconds for ten million links.
//
// Records of links that are not what was written are left out, and counted in the Manifest. The
// error wraps ErrNoLinks if the crawl kept no links, report.ErrLinks if no record can be read.
func Build(ctx context.Context, c Config) (_ *Manifest, err error) {
	if c.Memory == 0 {
		c.Memory = defaultMemory
	}
	if c.Params == (graph.Params{}) {
		c.Params = graph.DefaultParams()
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	if c.From != "" {
		if err := c.prepareEdges(); err != nil {
			return nil, err
		}
	} else if err := c.linked(); err != nil {
		return nil, err
	}
	removeOld(c.Dir)
	tmp, err := os.MkdirTemp(c.Dir, tempPrefix+"*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	inUse, err := store.Disk().Lock(tmp + lockSuffix)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, inUse.Close(), os.Remove(tmp+lockSuffix)) }()
	b := &builder{Config: c, tmp: tmp, last: time.Now()}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	return &b.manifest, replace(filepath.Join(c.Dir, Folder), tmp)
}

// linked returns an error if the crawl kept no links, and lowers Memory to what they can need: a
// link takes a byte of its file or more, and 8 bytes in each half of the memory.
func (c *Config) linked() error {
	size := int64(0)
	for _, dir := range c.parts() {
		info, err := os.Stat(filepath.Join(dir, report.LinksFile))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", dir, ErrNoLinks)
		}
		if err != nil {
			return err
		}
		size += info.Size()
	}
	c.Memory = min(c.Memory, max(leastMemory, memoryPerByte*size))
	return nil
}

// parts returns the crawl's directories.
func (c *Config) parts() []string {
	if c.Parts == nil {
		return []string{c.Dir}
	}
	return c.Parts
}

const (
	tempPrefix = "graph.tmp-"
	oldSuffix  = ".old"
	lockSuffix = ".lock"     // of the file that is locked while a build uses a temporary folder
	unlocked   = time.Minute // after which a folder that has none is abandoned
)

// removeOld removes what killed builds have left. What cannot be removed does no harm.
func removeOld(dir string) {
	for _, name := range Leftovers(dir) {
		os.RemoveAll(name)
	}
}

// Leftovers returns the temporary folders in a crawl directory that no build uses any more, and
// the files that were locked for them.
func Leftovers(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), tempPrefix) {
			continue
		}
		name := filepath.Join(dir, entry.Name())
		folder, _ := strings.CutSuffix(strings.TrimSuffix(name, lockSuffix), oldSuffix)
		if info, err := os.Lstat(name); err == nil && abandoned(folder+lockSuffix, info) {
			names = append(names, name)
		}
	}
	return names
}

// abandoned reports whether nobody has the lock that keeps a folder, and no build is about to take
// it.
func abandoned(lock string, of fs.FileInfo) bool {
	if _, err := os.Lstat(lock); errors.Is(err, fs.ErrNotExist) {
		return time.Since(of.ModTime()) > unlocked
	}
	free, err := store.Disk().Lock(lock)
	if err != nil {
		return false
	}
	return free.Close() == nil
}

// replace gives the finished folder from its name. A crash in between leaves no graph: it
// must be built again.
func replace(name, from string) error {
	old := from + oldSuffix
	err := os.Rename(name, old)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		defer os.RemoveAll(old)
	}
	if err := os.Chmod(from, 0o755); err != nil {
		return err
	}
	return os.Rename(from, name)
}

// builder is a graph in the making.
type builder struct {
	Config
	tmp      string
	manifest Manifest
	last     time.Time // of the last call of Progress

	links *graph.Builder
	read  int64    // links so far
	text  []byte   // targets of the page being read
	ends  []int    // of each of them in text
	to    []string // the targets
}

func (b *builder) run(ctx context.Context) (err error) {
	m := &b.manifest
	*m = Manifest{Format: formatVersion, Include: b.Include.Names(), Window: b.Params.Window, MaxRefs: b.Params.MaxRefs,
		MinInterval: b.Params.MinInterval, ZetaK: b.Params.ZetaK}
	for _, part := range b.Parts {
		m.Parts = append(m.Parts, shards.Within(b.Dir, part))
	}
	if m.Sources, err = m.sources(b.Dir); err != nil {
		return err
	}
	b.links, err = graph.NewBuilder(graph.BuildConfig{Dir: b.tmp, Memory: b.Memory, Params: b.Params})
	if err != nil {
		return err
	}
	defer b.links.Close()
	collect, judge := b.collect, b.judge
	if b.From != "" {
		m.From = filepath.Base(b.From)
		collect, judge = b.collectEdges, func(context.Context) error { return b.unjudged() }
	}
	if err := collect(ctx); err != nil {
		return err
	}
	if err := b.compress(ctx); err != nil {
		return err
	}
	if err := judge(ctx); err != nil {
		return err
	}
	if err := m.measure(b.tmp); err != nil {
		return err
	}
	return m.write(b.tmp)
}

// collect feeds all nodes and links to the graph's Builder.
func (b *builder) collect(ctx context.Context) error {
	for _, dir := range b.parts() {
		if err := b.collectFrom(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) collectFrom(ctx context.Context, dir string) error {
	records := 0
	bad, err := report.ReadSoundLinks(dir, func(p *report.PageLinks) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		records++
		from, to := b.targets(p)
		b.read += int64(len(to))
		b.progress("reading links: %s", b.read)
		return b.links.AddPage(from, to)
	})
	switch {
	case err != nil:
		return err
	case bad > 0 && records == 0:
		return fmt.Errorf("%s: %w: none of %d lines can be read", filepath.Join(dir, report.LinksFile), report.ErrLinks, bad)
	}
	b.manifest.BadRecords += bad
	return errors.Join(
		eachPage(ctx, dir, func(p *page) error { return b.links.AddNode(p.URL) }),
		eachRedirect(ctx, dir, func(r *report.RedirectRecord) error { return b.links.AddNode(r.URL) }),
		eachSkip(ctx, dir, func(s *skip) error { return b.links.AddNode(s.URL) }),
	)
}

// targets returns a page and the links of it that count. All are parts of one string, and
// so one allocation.
func (b *builder) targets(p *report.PageLinks) (from string, to []string) {
	b.text, b.ends, b.to = append(b.text[:0], p.URL...), b.ends[:0], b.to[:0]
	for p.Next() {
		if l := p.Link(); p.Redirect || b.Include.has(l) {
			b.text = append(b.text, l.URL...)
			b.ends = append(b.ends, len(b.text))
		}
	}
	text, start := string(b.text), len(p.URL)
	for _, end := range b.ends {
		b.to = append(b.to, text[start:end])
		start = end
	}
	return text[:len(p.URL)], b.to
}

// progress reports the progress, ten times a second at most.
func (b *builder) progress(format string, n int64) {
	if now := time.Now(); now.Sub(b.last) > time.Second/10 {
		b.last = now
		b.Progress(fmt.Sprintf(format, sheet.Group(n)))
	}
}

// compress writes the graph and its transpose.
func (b *builder) compress(ctx context.Context) error {
	b.Progress("sorting and compressing the links")
	base := filepath.Join(b.tmp, linksBase)
	stats, err := b.links.Build(base)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	b.manifest.Nodes, b.manifest.Links, b.manifest.Bits = stats.Nodes, stats.Arcs, stats.BitsPerLink()
	b.Progress("transposing the links")
	g, err := graph.Open(base)
	if err != nil {
		return err
	}
	defer g.Close()
	stats, err = graph.Transpose(g, filepath.Join(b.tmp, transposeBase), b.tmp, b.Memory/2)
	b.manifest.BitsTranspose = stats.BitsPerLink()
	return errors.Join(err, ctx.Err())
}

// measure notes what the files of a folder are.
func (m *Manifest) measure(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	m.Bytes, m.Files = 0, sums.Table{}
	for _, e := range entries {
		f, err := sums.Of(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		m.Files[e.Name()] = f
		m.Bytes += f.Bytes
	}
	return nil
}
