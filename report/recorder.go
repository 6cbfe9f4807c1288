package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/stats"
)

// Config says what a Recorder keeps.
type Config struct {
	Files    *Files    // nil keeps the figures alone
	Stream   io.Writer // gets every page record as it comes, if not nil
	MaxSites int       // sites with figures of their own; the rest share one; 0 means 1,000
	Exact    bool      // count words exactly too: about 40 bytes a distinct word and site
	NoIndex  bool      // count the words of pages that ask not to be indexed, too
	Seed     uint64    // of the sketches
}

// OtherSites names the bucket of the sites beyond Config.MaxSites.
const OtherSites = "(other sites)"

// Recorder is the crawl.Recorder of a Report. It belongs to the crawl's recorder
// goroutine until the crawl has ended. Beside the sketches it keeps about 10
// bytes a successful page, to count the different ones.
type Recorder struct {
	cfg    Config
	total  tally
	sites  map[string]*site
	texts  dedup.Set // digests of the different texts
	pages  int
	bytes  int64
	status map[int]int
	types  map[string]int
	depths map[int]int
	good   int // pages with a status below 400

	failures []crawl.Skip
	broken   []Broken
	stream   *json.Encoder // nil without Config.Stream
}

// firstFailures is how many are kept to explain a crawl that fetched nothing.
const firstFailures = 5

// maxBroken is how many broken links the report lists; pages.jsonl has them all.
const maxBroken = 100

type site struct {
	name  string
	pages int
	tally
}

// NewRecorder returns an empty Recorder.
func NewRecorder(cfg Config) *Recorder {
	cfg.MaxSites = cmp.Or(cfg.MaxSites, 1000)
	r := &Recorder{
		cfg:    cfg,
		total:  newTally(stats.Config{Seed: cfg.Seed}, cfg.Exact),
		sites:  make(map[string]*site),
		status: make(map[int]int),
		types:  make(map[string]int),
		depths: make(map[int]int),
	}
	if cfg.Stream != nil {
		r.stream = json.NewEncoder(cfg.Stream)
		r.stream.SetEscapeHTML(false)
	}
	return r
}

// Succeeded returns the number of pages with a status below 400.
func (r *Recorder) Succeeded() int { return r.good }

// FirstFailures returns the first few URLs that were skipped, or, with no Reason,
// answered with an error.
func (r *Recorder) FirstFailures() []crawl.Skip { return r.failures }

// Page writes the page's record and counts its words.
func (r *Recorder) Page(v *crawl.Visit) error {
	if err := r.write(v); err != nil {
		return err
	}
	r.count(v)
	return nil
}

func (r *Recorder) write(v *crawl.Visit) error {
	if r.cfg.Files == nil && r.stream == nil {
		return nil
	}
	line := recordOf(v)
	if r.stream != nil {
		if err := r.stream.Encode(line); err != nil {
			return fmt.Errorf("page records: %w", err)
		}
	}
	if r.cfg.Files == nil {
		return nil
	}
	if err := r.cfg.Files.pages.write(line); err != nil {
		return err
	}
	return r.cfg.Files.edgesOf(v)
}

// Skip writes the refusal.
func (r *Recorder) Skip(s crawl.Skip) error {
	r.note(s)
	if r.cfg.Files == nil {
		return nil
	}
	return r.cfg.Files.skipped.write(s)
}

// note keeps the first few failures.
func (r *Recorder) note(s crawl.Skip) {
	if len(r.failures) < firstFailures {
		r.failures = append(r.failures, s)
	}
}

// Flush hands what was written to the operating system, so that a reader of the
// files is never far behind.
func (r *Recorder) Flush() error {
	if r.cfg.Files == nil {
		return nil
	}
	return r.cfg.Files.flush()
}

