package report

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/gate"
	"crawler/store"
	"crawler/trap"
)

// step is what a crawl gives to its Recorder: a page, a redirect or a refusal.
type step struct {
	page, hop *crawl.Visit
	skip      gate.Skip
}

// steps makes a crawl of several sites, some large enough that no sketch of theirs is
// exact any more, with copies, errors and pages that ask not to be indexed.
func steps(t *testing.T, rng *rand.Rand, n int) (out []step) {
	for i := range n {
		if rng.IntN(5) == 0 {
			s := gate.Skip{URL: fmt.Sprintf("http://out.example/%d", i), Reason: gate.OutOfScope, From: "http://a.example/moved"}
			if rng.IntN(2) == 0 {
				s = gate.Skip{URL: s.URL, Reason: gate.RobotsUnreachable, Via: "http://a.example/", Robots: gate.Unreachable, Detail: "status 500"}
			}
			if rng.IntN(4) == 0 {
				s = gate.Skip{URL: s.URL, Reason: gate.Trapped(trap.Calendar), Trap: trap.Calendar, Detail: "out.example/#"}
			}
			out = append(out, step{skip: s})
			continue
		}
		host := min(rng.IntN(6), rng.IntN(6))
		v := visit(t, fmt.Sprintf("http://h%d.example/%d", host, i), []int{200, 200, 200, 200, 404, 503}[rng.IntN(6)])
		switch rng.IntN(12) {
		case 0:
			v.Status, v.Challenge = 403, "cloudflare"
		case 1:
			v.Status = 451
		}
		if rng.IntN(6) == 0 {
			v.Rules = fetch.ParseRobots(nil, "crawler")
			if rng.IntN(2) == 0 {
				v.Rules = rulesOf(t, "<html>", rng.IntN(2) == 0)
			}
		}
		v.Depth, v.Bytes, v.MediaType = rng.IntN(2000), rng.Int64N(1e6), []string{"text/html", "", "a/b"}[rng.IntN(3)]
		v.Page.NoIndex = rng.IntN(8) == 0
		v.Page.Links = linkedPage(t, rng, rng.IntN(30)).Page.Links
		if rng.IntN(10) == 0 {
			v.From = fmt.Sprintf("http://h%d.example/moved/%d", host, i)
			out = append(out, step{hop: hop(t, v.From, v.URL.String())})
		}
		if rng.IntN(20) == 0 {
			out = append(out, step{hop: hop(t, fmt.Sprintf("http://h%d.example/nowhere/%d", host, i), "")})
		}
		if v.Status == 200 {
			for range rng.IntN(1500) {
				v.Page.Words = append(v.Page.Words, uint64(rng.ExpFloat64()*3000)*0x9e3779b97f4a7c15+uint64(host))
			}
			v.Digest = rng.Uint64N(uint64(n))
		}
		out = append(out, step{page: v})
	}
	return out
}

// hop is a visit of a URL that redirects, to nothing if there is no target.
func hop(t *testing.T, from, to string) *crawl.Visit {
	v := visit(t, from, 301)
	v.End = crawl.Redirected
	if to == "" {
		v.Detail = "status 301 without a Location"
	} else {
		v.Target = mustURL(t, to)
	}
	return v
}

