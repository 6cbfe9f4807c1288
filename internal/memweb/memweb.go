// Package memweb is a web in memory: any number of hosts served over in-memory
// connections by the real net/http server.
//
// Nothing touches the network, so a whole crawl runs inside a testing/synctest
// bubble, where time is virtual and an hour of politeness takes milliseconds.
package memweb

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
)

// Web serves hosts by name. Handlers may be added until the first Dial.
type Web struct {
	hosts    map[string]http.Handler
	listener *listener
	server   *http.Server
	ended    sync.WaitGroup
}

// New starts a Web of the given hosts, keyed by the Host header without port; "*" is
// every other host. Close ends it.
func New(hosts map[string]http.Handler) *Web {
	w := &Web{hosts: hosts, listener: &listener{conns: make(chan net.Conn), closed: make(chan struct{})}}
	w.server = &http.Server{Handler: w}
	w.ended.Go(func() { w.server.Serve(w.listener) })
	return w
}

// Everywhere has one handler serve all the hosts.
func Everywhere(h http.Handler, hosts []string) map[string]http.Handler {
	m := make(map[string]http.Handler, len(hosts))
	for _, name := range hosts {
		m[name] = h
	}
	return m
}

// ServeHTTP routes by host name.
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	name, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		name = r.Host
	}
	h, ok := w.host(name)
	if !ok {
		http.Error(rw, "no such host", http.StatusMisdirectedRequest)
		return
	}
	h.ServeHTTP(rw, r)
}

func (w *Web) host(name string) (http.Handler, bool) {
	if h, ok := w.hosts[name]; ok {
		return h, true
	}
	h, ok := w.hosts["*"]
	return h, ok
}

// DialContext connects to a host of the web; unknown names fail as in DNS.
func (w *Web) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	name, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	if _, ok := w.host(name); !ok {
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}}
	}
	client, server := net.Pipe()
	select {
	case w.listener.conns <- server:
		return client, nil
	case <-w.listener.closed:
		return nil, errors.New("memweb: closed")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends all connections and waits for the server.
func (w *Web) Close() {
	w.server.Close()
	w.ended.Wait()
}

type listener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "memweb", Net: "unix"} }
