package crawl_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/internal/memweb"
	"crawler/weburl"
)

// hoster is a machine with many names. It works on a limited number of requests at once; the
// others wait.
type hoster struct {
	at    int // a time
	took  time.Duration
	pages int

	places chan struct{} // of the bubble

	mu     sync.Mutex
	asked  map[string][]time.Time // guarded by mu, by host
	waits  []wait                 // guarded by mu
	flying int                    // guarded by mu
	most   int                    // guarded by mu
}

// wait is how long a request waited that came at.
type wait struct {
	at time.Time
	d  time.Duration
}

func newHoster(places, pages int, took time.Duration) *hoster {
	return &hoster{at: places, took: took, pages: pages, asked: map[string][]time.Time{}}
}

func (s *hoster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	came := time.Now()
	s.mu.Lock()
	s.asked[r.Host] = append(s.asked[r.Host], came)
	s.flying++
	s.most = max(s.most, s.flying)
	s.mu.Unlock()
	s.places <- struct{}{}
	s.mu.Lock()
	s.waits = append(s.waits, wait{came, time.Since(came)})
	s.mu.Unlock()
	time.Sleep(s.took)
	<-s.places
	s.mu.Lock()
	s.flying--
	s.mu.Unlock()
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<p>page %s of %s", r.URL.Path, r.Host)
	if r.URL.Path == "/" {
		for i := 1; i < s.pages; i++ {
			fmt.Fprintf(w, "<a href=/p%d>p</a>", i)
		}
	}
}

// locatedClient knows the addresses of a web in memory.
type locatedClient struct {
	*fetch.Client
	at func(host string) (netip.Addr, bool)
}

func (c locatedClient) Locate(_ context.Context, u weburl.URL) (netip.Addr, bool) {
	time.Sleep(3 * time.Millisecond)
	return c.at(u.Hostname())
}

func atOneAddress(string) (netip.Addr, bool) { return netip.MustParseAddr("192.0.2.1"), true }

// hosted crawls all pages of the given number of names of s in virtual time, and returns how long
// that took. No page may be lost or fetched twice, and the delay must hold for each host.
func hosted(t *testing.T, s *hoster, names int, at func(string) (netip.Addr, bool), change func(*crawl.Config)) (took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s.places = make(chan struct{}, s.at)
		var seeds []string
		for i := range names {
			seeds = append(seeds, fmt.Sprintf("http://h%d.example/", i))
		}
		web := memweb.New(map[string]http.Handler{"*": s})
		defer web.Close()
		n := &notes{}
		cfg := config(t, web, n, seeds...)
		cfg.Gate.Frontier = frontier.Config{Delay: time.Second}
		cfg.Gate.Dedup.ExpectURLs = 2 * names * s.pages
		cfg.Workers = 400
		change(&cfg)
		client, err := fetch.New(cfg.Fetch)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		cfg.Fetcher = locatedClient{client, at}
		began := time.Now()
		res, err := crawl.Run(t.Context(), cfg)
		took = time.Since(began)
		if urls := slices.Compact(n.urls()); err != nil || res.Fetched != names*s.pages || len(urls) != names*s.pages || res.Requests != names*(s.pages+1) {
			t.Errorf("%d pages, %d of them different, in %d requests, of %d on each of %d hosts; error %v", res.Fetched, len(urls), res.Requests, s.pages, names, err)
		}
		for host, asked := range s.asked {
			for i := range asked[1:] {
				if d := asked[i+1].Sub(asked[i]); d < cfg.Gate.Frontier.Delay {
					t.Fatalf("%s was asked %v after the request before", host, d)
				}
			}
		}
	})
	return took
}

// after leaves out the first requests and returns a quantile of the waits of the rest, given in
// thousandths.
func (s *hoster) after(first, thousandths int) time.Duration {
	slices.SortFunc(s.waits, func(a, b wait) int { return a.at.Compare(b.at) })
	var ds []time.Duration
	for _, w := range s.waits[first:] {
		ds = append(ds, w.d)
	}
	slices.Sort(ds)
	return ds[len(ds)*thousandths/1000]
}

