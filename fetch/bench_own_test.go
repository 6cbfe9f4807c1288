//go:build unix

package fetch

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// servesBench is set in the environment of the process that serves a benchmark.
const servesBench = "FETCH_SERVES_BENCH"

// TestMain serves BenchmarkTurns when it started this process for that: a server in the same
// process would count as the client.
func TestMain(m *testing.M) {
	if os.Getenv(servesBench) == "" {
		os.Exit(m.Run())
	}
	http2 := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(benchPage)
	}))
	http2.EnableHTTP2 = true
	http2.StartTLS()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	secure, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: http2.TLS.Certificates})
	if err != nil {
		panic(err)
	}
	for _, ln := range []net.Listener{plain, secure} {
		go func() {
			for {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				go serveCanned(c)
			}
		}()
	}
	fmt.Printf("http://%s https://%s %s\n", plain.Addr(), secure.Addr(), http2.URL)
	os.Stdin.Read(make([]byte, 1)) // until the benchmark ends
}

// benchServers starts that process, which serves one page over HTTP/1.1, over TLS and over HTTP/2.
func benchServers(b *testing.B) (plain, secure, http2 string) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), servesBench+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { stdin.Close(); cmd.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	if _, err := fmt.Sscan(line, &plain, &secure, &http2); err != nil {
		b.Fatal(err)
	}
	return plain, secure, http2
}

// BenchmarkTurns holds the clients against each other, a few hundred pages each by turns, over
// 16 connections, from a server in another process. The figures are CPU time of this process.
func BenchmarkTurns(b *testing.B) {
	const workers, pages = 16, 20
	plain, secure, http2 := benchServers(b)
	trust := &tls.Config{InsecureSkipVerify: true}
	turns := []struct {
		name, base string
		cfg        Config
	}{
		{"own", plain, Config{}},
		{"nethttp", plain, Config{HTTP2: true}},
		{"own-wire", plain, Config{KeepWire: true}},
		{"own-tls", secure, Config{TLS: trust}},
		{"nethttp-tls", secure, Config{TLS: trust, HTTP2: true}},
		{"http2", http2, Config{TLS: trust, HTTP2: true}},
	}
	clients := make([]*Client, len(turns))
	for i, x := range turns {
		clients[i] = newClient(b, x.cfg)
	}
	spent := make([]time.Duration, len(turns))
	turn := func(i int) {
		u := mustURL(b, turns[i].base+"/a/page.html?with=query")
		before := cpuTime(b)
		var running sync.WaitGroup
		for range workers {
			running.Go(func() {
				for range pages {
					res, err := clients[i].Get(b.Context(), u)
					if err != nil || len(res.Body) != len(benchPage) {
						b.Error(err)
						return
					}
					res.Release()
				}
			})
		}
		running.Wait()
		spent[i] += cpuTime(b) - before
	}
	for i := range turns { // connections are dialled
		turn(i)
	}
	clear(spent)
	n := 0
	for b.Loop() {
		for i := range turns {
			turn(i)
		}
		n += workers * pages
	}
	by := map[string]float64{}
	for i, x := range turns {
		by[x.name] = float64(spent[i].Nanoseconds()) / float64(n)
		b.ReportMetric(by[x.name], x.name+"-ns/page")
	}
	b.ReportMetric(by["own"]/by["nethttp"], "plain-ratio")
	b.ReportMetric(by["own-tls"]/by["nethttp-tls"], "tls-ratio")
	b.ReportMetric(by["own-tls"]/by["http2"], "http2-ratio")
}
