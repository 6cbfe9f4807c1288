package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"crawler/internal/crawltest"
)

// troubleRow is what happens to all hosts at once, for a while, and what is asked for: every
// page of every host, with 200.
type troubleRow struct {
	name         string
	hosts, pages int
	from, to     time.Duration // since the first request; if from is 0, since the start
	args         []string
	delay        time.Duration // that of args
	quick        bool          // runs in the ordinary suite, too; the others only with TROUBLE
	close        bool          // each answer ends its connection
	outage       bool          // it is taken for the network's

	// What happens; one of them:
	refused     bool
	unreachable bool // needs a network of its own
	swallowed   bool // packets go nowhere, without an error; needs a network of its own
	resolver    int  // the RCode of all its answers, or resolverSilent; needs a network of its own
	status      int  // of all answers
	robotsOnly  bool // of those to /robots.txt alone
	resets      bool
}

// apart reports whether a row needs a network and an /etc/resolv.conf of its own.
func (r *troubleRow) apart() bool { return r.unreachable || r.swallowed || r.resolver != 0 }

const second = time.Second

func rowsOfTrouble() []troubleRow {
	ownSite := []string{"--delay", "0", "--per-host", "2"}
	return []troubleRow{
		{name: "refused for 5 s", hosts: 5, pages: 30, from: second, to: 6 * second, delay: 200 * time.Millisecond, args: []string{"--delay", "200ms"}, quick: true, outage: true, refused: true},
		{name: "refused for 300 s", hosts: 20, pages: 60, from: 20 * second, to: 320 * second, delay: second, outage: true, refused: true},
		{name: "unreachable for 300 s", hosts: 100, pages: 30, from: 10 * second, to: 310 * second, delay: second, outage: true, unreachable: true},
		{name: "unreachable for 300 s from the start", hosts: 100, pages: 5, to: 300 * second, delay: second, outage: true, unreachable: true},
		{name: "packets swallowed for 300 s", hosts: 20, pages: 60, from: 10 * second, to: 310 * second, delay: second, outage: true, swallowed: true},
		{name: "NXDOMAIN for 30 s", hosts: 20, pages: 40, from: 10 * second, to: 40 * second, delay: second, close: true, outage: true, resolver: int(dnsmessage.RCodeNameError)},
		{name: "SERVFAIL for 60 s", hosts: 20, pages: 40, from: 10 * second, to: 70 * second, delay: second, close: true, outage: true, resolver: int(dnsmessage.RCodeServerFailure)},
		{name: "REFUSED by the resolver for 300 s", hosts: 20, pages: 40, from: 10 * second, to: 310 * second, delay: second, close: true, outage: true, resolver: int(dnsmessage.RCodeRefused)},
		{name: "a silent resolver for 60 s", hosts: 20, pages: 40, from: 10 * second, to: 70 * second, delay: second, close: true, outage: true, resolver: resolverSilent},
		{name: "502 for 60 s", hosts: 10, pages: 100, from: 10 * second, to: 70 * second, delay: second, status: http.StatusBadGateway},
		{name: "500 for 10 s", hosts: 1, pages: 289, from: 5 * second, to: 15 * second, delay: 100 * time.Millisecond, args: []string{"--delay", "100ms"}, status: http.StatusInternalServerError},
		{name: "503 for 200 s", hosts: 10, pages: 150, from: 20 * second, to: 220 * second, delay: second, status: http.StatusServiceUnavailable},
		{name: "robots.txt 503 for 10 s", hosts: 20, pages: 1, to: 10 * second, delay: second, status: http.StatusServiceUnavailable, robotsOnly: true},
		{name: "refused for 90 s, no delay", hosts: 20, pages: 60, from: 300 * time.Millisecond, to: 90 * second, args: ownSite, outage: true, refused: true},
		{name: "reset for 60 s, no delay", hosts: 10, pages: 60, from: 200 * time.Millisecond, to: 60 * second, args: ownSite, outage: true, resets: true},
	}
}