// A small server behind 500 names does not feel that each of them is asked politely.
func TestSmallServerOf500Names(t *testing.T) {
	for name, c := range map[string]struct {
		places int
		took   time.Duration
	}{
		"one process":    {1, 20 * time.Millisecond},
		"five processes": {5, 100 * time.Millisecond},
	} {
		if testing.Short() && c.places == 1 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s := newHoster(c.places, 7, c.took)
			took := hosted(t, s, 500, atOneAddress, func(*crawl.Config) {})
			can := float64(c.places) / c.took.Seconds()
			does := 4000 / took.Seconds()
			half, most := s.after(1000, 500), s.after(1000, 950)
			t.Logf("%v, %.0f requests a second of %.0f; waits after the first thousand: half %v, 95 %% %v; at first %v; %d at a time", took, does, can, half, most, s.after(0, 999), s.most)
			if half > c.took/2 || most > 3*c.took || s.most > 64 || does < can/3 || does > 0.9*can {
				t.Errorf("half of the requests wait %v, 95 %% of them %v; %d at a time; %.0f a second", half, most, s.most, does)
			}

			if testing.Short() {
				return
			}
			s = newHoster(c.places, 7, c.took)
			hosted(t, s, 500, atOneAddress, func(c *crawl.Config) { c.Gate.Frontier.PerIP = frontier.NoPerIP })
			if without := s.after(1000, 500); without < 10*c.took || s.most < 300 {
				t.Errorf("without a window half of the requests wait %v, %d at a time: this shows nothing", without, s.most)
			}
		})
	}
}

// An address in front of a thousand sites is asked as often as all of them together may be.
func TestAddressOf1000Sites(t *testing.T) {
	if testing.Short() {
		t.Skip("fewer sites show nothing")
	}
	const sites, pages, least = 1000, 30, 0.96
	s := newHoster(2000, pages, 80*time.Millisecond)
	const delay = 3 * time.Second
	took := hosted(t, s, sites, atOneAddress, func(c *crawl.Config) { c.Gate.Frontier.Delay = delay })
	allowed := time.Duration(pages) * delay
	if share := allowed.Seconds() / took.Seconds(); share < least || s.most > frontier.DefaultPerIP {
		t.Errorf("%v, %.3f of what politeness to hosts allows; %d at a time", took, share, s.most)
	} else {
		t.Logf("%v, %.3f of what politeness to hosts allows; %d at a time", took, share, s.most)
	}
}

// Whose address is not known, and who is alone at one, is asked as ever, and so is everybody
// without a delay.
func TestNobodySharesAnAddress(t *testing.T) {
	const pages = 10
	sites := 300
	if testing.Short() {
		sites = 60
	}
	for name, c := range map[string]struct {
		at     func(string) (netip.Addr, bool)
		change func(*crawl.Config)
		most   time.Duration
	}{
		"unknown":       {func(string) (netip.Addr, bool) { return netip.Addr{}, false }, func(*crawl.Config) {}, pages*time.Second + 300*time.Millisecond},
		"their own":     {ownAddress, func(*crawl.Config) {}, pages*time.Second + 300*time.Millisecond},
		"without delay": {atOneAddress, func(c *crawl.Config) { c.Gate.Frontier.Delay, c.Gate.Frontier.IPDelay = frontier.NoDelay, time.Hour }, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			s := newHoster(1000, pages, 10*time.Millisecond)
			if took := hosted(t, s, sites, c.at, c.change); took > c.most {
				t.Errorf("took %v", took)
			}
		})
	}
}

// ownAddress is another one for each host.
func ownAddress(host string) (netip.Addr, bool) {
	var n int
	fmt.Sscanf(strings.TrimSuffix(host, ".example"), "h%d", &n)
	return netip.AddrFrom4([4]byte{192, 0, byte(n >> 8), byte(n)}), true
}
