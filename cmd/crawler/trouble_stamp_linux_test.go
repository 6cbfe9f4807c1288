package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// stampedListener accepts connections that know when the kernel received what was read. That
// a busy machine lets a server read a request late makes no gap between two requests shorter.
type stampedListener struct{ *net.TCPListener }

// stamped asks the listener's socket for the stamps, of which connections inherit the wish: of
// one that asked for itself, the first request may have come before.
func stamped(l net.Listener) (stampedListener, error) {
	tcp := l.(*net.TCPListener)
	return stampedListener{tcp}, errors.Join(askForStamps(tcp), awaitStamps())
}

func askForStamps(socket syscall.Conn) error {
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
	})
	return errors.Join(err, failed)
}

// errNoStamp is of what came before the kernel gave stamps.
var errNoStamp = errors.New("what was read has no stamp")

// awaitStamps waits until the kernel gives stamps, a moment after the first socket asked for them.
func awaitStamps() error {
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer plain.Close()
	l := stampedListener{plain.(*net.TCPListener)}
	if err := askForStamps(l); err != nil {
		return err
	}
	client, err := net.Dial("tcp", plain.Addr().String())
	if err != nil {
		return err
	}
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		return err
	}
	defer server.Close()
	for range 100_000 {
		if _, err := client.Write([]byte("x")); err != nil {
			return err
		}
		if _, err := server.Read(make([]byte, 1)); !errors.Is(err, errNoStamp) {
			return err
		}
	}
	return errNoStamp
}

func (l stampedListener) Accept() (net.Conn, error) {
	c, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	raw, err := c.SyscallConn()
	return &stampedConn{TCPConn: c, raw: raw}, err
}

// stampedConn is a connection of a stampedListener.
type stampedConn struct {
	*net.TCPConn
	raw  syscall.RawConn
	last atomic.Int64 // when what was read last came, in ns since 1970
}

func (c *stampedConn) Read(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	oob := make([]byte, 128)
	var oobn int
	var failed error
	err = c.raw.Read(func(fd uintptr) (done bool) {
		n, oobn, _, _, failed = syscall.Recvmsg(int(fd), b, oob, 0)
		return failed != syscall.EAGAIN && failed != syscall.EINTR
	})
	switch {
	case err != nil:
		return 0, err
	case failed != nil:
		return 0, failed
	case n == 0:
		return 0, io.EOF
	}
	messages, err := syscall.ParseSocketControlMessage(oob[:oobn])
	for _, m := range messages {
		if m.Header.Type == syscall.SCM_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(syscall.Timespec{})) {
			c.last.Store((*syscall.Timespec)(unsafe.Pointer(&m.Data[0])).Nano())
			return n, err
		}
	}
	return n, errors.Join(err, errNoStamp)
}

// connKey is what http.Server.ConnContext keeps a request's stampedConn by.
type connKey struct{}

// arrived returns when a request came.
func arrived(r *http.Request) time.Time {
	return time.Unix(0, r.Context().Value(connKey{}).(*stampedConn).last.Load())
}

// TestStampsAreOfTheKernel has a request wait, unread and not even accepted: its stamp says when
// it came, of the first on a connection as of a later one.
func TestStampsAreOfTheKernel(t *testing.T) {
	t.Parallel()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	l, err := stamped(plain)
	if err != nil {
		t.Fatal(err)
	}
	client, err := net.Dial("tcp", plain.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var server net.Conn
	for range 2 {
		before := time.Now()
		if _, err := client.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		after := time.Now()
		if server == nil {
			if server, err = l.Accept(); err != nil {
				t.Fatal(err)
			}
			defer server.Close()
		}
		if _, err := server.Read(make([]byte, 8)); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(0, server.(*stampedConn).last.Load())
		if at.Before(before.Round(0)) || at.After(after.Round(0)) {
			t.Errorf("stamped %v after it was sent, which took %v", at.Sub(before), after.Sub(before))
		}
	}
}
