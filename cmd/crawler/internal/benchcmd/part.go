package benchcmd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/bigsite"
)

var errInterrupted = errors.New("interrupted")

// partGrace is how long a part that is over may keep its pipes.
const partGrace = 5 * time.Second

// partLimit is how long a part may take, in the slowest of hours.
func partLimit(pages int) time.Duration {
	return time.Minute + time.Duration(pages)*20*time.Millisecond
}

// part is this program at work as another process. Its standard input stays open as
// long as this process lives.
type part struct {
	*exec.Cmd
	name  string
	in    io.WriteCloser
	said  head // standard error
	ctx   context.Context
	limit time.Duration
	end   context.CancelFunc
}

// newPart prepares the program with args for at most limit. name stands in errors.
func newPart(ctx context.Context, name string, limit time.Duration, args ...string) (*part, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, unstartable(err)
	}
	return newProgram(ctx, name, limit, exe, append([]string{"crawler"}, args...))
}

// newProgram prepares any program, with its arguments from its own name on.
func newProgram(ctx context.Context, name string, limit time.Duration, exe string, argv []string) (p *part, err error) {
	p = &part{name: name, limit: limit}
	p.ctx, p.end = context.WithTimeout(ctx, limit)
	p.Cmd = exec.CommandContext(p.ctx, exe)
	p.Args, p.WaitDelay, p.Stderr = argv, partGrace, &p.said
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, settings.EnvPrefix) { // settings for other crawls
			p.Env = append(p.Env, kv)
		}
	}
	if p.in, err = p.StdinPipe(); err != nil {
		p.end()
		return nil, unstartable(err)
	}
	return p, nil
}

func unstartable(err error) error {
	return &shell.ExitError{Code: shell.ExitFailed, Err: fmt.Errorf("bench: cannot start this program again as a process of its own: %w", err),
		Hint: "run it from a file that may be executed; bench measures processes, one for each part"}
}

func (p *part) start() error {
	err := p.Start()
	if err == nil {
		return nil
	}
	defer p.end()
	if p.ctx.Err() != nil {
		return p.failed(err)
	}
	return unstartable(err)
}

// wait waits for the end, which has to be a good one.
func (p *part) wait() error {
	defer p.end()
	if err := p.Wait(); err != nil {
		return p.failed(err)
	}
	return nil
}

// failed says why a part failed: it was too slow, or what it said itself, or err.
func (p *part) failed(err error) error {
	said, _, _ := strings.Cut(strings.TrimPrefix(string(p.said), "crawler: "), "\n")
	e := &shell.ExitError{Code: shell.ExitFailed}
	switch code := p.ProcessState.ExitCode(); {
	case p.ctx.Err() == context.DeadlineExceeded:
		err, e.Hint = fmt.Errorf("not done in %s", p.limit), "try fewer --pages"
	case code == shell.ExitInterrupted: // a terminal signals all of its processes
		return errInterrupted
	case said != "":
		err = errors.New(said)
		if code == shell.ExitDisk {
			e.Code, e.Hint = code, "free some space, or choose another disk by --keep DIR"
		}
	}
	e.Err = fmt.Errorf("%s: %w", p.name, err)
	return e
}

// spent is the user and system time of a part that is over.
func (p *part) spent() time.Duration { return p.ProcessState.UserTime() + p.ProcessState.SystemTime() }

// runPart runs the program to its end and returns its CPU time and how long it took.
func runPart(ctx context.Context, name string, limit time.Duration, args ...string) (cpu, wall time.Duration, err error) {
	p, err := newPart(ctx, name, limit, args...)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := p.start(); err != nil {
		return 0, 0, err
	}
	if err := p.wait(); err != nil {
		return 0, 0, err
	}
	return p.spent(), time.Since(began), nil
}

// benchServer is the site as another process.
type benchServer struct {
	*part
	url string
	out *bufio.Reader
}

// startServer serves b until close.
func (b *benchSite) startServer(ctx context.Context, limit time.Duration) (*benchServer, error) {
	p, err := newPart(ctx, "the site's server", limit, append([]string{"bench", "serve"}, b.args()...)...)
	if err != nil {
		return nil, err
	}
	out, err := p.StdoutPipe()
	if err != nil {
		p.end()
		return nil, unstartable(err)
	}
	if err := p.start(); err != nil {
		return nil, err
	}
	s := &benchServer{part: p, out: bufio.NewReader(out)}
	url, err := s.out.ReadString('\n')
	if err != nil {
		return nil, shell.FirstError(s.close(), fmt.Errorf("%s did not report its address: %w", p.name, err))
	}
	s.url = strings.TrimSpace(url)
	return s, nil
}

func (s *benchServer) authority() string {
	_, authority, _ := strings.Cut(s.url, "://")
	return authority
}

// take returns what the server was asked for since the last time.
func (s *benchServer) take() (a bigsite.Asked, err error) {
	if _, err = io.WriteString(s.in, "\n"); err == nil {
		var line []byte
		if line, err = s.out.ReadSlice('\n'); err == nil {
			err = json.Unmarshal(line, &a)
		}
	}
	if err != nil {
		err = &shell.ExitError{Code: shell.ExitFailed, Err: fmt.Errorf("%s did not report its counts: %w", s.name, err)}
	}
	return a, err
}

// close ends the server.
func (s *benchServer) close() error {
	s.in.Close()
	return s.wait()
}

// head keeps the first few KiB of what is written.
type head []byte

func (h *head) Write(p []byte) (int, error) {
	*h = append(*h, p[:min(len(p), 4<<10-len(*h))]...)
	return len(p), nil
}
