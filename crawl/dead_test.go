package crawl_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/gate"
	"crawler/internal/memweb"
)

// livingAmongDead crawls ten hosts of a hundred pages, a second apart, beside so many
// hosts that nobody answers for, each with so many URLs. It returns when the last page of
// a living host was asked for.
func livingAmongDead(t *testing.T, dead, urls int, stand string) (took time.Duration) {
	s := newSite(map[string]*page{})
	var seeds, living []string
	for i := range dead {
		for p := range urls {
			seeds = append(seeds, fmt.Sprintf("http://dead%d.example/%d", i, p))
		}
	}
	for i := range 10 {
		living = append(living, many(s, fmt.Sprintf("living%d.example", i), 100)...)
	}
	switch stand {
	case "first":
		seeds = append(seeds, living...)
	case "last":
		seeds = append(living, seeds...)
	case "around":
		half := len(seeds) / 2
		seeds = slices.Concat(seeds[:half], living, seeds[half:])
	}
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(s.hosts())
		defer w.Close()
		n := &notes{}
		cfg := config(t, w, n, seeds...)
		cfg.Workers, cfg.Gate.Frontier.Delay, cfg.Gate.Frontier.Retries = 64, time.Second, 2
		cfg.Fetch.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if strings.HasPrefix(addr, "living") {
				return w.DialContext(ctx, network, addr)
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		start := time.Now()
		res, err := crawl.Run(t.Context(), cfg)
		told := res.Errors["connect"] + res.Skipped[gate.HostClosed]
		if err != nil || len(n.pages) != 1000 || told != dead*urls {
			t.Fatalf("%v: %d pages of 1000, %d refusals of %d", err, len(n.pages), told, dead*urls)
		}
		took = s.hits[len(s.hits)-1].at.Sub(start)
	})
	return took
}

// A thousand dead hosts, of one URL or of twenty, cost the living at most the time in which
// each host is tried briefly, wherever they stand.
func TestDeadHostsDoNotSlowTheLiving(t *testing.T) {
	dead := 1000
	if testing.Short() {
		dead = 60
	}
	alone := livingAmongDead(t, 0, 0, "first")
	for _, c := range []struct {
		urls  int
		stand string
	}{{1, "first"}, {20, "first"}, {1, "last"}, {1, "around"}, {20, "around"}} {
		took := livingAmongDead(t, dead, c.urls, c.stand)
		// A quarter of the 64 slots is kept; each of the others tries a host for two seconds.
		if most := alone + time.Duration(dead+10)*2*time.Second/48 + 10*time.Second; took > most {
			t.Errorf("%d dead hosts of %d URLs, %s: the living took %v, want %v; alone %v", dead, c.urls, c.stand, took, most, alone)
		}
	}
}

// Hosts that connect more slowly than they are waited for at first lose nothing by it, not even
// an attempt.
func TestSlowToConnect(t *testing.T) {
	s := newSite(map[string]*page{})
	var seeds []string
	for i := range 30 {
		seeds = append(seeds, many(s, fmt.Sprintf("slow%d.example", i), 2)...)
	}
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(s.hosts())
		defer w.Close()
		n := &notes{}
		cfg := config(t, w, n, seeds...)
		cfg.Workers, cfg.Gate.Frontier.Retries = 8, 0
		tries := map[string]int{}
		var mu sync.Mutex
		cfg.Fetch.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			mu.Lock()
			tries[addr]++
			mu.Unlock()
			select {
			case <-time.After(5 * time.Second):
				return w.DialContext(ctx, network, addr)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		res, err := crawl.Run(t.Context(), cfg)
		if err != nil || len(n.pages) != 60 || res.Errors["connect"] > 0 {
			t.Errorf("%v: %d pages of 60, errors %v", err, len(n.pages), res.Errors)
		}
		twice := 0
		for _, n := range tries {
			if n > 1 {
				twice++
			}
		}
		if twice < 15 {
			t.Errorf("%d hosts of 30 were tried twice, want most", twice)
		}
	})
}
