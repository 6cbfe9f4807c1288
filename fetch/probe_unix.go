//go:build unix

package fetch

import (
	"io"
	"os"
	"syscall"
)

func newTryer(raw syscall.RawConn) *tryer {
	t := &tryer{raw: raw}
	t.step = func(fd uintptr) bool {
		for {
			t.n, t.err = syscall.Read(int(fd), t.buf)
			if t.err != syscall.EINTR {
				return true
			}
		}
	}
	return t
}

func (t *tryer) read(p []byte) (int, error) {
	t.buf = p
	err := t.raw.Read(t.step)
	t.buf = nil
	switch {
	case err != nil:
		return 0, err
	case t.err == syscall.EAGAIN:
		return 0, os.ErrDeadlineExceeded
	case t.err != nil:
		return 0, os.NewSyscallError("read", t.err)
	case t.n == 0:
		return 0, io.EOF
	}
	return t.n, nil
}
