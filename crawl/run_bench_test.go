//go:build unix

package crawl_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/bigsite"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
)

// BenchmarkRun is a whole durable crawl of a thousand pages of some 6 KiB with records and
// sketches, over connections and a disk in memory: what the program costs without the
// kernel and without a server.
func BenchmarkRun(b *testing.B) { benchmarkRun(b, false) }

// BenchmarkRunUnguarded is the same without the guard against traps.
func BenchmarkRunUnguarded(b *testing.B) { benchmarkRun(b, true) }

func benchmarkRun(b *testing.B, followTraps bool) {
	const pages = 1000
	answers := canned(b, pages)
	dial := func(context.Context, string, string) (net.Conn, error) {
		return newPipeConn(func(request []byte) ([]byte, time.Duration) {
			path, _, _ := bytes.Cut(request[len("GET "):], []byte(" "))
			return answers[string(path)], 0
		}), nil
	}
	b.ReportAllocs()
	before := cpuUsed()
	for b.Loop() {
		dir, err := store.Create(store.OnMem(vfs.NewMem()), "c", store.Meta{}, true)
		if err != nil {
			b.Fatal(err)
		}
		rec, err := report.NewRecorder(report.Config{Dir: dir, Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		cfg := crawl.Config{
			Seeds: []string{"http://a.example/"}, Store: disk.Of(dir), Recorder: rec, Workers: 16, Gate: gate.Config{IgnoreRobots: true, FollowTraps: followTraps, Dedup: dedup.Config{ExpectURLs: 2 * pages, Seed: 1}, Frontier: frontier.Config{Delay: frontier.NoDelay, PerHost: 16}},
		}
		cfg.Fetch.DialContext, cfg.Fetch.UserAgent = dial, "crawler/test"
		res, err := crawl.Run(b.Context(), cfg)
		if err != nil || res.Fetched != pages {
			b.Fatalf("%d pages fetched: %v", res.Fetched, err)
		}
		if err := dir.Close(); err != nil {
			b.Fatal(err)
		}
	}
	n := float64(b.N * pages)
	b.ReportMetric(float64(cpuUsed()-before)/n, "cpu-ns/page")
	b.ReportMetric(float64(b.Elapsed())/n, "ns/page")
}

// canned is every page of a site as it goes over the wire, by path.
func canned(b *testing.B, pages int) map[string][]byte {
	site, err := bigsite.New(bigsite.Config{Pages: pages, Links: 20})
	if err != nil {
		b.Fatal(err)
	}
	answers := map[string][]byte{}
	for path := range site.All() {
		if !strings.HasPrefix(path, "/") {
			b.Fatalf("%s is not on the site", path)
		}
		w := httptest.NewRecorder()
		site.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		head := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n", w.Body.Len())
		answers[path] = append(head, w.Body.Bytes()...)
	}
	return answers
}
