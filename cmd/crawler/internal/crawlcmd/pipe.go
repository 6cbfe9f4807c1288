package crawlcmd

import (
	"io"
)

// pipe is a writer whose reader may leave.
type pipe struct {
	w    io.Writer
	stop func()
	left bool
}

func (p *pipe) Write(b []byte) (int, error) {
	if p.left {
		return len(b), nil
	}
	n, err := p.w.Write(b)
	if readerLeft(err) {
		p.left = true
		p.stop()
		return len(b), nil
	}
	return n, err
}