func take(t *testing.T, r *Recorder, steps []step) {
	t.Helper()
	for _, s := range steps {
		var err error
		switch {
		case s.page != nil:
			if s.page.Rules != nil {
				r.Robots(s.page)
			}
			err = r.Page(s.page)
		case s.hop != nil:
			err = r.Redirect(s.hop)
		default:
			err = r.Skip(s.skip)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func figures(t *testing.T, r *Recorder) string {
	t.Helper()
	rep := &Report{}
	r.Fill(rep)
	data, err := json.Marshal(rep)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s\n%d %v", data, r.Succeeded(), r.FirstFailures())
}

func recorder(t *testing.T, cfg Config) *Recorder {
	t.Helper()
	r, err := NewRecorder(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// commit does what the crawl's coordinator and keeper do.
func commit(t *testing.T, dir *store.Dir, r *Recorder) {
	t.Helper()
	b := dir.DB().NewBatch()
	if err := errors.Join(r.Cut(b), dir.Sync(), dir.DB().Commit(b)); err != nil {
		t.Fatal(err)
	}
}

// reopened returns the crawl as it is after a crash, and its Recorder. The settings are
// not those that the crawl began with.
func reopened(t *testing.T, mem *vfs.MemFS, rng *rand.Rand) (*vfs.MemFS, *store.Dir, *Recorder) {
	t.Helper()
	mem = mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(3) * 50, RNG: rng})
	dir, err := store.Open(store.OnMem(mem), "c")
	if err != nil {
		t.Fatal(err)
	}
	r := recorder(t, Config{Dir: dir, Edges: true, EdgesCSV: true, Seed: 1234, MaxSites: 77})
	if err := r.Restore(dir.DB()); err != nil {
		t.Fatal(err)
	}
	return mem, dir, r
}

// A crawl is killed at random moments and continues from its last commit: the report and
// the lines are to the byte those of a crawl that was never killed.
func TestKilledAndRestored(t *testing.T) {
	times := 4
	if testing.Short() {
		times = 1
	}
	for _, exact := range []bool{false, true} {
		for range times {
			seed := rand.Uint64()
			t.Run(fmt.Sprintf("exact=%v/seed=%d", exact, seed), func(t *testing.T) { killAndRestore(t, seed, exact) })
		}
	}
}

func killAndRestore(t *testing.T, seed uint64, exact bool) {
	rng := rand.New(rand.NewPCG(seed, 0))
	all := steps(t, rng, 120)
	cfg := Config{Edges: true, EdgesCSV: true, Exact: exact, MaxSites: 3, NoIndex: rng.IntN(2) == 0, Seed: seed}

	mem := vfs.NewCrashableMem()
	plain, durable := cfg, cfg
	plain.Dir, durable.Dir = create(t, store.OnMem(mem), "plain", false), create(t, store.OnMem(mem), "c", true)
	want, r := recorder(t, plain), recorder(t, durable)
	take(t, want, all)
	if err := want.Flush(); err != nil {
		t.Fatal(err)
	}
	lines := mem

	dir, done, kills := durable.Dir, 0, 0
	for done < len(all) {
		next := min(len(all), done+1+rng.IntN(20))
		take(t, r, all[done:next])
		if rng.IntN(4) > 0 || done == 0 {
			done = next
			commit(t, dir, r)
			continue
		}
		kills++
		mem, dir, r = reopened(t, mem, rng)
		middle := recorder(t, Config{Exact: exact, MaxSites: 3, NoIndex: cfg.NoIndex, Seed: seed})
		take(t, middle, all[:done])
		if got, want := figures(t, r), figures(t, middle); got != want {
			t.Fatalf("after %d of %d steps and %d kills\n%s\n want\n%s", done, len(all), kills, got, want)
		}
	}
	mem, _, r = reopened(t, mem, rng)
	if got, want := figures(t, r), figures(t, want); got != want {
		t.Errorf("after %d kills\n%s\n want\n%s", kills, got, want)
	}
	for _, name := range []string{PagesFile, SkippedFile, LinksFile, EdgesFile, EdgesCSVFile} {
		if got, want := content(t, mem, "c/"+name), content(t, lines, "plain/"+name); !bytes.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s has %d bytes after %d kills, want %d", name, len(got), kills, len(want))
		}
	}
}

// The only site shares the crawl's sketches until there is another one. That must not
// show in any figure, whenever the crawl is killed.
func TestOnlySite(t *testing.T) {
	if testing.Short() {
		t.Skip("no goroutine but the database's own")
	}
	rng := rand.New(rand.NewPCG(11, 12))
	all := steps(t, rng, 90)
	for i, s := range all {
		if s.page != nil && i < 60 {
			page := visit(t, fmt.Sprintf("http://only.example/%d", i), s.page.Status)
			page.Page = s.page.Page
			all[i].page = page
		}
	}
	for _, exact := range []bool{false, true} {
		mem := vfs.NewCrashableMem()
		dir := create(t, store.OnMem(mem), "c", true)
		r := recorder(t, Config{Dir: dir, Edges: true, Exact: exact, Seed: 5})
		for done := 0; done < len(all); done += 30 {
			take(t, r, all[done:done+30])
			commit(t, dir, r)
			mem, dir, r = reopened(t, mem, rng)
			want := recorder(t, Config{Exact: exact, Seed: 5})
			take(t, want, all[:done+30])
			if got, want := figures(t, r), figures(t, want); got != want {
				t.Fatalf("after %d steps\n%s\n want\n%s", done+30, got, want)
			}
			only := r.sites["only.example"]
			if shared, want := r.shares(only), done+30 <= 60; shared != want {
				t.Errorf("after %d steps the site shares the crawl's sketches: %t", done+30, shared)
			}
			if exact && uint64(only.exact.Total()) != only.words.N() {
				t.Errorf("after %d steps the site has %d words, of which %d are counted exactly", done+30, only.words.N(), only.exact.Total())
			}
		}
		alone := recorder(t, Config{Exact: exact, Seed: 5})
		take(t, alone, all[:60])
		alone.countWaiting()
		if got, want := r.sites["only.example"].words, alone.total.words; got.N() != want.N() ||
			got.Distinct() != want.Distinct() || got.Surprise() != want.Surprise() || got.N() == r.total.words.N() {
			t.Errorf("the first site has %d words, %v different, surprise %v, alone %d, %v, %v",
				got.N(), got.Distinct(), got.Surprise(), want.N(), want.Distinct(), want.Surprise())
		}
	}
}

func content(t *testing.T, fs vfs.FS, name string) []byte {
	t.Helper()
	f, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, info.Size())
	if _, err := f.ReadAt(data, 0); err != nil {
		t.Fatal(err)
	}
	return data
}

// What the runs before have used up counts, as of their last commit.
func TestUsageOfAllRuns(t *testing.T) {
	mem, rng := vfs.NewCrashableMem(), rand.New(rand.NewPCG(1, 2))
	dir := create(t, store.OnMem(mem), "c", true)
	now := Usage{CPU: 3 * time.Second, PeakRSS: 5000}
	r := recorder(t, Config{Dir: dir, Usage: func() Usage { return now }})
	commit(t, dir, r)
	now.CPU = time.Hour // which no commit saw
	_, _, r = reopened(t, mem, rng)
	rep := New("v", crawl.Result{Fetched: 10, Runs: 2, Active: 5 * time.Second}, r, Usage{CPU: time.Second, PeakRSS: 400})
	if got := rep.Resources; got != (Resources{Seconds: 5, CPUSeconds: 4, PeakRSSBytes: 5000, PagesPerSecond: 2}) {
		t.Errorf("%+v", got)
	}
}

// A record that is cut short, of another version, or missing is an error that says which.
func TestRestoreRefusesDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("no goroutine but the database's own")
	}
	dir := create(t, store.OnMem(vfs.NewCrashableMem()), "c", true)
	r := recorder(t, Config{Dir: dir, Exact: true})
	all := steps(t, rand.New(rand.NewPCG(3, 4)), 20)
	take(t, r, all[:10])
	commit(t, dir, r)
	take(t, r, all[10:])
	commit(t, dir, r)
	records := map[string][]byte{}
	if err := dir.DB().Scan([]byte("r"), func(k, v []byte) error {
		records[string(k)] = bytes.Clone(v)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for key, value := range records {
		kinds[key[:2]] = true
		damaged := map[string][]byte{"older": append([]byte{recordVersion - 1}, value[1:]...), "newer": append([]byte{recordVersion + 1}, value[1:]...), "long": append(bytes.Clone(value), 0), "empty": {}}
		for _, n := range []int{1, 2, len(value) / 2, len(value) - 1} {
			damaged[fmt.Sprintf("cut to %d", n)] = value[:n]
		}
		for what, bad := range damaged {
			b := dir.DB().NewBatch()
			b.Put([]byte(key), bad)
			if err := dir.DB().Commit(b); err != nil {
				t.Fatal(err)
			}
			err := recorder(t, Config{}).Restore(dir.DB())
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", key)) && !errors.Is(err, errRecord) {
				t.Errorf("%q %s: %v", key, what, err)
			}
		}
		b := dir.DB().NewBatch()
		b.Delete([]byte(key))
		if err := dir.DB().Commit(b); err != nil {
			t.Fatal(err)
		}
		if err := recorder(t, Config{}).Restore(dir.DB()); err == nil && key != keyLists && key != keyCounters {
			t.Errorf("%q missing: no error", key)
		}
		b = dir.DB().NewBatch()
		b.Put([]byte(key), value)
		if err := dir.DB().Commit(b); err != nil {
			t.Fatal(err)
		}
	}
	if len(kinds) != 9 {
		t.Errorf("only records of the kinds %v were tried", kinds)
	}
	if err := recorder(t, Config{}).Restore(dir.DB()); err != nil {
		t.Errorf("the records as they were: %v", err)
	}
}

