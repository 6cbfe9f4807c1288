package benchcmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/sheet"
)

// benchResult is what crawler bench prints. Its JSON form is a promise.
type benchResult struct {
	Version  string        `json:"version"`
	Machine  benchMachine  `json:"machine"`
	Settings benchSettings `json:"settings"`

	PagesPerCPUSecond spread  `json:"pages_per_cpu_second"`
	BytesPerURL       *spread `json:"bytes_per_url"` // null where the system does not say
	Recall            float64 `json:"recall"`        // from 0 to 1, over all crawls
	Duplicates        int     `json:"duplicates"`    // over all crawls
	SeenTestNs        spread  `json:"seen_test_ns"`

	CPUOfBareLoop    spread  `json:"cpu_of_bare_loop"` // the crawl's by the loop's, round by round
	LoopPerCPUSecond spread  `json:"bare_loop_pages_per_cpu_second"`
	CPUOfWget2       *spread `json:"cpu_of_wget2"` // null where it is not installed
	Wget2Recall      float64 `json:"wget2_recall"` // from 0 to 1, over all rounds
	PagesPerSecond   spread  `json:"pages_per_second"`
	PeakMemory       *spread `json:"peak_memory_bytes"` // null where the system does not say
}

type benchMachine struct {
	CPU        string `json:"cpu"` // empty where the system does not say
	Processors int    `json:"processors"`
	OS         string `json:"os"`
	Arch       string `json:"arch"`
	Go         string `json:"go"`
}

type benchSettings struct {
	Size        string   `json:"size"`
	Hosts       int      `json:"hosts"`
	TLS         bool     `json:"tls"`
	Pages       int      `json:"pages"`
	PageBytes   int64    `json:"page_bytes"` // on average
	Concurrency int      `json:"concurrency"`
	Rounds      int      `json:"rounds"`
	KnownURLs   int      `json:"known_urls"` // for memory and seen test
	GoVariables []string `json:"go_variables"`
}

// spread is what all rounds say of a figure.
type spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// spreadOf sorts the figures of one round and more.
func spreadOf(figures []float64) spread {
	slices.Sort(figures)
	n := len(figures)
	return spread{Median: (figures[(n-1)/2] + figures[n/2]) / 2, Min: figures[0], Max: figures[n-1]}
}

func newBenchResult(o *benchOptions, known int, rounds []benchRound, seen []float64) *benchResult {
	over := func(f func(benchRound) float64) spread {
		figures := make([]float64, len(rounds))
		for i := range rounds {
			figures[i] = f(rounds[i])
		}
		return spreadOf(figures)
	}
	pages := float64(o.pages)
	r := &benchResult{
		Version: shell.Version,
		Machine: benchMachine{CPU: processor(), Processors: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version()},
		Settings: benchSettings{Size: o.size.Value, Hosts: o.hosts, TLS: o.tls, Pages: o.pages, PageBytes: rounds[0].crawl.bytes / int64(o.pages), Concurrency: o.concurrency,
			Rounds: len(rounds), KnownURLs: known, GoVariables: goVariables()},
		PagesPerCPUSecond: over(func(r benchRound) float64 { return pages / r.crawl.cpu.Seconds() }),
		SeenTestNs:        spreadOf(seen),
		CPUOfBareLoop:     over(func(r benchRound) float64 { return r.crawl.cpu.Seconds() / r.loop.Seconds() }),
		LoopPerCPUSecond:  over(func(r benchRound) float64 { return pages / r.loop.Seconds() }),
		PagesPerSecond:    over(func(r benchRound) float64 { return pages / r.crawl.wall.Seconds() }),
	}
	if rounds[0].crawl.peak > 0 {
		perURL := over(func(r benchRound) float64 {
			return float64(r.crowd[1].peak-r.crowd[0].peak) / float64(r.crowd[1].urls-r.crowd[0].urls)
		})
		peak := over(func(r benchRound) float64 { return float64(r.crawl.peak) })
		r.BytesPerURL, r.PeakMemory = &perURL, &peak
	}
	if rounds[0].rival != nil {
		of := over(func(r benchRound) float64 { return r.crawl.cpu.Seconds() / r.rival.cpu.Seconds() })
		r.CPUOfWget2 = &of
		for i := range rounds {
			r.Wget2Recall += float64(rounds[i].rival.asked.Distinct) / (pages * float64(len(rounds)))
		}
	}
	found := 0
	for i := range rounds {
		found += rounds[i].crawl.asked.Distinct
		r.Duplicates += rounds[i].crawl.asked.Duplicates
	}
	r.Recall = float64(found) / float64(o.pages*len(rounds))
	return r
}

