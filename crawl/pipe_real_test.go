//go:build unix

package crawl_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
)

// What the crawler's process and the server's say to each other.
const (
	// The variable that makes the test binary a server of its value, a pipeLoad.
	pipeServer = "PIPE_SERVER"
	pipeLoad   = "hosts=%d pages=%d conns=%d delay=%d mean=%d"
	pipeFlow   = "count=%d steady=%g whole=%d closest=%d cpu=%d"
)

// TestMain lets the test binary be the server of TestPipe, a process of its own.
func TestMain(m *testing.M) {
	if l := os.Getenv(pipeServer); l != "" {
		if err := servePipe(l); err != nil {
			fmt.Fprintln(os.Stderr, "pipe server:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestPipe is TestPipeIsFull in real time: the engine with a durable store, page records
// and sketches, and beside it on the same processors a server that answers 20 ms late.
// Hosts are names that all resolve to 127.0.0.1. It runs with PIPE=1 (make pipe).
// Where the processors cannot carry a thousand hosts, fewer tell whether the engine can
// fill the pipe.
func TestPipe(t *testing.T) {
	if os.Getenv("PIPE") == "" {
		t.Skip("PIPE=1 crawls 1,000 hosts of 20 ms latency in real time (make pipe)")
	}
	full := 0
	for _, hosts := range []int{1000, 400, 100} {
		l := load{hosts: hosts, pages: 60, conns: max(hosts*256/1000, 1), delay: 100 * time.Millisecond, mean: 20 * time.Millisecond}
		if need, have := uint64(l.hosts+l.conns+100), descriptors(t); need > have {
			t.Logf("%d hosts need %d file descriptors, this process may have %d: raise it with ulimit -n", hosts, need, have)
			continue
		}
		r := pipeOnce(t, l, frontier.NoPerIP)
		t.Log(r)
		if r.share() >= pipeGoal && r.wholeShare() >= pipeGoal {
			full++
		}
	}
	if full == 0 {
		t.Errorf("the pipe was full at no scale: the goal is %.0f %%", 100*pipeGoal)
	}
}

// TestPipeOfOneAddress crawls a thousand polite hosts at one address, which answers as soon as each
// of them alone would: with a window for the address and without. It runs with PIPE=1 (make pipe).
func TestPipeOfOneAddress(t *testing.T) {
	if os.Getenv("PIPE") == "" {
		t.Skip("PIPE=1 crawls 1,000 hosts at one address in real time (make pipe)")
	}
	l := load{hosts: 1000, pages: 150, conns: 256, delay: 500 * time.Millisecond, mean: 20 * time.Millisecond}
	for _, perIP := range []int{frontier.DefaultPerIP, frontier.NoPerIP} {
		r := pipeOnce(t, l, perIP)
		t.Logf("at most %d requests to the address: %v", perIP, r)
		if r.wholeShare() < pipeGoal {
			t.Errorf("%.3f of what politeness allows", r.wholeShare())
		}
		if r.closest < l.delay-time.Millisecond {
			t.Errorf("two requests to a host were %v apart at the server", r.closest)
		}
	}
}

// pipeRun is what came of a crawl in real time.
type pipeRun struct {
	flow
	wall, cpu, serverCPU time.Duration
	idle                 time.Duration // of all processors
}

func (r pipeRun) String() string {
	verdict := "full"
	if share := min(r.share(), r.wholeShare()); share < pipeGoal {
		n, wall := runtime.NumCPU(), r.wall.Seconds()
		ours, idle := (r.cpu+r.serverCPU).Seconds()/wall, r.idle.Seconds()/wall
		verdict = fmt.Sprintf("not full: of %d processors crawler and server had %.2f, others %.2f, none %.2f", n, ours, max(float64(n)-ours-idle, 0), idle)
	}
	perThousand := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(r.count) }
	return fmt.Sprintf("%v; %d at a time; crawler %.3f CPU-seconds per 1,000 pages (%.2f processors), server %.3f (%.2f); closest two requests to a host %s: %s",
		r.flow, r.conns, perThousand(r.cpu), r.cpu.Seconds()/r.wall.Seconds(),
		perThousand(r.serverCPU), r.serverCPU.Seconds()/r.wall.Seconds(), r.closest.Round(time.Millisecond), verdict)
}

// pipeOnce crawls a pipe served by another process, with at most perIP requests to its address at
// a time.
func pipeOnce(t *testing.T, l load, perIP int) pipeRun {
	t.Helper()
	port, end := startPipe(t, l)
	cfg := l.config(port)
	cfg.Gate.Frontier.PerIP = perIP
	cfg.Fetch.Resolve = map[string]string{"*:" + port: "127.0.0.1:" + port}
	dir, err := store.Create(store.Disk(), filepath.Join(t.TempDir(), "crawl"), store.Meta{}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	rec, err := report.NewRecorder(report.Config{Dir: dir, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Store, cfg.Recorder = disk.Of(dir), rec
	began, before, idle := time.Now(), cpuUsed(), idled()
	res, err := crawl.Run(t.Context(), cfg)
	r := pipeRun{wall: time.Since(began), cpu: cpuUsed() - before, idle: idled() - idle}
	if err != nil || res.Fetched != l.hosts*l.pages {
		t.Fatalf("%d pages fetched of %d: %v", res.Fetched, l.hosts*l.pages, err)
	}
	r.load = l
	if said := end(); !strings.HasPrefix(said, "count=") {
		t.Fatalf("the server said %q", said)
	} else if _, err := fmt.Sscanf(said, pipeFlow, &r.count, &r.steady, &r.whole, &r.closest, &r.serverCPU); err != nil {
		t.Fatal(err)
	}
	return r
}

// startPipe starts the server as a process of its own and returns its port; end makes it
// stop and returns what it has seen. The server also stops when this process is gone.
func startPipe(t *testing.T, l load) (port string, end func() string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), pipeServer+"="+fmt.Sprintf(pipeLoad, l.hosts, l.pages, l.conns, l.delay, l.mean))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscanln(out, &port); err != nil {
		t.Fatal(err)
	}
	return port, func() string {
		in.Close()
		said, err := io.ReadAll(out)
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		return string(said)
	}
}

// servePipe prints its port, answers until standard input is closed, and prints what it
// has seen.
func servePipe(said string) error {
	var l load
	if _, err := fmt.Sscanf(said, pipeLoad, &l.hosts, &l.pages, &l.conns, &l.delay, &l.mean); err != nil {
		return err
	}
	p := newPipe(l, func(string, int) time.Duration { return l.mean })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	f := p.flow()
	fmt.Printf(pipeFlow+"\n", f.count, f.steady, f.whole, f.closest, cpuUsed())
	return nil
}

// serve answers the requests of one connection, each when its time has come.
func (p *pipe) serve(c net.Conn) {
	defer c.Close()
	buf := make([]byte, 4<<10)
	for n := 0; n < len(buf); {
		m, err := c.Read(buf[n:])
		if err != nil {
			return
		}
		if n += m; bytes.HasSuffix(buf[:n], []byte("\r\n\r\n")) {
			answer, latency := p.answer(buf[:n])
			time.AfterFunc(latency, func() { c.Write(answer) })
			n = 0
		}
	}
}

// descriptors is how many files this process may have open.
func descriptors(t *testing.T) uint64 {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	return uint64(limit.Cur)
}

// cpuUsed is the processor time of this process so far.
func cpuUsed() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// idled is how long the machine's processors, together, have had nothing to do; 0 where
// /proc does not say.
func idled() time.Duration {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	var user, nice, system, idle, wait int64 // in hundredths of a second
	if _, err := fmt.Sscanf(string(stat), "cpu %d %d %d %d %d", &user, &nice, &system, &idle, &wait); err != nil {
		return 0
	}
	return time.Duration(idle+wait) * 10 * time.Millisecond
}
