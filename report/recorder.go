package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/gate"
	"crawler/stats"
	"crawler/store"
)

// Config says what a Recorder keeps.
type Config struct {
	Dir       *store.Dir   // where the lines go; nil keeps the figures alone
	Edges     bool         // write edges.jsonl, too
	EdgesCSV  bool         // write edges.csv, too
	Stream    io.Writer    // gets every page record once it is in its file, if not nil
	MaxSites  int          // sites with figures of their own; the rest share one; 0 means 1,000
	Exact     bool         // count words exactly too: about 40 bytes a distinct word and site
	NoIndex   bool         // count the words of pages that ask not to be indexed, too
	InLinks   int          // estimate how many pages link to each of so many URLs; 0 does not
	Seed      uint64       // of the sketches
	HostShare float64      // gate.Scope's: the share of hosts that is crawled; 0 and 1 mean all
	Usage     func() Usage // what this process has used up so far; nil if that is not known
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
	filters              filters      // on the files of lines

	total  tally
	sites  map[string]*site
	texts  dedup.Set // digests of the different texts
	pages  int
	bytes  int64
	status map[int]int
	types  map[string]int
	depths map[int]int
	good   int       // pages with a status below 400
	cutOff int       // of these, pages whose body broke off
	shells int       // pages that need JavaScript
	others dedup.Set // fingerprints of the hosts of OtherSites

	failures []gate.Skip
	broken   []Broken
	refusals map[string]*refusal // by host
	inLinks  *inLinks            // nil without Config.InLinks
	waiting  waiting
	scratch  sync.Pool       // of *preparing
	stream   []byte          // lines for Config.Stream
	repeated map[string]bool // URLs of pages whose records were cut off: they were streamed
	hash     *dedup.MinHash  // that their signers are clones of; nothing changes it

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
	if cfg.Dir != nil && cfg.Stream != nil {
		if err := r.findRepeated(); err != nil {
			return nil, err
		}
	}
	return r, r.openLines()
}

// findRepeated notes the pages whose records lie behind the last commit, before these are cut off.
func (r *Recorder) findRepeated() error {
	f, err := r.cfg.Dir.Behind(PagesFile)
	if err != nil || f == nil {
		return err
	}
	defer f.Close()
	r.repeated = map[string]bool{}
	return scanLines(f, func(lines []byte) error {
		return eachLine(lines, func(line []byte) error {
			if url := urlText(line); url != "" {
				r.repeated[url] = true
			}
			return nil
		})
	})
}

