package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// stampedListener accepts connections that know when the kernel received what was read. That
// a busy machine lets a server read a request late makes no gap between two requests shorter.
type stampedListener struct{ *net.TCPListener }

func (l stampedListener) Accept() (net.Conn, error) {
	c, err := l.AcceptTCP()
	if err != nil {
		return nil, err
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
	})
	return &stampedConn{TCPConn: c, raw: raw}, errors.Join(err, failed)
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
	c.last.Store(time.Now().UnixNano()) // of what came before the stamps were asked for
	messages, err := syscall.ParseSocketControlMessage(oob[:oobn])
	for _, m := range messages {
		if m.Header.Type == syscall.SCM_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(syscall.Timespec{})) {
			c.last.Store((*syscall.Timespec)(unsafe.Pointer(&m.Data[0])).Nano())
		}
	}
	return n, err
}

// connKey is what http.Server.ConnContext keeps a request's stampedConn by.
type connKey struct{}

// arrived returns when a request came.
func arrived(r *http.Request) time.Time {
	return time.Unix(0, r.Context().Value(connKey{}).(*stampedConn).last.Load())
}