// TestTrouble crawls hosts through trouble that passes, with real sockets and, where names
// are in trouble, a resolver of its own, and holds the outcome to be what it is without the
// trouble. Without TROUBLE (make trouble) only the quick rows run, by this test binary.
//
// Rows that need a network of their own run in a process in namespaces of its own.
func TestTrouble(t *testing.T) {
	bin := os.Getenv("TROUBLE_BINARY")
	long := os.Getenv("TROUBLE") != ""
	switch {
	case bin != "":
	case long:
		bin = shipped(t)
	default:
		bin = "crawler"
	}
	for i, r := range rowsOfTrouble() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			inside := os.Getenv("TROUBLE_BINARY") != ""
			switch {
			case !long && !r.quick:
				t.Skip("needs minutes: make trouble")
			case r.apart() && !inside:
				runApart(t, bin)
				return
			}
			r.crawl(t, bin, i+16)
		})
	}
}

// runApart runs this test in a process in namespaces of its own.
func runApart(t *testing.T, bin string) {
	t.Helper()
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skipf("needs iproute2: %v", err)
	}
	top, row, _ := strings.Cut(t.Name(), "/")
	cmd := exec.Command(os.Args[0], "-test.run", "^"+top+"$/^"+regexp.QuoteMeta(row)+"$", "-test.v", "-test.timeout", "15m")
	cmd.Env = append(os.Environ(), "TROUBLE_BINARY="+bin)
	crawltest.Tie(cmd)
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Skipf("namespaces are not permitted here: %v", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, out.String())
		return
	}
	t.Log(out.String())
}

// longestTrouble bounds the crawl of a row.
const longestTrouble = 12 * time.Minute

// crawl crawls the hosts through the row's trouble.
func (r *troubleRow) crawl(t *testing.T, bin string, place int) {
	if r.apart() {
		ip(t, "link", "set", "lo", "up")
	}
	w := openTroubledWeb(t, r, place, r.apart())
	dir := filepath.Join(t.TempDir(), "out")
	seeds := filepath.Join(t.TempDir(), "seeds")
	var list strings.Builder
	for _, h := range w.hosts {
		fmt.Fprintf(&list, "http://%s/0\n", h)
	}
	if err := os.WriteFile(seeds, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if r.from == 0 {
		w.begin(t)
	}
	o := &troubleOutcome{troubleRow: r, began: time.Now(), web: w, dir: dir}
	p := startFor(t, longestTrouble, bin, append([]string{"crawl", "--seeds", seeds, "-o", dir, "--no-live"}, r.args...)...)
	if r.from > 0 {
		select {
		case <-w.asked:
		case <-p.ended:
		}
		o.began = time.Now()
		p.outlast(r.from)
		w.begin(t)
	}
	p.outlast(time.Until(o.began.Add(r.to)))
	o.over = time.Now()
	w.end(t)
	<-p.ended
	o.took = time.Since(o.began)
	o.check(t, p)
}

// outlast waits until the process has ended or the time is over.
func (p *process) outlast(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.ended:
	}
}

// begin lets the trouble begin.
func (w *troubledWeb) begin(t *testing.T) {
	switch {
	case w.refused:
		w.refuse()
	case w.unreachable:
		ip(t, "address", "delete", "127.0.0.1/8", "dev", "lo")
	case w.swallowed:
		ip(t, "link", "set", "lo", "down")
	case w.resolver != 0 && w.dns != nil:
		w.dns.fails.Store(int32(w.resolver))
	}
	w.now.Store(true)
}

// end ends it.
func (w *troubledWeb) end(t *testing.T) {
	w.now.Store(false)
	switch {
	case w.refused:
		for _, addr := range w.addrs {
			w.listen(t, addr)
		}
	case w.unreachable:
		ip(t, "address", "add", "127.0.0.1/8", "dev", "lo")
	case w.swallowed:
		ip(t, "link", "set", "lo", "up")
	case w.dns != nil:
		w.dns.fails.Store(0)
	}
}
