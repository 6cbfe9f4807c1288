package survey

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"crawler/graph"
	"crawler/internal/durable"
	"crawler/internal/sums"
	"crawler/report"
)

// Folder is the folder of a crawl directory that Build writes.
const Folder = "graph"

// What stands in it. The graphs are files of WebGraph, links-t the transpose of links.
const (
	manifestFile  = "graph.json"
	nodesFile     = "nodes.bin"
	linksBase     = "links"
	transposeBase = linksBase + "-t"
)

// formatVersion is of graph.json and of what lies beside it.
const formatVersion = 3

// maxManifest is how long graph.json may be, in bytes.
const maxManifest = 1 << 22

// Manifest says what a folder of a graph holds and of what it was made; graph.json.
type Manifest struct {
	Format      int              `json:"format"`
	From        string           `json:"from,omitempty"`  // the file of edges, if it is no crawl's
	Parts       []string         `json:"parts,omitempty"` // of a crawl of several directories
	Include     []string         `json:"include"`         // as ParseKinds takes it
	Window      int              `json:"window"`          // of compression, see graph.Params
	MaxRefs     int              `json:"max_refs"`
	MinInterval int              `json:"min_interval"`
	ZetaK       int              `json:"zeta_k"`
	Sources     map[string]int64 `json:"sources"`               // bytes of the files read, by name
	BadRecords  int              `json:"bad_records,omitempty"` // of links, which were left out

	Nodes         int            `json:"nodes"`
	Links         int64          `json:"links"`
	Outcomes      map[string]int `json:"outcomes"`        // nodes by Outcome
	Bits          float64        `json:"bits_per_link"`   // of the graph file
	BitsTranspose float64        `json:"bits_per_link_t"` // of its transpose
	Bytes         int64          `json:"bytes"`           // of all files of the folder but this one

	Files    sums.Table `json:"files"` // as they were written
	Checksum sums.Sum   `json:"checksum"`
}

// Params returns how the graph is compressed.
func (m *Manifest) Params() graph.Params {
	return graph.Params{Window: m.Window, MaxRefs: m.MaxRefs, MinInterval: m.MinInterval, ZetaK: m.ZetaK}
}

// Reasons why there is no graph to open.
var (
	ErrMissing = errors.New("the graph was not built yet")
	ErrStale   = errors.New("the graph is older than the crawl's records")
	ErrNoLinks = errors.New("the crawl has no " + report.LinksFile)
	ErrEmpty   = errors.New("the graph has no nodes: the crawl recorded nothing yet")
)

// ReadManifest reads graph.json of the graph in a crawl directory. The error wraps
// ErrMissing if there is none, or one of another format, and graph.ErrDamaged if it cannot be
// read.
func ReadManifest(dir string) (*Manifest, error) {
	name := filepath.Join(dir, Folder, manifestFile)
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, ErrMissing)
	}
	if err != nil {
		return nil, err
	}
	if info.Size() > maxManifest {
		return nil, fmt.Errorf("%s: %w: %d bytes, more than %d", name, graph.ErrDamaged, info.Size(), maxManifest)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, graph.ErrDamaged, err)
	}
	if _, err := sums.Sealed(data); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, graph.ErrDamaged, err)
	}
	if m.Format != formatVersion {
		return nil, fmt.Errorf("%s: format %d, this program has %d: %w", name, m.Format, formatVersion, ErrMissing)
	}
	return m, nil
}

// Check is ReadManifest, with an error that wraps ErrStale if the crawl has recorded more
// since the graph was made: the manifest is returned with it. The files of a crawl are
// only appended to, so comparing their lengths suffices.
func Check(dir string) (*Manifest, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	now, err := m.sources(dir)
	if err != nil {
		return nil, err
	}
	for name, size := range now {
		if was := m.Sources[name]; was != size {
			return m, fmt.Errorf("%s: %w: %s had %d bytes, and has %d", dir, ErrStale, name, was, size)
		}
	}
	return m, nil
}

func (m *Manifest) write(dir string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if m.Checksum, err = sums.Seal(data); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, manifestFile), data)
}

// sources returns the lengths of the files that a graph is made of.
func (m *Manifest) sources(dir string) (map[string]int64, error) {
	sizes := map[string]int64{}
	parts := m.Parts
	if parts == nil {
		parts = []string{"."}
	}
	for _, part := range parts {
		for _, name := range []string{report.LinksFile, report.PagesFile, report.RedirectsFile, report.SkippedFile} {
			name := path.Join(part, name)
			info, err := os.Stat(from(dir, name))
			switch {
			case errors.Is(err, fs.ErrNotExist):
				sizes[name] = 0
			case err != nil:
				return nil, err
			default:
				sizes[name] = info.Size()
			}
		}
	}
	return sizes, nil
}

// PartsIn returns the crawl's directories as they can be opened, nil if it has only one.
func (m *Manifest) PartsIn(dir string) (parts []string) {
	for _, part := range m.Parts {
		parts = append(parts, from(dir, part))
	}
	return parts
}

// from is the name of what is written down within a directory, or as an absolute path.
func from(dir, name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// Damaged returns an error that wraps graph.ErrDamaged if a file of the graph in a crawl directory
// is not as it was written; whole has them all read.
func (m *Manifest) Damaged(dir string, whole bool) error {
	damages, err := report.Compare(filepath.Join(dir, Folder), m.Files, func(f sums.File, name string) (sums.Found, error) { return f.Check(name, whole) })
	for _, d := range damages {
		err = errors.Join(err, fmt.Errorf("%w: %s", graph.ErrDamaged, d.Text))
	}
	return err
}
