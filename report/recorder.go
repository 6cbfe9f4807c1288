package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/gate"
	"crawler/stats"
	"crawler/store"
)

// Config says what a Recorder keeps.
type Config struct {
	Dir      *store.Dir   // where the lines go; nil keeps the figures alone
	Edges    bool         // write edges.jsonl, too
	EdgesCSV bool         // write edges.csv, too
	Stream   io.Writer    // gets every page record as it comes, if not nil
	MaxSites int          // sites with figures of their own; the rest share one; 0 means 1,000
	Exact    bool         // count words exactly too: about 40 bytes a distinct word and site
	NoIndex  bool         // count the words of pages that ask not to be indexed, too
	Seed     uint64       // of the sketches
	Usage    func() Usage // what this process has used up so far; nil if that is not known
}

// OtherSites names the bucket of the sites beyond Config.MaxSites.
const OtherSites = "(other sites)"

// Recorder is the crawl.Recorder of a Report. It belongs to the crawl's recorder
// goroutine until the crawl has ended. Beside the sketches it keeps about 10
// bytes a successful page, to count the different ones.
//
// Of a durable crawl, Cut says at any moment what must be committed, and Restore continues
// from there: every figure is then what it would be without the interruption, to the bit.
type Recorder struct {
	cfg                  Config
	pageLines, skipLines *store.Lines // nil without Config.Dir
	redirectLines        *store.Lines // nil without Config.Dir
	linkLines            *store.Lines // nil without Config.Dir
	edgeLines            *store.Lines // nil without Config.Edges, too
	rowLines             *store.Lines // nil without Config.EdgesCSV, too
	links                linkWriter

	total  tally
	sites  map[string]*site
	texts  dedup.Set // digests of the different texts
	pages  int
	bytes  int64
	status map[int]int
	types  map[string]int
	depths map[int]int
	good   int // pages with a status below 400
	cutOff int // of these, pages whose body broke off

	failures []gate.Skip
	broken   []Broken
	refusals map[string]*refusal // by host
	bag      stats.Bag           // scratch
	line     []byte              // scratch

	unsaved unsaved
	journal journal // of the crawl's sketches
	before  Usage   // of the runs before this one
}

// firstFailures is how many are kept to explain a crawl that fetched nothing.
const firstFailures = 5

// maxBroken is how many broken links the report lists; pages.jsonl has them all.
const maxBroken = 100

// NewRecorder returns an empty Recorder, its files opened for appending. They belong to
// Config.Dir and are closed with it.
func NewRecorder(cfg Config) (*Recorder, error) {
	r := newRecorder(cfg)
	return r, r.openLines()
}

// newRecorder is NewRecorder without files.
func newRecorder(cfg Config) *Recorder {
	cfg.MaxSites = cmp.Or(cfg.MaxSites, 1000)
	return &Recorder{
		cfg:    cfg,
		total:  newTally(stats.Config{Seed: cfg.Seed}, cfg.Exact),
		sites:  make(map[string]*site),
		status: make(map[int]int),
		types:  make(map[string]int),
		depths: make(map[int]int),

		refusals: make(map[string]*refusal),
		unsaved:  unsaved{on: cfg.Dir != nil && cfg.Dir.Durable()},
	}
}

func (r *Recorder) openLines() (err error) {
	if r.cfg.Dir == nil {
		return nil
	}
	if r.pageLines, err = r.cfg.Dir.Lines(PagesFile); err != nil {
		return err
	}
	if r.skipLines, err = r.cfg.Dir.Lines(SkippedFile); err != nil {
		return err
	}
	if r.redirectLines, err = r.cfg.Dir.Lines(RedirectsFile); err != nil {
		return err
	}
	if r.linkLines, err = r.cfg.Dir.Lines(LinksFile); err != nil {
		return err
	}
	if r.cfg.Edges {
		if r.edgeLines, err = r.cfg.Dir.Lines(EdgesFile); err != nil {
			return err
		}
	}
	if r.cfg.EdgesCSV {
		r.rowLines, err = openRows(r.cfg.Dir)
	}
	return err
}

// Succeeded returns the number of pages with a status below 400.
func (r *Recorder) Succeeded() int { return r.good }

// FirstFailures returns the first few URLs that were skipped, or, with no Reason,
// answered with an error or redirect to nothing.
func (r *Recorder) FirstFailures() []gate.Skip { return r.failures }

// Page writes the page's record and counts its words.
func (r *Recorder) Page(v *crawl.Visit) error {
	if err := r.write(v); err != nil {
		return err
	}
	r.count(v)
	return nil
}

func (r *Recorder) write(v *crawl.Visit) error {
	if r.pageLines == nil && r.cfg.Stream == nil {
		return nil
	}
	record := recordOf(v)
	if !v.CutOff {
		record.Simhash = simhash(v.Page.Words)
	}
	r.line = record.appendLine(r.line[:0])
	if r.cfg.Stream != nil {
		if _, err := r.cfg.Stream.Write(r.line); err != nil {
			return fmt.Errorf("page records: %w", err)
		}
	}
	if r.pageLines == nil {
		return nil
	}
	if err := r.pageLines.AppendLine(func(b []byte) []byte { return append(b, r.line...) }); err != nil {
		return err
	}
	return r.writeLinks(v)
}

