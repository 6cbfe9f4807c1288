package bench

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestSideBySide measures ours and the rivals by turns, prints the medians, and
// holds them against the goals. A goal that is missed is printed and no failure:
// it depends on the machine. An allocation where there must be none is one.
func TestSideBySide(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	r := &report{t: t, rounds: rounds(t)}
	r.head()
	r.filters(1_000_000)
	if os.Getenv("BENCH_LARGE") != "" {
		r.filters(50_000_000)
	}
	r.seen(blockKeys)
	for _, x := range texts(t) {
		r.words(x)
	}
	r.near()
	r.verdict()
}

// rounds returns how often each contestant has its turn.
func rounds(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("BENCH_ROUNDS"))
	if os.Getenv("BENCH_ROUNDS") == "" {
		return 5
	}
	if err != nil || n < 1 || n > 1000 {
		t.Fatalf("BENCH_ROUNDS=%s: want 1 to 1000", os.Getenv("BENCH_ROUNDS"))
	}
	return n
}

// report prints tables and collects how the goals fared.
type report struct {
	t      *testing.T
	rounds int
	goals  []string
}

// head prints where, when and of what the figures are.
func (r *report) head() {
	fmt.Printf("%s, %d processors, %s, %s/%s, %s, %d rounds\n", processor(), runtime.NumCPU(),
		runtime.Version(), runtime.GOOS, runtime.GOARCH, time.Now().Format(time.DateOnly), r.rounds)
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	for _, m := range info.Deps {
		if m.Replace == nil {
			fmt.Printf("  %s %s\n", m.Path, m.Version)
		}
	}
}

// processor returns the processor's name, where the system tells.
func processor() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	_, after, _ := strings.Cut(string(data), "model name")
	line, _, _ := strings.Cut(after, "\n")
	if name := strings.TrimLeft(line, "\t :"); name != "" {
		return name
	}
	return "processor unknown"
}

// table prints the medians, and how each relates to the entry of that name.
func (r *report) table(title string, entries []*entry, rival string) {
	fmt.Printf("\n%s\n  %-28s %10s %8s %10s %10s   of %s\n", title,
		"", "ns", "of it", "allocs", "KiB", rival)
	base := find(entries, rival)
	for _, e := range entries {
		fmt.Printf("  %-28s %10.2f %8.2f %10.4f %10.0f\n", e.name, e.median(), e.ratio(base),
			e.allocsPerKey(), float64(e.bytes)/1024)
	}
}

// goal notes whether a figure is at most its limit.
func (r *report) goal(what string, got, limit float64) {
	outcome := "met"
	if got > limit {
		outcome = "MISSED"
	}
	r.goals = append(r.goals, fmt.Sprintf("%-6s %7.2f, at most %5.2f: %s", outcome, got, limit, what))
}

// frugal fails the test if e allocates for each key. What a sketch allocates as it
// grows, and a few stray allocations of the runtime's own, are not that.
func (r *report) frugal(e *entry) {
	const strays = 50
	if a := e.allocsPerKey(); a > 1e-3 && e.allocs > strays {
		r.t.Errorf("%s: %g allocations a key", e.name, a)
	}
}

func (r *report) filters(n int) {
	for _, bits := range []int{10, 16} {
		where := fmt.Sprintf("%d M keys, %d bits", n/1_000_000, bits)
		filterRace(hashFilters(n, bits), n, r.rounds, func(stage string, entries []*entry) {
			r.table(fmt.Sprintf("Filters, %s, %s, of hashes", where, stage), entries, "blobloom")
			for _, e := range entries[:2] {
				r.goal(fmt.Sprintf("%s of blobloom, %s, %s", e.name, where, stage), e.ratio(entries[2]), 0.8)
				r.frugal(e)
			}
		})
		if n > blockKeys && bits != 16 {
			continue // hashing is the same; it would take another minute
		}
		filterRace(byteFilters(n, bits), n, r.rounds, func(stage string, entries []*entry) {
			r.table(fmt.Sprintf("Filters, %s, %s, of bytes", where, stage), entries, "blobloom of xxhash")
		})
	}
}

// race gives all entries their rounds.
func (r *report) race(entries []*entry) []*entry {
	for range r.rounds {
		round(entries)
	}
	return entries
}

// enoughWords is how many different words a text needs for its goals to be about
// sketches: below, ours is a list.
const enoughWords = 2 * 4096

func (r *report) words(x *text) {
	different := x.different()
	if different < enoughWords {
		fmt.Printf("\n%s has %d different words, too few for the goals: set BENCH_TEXT\n", x.name, different)
	}
	for _, again := range []bool{false, true} {
		where := map[bool]string{false: "from empty", true: "again"}[again]
		title := fmt.Sprintf("%s, %d, %d of them different, %s", x.name, len(x.words), different, where)
		distinct := r.race(x.entries(again, distinctCounters(x)))
		r.table("Different words: "+title, distinct, "axiomhq, 2^14")
		surprise := r.race(x.entries(again, surpriseCounters(x)))
		r.table("Second moment: "+title, surprise, "stats.Surprise.Add")
		frequency := r.race(x.entries(again, frequencyCounters(x)))
		r.table("Frequent words and counts: "+title, frequency, "datasketches LongsSketch")
		if different >= enoughWords {
			r.wordGoals(fmt.Sprintf("%s, %s", x.name, where), distinct, surprise)
		}
	}
}

func (r *report) wordGoals(where string, distinct, surprise []*entry) {
	for _, e := range distinct[:2] {
		r.goal(e.name+" of axiomhq, "+where, e.ratio(find(distinct, "axiomhq, 2^14")), 0.5)
		r.frugal(e)
	}
	for _, e := range surprise {
		r.goal(e.name+", ns a word, "+where, e.median(), 8)
		r.frugal(e)
	}
}

func (r *report) near() {
	x := realText(r.t)
	near := r.race(nearEntries(x))
	r.table("A page of 1,000 words: "+x.name, near, "mfonda/simhash, of shingles")
	r.goal("dedup.MinHash, 128 x 8, of 1,000 words, ns", near[1].median(), 2000)
	for _, e := range near[:2] {
		r.frugal(e)
	}
}

func (r *report) verdict() {
	fmt.Println("\nGoals")
	for _, line := range r.goals {
		fmt.Println(" ", line)
	}
}
