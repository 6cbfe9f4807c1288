package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"crawler/internal/durable"
	"crawler/internal/sums"
	"crawler/near"
	"crawler/weburl"
)

// Near sums up the near-duplicates: clusters of pages of which each has nearly the text of
// another one. near.jsonl has all of them.
type Near struct {
	Total    int           `json:"total"` // clusters
	Pages    int           `json:"pages"` // in clusters
	Sites    []NearSite    `json:"sites"` // those with most such pages first, 100 at most
	Clusters []NearCluster `json:"clusters"`
}

// NearSite is a host with clusters; a cluster counts where its first page is.
type NearSite struct {
	Site     string `json:"site"`
	Clusters int    `json:"clusters"`
	Pages    int    `json:"pages"`
}

// NearCluster is one cluster: the largest 100 are listed, each with its first 20 URLs.
type NearCluster struct {
	Site  string   `json:"site"`  // of its first page
	Pages int      `json:"pages"` // in all
	URLs  []string `json:"urls"`
}

// What a Near lists at most, and what of it the text shows.
const (
	maxNearSites    = 100
	maxNearClusters = 100
	maxNearURLs     = 20

	shownNearSites    = 10
	shownNearClusters = 3 // of a site
)

// NearRecord is one line of near.jsonl: a page of a cluster, and the page that it resembles most
// of those it was compared with.
type NearRecord struct {
	Cluster int    `json:"cluster"` // from 1 on, the largest first
	URL     string `json:"url"`
	Like    string `json:"like"` // a URL of the same cluster
	Likeness
}

// FindNear adds the clusters of near-duplicates of the crawl in dir to the report, and writes
// near.jsonl anew, whole or not at all. pages.jsonl must not change meanwhile. It keeps so many
// bytes of signatures in memory, 0 for 128 MiB, and the others in a temporary file in dir. Beside
// that it takes about 40 MiB and 23 bytes a page (package near).
func (r *Report) FindNear(dir string, memory int64) error {
	return r.FindNearIn(dir, []string{dir}, memory)
}

// FindNearIn is FindNear of the pages in several directories together, which all have pages.jsonl:
// the shards of a crawl. near.jsonl comes into dir. Each directory takes a file descriptor.
func (r *Report) FindNearIn(dir string, of []string, memory int64) error {
	found, file, err := findNear(dir, of, memory)
	if err != nil {
		return fmt.Errorf("near-duplicates: %w", err)
	}
	r.Near = found
	if r.Files != nil {
		r.Files[NearFile] = file
	}
	return nil
}

func findNear(dir string, of []string, memory int64) (found *Near, file sums.File, err error) {
	left, err := filepath.Glob(filepath.Join(globQuoted(dir), "near*.tmp*"))
	for _, name := range left { // by a run that was killed
		os.Remove(name)
	}
	if err != nil {
		return nil, file, err
	}
	w := new(nearWriter)
	defer w.close()
	for _, dir := range of {
		f, err := os.Open(filepath.Join(dir, PagesFile))
		if err != nil {
			return nil, file, err
		}
		w.files = append(w.files, nearFile{File: f})
	}
	finder, err := near.New(near.Config{Dir: dir, Memory: memory})
	if err != nil {
		return nil, file, err
	}
	clusters, err := w.find(finder)
	if closed := finder.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, file, err
	}
	err = durable.Write(filepath.Join(dir, NearFile), func(out io.Writer) error { return w.write(out, clusters) })
	return &w.near, w.file, err
}

