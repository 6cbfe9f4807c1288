package crawl_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"crawler/crawl"
	"crawler/frontier"
)

// A robots.txt that redirects to another host has its turn there, between that host's pages. So
// it is where two hosts redirect to each other, and with one worker.
func TestRobotsElsewhereHaveTheirTurn(t *testing.T) {
	for _, workers := range []int{1, 2, 40} {
		for _, latency := range []time.Duration{0, 300 * time.Millisecond, 3 * time.Second} {
			for _, mutual := range []bool{false, true} {
				t.Run(fmt.Sprint(workers, latency, mutual), func(t *testing.T) {
					s := newSite(map[string]*page{"b.example/robots.txt": {html: "User-agent: *\nDisallow: /private\n", header: plainText, latency: latency}})
					seeds := many(s, "b.example", 30)
					hosts := 10
					for h := range hosts {
						host := fmt.Sprintf("a%d.example", h)
						seeds = append(seeds, many(s, host, 3)...)
						s.pages[host+"/robots.txt"] = &page{redirect: "http://b.example/robots.txt", status: http.StatusFound}
					}
					if mutual {
						s.pages["b.example/robots.txt"] = &page{redirect: "http://a0.example/rules", status: http.StatusFound}
						s.pages["a0.example/rules"] = &page{html: "User-agent: *\nDisallow: /private\n", header: plainText, latency: latency}
					}
					n, res := inBubble(t, s, func(c *crawl.Config) {
						c.Workers, c.Gate.Frontier = workers, frontier.Config{Delay: time.Second}
					}, seeds...)
					if res.EndedBy != crawl.Done || len(n.pages) != 30+3*hosts {
						t.Errorf("ended by %s with %d pages of %d, skips %v", res.EndedBy, len(n.pages), 30+3*hosts, n.skips)
					}
					last := map[string]time.Time{}
					for _, h := range s.hits {
						host, _, _ := strings.Cut(h.url, "/")
						if gap := h.at.Sub(last[host]); !last[host].IsZero() && gap < time.Second && !(mutual && workers > 1) {
							t.Errorf("%s came %v after the request before", h.url, gap)
						}
						last[host] = h.at
					}
					t.Logf("took %v", res.Finished.Sub(res.Started))
				})
			}
		}
	}
}