// Skip writes the refusal.
func (r *Recorder) Skip(s gate.Skip) error {
	r.note(s)
	if r.skipLines == nil {
		return nil
	}
	if plainASCII(s.Detail) { // the other fields are ASCII
		return r.skipLines.Write(s)
	}
	return r.skipLines.AppendLine(func(b []byte) []byte { return append(append(b, plainJSON(s)...), '\n') })
}

// note keeps the first few failures.
func (r *Recorder) note(s gate.Skip) {
	if len(r.failures) < firstFailures {
		r.failures = append(r.failures, s)
		r.unsaved.lists = true
	}
}

// Flush hands what was written to the operating system, so that a reader of the
// files is never far behind.
func (r *Recorder) Flush() error {
	for _, l := range []*store.Lines{r.pageLines, r.redirectLines, r.skipLines, r.linkLines, r.edgeLines, r.rowLines} {
		if l == nil {
			continue
		}
		if err := l.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Recorder) count(v *crawl.Visit) {
	r.pages++
	r.bytes += v.Bytes
	r.status[v.Status]++
	r.types[r.typeKey(v.MediaType)]++
	r.depths[min(v.Depth, maxDepths)]++
	s := r.site(v.URL.Host())
	s.pages++
	r.changed(s)
	refused := refuses(v.Status, v.Challenge, v.CutOff)
	if refused {
		r.refusedPage(v)
	}
	switch {
	case v.Status < 400:
		r.good++
	case refused: // that the link is broken is not known
		r.note(gate.Skip{URL: v.URL.String(), Via: v.Via, From: v.From, Detail: fmt.Sprintf("answered %d", v.Status)})
	default:
		r.fail(v, fmt.Sprintf("answered %d", v.Status))
	}
	if v.CutOff {
		r.cutOff++
		r.note(gate.Skip{URL: v.URL.String(), Via: v.Via, From: v.From, Detail: v.ParseErr.Error()})
	}
	if !read(v) {
		return
	}
	if r.texts.Add(v.Digest) && r.unsaved.on {
		r.unsaved.texts = append(r.unsaved.texts, v.Digest)
	}
	if !v.Page.NoIndex || r.cfg.NoIndex { // otherwise the page asks not to be indexed
		r.countWords(v.Page.Words, s)
	}
}

// fail keeps the first few links that lead to an error.
func (r *Recorder) fail(v *crawl.Visit, detail string) {
	url := v.URL.String()
	r.note(gate.Skip{URL: url, Via: v.Via, From: v.From, Detail: detail})
	if len(r.broken) >= maxBroken {
		return
	}
	b := Broken{URL: v.Linked(), Status: v.Status, Via: v.Via}
	if b.URL != url {
		b.End = url
	}
	if v.Status < 400 {
		b.Error = detail
	}
	r.broken = append(r.broken, b)
	r.unsaved.lists = true
}

func (r *Recorder) countWords(words []uint64, s *site) {
	if len(words) == 0 {
		return
	}
	r.unsaved.mark(&r.journal, r.total.words)
	if !r.shares(s) {
		r.unsaved.mark(&s.journal, s.words)
	}
	r.total.add(words, s.tally, &r.bag)
	r.unsaved.words = true
	if r.cfg.Exact && r.unsaved.on {
		if s.recent == nil {
			s.recent = new(stats.Exact)
		}
		s.recent.AddAll(words)
	}
}

// changed notes that the site must be saved.
func (r *Recorder) changed(s *site) {
	if r.unsaved.on && !s.unsaved {
		s.unsaved = true
		r.unsaved.sites = append(r.unsaved.sites, s)
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

// Fill puts what the Recorder knows into the report: pages, words and sites.
func (r *Recorder) Fill(rep *Report) {
	rep.Pages.Fetched = r.pages
	rep.Pages.Unique = r.texts.Len()
	rep.Pages.Bytes = r.bytes
	rep.Pages.ByStatus = keyed(r.status, strconv.Itoa)
	rep.Pages.ByType = keyed(r.types, func(s string) string { return s })
	rep.Pages.ByDepth = keyed(r.depths, strconv.Itoa)
	rep.Pages.Broken = append([]Broken{}, r.broken...)
	rep.Refused, rep.RobotsPages = r.refused()
	rep.Words.Total = int64(r.total.words.N())
	rep.Words.Distinct, rep.Words.Surprise = r.total.figures()
	rep.Sites = make([]Site, 0, len(r.sites))
	for _, s := range r.sites {
		if s.pages == 0 {
			continue // all it had is asked again
		}
		d, f := s.figures()
		rep.Sites = append(rep.Sites, Site{Site: s.name, Pages: s.pages, Words: int64(s.words.N()), Distinct: d, Surprise: f, Flags: []string{}})
	}
	slices.SortFunc(rep.Sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Site, b.Site))
	})
	flag(rep.Sites)
}

func keyed[K comparable](m map[K]int, name func(K) string) map[string]int {
	out := make(map[string]int, len(m))
	for k, n := range m {
		out[name(k)] = n
	}
	return out
}