// newRecorder is NewRecorder without files.
func newRecorder(cfg Config) *Recorder {
	cfg.MaxSites = cmp.Or(cfg.MaxSites, 1000)
	return &Recorder{
		cfg:     cfg,
		inLinks: newInLinks(cfg.InLinks, cfg.Seed),
		total:   newTally(stats.Config{Seed: cfg.Seed}, cfg.Exact),
		sites:   make(map[string]*site),
		status:  make(map[int]int),
		types:   make(map[string]int),
		depths:  make(map[int]int),

		refusals: make(map[string]*refusal),
		hash:     newHash(),
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
	if err = r.filters.open(r.cfg.Dir, r.pageLines, r.skipLines, r.redirectLines); err != nil {
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
	defer forget(v)
	if err := r.write(v); err != nil {
		return err
	}
	r.count(v)
	r.inLinks.page(v.Page.Links)
	return nil
}

func (r *Recorder) write(v *crawl.Visit) error {
	if r.pageLines == nil && r.cfg.Stream == nil {
		return nil
	}
	p := r.preparedOf(v)
	if n := r.inLinks.of(p.of); n > 0 { // not of the page alone: it was not prepared
		p.line = appendInLinks(p.line[:len(p.line)-len("}\n")], n)
	}
	if r.cfg.Stream != nil {
		r.stream = r.appendStreamed(r.stream, p)
	}
	if r.pageLines == nil {
		return r.flushFullStream()
	}
	if err := r.pageLines.AppendLine(func(b []byte) []byte { return append(b, p.line...) }); err != nil {
		return err
	}
	if err := r.filters.recorded(ofPages, p.of); err != nil {
		return err
	}
	if err := r.writeLinks(v, p); err != nil {
		return err
	}
	return r.flushFullStream()
}

// appendStreamed appends the line as the stream has it. One that was there before an earlier run
// was killed says so.
func (r *Recorder) appendStreamed(b []byte, p *prepared) []byte {
	if !r.repeated[p.of] {
		return append(b, p.line...)
	}
	return append(append(b, p.line[:len(p.line)-2]...), ",\"repeated\":true}\n"...)
}

// maxStream is how many bytes wait for the stream.
const maxStream = 64 << 10

func (r *Recorder) flushFullStream() error {
	if len(r.stream) < maxStream {
		return nil
	}
	return r.Flush()
}

// flushStream hands lines on that are in their file: after a kill the next run finds them there.
func (r *Recorder) flushStream() error {
	if len(r.stream) == 0 {
		return nil
	}
	_, err := r.cfg.Stream.Write(r.stream)
	if r.stream = r.stream[:0]; err != nil {
		return fmt.Errorf("page records: %w", err)
	}
	return nil
}

// Skip writes the refusal.
func (r *Recorder) Skip(s gate.Skip) error {
	if s.Reason != gate.LinksOnly && s.Reason != gate.NotSampled { // these are no failures
		r.note(s)
	}
	if r.skipLines == nil {
		return nil
	}
	if err := r.writeSkip(s); err != nil {
		return err
	}
	return r.filters.recorded(ofSkipped, s.URL)
}

func (r *Recorder) writeSkip(s gate.Skip) error {
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
	for _, l := range []*store.Lines{r.pageLines, r.redirectLines, r.skipLines, r.linkLines, r.edgeLines, r.rowLines, r.filters.lines} {
		if l == nil {
			continue
		}
		if err := l.Flush(); err != nil {
			return err
		}
	}
	return r.flushStream()
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
	if v.Page.NeedsScript() {
		r.shells++
	}
	if r.texts.Add(v.Digest) && r.unsaved.on {
		r.unsaved.texts = append(r.unsaved.texts, v.Digest)
	}
	if r.countsWords(v) {
		r.countWords(v, s)
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

// countsWords reports whether the words of a page count: not if it asks not to be indexed.
func (r *Recorder) countsWords(v *crawl.Visit) bool {
	return read(v) && len(v.Page.Words) > 0 && (!v.Page.NoIndex || r.cfg.NoIndex)
}

func (r *Recorder) countWords(v *crawl.Visit, s *site) {
	r.waiting.add(&r.preparedOf(v).text, s, r.shares(s))
	if r.waiting.full() {
		r.countWaiting()
	}
	r.total.addExact(v.Page.Words, s.tally)
	if r.cfg.Exact && r.unsaved.on {
		if s.recent == nil {
			s.recent = new(stats.Exact)
		}
		s.recent.AddAll(v.Page.Words)
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
	r.countWaiting()
	rep.Pages.Fetched = r.pages
	rep.Pages.Unique = r.texts.Len()
	rep.Pages.Bytes = r.bytes
	rep.Pages.NeedScript = r.shells
	rep.OtherSites = r.others.Len()
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
	sortSites(rep.Sites)
	flag(rep.Sites)
	rep.HostSample = sampleOf(rep, r.cfg.HostShare)
}

// sortSites puts those with most pages first.
func sortSites(sites []Site) {
	slices.SortFunc(sites, func(a, b Site) int {
		return cmp.Or(sumLast(a, b), cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Site, b.Site))
	})
}

// sumLast puts what is no site behind the sites.
func sumLast(a, b Site) int {
	switch OtherSites {
	case a.Site:
		return 1
	case b.Site:
		return -1
	}
	return 0
}

func keyed[K comparable](m map[K]int, name func(K) string) map[string]int {
	out := make(map[string]int, len(m))
	for k, n := range m {
		out[name(k)] = n
	}
	return out
}
