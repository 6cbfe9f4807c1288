package survey

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"crawler/parse"
)

// TestLarge prints what build, rank and reach cost at 1, 3 and 10 million links, each in a
// process of its own, and holds their memory to the limit. GRAPH_LARGE=1 runs it; it takes
// some minutes and 2 GB in the folder for temporary files.
func TestLarge(t *testing.T) {
	if os.Getenv("GRAPH_LARGE") == "" {
		t.Skip("GRAPH_LARGE is not set")
	}
	const limit = 512 << 20
	fmt.Printf("%12s %12s  %-8s %12s %12s %10s\n", "links", "URLs", "", "CPU ns/link", "wall s", "peak MiB")
	for _, links := range []int{1_000_000, 3_000_000, 10_000_000} {
		dir := largeCrawl(t, links)
		for _, verb := range []string{"build", "rank", "reach"} {
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLargeChild$", "-test.v")
			c.Env = append(os.Environ(), "GRAPH_LARGE_VERB="+verb, "GRAPH_LARGE_DIR="+dir)
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", verb, err, out)
			}
			var r largeResult
			_, text, _ := strings.Cut(string(out), "RESULT ")
			if err := json.NewDecoder(strings.NewReader(text)).Decode(&r); err != nil {
				t.Fatalf("%s: %v\n%s", verb, err, out)
			}
			peak := int64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) << 10
			fmt.Printf("%12d %12d  %-8s %12.0f %12.1f %10d\n", r.Links, r.Nodes, verb,
				float64((c.ProcessState.UserTime()+c.ProcessState.SystemTime()).Nanoseconds())/float64(r.Links), r.Seconds, peak>>20)
			if peak > limit {
				t.Errorf("%s of %d links takes %d MiB", verb, links, peak>>20)
			}
		}
		os.RemoveAll(dir)
	}
}

type largeResult struct {
	Nodes   int
	Links   int64
	Seconds float64
}

// TestLargeChild does one verb and prints what it was done on.
func TestLargeChild(t *testing.T) {
	verb, dir := os.Getenv("GRAPH_LARGE_VERB"), os.Getenv("GRAPH_LARGE_DIR")
	if verb == "" {
		t.Skip("run by TestLarge")
	}
	begin := time.Now()
	if verb == "build" {
		if _, err := Build(t.Context(), Config{Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	switch verb {
	case "rank":
		_, err = s.Rank(t.Context(), RankConfig{Limit: 20})
	case "reach":
		_, err = s.ReachAll(t.Context(), ReachConfig{})
	}
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(largeResult{s.out.Nodes(), s.out.Edges(), time.Since(begin).Seconds()})
	fmt.Printf("RESULT %s\n", text)
}

// largeCrawl writes a crawl of about the given number of links: pages of hosts of all sizes,
// whose links are mostly near and mostly those of the page before (the copying model).
func largeCrawl(t *testing.T, links int) (dir string) {
	const each = 10 // links a page
	rng := rand.New(rand.NewPCG(uint64(links), 1))
	r := newRecorded(t)
	pages := links / each
	url := func(p int) string {
		host := p / 20_000
		return "http://www" + strconv.Itoa(host) + ".example.org/section-" + strconv.Itoa(p%20_000/50) + "/page-" + strconv.Itoa(p) + ".html"
	}
	v := r.page(url(0), 200)
	last := make([]int, each)
	for i := range last {
		last[i] = rng.IntN(pages)
	}
	for p := range pages {
		for i := range last {
			switch x := rng.Float64(); {
			case x < 0.6: // as the page before
			case x < 0.95:
				last[i] = min(pages-1, max(0, p+int(rng.NormFloat64()*50)))
			default: // some pages of all have many links
				last[i] = int(float64(pages) * rng.Float64() * rng.Float64() * rng.Float64())
			}
		}
		v.URL, v.Page.Links = link(t, url(p)).URL, v.Page.Links[:0]
		for _, q := range last {
			v.Page.Links = append(v.Page.Links, parse.Link{URL: link(t, url(q)).URL})
		}
		if v.Via = "http://h/"; p == 0 {
			v.Via = ""
		}
		r.add(v)
	}
	return r.end()
}
