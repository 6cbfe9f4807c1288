package lab

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"

	"crawler/internal/sheet"
	"crawler/report"
	"crawler/weburl"
)

// Split is what is divided among crawlers: URLs, and of a crawl their bytes and links.
type Split struct {
	Source string

	urls  []weburl.URL
	bytes []float64 // of each page; nil if not known
	graph *Graph    // their links; nil if not known
}

// LoadSplit reads a file of URLs, as LoadCorpus does, or the directory of a crawl, with the
// lengths of its pages and their links.
func LoadSplit(ctx context.Context, path string, cfg CorpusConfig) (*Split, error) {
	if info, err := os.Stat(path); path == "-" || err != nil || !info.IsDir() {
		c, err := LoadCorpus(ctx, path, cfg)
		if err != nil {
			return nil, err
		}
		return &Split{Source: c.Source, urls: append(c.URLs, c.HeldOut...)}, nil
	}
	w, err := LoadWeb(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Split{Source: w.Source, urls: w.urls, graph: w.Graph}
	return s, s.lengths(ctx, w, filepath.Join(path, report.PagesFile))
}

// GenerateSplit makes a web, as GenerateWeb does.
func GenerateSplit(ctx context.Context, pages int, seed uint64) (*Split, error) {
	w, err := GenerateWeb(ctx, pages, seed)
	if err != nil {
		return nil, err
	}
	return &Split{Source: w.Source, urls: w.urls, graph: w.Graph}, nil
}

// lengths reads the pages' lengths from their records, if there are any. A page that was
// redirected to may have another name than that of its record, and then counts nothing.
func (s *Split) lengths(ctx context.Context, w *Web, name string) error {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 0, 1<<20), maxRecord)
	s.bytes = make([]float64, len(s.urls))
	for n := 0; lines.Scan(); n++ {
		if n%contextEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var record struct {
			URL   string  `json:"url"`
			Bytes float64 `json:"bytes"`
		}
		if json.Unmarshal(lines.Bytes(), &record) != nil {
			continue // the last line of a crawl that was killed
		}
		if u, err := weburl.Parse(record.URL); err == nil {
			if p, ok := w.numbers[u]; ok {
				s.bytes[p] = record.Bytes
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// splitCrawlers are the numbers of crawlers of the table.
var splitCrawlers = []int{2, 3, 5, 10, 30}

// splitBy are the ways to divide: a URL goes to the hash of a part of it, modulo the number
// of crawlers.
var splitBy = []struct {
	name string
	part func(weburl.URL) string
}{
	{"hash(URL)", weburl.URL.String},
	{"hash(host)", weburl.URL.Host},
	{"hash(domain)", weburl.URL.Domain},
}

func splitNotes(s *Split) []string {
	what := fmt.Sprintf("%s: %s URLs", s.Source, sheet.Group(int64(len(s.urls))))
	if s.graph != nil {
		what += fmt.Sprintf(", %s links between them", sheet.Group(int64(s.graph.Links())))
	}
	return []string{
		what + ". A URL goes to the crawler that is the hash of it, of its host or of its registrable domain, modulo their number.",
		"Divided by URL, the pages are even and each host hears from many crawlers, which know nothing of each other's delays; divided by host, a large host " +
			"(the source's www.geocities.com) fills one crawler. \"Asked by\" is how many crawlers ask a host, of those with at least two pages. \"Lost\" is the share of reachable pages that are not found if " +
			"crawlers tell each other nothing: each begins with the seeds and follows links to its own pages only.",
	}
}

// table has a row for each number of crawlers and way to divide.
func (s *Split) table(ctx context.Context, progress func(string)) (*sheet.Table, error) {
	t := &sheet.Table{Columns: []sheet.Column{
		{Name: "crawlers"}, {Name: "by"}, {Key: "pages", Name: "pages", Unit: "most/mean", Format: "%.3f"}, {Key: "bytes", Name: "bytes", Unit: "most/mean", Format: "%.3f"},
		{Name: "links that cross", Unit: "%", Format: "%.1f"}, {Name: "asked by", Unit: "mean", Format: "%.2f"}, {Key: "asked_most", Name: "asked by", Unit: "most"},
		{Name: "lost", Unit: "%", Format: "%.1f"},
	}}
	hosts, sizes := s.hosts()
	for _, by := range splitBy {
		hashes := make([]uint64, len(s.urls))
		for i, u := range s.urls {
			if i%contextEvery == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			hashes[i] = xxhash.Sum64String(by.part(u))
		}
		for _, n := range splitCrawlers {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if progress != nil {
				progress(fmt.Sprintf("%s, %d crawlers", by.name, n))
			}
			d := &division{Split: s, n: n, of: make([]uint16, len(hashes))}
			for i, h := range hashes {
				d.of[i] = uint16(h % uint64(n))
			}
			mean, most := d.asked(hosts, sizes)
			t.Rows = append(t.Rows, []sheet.Cell{n, by.name, excess(d.load(nil)), known(s.bytes != nil, func() float64 { return excess(d.load(s.bytes)) }),
				known(s.graph != nil, d.crossing), mean, most, known(s.graph != nil, d.lost)})
		}
	}
	return t, nil
}

// known is a figure, or nothing if what it is made of is not known.
func known(is bool, figure func() float64) sheet.Cell {
	if !is {
		return nil
	}
	return figure()
}

// hosts numbers the hosts of the URLs and counts their pages.
func (s *Split) hosts() (of []uint32, sizes []int) {
	numbers := map[string]uint32{}
	of = make([]uint32, len(s.urls))
	for i, u := range s.urls {
		n, ok := numbers[u.Host()]
		if !ok {
			n = uint32(len(sizes))
			numbers[u.Host()] = n
			sizes = append(sizes, 0)
		}
		of[i] = n
		sizes[n]++
	}
	return of, sizes
}

// division is a Split among n crawlers.
type division struct {
	*Split
	n  int
	of []uint16 // the crawler of each URL
}

// load is what each crawler has to do, by weights or by pages.
func (d *division) load(weights []float64) []float64 {
	load := make([]float64, d.n)
	for i, c := range d.of {
		if weights == nil {
			load[c]++
		} else {
			load[c] += weights[i]
		}
	}
	return load
}

// crossing is the percentage of links that lead to another crawler's page.
func (d *division) crossing() float64 {
	cross := 0
	for p := range uint32(d.graph.Pages()) {
		for _, to := range d.graph.links(p) {
			if d.of[p] != d.of[to] {
				cross++
			}
		}
	}
	if d.graph.Links() == 0 {
		return math.NaN()
	}
	return 100 * float64(cross) / float64(d.graph.Links())
}

// asked returns how many crawlers ask a host that has two pages or more, on average and at most.
func (d *division) asked(hosts []uint32, sizes []int) (mean float64, most int) {
	type visit struct {
		host    uint32
		crawler uint16
	}
	seen, by := map[visit]bool{}, make([]int, len(sizes))
	for i, h := range hosts {
		if v := (visit{h, d.of[i]}); sizes[h] > 1 && !seen[v] {
			seen[v] = true
			by[h]++
		}
	}
	count, sum := 0, 0
	for h, n := range by {
		if sizes[h] > 1 {
			count++
			sum += n
			most = max(most, n)
		}
	}
	if count == 0 {
		return math.NaN(), 0
	}
	return float64(sum) / float64(count), most
}

// lost is the percentage of the pages that can be reached, which crawlers that do not exchange
// URLs do not find.
func (d *division) lost() float64 {
	seen := make([]bool, d.graph.Pages())
	var queue []uint32
	for _, p := range d.graph.seeds {
		seen[p] = true
		queue = append(queue, p)
	}
	seeds := len(queue)
	for i := 0; i < len(queue); i++ {
		from := queue[i]
		for _, to := range d.graph.links(from) {
			// All crawlers read the seeds.
			if !seen[to] && (i < seeds || d.of[to] == d.of[from]) {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return 100 * (1 - float64(len(queue))/float64(max(d.graph.reachable(), 1)))
}
