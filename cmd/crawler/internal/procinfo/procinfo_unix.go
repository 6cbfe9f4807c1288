//go:build unix

package procinfo

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"crawler/report"
)

// Used asks the operating system what this process has used so far.
func Used() report.Usage {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return report.Usage{}
	}
	return report.Usage{CPU: time.Duration(r.Utime.Nano() + r.Stime.Nano()), PeakRSS: peakRSS(int64(r.Maxrss))}
}

// peakRSS returns the peak of this process's resident memory in bytes. maxrss is what
// getrusage says, which on Linux begins with the peak of the process that started this
// one; /proc knows better.
func peakRSS(maxrss int64) int64 {
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return maxrss // in bytes; in kilobytes elsewhere
	}
	if own := HighWater("self"); own > 0 {
		return own
	}
	return maxrss << 10
}

// HighWater reads the VmHWM of a process below /proc in bytes, 0 if there is none.
func HighWater(process string) int64 {
	status, err := os.ReadFile("/proc/" + process + "/status")
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

// Descriptors returns how many files and connections this process may have open.
func Descriptors() int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return fewDescriptors
	}
	return int(min(uint64(l.Cur), 1<<20))
}