// globQuoted is a path as a pattern that matches nothing else.
func globQuoted(path string) string {
	var b bytes.Buffer
	for _, r := range path {
		if bytes.ContainsRune([]byte(`*?[\`), r) && filepath.Separator != '\\' {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// nearWriter finds clusters and writes them down.
type nearWriter struct {
	files []nearFile
	at    []int64 // where the lines of the pages with a signature begin, in their file
	line  []byte  // scratch
	near  Near
	file  sums.File // that was written
}

// nearFile is a pages.jsonl.
type nearFile struct {
	*os.File
	first int // the number of its first page with a signature
}

func (w *nearWriter) close() {
	for _, f := range w.files {
		f.Close() // it was only read
	}
}

// find gives the finder all signatures.
func (w *nearWriter) find(finder *near.Finder) ([]near.Cluster, error) {
	for i := range w.files {
		w.files[i].first = len(w.at)
		if err := w.add(finder, w.files[i].Name()); err != nil {
			return nil, err
		}
	}
	return finder.Find()
}

// add gives the finder the signatures of a file.
func (w *nearWriter) add(finder *near.Finder, name string) error {
	var slots []uint64
	at := int64(0)
	return scan(name, func(lines []byte) error {
		return eachLine(lines, func(line []byte) error {
			from := at
			at += int64(len(line)) + 1
			_, signature := textsOf(line)
			var ok bool
			if slots, ok = slotsOf(slots[:0], signature); !ok {
				return nil
			}
			w.at = append(w.at, from)
			return finder.Add(slots)
		})
	})
}

// write writes near.jsonl and sums it up.
func (w *nearWriter) write(out io.Writer, clusters []near.Cluster) error {
	buffered := bufio.NewWriterSize(out, scanBlock)
	sites := map[string]*NearSite{}
	w.near = Near{Total: len(clusters), Sites: []NearSite{}, Clusters: []NearCluster{}}
	for i, c := range clusters {
		listed := NearCluster{Pages: len(c), URLs: []string{}}
		for _, m := range c {
			record, err := w.record(i+1, m)
			if err != nil {
				return err
			}
			if len(listed.URLs) < maxNearURLs {
				listed.URLs = append(listed.URLs, record.URL)
			}
			line := append(plainJSON(record), '\n')
			w.file.Bytes, w.file.Sum = w.file.Bytes+int64(len(line)), w.file.Sum.Add(line)
			if _, err := buffered.Write(line); err != nil {
				return err
			}
		}
		u, err := weburl.Parse(listed.URLs[0])
		if err != nil {
			return fmt.Errorf("%s: %w", listed.URLs[0], err)
		}
		listed.Site = u.Host()
		if i < maxNearClusters {
			w.near.Clusters = append(w.near.Clusters, listed)
		}
		w.near.count(sites, &listed)
	}
	for _, s := range sites {
		w.near.Sites = append(w.near.Sites, *s)
	}
	slices.SortFunc(w.near.Sites, func(a, b NearSite) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Site, b.Site))
	})
	w.near.Sites = w.near.Sites[:min(len(w.near.Sites), maxNearSites)]
	return buffered.Flush()
}

// record makes the line of a page.
func (w *nearWriter) record(cluster int, m near.Member) (NearRecord, error) {
	page, err := w.read(m.Page)
	if err != nil {
		return NearRecord{}, err
	}
	other, err := w.read(m.Like)
	if err != nil {
		return NearRecord{}, err
	}
	r := NearRecord{Cluster: cluster, URL: page.URL, Like: other.URL, Likeness: sameLikeness}
	if page.Digest != other.Digest {
		r.Likeness = likeness(int(m.Agreeing), page.Words, other.Words)
	}
	return r, nil
}

// nearPage is what near.jsonl needs of a page's record.
type nearPage struct {
	URL    string `json:"url"`
	Words  int    `json:"words"`
	Digest string `json:"digest"`
}

// read reads the record of a page with a signature, by its number.
func (w *nearWriter) read(page uint32) (p nearPage, err error) {
	behind, _ := slices.BinarySearchFunc(w.files, int(page)+1, func(f nearFile, n int) int { return cmp.Compare(f.first, n) })
	f := w.files[behind-1] // of files without such pages the last of those that begin there
	for size := 4 << 10; ; size *= 2 {
		w.line = slices.Grow(w.line[:0], size)[:size]
		n, err := f.ReadAt(w.line, w.at[page])
		if end := bytes.IndexByte(w.line[:n], '\n'); end >= 0 {
			line := w.line[:end]
			if err := json.Unmarshal(line, &p); err != nil {
				return p, damaged(line, err)
			}
			return p, nil
		}
		if err != nil || size > maxLine {
			return p, fmt.Errorf("%s: no line at byte %d: %w", f.Name(), w.at[page], err)
		}
	}
}

func (n *Near) count(sites map[string]*NearSite, c *NearCluster) {
	n.Pages += c.Pages
	s := sites[c.Site]
	if s == nil {
		s = &NearSite{Site: c.Site}
		sites[c.Site] = s
	}
	s.Clusters++
	s.Pages += c.Pages
}

// nearPages lists near-duplicates by site, the largest first.
func (r *Report) nearPages(p *page) {
	n := r.Near
	if n == nil || n.Total == 0 {
		return
	}
	p.head("Near-duplicates")
	p.wrapped("  ", fmt.Sprintf("%s with nearly the same text as another one, in %s", counted(n.Pages, "page"), counted(n.Total, "cluster")))
	for i, s := range n.Sites {
		if i == shownNearSites {
			break
		}
		p.line("  %-*s %7s pages in %s", siteWidth, shorten(s.Site, siteWidth), column(s.Pages, 7), counted(s.Clusters, "cluster"))
		shown := 0
		for _, c := range n.Clusters {
			if c.Site != s.Site || shown == shownNearClusters {
				continue
			}
			shown++
			p.line("    %7s pages, such as", column(c.Pages, 7))
			for _, url := range c.URLs[:min(len(c.URLs), 2)] {
				p.line("      %s", shorten(url, width-6))
			}
		}
	}
	p.line("  each page with the one it resembles most in %s", NearFile)
}