func (r *Recorder) count(v *crawl.Visit) {
	r.pages++
	r.bytes += v.Bytes
	r.status[v.Status]++
	r.types[r.typeKey(v.MediaType)]++
	r.depths[min(v.Depth, maxDepths)]++
	s := r.site(v.URL.Host())
	s.pages++
	if v.Status < 400 {
		r.good++
	} else {
		r.note(crawl.Skip{URL: v.URL.String(), Detail: fmt.Sprintf("answered %d", v.Status)})
		if len(r.broken) < maxBroken {
			r.broken = append(r.broken, Broken{URL: v.URL.String(), Status: v.Status, Via: v.Via})
		}
	}
	if v.Status >= 300 {
		return
	}
	r.texts.Add(v.Digest)
	if v.Page.NoIndex && !r.cfg.NoIndex {
		return // the page asks not to be indexed, so its words are not counted
	}
	stats.AddAll(v.Page.Words, r.total.words, s.words)
	if r.cfg.Exact {
		r.total.exact.AddAll(v.Page.Words)
		s.exact.AddAll(v.Page.Words)
	}
}

// maxTypes and maxDepths bound what a server can make the report grow to: media types
// beyond the first hundred are counted together, and so are the depths from 1000 on.
const (
	maxTypes      = 100
	maxTypeLength = 100
	maxDepths     = 1000
	otherType     = "(other)"
)

func (r *Recorder) typeKey(mediaType string) string {
	mediaType = mediaType[:min(len(mediaType), maxTypeLength)]
	if _, ok := r.types[mediaType]; !ok && len(r.types) >= maxTypes {
		return otherType
	}
	return mediaType
}

func (r *Recorder) site(host string) *site {
	if s, ok := r.sites[host]; ok {
		return s
	}
	if len(r.sites) >= r.cfg.MaxSites {
		host = OtherSites
		if s, ok := r.sites[host]; ok {
			return s
		}
	}
	s := &site{name: host, tally: newTally(stats.SiteConfig(r.cfg.Seed), r.cfg.Exact)}
	r.sites[host] = s
	return s
}

// tally is what is known of a stream of words.
type tally struct {
	words *stats.Words
	exact *stats.Exact // nil unless asked for
}

func newTally(sizes stats.Config, exact bool) tally {
	t := tally{words: stats.NewWords(sizes)}
	if exact {
		t.exact = new(stats.Exact)
	}
	return t
}

func (t *tally) figures() (distinct, surprise Figure) {
	distinct, surprise = figure(t.words.Distinct()), figure(t.words.Surprise())
	if t.exact != nil {
		d, s := float64(t.exact.Distinct()), t.exact.Surprise()
		distinct.Exact, surprise.Exact = &d, &s
	}
	return distinct, surprise
}

func figure(i stats.Interval) Figure {
	return Figure{Estimate: i.Estimate, Low: i.Low, High: i.High}
}

// Fill puts what the Recorder knows into the report: pages, words and sites.
func (r *Recorder) Fill(rep *Report) {
	rep.Pages.Fetched = r.pages
	rep.Pages.Unique = r.texts.Len()
	rep.Pages.Bytes = r.bytes
	rep.Pages.ByStatus = keyed(r.status, strconv.Itoa)
	rep.Pages.ByType = keyed(r.types, func(s string) string { return s })
	rep.Pages.ByDepth = keyed(r.depths, strconv.Itoa)
	rep.Pages.Broken = append([]Broken{}, r.broken...)
	rep.Words.Total = int64(r.total.words.N())
	rep.Words.Distinct, rep.Words.Surprise = r.total.figures()
	rep.Sites = make([]Site, 0, len(r.sites))
	for _, s := range r.sites {
		d, f := s.figures()
		rep.Sites = append(rep.Sites, Site{Site: s.name, Pages: s.pages, Words: int64(s.words.N()), Distinct: d, Surprise: f, Flags: []string{}})
	}
	slices.SortFunc(rep.Sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Site, b.Site))
	})
	if len(rep.Sites) == 1 { // the crawl's own sketches are larger, and know the same words
		rep.Sites[0].Distinct, rep.Sites[0].Surprise = rep.Words.Distinct, rep.Words.Surprise
	}
	flag(rep.Sites)
}

func keyed[K comparable](m map[K]int, name func(K) string) map[string]int {
	out := make(map[string]int, len(m))
	for k, n := range m {
		out[name(k)] = n
	}
	return out
}
