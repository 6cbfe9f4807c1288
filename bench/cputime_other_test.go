//go:build !linux

package bench

import "time"

var started = time.Now()

// cpuTime returns the time that has passed: what this thread had of it is not
// known here.
func cpuTime() time.Duration { return time.Since(started) }
