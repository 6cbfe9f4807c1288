// Package report turns a crawl into what remains of it: page records while it runs,
// and at the end one page that says what was found.
//
// A Recorder is plugged into crawl.Run. It writes one line of JSON for every page (pages.jsonl),
// for every hop of a redirect (redirects.jsonl) and for every URL that was refused or failed
// (skipped.jsonl), and it feeds the words of every page into two sketches, for the whole crawl and
// for each site: the number of distinct words (stats.Distinct, Flajolet and Martin) and the
// surprise number, which is the second frequency moment (stats.Surprise, the signed counters of
// Alon, Matias and Szegedy). A site whose figures are far from what the other sites predict is
// flagged: few words repeated without end, or gibberish that never repeats.
//
// A Report sums the crawl up, as JSON (the schema is docs/report.md) and as text of 80
// columns.
package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"crawler/gate"
	"crawler/internal/durable"
	"crawler/internal/sums"
	"crawler/store"
)

// Report is what a crawl found. Its JSON form has exactly these keys.
type Report struct {
	Version   string         `json:"version"`
	Seeds     []string       `json:"seeds"`
	Started   time.Time      `json:"started"`
	Finished  time.Time      `json:"finished"`
	EndedBy   string         `json:"ended_by"`
	Runs      int            `json:"runs"` // 1, and one for each time the crawl was resumed
	SeedsDone SeedsDone      `json:"seeds_done"`
	Pages     Pages          `json:"pages"`
	Skipped   map[string]int `json:"skipped"`         // by reason: by decision of the crawl
	Errors    map[string]int `json:"errors"`          // by reason: what could not be fetched
	GivenUp   map[string]int `json:"given_up"`        // by reason or status
	Retry     string         `json:"retry,omitempty"` // command to ask again
	Failures  []Failure      `json:"failures"`        // the first few
	Traps     []Trap         `json:"traps"`           // that URLs were refused as
	Refused   []Refused      `json:"refused"`         // sites that answer, and refuse us

	// RobotsPages are sites whose robots.txt is a web page, which has no rules.
	RobotsPages []string `json:"robots_pages"`

	// NoFiles says that there are no records to be referred to.
	NoFiles bool `json:"-"`

	Requests   Requests    `json:"requests"`
	Dedup      Dedup       `json:"dedup"`
	Words      Words       `json:"words"`
	Sites      []Site      `json:"sites"`
	OtherSites int         `json:"other_sites"`           // how many share the last of Sites
	HostSample *HostSample `json:"host_sample,omitempty"` // nil: all hosts were crawled
	Near       *Near       `json:"near,omitempty"`        // nil: nobody has looked for it
	Rebuilt    *Rebuilt    `json:"rebuilt,omitempty"`     // nil: the state was never lost
	Frontier   Frontier    `json:"frontier"`
	Resources  Resources   `json:"resources"`

	Files    sums.Table `json:"files,omitempty"` // as they were written; see Damages
	Checksum sums.Sum   `json:"checksum"`        // of report.json, with zeros in its place
}

// Rebuilt says that the state was lost and made again from the records: words, the sites' figures
// of them, requests, and the time are those of what was fetched since.
type Rebuilt struct {
	At    time.Time `json:"at"`
	Pages int       `json:"pages"` // of which only the records are known
}

// SeedsDone counts seeds by what has become of them.
type SeedsDone struct {
	Given    int `json:"given"`    // each once
	Answered int `json:"answered"` // by a page, whatever its status, or a redirect
	Refused  int `json:"refused"`  // no answer, or a decision not to ask
}

// Pages counts the answers that were recorded.
type Pages struct {
	Fetched  int            `json:"fetched"`
	Unique   int            `json:"unique"` // different texts among the successful ones
	Bytes    int64          `json:"bytes"`  // of bodies, decoded
	ByStatus map[string]int `json:"by_status"`
	ByType   map[string]int `json:"by_type"`
	ByDepth  map[string]int `json:"by_depth"`

	NeedScript int `json:"need_script"` // look as if JavaScript, which is not run, would fill them

	Redirects int      `json:"redirects"` // answers that only pointed elsewhere; not pages
	Broken    []Broken `json:"broken"`    // the first that lead to errors

	MostLinked []MostLinked `json:"most_linked,omitempty"` // if links to URLs were counted
}

