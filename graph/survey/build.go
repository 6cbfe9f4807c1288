package survey

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"crawler/graph"
	"crawler/internal/sheet"
	"crawler/report"
)

// Config says how Build works.
type Config struct {
	Dir     string       // of the crawl
	Memory  int64        // as graph.BuildConfig has it; 0 is 256 MiB
	Params  graph.Params // the zero Params are WebGraph's defaults
	Include Kinds        // links that count beside the usual ones

	Progress func(what string) // is called with what comes next, if not nil
}

// defaultMemory is Config.Memory if that is 0.
const defaultMemory = 256 << 20

// Build makes the graph of a crawl, also while it runs: then of what it has recorded so far.
// It writes into a temporary folder beside Folder, which takes its name when whole; an
// older graph stays until then. When it ends for any reason but a kill the temporary folder
// is gone; one left by a kill is removed by the first Build more than a day later.
//
// Ten million links take some 15 seconds of processor time, 8 bytes a link of temporary files,
// twice, and Config.Memory. When ctx ends, Build does so within the sorting or writing under way:
// at most a few seconds for ten million links.
//
// The error wraps ErrNoLinks if the crawl kept no links, report.ErrLinks if they are
// damaged.
func Build(ctx context.Context, c Config) (*Manifest, error) {
	if c.Memory == 0 {
		c.Memory = defaultMemory
	}
	if c.Params == (graph.Params{}) {
		c.Params = graph.DefaultParams()
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	if _, err := os.Stat(filepath.Join(c.Dir, report.LinksFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", c.Dir, ErrNoLinks)
	} else if err != nil {
		return nil, err
	}
	removeOld(c.Dir)
	tmp, err := os.MkdirTemp(c.Dir, tempPrefix+"*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	b := &builder{Config: c, tmp: tmp, last: time.Now()}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	return &b.manifest, replace(filepath.Join(c.Dir, Folder), tmp)
}

const (
	tempPrefix = "graph.tmp-"
	oldSuffix  = ".old"
	leftover   = 24 * time.Hour // after which a temporary folder is abandoned
)

// removeOld removes what killed builds have left. What cannot be removed does no harm.
func removeOld(dir string) {
	names, _ := filepath.Glob(filepath.Join(dir, tempPrefix+"*"))
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && info.IsDir() && time.Since(info.ModTime()) > leftover {
			os.RemoveAll(name)
		}
	}
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
	text  []byte   // targets of the page being read
	ends  []int    // of each of them in text
	to    []string // the targets
}

func (b *builder) run(ctx context.Context) (err error) {
	m := &b.manifest
	*m = Manifest{Format: formatVersion, Include: b.Include.Names(), Window: b.Params.Window, MaxRefs: b.Params.MaxRefs,
		MinInterval: b.Params.MinInterval, ZetaK: b.Params.ZetaK}
	if m.Sources, err = sources(b.Dir); err != nil {
		return err
	}
	b.links, err = graph.NewBuilder(graph.BuildConfig{Dir: b.tmp, Memory: b.Memory, Params: b.Params})
	if err != nil {
		return err
	}
	defer b.links.Close()
	if err := b.collect(ctx); err != nil {
		return err
	}
	if err := b.compress(ctx); err != nil {
		return err
	}
	if err := b.judge(ctx); err != nil {
		return err
	}
	if m.Bytes, err = folderBytes(b.tmp); err != nil {
		return err
	}
	return m.write(b.tmp)
}

// collect feeds all nodes and links to the graph's Builder.
func (b *builder) collect(ctx context.Context) error {
	read := int64(0)
	err := report.ReadLinks(b.Dir, func(p *report.PageLinks) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		from, to := b.targets(p)
		read += int64(len(to))
		b.progress("reading links: %s", read)
		return b.links.AddPage(from, to)
	})
	if err != nil {
		return err
	}
	err = eachPage(ctx, b.Dir, func(p *page) error {
		if p.FinalURL == p.URL {
			return b.links.AddNode(p.URL)
		}
		return b.links.AddPage(p.URL, []string{p.FinalURL})
	})
	if err != nil {
		return err
	}
	return eachSkip(ctx, b.Dir, func(s *skip) error {
		if first := loopOf(s); first != "" {
			return b.links.AddPage(first, []string{s.URL})
		}
		return b.links.AddNode(s.URL)
	})
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

// folderBytes adds up the files of a folder.
func folderBytes(dir string) (sum int64, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return 0, err
		}
		sum += info.Size()
	}
	return sum, nil
}
