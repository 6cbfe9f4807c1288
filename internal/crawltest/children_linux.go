package crawltest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// Tie makes a command that is not yet started the leader of a process group that Kill ends,
// and lets the kernel kill it when this process dies. It returns the command.
func Tie(c *exec.Cmd) *exec.Cmd {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return c
}

// Kill kills the process group of a command that Tie has seen and that is not yet waited for.
func Kill(c *exec.Cmd) {
	syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
}

// dieWithParent lets the kernel kill this process when its parent dies.
func dieWithParent() {
	syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0)
}

// dieWithGoTest is dieWithParent where the parent is the go command. A test binary that
// somebody started by hand may outlive the shell.
func dieWithGoTest() {
	exe, err := os.Readlink("/proc/" + strconv.Itoa(os.Getppid()) + "/exe")
	if err == nil && filepath.Base(exe) == "go" {
		dieWithParent()
	}
}
