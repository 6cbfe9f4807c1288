package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// crawlWith runs a crawl in this process with a dialer of the test's own, so that no
// name is ever looked up outside.
func crawlWith(t *testing.T, dial func(ctx context.Context, network, addr string) (net.Conn, error), args ...string) (code int, stderr string) {
	t.Helper()
	o, cfg, err := engineConfig(t, append(args, "-o", filepath.Join(t.TempDir(), "out"), "--delay", "0")...)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Fetch.DialContext = dial
	var out, errw bytes.Buffer
	err = o.run(t.Context(), streams{in: strings.NewReader(""), out: &out, err: &errw}, cfg)
	var e *exitError
	if errors.As(err, &e) {
		return e.code, errw.String() + e.Error() + "\n" + e.hint
	}
	return exitOK, errw.String()
}

func TestHostThatDoesNotResolve(t *testing.T) {
	code, stderr := crawlWith(t, func(_ context.Context, network, addr string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: "a.example", IsNotFound: true}}
	})
	if code != exitNothing || !strings.Contains(stderr, "nothing could be fetched") ||
		!strings.Contains(stderr, "http://a.example/: no-host, ") || !strings.Contains(stderr, "no such host") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if !strings.Contains(stderr, "no contact in the user agent") {
		t.Errorf("no warning about the contact:\n%s", stderr)
	}
}

func TestNoPermissionForTheOutput(t *testing.T) {
	err := refuseOut("/srv/crawl", &fs.PathError{Op: "mkdir", Path: "/srv/crawl", Err: syscall.EACCES})
	var e *exitError
	if !errors.As(err, &e) || e.code != exitDisk || !strings.Contains(e.hint, "you may write to") || !strings.Contains(e.Error(), "/srv/crawl") {
		t.Errorf("%v", err)
	}
}

// A reader that goes away stops the crawl and is no error; what is written after that
// goes nowhere.
func TestReaderThatGoesAway(t *testing.T) {
	stopped := 0
	p := &pipe{w: failingWriter{syscall.EPIPE}, stop: func() { stopped++ }}
	for range 3 {
		if n, err := p.Write([]byte("line\n")); n != 5 || err != nil {
			t.Errorf("wrote %d, %v", n, err)
		}
	}
	if stopped != 1 {
		t.Errorf("stopped %d times", stopped)
	}
	full := &pipe{w: failingWriter{syscall.ENOSPC}, stop: func() { t.Error("stopped by a full disk") }}
	if _, err := full.Write([]byte("line\n")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk: %v", err)
	}
}

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }
