//go:build !linux

package crawltest

import "os/exec"

// Tie returns the command. Only Linux can kill a process when its parent dies; elsewhere it
// stays in the group of the tests, so that Ctrl-C reaches it.
func Tie(c *exec.Cmd) *exec.Cmd { return c }

// Kill kills the process of a command that is not yet waited for.
func Kill(c *exec.Cmd) { c.Process.Kill() }

func dieWithParent() {}

func dieWithGoTest() {}
