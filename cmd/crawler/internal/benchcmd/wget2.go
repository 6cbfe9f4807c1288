package benchcmd

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"time"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/bigsite"
)

// benchRival is what wget2 took for the site, and what the server saw of it.
type benchRival struct {
	cpu   time.Duration
	asked bigsite.Asked
}

// rival is where wget2 is, nothing if it cannot take part: it knows no names that only this
// measurement has, and is sent to them as to a proxy, which for https would have to be a real one.
func (b *benchSite) rival() (path string) {
	if b.tls && b.hosts > 1 {
		return ""
	}
	path, err := exec.LookPath("wget2")
	if err != nil {
		return ""
	}
	return path
}

// wget2 has it crawl the server's site, beginning with the file seeds, and throw the pages away.
func (o *benchOptions) wget2(ctx context.Context, path, seeds string, server *benchServer) (r *benchRival, err error) {
	argv := []string{"wget2", "--no-config", "--no-hsts", "--no-tls-resume", "--no-check-certificate", "-q", "-r", "-l", "inf",
		"--max-threads", strconv.Itoa(o.concurrency), "-O", os.DevNull, "-i", seeds}
	if o.hosts > 1 {
		argv = append(argv, "--http-proxy="+server.authority())
	}
	p, err := newProgram(ctx, "wget2", partLimit(o.pages), path, argv)
	if err == nil {
		err = p.start()
	}
	if err != nil {
		return nil, err
	}
	// Its exit code says that some page was missing, which the server's counts do better.
	err = p.wait()
	var failed *shell.ExitError
	if ctx.Err() != nil || err != nil && (!errors.As(err, &failed) || p.ProcessState == nil || p.ProcessState.ExitCode() < 0) {
		return nil, shell.FirstError(ctx.Err(), err)
	}
	r = &benchRival{cpu: p.spent()}
	r.asked, err = server.take()
	return r, err
}