// Broken is a link that leads to an error.
type Broken struct {
	URL    string `json:"url"`             // as it stands in the page
	End    string `json:"end,omitempty"`   // where its redirects end, if it has some
	Status int    `json:"status"`          // of the last answer
	Error  string `json:"error,omitempty"` // of redirects to nothing: to no URL, or in a loop
	Via    string `json:"via,omitempty"`   // a page with the link
}

// MostLinked is a URL that many pages link to.
type MostLinked struct {
	URL     string `json:"url"`
	InLinks int64  `json:"inlinks"` // pages and redirects, as estimated: never too few
}

// Failure is a URL that brought no page, or one with an error.
type Failure struct {
	URL    string `json:"url"`
	Reason string `json:"reason,omitempty"` // "" if it was answered
	Detail string `json:"detail,omitempty"`
}

// Requests counts what servers were sent.
type Requests struct {
	Sent    int `json:"sent"`    // all requests
	Robots  int `json:"robots"`  // of them, those for robots.txt, and where that redirects to
	Retried int `json:"retried"` // attempts that another one followed
}

// Trap is a set of URLs of one shape that were refused because the server seems to make
// them up without end.
type Trap struct {
	Kind    string `json:"kind"`
	Pattern string `json:"pattern"`         // "" if the URLs alone show it, or of other patterns
	Fetched int    `json:"fetched"`         // pages
	Refused int    `json:"refused"`         // URLs
	Why     string `json:"why,omitempty"`   // what the latest of its pages were like
	Retry   string `json:"retry,omitempty"` // command that fetches them all the same
}

// Dedup is what the filter did. The last keys are there in the mode "filter" only.
type Dedup struct {
	Mode                 string  `json:"mode"` // "exact", "memory" or "filter"
	Asked                int64   `json:"asked"`
	New                  int64   `json:"new"`
	Seen                 int64   `json:"seen"`
	Maybe                int64   `json:"maybe"`   // questions that waited for the exact log
	Hot                  int64   `json:"hot"`     // answered by the cache of recent URLs
	Checked              int64   `json:"settled"` // answered by the exact log
	Restarts             int64   `json:"restarts"`
	RestartSeconds       float64 `json:"restart_seconds"`       // of rebuilding, during the crawl
	RestartPauseSeconds  float64 `json:"restart_pause_seconds"` // the longest the crawl stood still
	Bits                 int64   `json:"bits"`
	Fill                 float64 `json:"fill"`
	ExpectedRate         float64 `json:"expected_rate"`
	FalsePositives       *int64  `json:"false_positives"` // nil in mode "filter": unknown
	Rate                 float64 `json:"rate"`
	RateLow              float64 `json:"rate_low"`
	RateHigh             float64 `json:"rate_high"`
	CollisionProbability float64 `json:"collision_probability"` // that two URLs share a fingerprint

	NewAt gate.NewAtCounts `json:"new_at"` // where the admitted URLs became new
	*Risk
}

// Risk is what a crawl without an exact log may have lost.
type Risk struct {
	Expect      int64   `json:"expect_urls"`  // what the filter was sized for
	Risked      float64 `json:"risked"`       // URLs that were lost
	RiskedHigh  float64 `json:"risked_high"`  // upper end of its 95 % interval
	RiskedBy    string  `json:"risked_by"`    // how that is known: "count", "theory" or "sample"
	SampledURLs int64   `json:"sampled_urls"` // URLs of a sample that was kept exactly
	SampledLost int64   `json:"sampled_lost"` // of them, URLs that were lost
}

// The modes of Dedup.
const (
	ModeExact  = "exact"  // pending checks are answered by the log on disk
	ModeMemory = "memory" // by a log in memory
	ModeFilter = "filter" // not at all: what the filter calls seen is lost if it is not
)

