//go:build unix

package main

import (
	"runtime"
	"syscall"
	"time"

	"crawler/report"
)

// used asks the operating system what this process has used so far.
func used() report.Usage {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return report.Usage{}
	}
	rss := int64(r.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		rss *= 1024 // kilobytes everywhere but on Apple's systems
	}
	return report.Usage{CPU: time.Duration(r.Utime.Nano() + r.Stime.Nano()), PeakRSS: rss}
}
