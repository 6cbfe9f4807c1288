package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"crawler/internal/bigsite"
)

// sample is one crawl, measured.
type sample struct {
	bigsite.Asked
	Wall  time.Duration // from the start of the process to its end
	CPU   time.Duration // user and system, those it waited for included
	Peak  int64         // largest resident set of the process, in bytes
	Fault string        `json:",omitempty"` // how it ended if not with exit code 0
	Hung  bool          `json:",omitempty"` // it was ended at the limit
}

// watchEvery is how often the peak is read. The kernel keeps it, so only what grows in
// the last interval can be missed.
const watchEvery = 5 * time.Millisecond

// stderrKept bounds what is kept of a contestant's messages.
const stderrKept = 4 << 10

// measure runs a contestant to its end, or to the limit, in the folder dir, which is its
// home, too: no configuration of the user's counts. The counts of the server are the
// caller's to fill in.
func measure(ctx context.Context, argv []string, dir string, limit time.Duration) (sample, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(limited, argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LANG=C.UTF-8"}
	var messages tail
	cmd.Stderr = &messages
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return sample{}, err
	}
	peak := watch(cmd.Process.Pid)
	err := cmd.Wait()
	s := sample{Wall: time.Since(began), Peak: peak(), Hung: limited.Err() != nil && ctx.Err() == nil}
	s.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return s, ctx.Err()
	case s.Hung:
		s.Fault = fmt.Sprintf("ended after %v", limit)
	case errors.As(err, &exit):
		s.Fault = strings.TrimSpace(exit.String() + " " + messages.String())
	case err != nil:
		return s, err
	}
	return s, nil
}

// watch reads the high water of a process's resident memory from /proc until the function
// it returns is called, which returns it in bytes. Maxrss of wait4 begins with the peak
// of this program instead. It is 0 where there is no /proc.
func watch(pid int) (stop func() int64) {
	var peak int64
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			peak = max(peak, highWater(pid))
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	return func() int64 {
		close(done)
		watching.Wait()
		return peak
	}
}

func highWater(pid int) int64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "\nVmHWM:")
	var kb int64
	if _, err := fmt.Sscanf(after, "%d kB", &kb); err != nil {
		return 0
	}
	return kb << 10
}

// tail keeps the last line of what is written to it.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if n := len(t.kept) - stderrKept; n > 0 {
		t.kept = append(t.kept[:0], t.kept[n:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return lastLine(bytes.TrimSpace(t.kept)) }