// Figure is an estimate with its 95 % interval, and the exact value if that was
// counted too.
type Figure struct {
	Estimate float64  `json:"estimate"`
	Low      float64  `json:"low"`
	High     float64  `json:"high"`
	Exact    *float64 `json:"exact,omitempty"`
}

// Words has the figures of all pages' words together.
type Words struct {
	Total    int64  `json:"total"`
	Distinct Figure `json:"distinct"`
	Surprise Figure `json:"surprise"`
}

// Site has the figures of one host's pages.
type Site struct {
	Site     string   `json:"site"`
	Pages    int      `json:"pages"`
	Words    int64    `json:"words"`
	Distinct Figure   `json:"distinct"`
	Surprise Figure   `json:"surprise"`
	Flags    []string `json:"flags"` // what is unusual and why, in words
}

// Frontier says what was left when the crawl ended.
type Frontier struct {
	Queued int `json:"queued"`
	Leased int `json:"leased"`
	Hosts  int `json:"hosts"`
	Left   int `json:"left"` // queued + leased
}

// Resources says what the crawl cost.
type Resources struct {
	Seconds        float64 `json:"seconds"`
	CPUSeconds     float64 `json:"cpu_seconds"`
	PeakRSSBytes   int64   `json:"peak_rss_bytes"`
	PagesPerSecond float64 `json:"pages_per_second"`
}

// The files of a crawl directory that this package writes.
const (
	PagesFile     = "pages.jsonl"
	RedirectsFile = "redirects.jsonl"
	SkippedFile   = "skipped.jsonl"
	EdgesFile     = "edges.jsonl" // with Config.Edges
	NearFile      = "near.jsonl"
	JSONFile      = "report.json"
	TextFile      = "report.txt"
)

// JSON returns the report as report.json has it.
func (r *Report) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	data = append([]byte(Printable(string(data))), '\n')
	_, err = sums.Seal(data)
	return data, err
}

// Save writes report.txt and report.json into dir, in this order: report.json says what the other
// is, and that there is a report. A crash between them leaves a crawl without a report, none that
// is damaged.
func (r *Report) Save(dir string) error {
	if r.Files != nil {
		text := []byte(r.Text())
		r.Files[TextFile] = sums.File{Bytes: int64(len(text)), Sum: sums.Sum(0).Add(text)}
	}
	data, err := r.JSON()
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(dir, TextFile), []byte(r.Text())); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := durable.WriteFile(filepath.Join(dir, JSONFile), data); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// ErrNoReport says that a directory holds no crawl, ErrUnfinished that it holds one
// that has no report yet.
var (
	ErrNoReport   = errors.New("no report.json")
	ErrUnfinished = errors.New("holds a crawl that has not ended")
)

// Load reads dir/report.json. An error that wraps store.ErrDamaged says that it is not what was
// written.
func Load(dir string) (*Report, error) {
	name := filepath.Join(dir, JSONFile)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		switch found, err := holdsCrawl(dir); {
		case err != nil:
			return nil, err
		case found:
			return nil, fmt.Errorf("%s %w", dir, ErrUnfinished)
		}
		return nil, fmt.Errorf("%s: %w", dir, ErrNoReport)
	}
	if err != nil {
		return nil, err
	}
	r := new(Report)
	err = json.Unmarshal(data, r)
	if err == nil {
		var sealed bool // by versions that wrote Files
		if sealed, err = sums.Sealed(data); err == nil && !sealed && r.Files != nil {
			err = sums.ErrJSON
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w: %w", name, store.ErrDamaged, err)
	}
	return r, nil
}

// holdsCrawl reports whether there is a crawl in dir, if only its records or its settings.
func holdsCrawl(dir string) (bool, error) {
	for _, name := range []string{PagesFile, "crawl.json"} {
		_, err := os.Stat(filepath.Join(dir, name))
		if !errors.Is(err, fs.ErrNotExist) {
			return err == nil, err
		}
	}
	return false, nil
}
