package diffcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode"

	"crawler/cmd/crawler/internal/shell"
	"crawler/diff"
	"crawler/report"
)

// place is where a crawl is: a directory, on another machine if host is not empty.
type place struct{ host, dir string }

func (p place) String() string {
	if p.host == "" {
		return p.dir
	}
	return p.host + ":" + p.dir
}

// parsePlace reads DIR or HOST:DIR. As with scp, a name is of another machine if it has a
// colon and no slash before that; a drive of Windows is none, and an IPv6 address stands in
// brackets.
func parsePlace(name string) (place, error) {
	host, dir, found := strings.Cut(name, ":")
	if i := strings.Index(name, "]:"); strings.Contains(host, "[") && i >= 0 {
		host, dir = name[:i+1], name[i+2:]
	}
	switch {
	case name == "":
		return place{}, shell.UsageError("name a crawl's directory, or HOST:DIR", "an empty name is no directory")
	case !found, strings.ContainsAny(host, `/\`), isDrive(name, runtime.GOOS):
		return place{dir: name}, nil
	}
	plain := strings.NewReplacer("[", "", "]", "").Replace(host)
	_, bare, _ := cutLast(plain, "@")
	switch {
	case bare == "":
		return place{}, shell.UsageError("for a directory of that name write ./"+name, "%q has no host before the colon", name)
	case plain[0] == '-' || bare[0] == '-':
		return place{}, shell.UsageError("for a directory of that name write ./"+name, "the host %q begins with a -", host)
	case strings.IndexFunc(host, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) >= 0:
		return place{}, shell.UsageError("for a directory of that name write ./"+name, "the host %q has a space or a control character", host)
	case dir == "":
		return place{}, shell.UsageError("write "+host+":. for the directory that a login begins in", "%q has no directory behind the colon", name)
	case strings.ContainsRune(dir, 0):
		return place{}, shell.UsageError("", "%q has a byte 0", name)
	}
	return place{plain, dir}, nil
}

// isDrive reports whether a name begins with a drive of Windows. Elsewhere h:/tmp is a
// directory on host h.
func isDrive(name, system string) bool {
	return len(name) >= 2 && name[1] == ':' && name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z' &&
		(len(name) > 2 && name[2] == '\\' || system == "windows")
}

// cutLast cuts around the last separator; without one, all is behind it.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// keptWords is how many bytes are kept of what the other machine says.
const keptWords = 2000

// keptFirst is how many bytes are kept of its output, of which a shell's greeting may be a part.
const keptFirst = 200

// connection is crawler diff --serve on another machine.
type connection struct {
	at       place
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      io.ReadCloser
	said     tail
	first    []byte // bytes of the output, a few
	patience time.Duration
	silent   bool // patience ended
}

// dial runs crawler on the other machine. The program's words are split at spaces.
func dial(ctx context.Context, at place, program []string, crawler string, patience time.Duration) (*connection, error) {
	there := crawler + " diff --serve -- " + shell.Quoted(at.dir)
	args := append(program[1:len(program):len(program)], "--", at.host, there)
	c := &connection{at: at, cmd: exec.CommandContext(ctx, program[0], args...), patience: patience}
	c.cmd.Stderr = &c.said
	c.cmd.WaitDelay = time.Second // what the program has started may hold its output open
	c.cmd.Cancel = c.abort
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, &shell.ExitError{Code: shell.ExitUsage, Err: fmt.Errorf("%s: %w", program[0], err), Hint: "install it, or name another program with --ssh"}
	}
	return c, nil
}

// Read ends the program if nothing comes for longer than patience.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.waiting(func() (int, error) { return c.out.Read(p) })
	c.first = append(c.first, p[:min(n, keptFirst-len(c.first))]...)
	return n, err
}

func (c *connection) Write(p []byte) (int, error) {
	return c.waiting(func() (int, error) { return c.in.Write(p) })
}

func (c *connection) waiting(do func() (int, error)) (int, error) {
	if c.patience <= 0 {
		return do()
	}
	fired := make(chan struct{})
	timer := time.AfterFunc(c.patience, func() {
		c.abort()
		close(fired)
	})
	n, err := do()
	if !timer.Stop() {
		<-fired
		c.silent = true
	}
	return n, err
}

// abort ends the program and whatever waits for it.
func (c *connection) abort() error {
	err := c.cmd.Process.Kill()
	c.in.Close()
	c.out.Close()
	return err
}

// grace is how long the program has to end when its input has.
const grace = 5 * time.Second

// close ends the program, which ends by itself when its input does, and returns what it said.
func (c *connection) close() error {
	c.in.Close()
	late := time.AfterFunc(grace, func() { c.abort() })
	defer late.Stop()
	io.Copy(io.Discard, c.out)
	return c.cmd.Wait()
}

// explain says what went wrong on the other machine, as far as it is known.
func (c *connection) explain(err error) error {
	ended := c.close()
	var usage *shell.ExitError
	if errors.As(err, &usage) {
		return err
	}
	var remote *diff.RemoteError
	said := report.OneLine(c.said.String(), keptWords)
	switch {
	case c.silent:
		return shell.UsageError("--patience waits longer", "%s has sent nothing for %v", c.at, c.patience)
	case errors.As(err, &remote):
		return shell.UsageError("see to the crawl there", "%s: %s", c.at, report.OneLine(remote.Text, keptWords))
	case len(c.first) > 0 && !bytes.Contains(c.first[:min(len(c.first), 20)], []byte("crawler diff")):
		return shell.UsageError("a shell that is not for people must print nothing: see to its startup files there",
			"%s: %w; its output begins with %q", c.at, err, report.OneLine(string(c.first), keptFirst))
	case said == "" && ended != nil:
		said = ended.Error()
	}
	if said != "" {
		said = " (" + said + ")"
	}
	return shell.UsageError("crawler of this version must be on the PATH of "+c.at.host+", or be named by --crawler; ssh -- "+shell.Quoted(c.at.host)+" crawler version tries it",
		"%s: %w%s", c.at, err, said)
}

// tail keeps the last bytes that are written.
type tail struct{ b bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	t.b.Write(p)
	if over := t.b.Len() - keptWords; over > 0 {
		t.b.Next(over)
	}
	return len(p), nil
}

func (t *tail) String() string { return t.b.String() }
