package crawl_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/gate"
	"crawler/ledger/disk"
	"crawler/store"
	"crawler/weburl"
)

// Goroutines and descriptors return to their number after a crawl over real
// connections, however it ended.
func TestNothingIsLeftBehind(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*crawl.Config, context.CancelFunc)
		ends   crawl.EndedBy
		fails  bool
	}{
		"done":         {ends: crawl.Done},
		"a limit":      {func(c *crawl.Config, _ context.CancelFunc) { c.MaxPages = 5 }, crawl.ByMaxPages, false},
		"out of time":  {func(c *crawl.Config, _ context.CancelFunc) { stall(c); c.TimeLimit = 50 * time.Millisecond }, crawl.ByTimeLimit, false},
		"interrupted":  {func(c *crawl.Config, cancel context.CancelFunc) { stall(c); c.Recorder = &canceller{cancel: cancel} }, crawl.ByInterrupt, false},
		"record error": {func(c *crawl.Config, _ context.CancelFunc) { c.Recorder = &notes{failAt: 3} }, crawl.ByRecordError, true},
		"bad settings": {func(c *crawl.Config, _ context.CancelFunc) { c.Workers = -1 }, "", true},
		"bad filter":   {func(c *crawl.Config, _ context.CancelFunc) { c.Gate.Dedup.FPRate = 2 }, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			server := leakyServer(t)
			goroutines, descriptors := runtime.NumGoroutine(), openFiles(t)
			for range 3 { // what is left once might be a cache
				ctx, cancel := context.WithCancel(t.Context())
				cfg := overTCP(server, &notes{})
				if c.change != nil {
					c.change(&cfg, cancel)
				}
				res, err := crawl.Run(ctx, cfg)
				cancel()
				if res.EndedBy != c.ends || (err != nil) != c.fails {
					t.Fatalf("ended by %q with error %v, want %q", res.EndedBy, err, c.ends)
				}
				server.CloseClientConnections()
			}
			returnTo(t, goroutines, descriptors)
		})
	}
}

// A durable crawl gives everything back with its Store.
func TestNothingIsLeftBehindByAStore(t *testing.T) {
	server := leakyServer(t)
	goroutines, descriptors := runtime.NumGoroutine(), openFiles(t)
	dir, err := store.Create(store.Disk(), t.TempDir()+"/crawl", store.Meta{}, true)
	if err != nil {
		t.Fatal(err)
	}
	cfg := overTCP(server, nil)
	cfg.Recorder, cfg.Store, cfg.MaxPages = cutting{&notes{}}, disk.Of(dir), 10
	if _, err := crawl.Run(t.Context(), cfg); err != nil {
		t.Error(err)
	}
	if err := dir.Close(); err != nil {
		t.Error(err)
	}
	server.CloseClientConnections()
	returnTo(t, goroutines, descriptors)
}

// cutting is a Recorder with nothing to commit.
type cutting struct{ *notes }

func (cutting) Cut(crawl.Batch) error { return nil }

// canceller is a Recorder that cancels the crawl at its first page.
type canceller struct {
	notes
	cancel context.CancelFunc
}

func (c *canceller) Page(v *crawl.Visit) error { c.cancel(); return c.notes.Page(v) }

// stall makes the crawl ask for a page that never comes, and not wait for it.
func stall(c *crawl.Config) { c.Seeds, c.Grace = append(c.Seeds, c.Seeds[0]+"stall"), -1 }

// leakyServer is a site whose pages end in every way there is.
func leakyServer(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for _, l := range strings.Fields("a b c d e f g reset cut bomb moved big") {
			w.Write([]byte("<a href=\"/" + l + "\">x</a>"))
		}
	})
	for _, l := range strings.Fields("a b c d e f g") {
		mux.HandleFunc("/"+l, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(l)) })
	}
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Write([]byte("short"))
	})
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write([]byte("\x1f\x8b\x08 this is none"))
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/a", http.StatusFound) })
	mux.HandleFunc("/big", func(w http.ResponseWriter, _ *http.Request) { w.Write(bytes.Repeat([]byte("<p>x"), 1<<18)) })
	mux.HandleFunc("/reset", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/stall", func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("<p>"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	server := httptest.NewUnstartedServer(mux)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// overTCP is a Config for a server on the loopback.
func overTCP(server *httptest.Server, n *notes) crawl.Config {
	seed, err := weburl.Parse(server.URL + "/")
	if err != nil {
		panic(err)
	}
	return crawl.Config{
		Seeds: []string{server.URL + "/"}, Recorder: n, Workers: 4, Gate: gate.Config{Dedup: dedup.Config{ExpectURLs: 1000, Seed: 1}, IgnoreRobots: true, Frontier: frontier.Config{Delay: frontier.NoDelay, PerHost: 4, Patience: time.Second}}, Fetch: fetch.Config{UserAgent: "crawler/test", MaxBody: 1 << 16, Guard: &fetch.Guard{Seeds: []weburl.URL{seed}}},
	}
}

// settling is how long the ends of connections may take to be noticed by their
// goroutines, which nobody waits for: those of net/http.
const settling = 5 * time.Second

// returnTo waits until no more goroutines and descriptors are there than before.
func returnTo(t *testing.T, goroutines, descriptors int) {
	t.Helper()
	for end := time.Now().Add(settling); ; runtime.Gosched() {
		g, d := runtime.NumGoroutine(), openFiles(t)
		if g <= goroutines && d <= descriptors {
			return
		}
		if time.Now().After(end) {
			var b strings.Builder
			pprof.Lookup("goroutine").WriteTo(&b, 1)
			t.Fatalf("%d goroutines, before %d; %d descriptors, before %d\n%s", g, goroutines, d, descriptors, b.String())
		}
	}
}

// openFiles counts the descriptors of this process, 0 where the system does not tell.
func openFiles(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
