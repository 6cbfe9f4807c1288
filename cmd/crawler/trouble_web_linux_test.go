package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"crawler/internal/crawltest"
)

// arrival is a request as the server saw it.
type arrival struct {
	host, path string
	at, done   time.Time
	status     int // 0: reset
}

// troubledWeb is the hosts of a row, each at an address of its own, and what is wrong with
// them from time to time.
type troubledWeb struct {
	*troubleRow
	dns   *resolver // nil: the seeds are addresses
	srv   *http.Server
	addrs []string // to listen at
	hosts []string // as in the seeds
	now   atomic.Bool
	first sync.Once
	asked chan struct{} // closed when the first request has come

	mu        sync.Mutex
	log       []arrival             // guarded by mu
	listeners []net.Listener        // guarded by mu
	conns     map[net.Conn]struct{} // guarded by mu
}

// answerTime is how long an answer takes: so long that several requests may be under way.
const answerTime = 20 * time.Millisecond

func openTroubledWeb(t *testing.T, r *troubleRow, place int, named bool) *troubledWeb {
	t.Helper()
	w := &troubledWeb{troubleRow: r, asked: make(chan struct{}), conns: map[net.Conn]struct{}{}}
	w.srv = &http.Server{Handler: w, ConnState: w.connState, ConnContext: func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}}
	t.Cleanup(func() { w.srv.Close() })
	addresses := map[string][4]byte{}
	port := "0"
	for h := range r.hosts {
		at := [4]byte{127, byte(place), byte(h / 200), byte(h%200 + 1)}
		addr := netip.AddrFrom4(at).String()
		port = w.listen(t, addr+":"+port)
		host := addr
		if named {
			host = fmt.Sprintf("h%d.trouble.test", h)
			addresses[host+"."] = at
		}
		w.addrs, w.hosts = append(w.addrs, addr+":"+port), append(w.hosts, host+":"+port)
	}
	if named {
		w.dns = startResolver(t, addresses)
	}
	return w
}

// listen serves at an address and returns its port.
func (w *troubledWeb) listen(t *testing.T, addr string) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.listeners = append(w.listeners, l)
	w.mu.Unlock()
	stamps, err := stamped(l)
	if err != nil {
		t.Fatal(err)
	}
	go w.srv.Serve(stamps)
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

func (w *troubledWeb) connState(c net.Conn, s http.ConnState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case s == http.StateClosed || s == http.StateHijacked:
		delete(w.conns, c)
	case s == http.StateNew && len(w.listeners) == 0:
		c.Close()
	case s == http.StateNew:
		w.conns[c] = struct{}{}
	}
}

// refuse closes all ports and connections.
func (w *troubledWeb) refuse() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.listeners {
		l.Close()
	}
	for c := range w.conns {
		c.Close()
	}
	w.listeners = nil
}

// ServeHTTP serves the hosts. The first page of each links to all others.
func (w *troubledWeb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	seen := arrival{host: r.Host, path: r.URL.Path, at: arrived(r), status: http.StatusOK}
	if w.delay > 0 {
		<-time.After(answerTime)
	}
	robots := r.URL.Path == "/robots.txt"
	switch bad := w.now.Load(); {
	case bad && w.resets:
		seen.status = 0
		reset(rw)
	case bad && w.status > 0 && (robots || !w.robotsOnly):
		seen.status = w.status
	case robots:
		seen.status = http.StatusNotFound
	}
	seen.done = time.Now()
	w.mu.Lock()
	w.log = append(w.log, seen)
	w.first.Do(func() { close(w.asked) })
	w.mu.Unlock()
	if seen.status == 0 {
		return
	}
	if w.close {
		rw.Header().Set("Connection", "close")
	}
	rw.Header().Set("Content-Type", "text/html")
	rw.WriteHeader(seen.status)
	if seen.status == http.StatusOK {
		w.page(rw, r)
	}
}

func (w *troubledWeb) page(rw http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
	fmt.Fprintf(rw, "<title>%d of %s</title>\n", n, r.Host)
	if n == 0 {
		for p := 1; p < w.pages; p++ {
			fmt.Fprintf(rw, "<a href=/%d>%d</a>\n", p, p)
		}
	}
	crawltest.Prose(rw, int64(n))
}

// reset ends a connection by a RST.
func reset(rw http.ResponseWriter) {
	if c, _, err := http.NewResponseController(rw).Hijack(); err == nil {
		c.(*stampedConn).SetLinger(0)
		c.Close()
	}
}

// arrivals returns what was asked so far, in order.
func (w *troubledWeb) arrivals() []arrival {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.SortedFunc(slices.Values(w.log), func(a, b arrival) int { return a.at.Compare(b.at) })
}

// resolver is a name server at 127.0.0.53, by UDP and TCP.
type resolver struct {
	addresses map[string][4]byte
	fails     atomic.Int32 // the RCode that every question gets, or resolverSilent; 0 for none
	questions atomic.Int64
}

const resolverSilent = -1

// startResolver makes itself the resolver of this process and its children, which must have
// the files and the network to themselves.
func startResolver(t *testing.T, addresses map[string][4]byte) *resolver {
	t.Helper()
	const addr = "127.0.0.53:53"
	r := &resolver{addresses: addresses}
	udp, err := net.ListenPacket("udp", addr)
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { udp.Close(); tcp.Close() })
	go r.serveUDP(udp)
	go r.serveTCP(tcp)

	conf := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(conf, []byte("nameserver 127.0.0.53\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount(conf, "/etc/resolv.conf", "", syscall.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *resolver) serveUDP(c net.PacketConn) {
	buf := make([]byte, 1<<12)
	for {
		n, from, err := c.ReadFrom(buf)
		if err != nil {
			return
		}
		if out := r.answer(buf[:n]); out != nil {
			c.WriteTo(out, from)
		}
	}
}

func (r *resolver) serveTCP(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go r.serveConn(c)
	}
}

// serveConn answers one question; before each message stands its length (RFC 1035, 4.2.2).
func (r *resolver) serveConn(c net.Conn) {
	defer c.Close()
	buf := make([]byte, 1<<12)
	n, err := c.Read(buf)
	if err != nil || n < 2 {
		return
	}
	if out := r.answer(buf[2:n]); out != nil {
		c.Write(append([]byte{byte(len(out) >> 8), byte(len(out))}, out...))
	}
}

// answer returns nil for a question that gets none.
func (r *resolver) answer(question []byte) []byte {
	r.questions.Add(1)
	code := r.fails.Load()
	var m dnsmessage.Message
	if code == resolverSilent || m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	addr, known := r.addresses[strings.ToLower(q.Name.String())]
	m.Response, m.RecursionAvailable, m.Additionals, m.RCode = true, true, nil, dnsmessage.RCode(code)
	switch {
	case code != 0:
	case !known:
		m.RCode = dnsmessage.RCodeNameError
	case q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1},
			Body:   &dnsmessage.AResource{A: addr},
		}}
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}

// ip changes the network of this process, which must have one to itself.
func ip(t *testing.T, args ...string) {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Errorf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}