// verdict is an error unless every page was fetched, once.
func (r *benchResult) verdict() error {
	if r.Recall == 1 && r.Duplicates == 0 {
		return nil
	}
	return &shell.ExitError{Code: shell.ExitFailed, Hint: "this is a defect of the crawler, and its figures are worth nothing; please report it",
		Err: fmt.Errorf("recall is %.4f %%, and %s fetched twice", 100*r.Recall, were(r.Duplicates))}
}

// were is a number of pages with its verb.
func were(pages int) string {
	if pages == 1 {
		return "1 page was"
	}
	return shell.Counted(pages, "page") + " were"
}

// print writes the result as text or as JSON.
func (r *benchResult) print(w io.Writer, asJSON bool) error {
	if !asJSON {
		return r.sheet().Text(w)
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// sheet is the result for people.
func (r *benchResult) sheet() *sheet.Sheet {
	row := func(name string, s *spread, by float64) []sheet.Cell {
		if s == nil {
			return []sheet.Cell{name}
		}
		return []sheet.Cell{name, s.Median / by, s.Min / by, s.Max / by}
	}
	s, m := r.Settings, r.Machine
	notes := []string{"CPU a page in terms of the bare loop's is what may be compared between machines."}
	if r.CPUOfWget2 != nil {
		notes = append(notes, fmt.Sprintf("wget2 fetched %.2f %% of the pages.", 100*r.Wget2Recall))
	}
	over := ""
	if s.TLS {
		over = ", https"
	}
	config := []sheet.Setting{
		{Name: "crawler", Value: r.Version + ", " + m.Go},
		{Name: "machine", Value: fmt.Sprintf("%s, %d processors, %s/%s", m.CPU, m.Processors, m.OS, m.Arch)},
		{Name: "site", Value: fmt.Sprintf("%s, %s of %s bytes on average, %s%s", s.Size, shell.Counted(s.Pages, "page"), shell.Commas(int(s.PageBytes)), shell.Counted(s.Hosts, "host"), over)},
		{Name: "URLs known", Value: fmt.Sprintf("%s, for memory and seen test", shell.Commas(s.KnownURLs))},
		{Name: "pages at a time", Value: s.Concurrency},
		{Name: "rounds", Value: s.Rounds},
	}
	if len(s.GoVariables) > 0 {
		config = append(config, sheet.Setting{Name: "environment", Value: strings.Join(s.GoVariables, " ")})
	}
	return &sheet.Sheet{Title: "crawler bench", Config: config, Sections: []sheet.Section{{
		ID: "figures", Title: "The crawler's process alone",
		Table: &sheet.Table{
			Columns: []sheet.Column{{Name: "figure"}, {Name: "median"}, {Name: "min"}, {Name: "max"}},
			Rows: [][]sheet.Cell{
				row("pages per CPU-second", &r.PagesPerCPUSecond, 1),
				row("bytes of memory a URL", r.BytesPerURL, 1),
				{"recall, %", 100 * r.Recall},
				{"duplicates", r.Duplicates},
				row("ns a seen test", &r.SeenTestNs, 1),
			},
		},
	}, {
		ID: "beside", Title: "Beside it",
		Table: &sheet.Table{
			Columns: []sheet.Column{{Name: "figure"}, {Name: "median"}, {Name: "min"}, {Name: "max"}},
			Rows: [][]sheet.Cell{
				row("CPU a page, in terms of a bare net/http loop's", &r.CPUOfBareLoop, 1),
				row("CPU a page, in terms of wget2's", r.CPUOfWget2, 1),
				row("the bare loop's pages per CPU-second", &r.LoopPerCPUSecond, 1),
				row("pages per second, processors shared with the server", &r.PagesPerSecond, 1),
				row("peak memory, MiB", r.PeakMemory, 1<<20),
			},
		},
		Notes: notes,
	}}}
}

// processor is the name of the CPU, where the system has it in a file.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	_, after, _ := bytes.Cut(info, []byte("\nmodel name\t: "))
	name, _, _ := bytes.Cut(after, []byte("\n"))
	return string(name)
}

// goVariables are the settings of the Go runtime in the environment, which all parts
// share.
func goVariables() []string {
	set := []string{}
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG"} {
		if v := os.Getenv(name); v != "" {
			set = append(set, name+"="+v)
		}
	}
	return set
}