// Counters that contradict the other records are refused, and take no memory: the number
// of a block that is there would be given to the next one, too.
func TestRestoreRefusesCounters(t *testing.T) {
	if testing.Short() {
		t.Skip("no goroutine but the database's own")
	}
	for _, c := range []struct {
		what  string
		forge func(*Recorder)
		want  string
	}{
		{"blocks of texts", func(r *Recorder) { r.unsaved.textBlocks-- }, "blocks of texts"},
		{"blocks of exact counts", func(r *Recorder) { r.unsaved.exactBlocks-- }, "blocks of exact counts"},
		{"pages", func(r *Recorder) { r.pages++ }, "pages of all sites"},
		{"a site", func(r *Recorder) {
			for _, s := range r.sites {
				s.tally = r.total
				r.changed(s)
			}
		}, "not its only site"},
	} {
		dir := create(t, store.OnMem(vfs.NewCrashableMem()), "c", true)
		r := recorder(t, Config{Dir: dir, Exact: true})
		all := steps(t, rand.New(rand.NewPCG(3, 4)), 20)
		take(t, r, all)
		commit(t, dir, r)
		c.forge(r)
		commit(t, dir, r)
		if err := recorder(t, Config{}).Restore(dir.DB()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	dir := create(t, store.OnMem(vfs.NewCrashableMem()), "c", true)
	b := dir.DB().NewBatch()
	counters := append([]byte{recordVersion, 0}, make([]byte, 8)...)
	counters = binary.AppendUvarint(append(counters, 0), 1<<33) // sites
	b.Put([]byte(keyCounters), append(counters, make([]byte, 13)...))
	if err := dir.DB().Commit(b); err != nil {
		t.Fatal(err)
	}
	if err := recorder(t, Config{}).Restore(dir.DB()); !errors.Is(err, errRecord) {
		t.Errorf("2^33 sites: %v", err)
	}
}

// Records from elsewhere are refused or read, and never take memory they do not fill.
func FuzzRecords(f *testing.F) {
	f.Add([]byte("\x02\x03seedseed\x03\x02\x05\x01\x00\x07\x64\x06\x01\x01\x01\xc8\x01\x07\x01\x04a/bc\x07\x01\x02\x07"))
	f.Add([]byte("\x02\x01\x01u\x94\x03\x01v\x01\x01u\x01r\x00\x00\x07forbids\x00\x01d"))
	f.Add([]byte("\x02digest12digest34"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewRecorder(Config{})
		if err != nil {
			t.Fatal(err)
		}
		r.readTexts(numberInKey(0), data)
		r.readLists(data)
		r.readSite("h", data)
		r.readSiteChanges(new(chain), "h\x00"+numberInKey(0), data)
		if _, err := r.readCounters(data); err == nil && r.pages < 0 {
			t.Errorf("%d pages", r.pages)
		}
	})
}
