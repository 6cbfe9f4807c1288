package crawl_test

import (
	"context"
	"fmt"
	"net"
	"strings"
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
func livingAmongDead(t *testing.T, dead, urls int) (took time.Duration) {
	s := newSite(map[string]*page{})
	var seeds []string
	for i := range dead {
		for p := range urls {
			seeds = append(seeds, fmt.Sprintf("http://dead%d.example/%d", i, p))
		}
	}
	for i := range 10 {
		seeds = append(seeds, many(s, fmt.Sprintf("living%d.example", i), 100)...)
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

// A thousand dead hosts, of one URL or of twenty, cost the living at most one timeout.
func TestDeadHostsDoNotSlowTheLiving(t *testing.T) {
	dead := 1000
	if testing.Short() {
		dead = 200
	}
	alone := livingAmongDead(t, 0, 0)
	for _, urls := range []int{1, 20} {
		if took := livingAmongDead(t, dead, urls); took > alone+10*time.Second {
			t.Errorf("%d dead hosts of %d URLs: the living took %v, alone %v", dead, urls, took, alone)
		}
	}
}
