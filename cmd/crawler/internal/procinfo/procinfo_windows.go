package procinfo

import (
	"syscall"
	"time"
	"unsafe"

	"crawler/report"
)

// Used asks the operating system what this process has used so far.
func Used() report.Usage {
	self, err := syscall.GetCurrentProcess() // a constant, which needs no closing
	if err != nil {
		return report.Usage{}
	}
	u := report.Usage{PeakRSS: peakWorkingSet(self)}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &exited, &kernel, &user); err == nil {
		u.CPU = ticks(kernel) + ticks(user)
	}
	return u
}

// ticks is an amount of time, which Windows counts in 100 ns. Filetime.Nanoseconds would take
// it for a point in time.
func ticks(t syscall.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}

// memoryCounters is PROCESS_MEMORY_COUNTERS of psapi.h.
type memoryCounters struct {
	size, pageFaults           uint32
	peakWorkingSet, workingSet uintptr
	peakPaged, paged           uintptr
	peakNonPaged, nonPaged     uintptr
	pagefile, peakPagefile     uintptr
}

// peakWorkingSet returns the peak of a process's resident memory in bytes, 0 if Windows does
// not say.
func peakWorkingSet(process syscall.Handle) int64 {
	ask := syscall.NewLazyDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")
	if ask.Find() != nil {
		return 0
	}
	c := memoryCounters{size: uint32(unsafe.Sizeof(memoryCounters{}))}
	if ok, _, _ := ask.Call(uintptr(process), uintptr(unsafe.Pointer(&c)), uintptr(c.size)); ok == 0 {
		return 0
	}
	return int64(c.peakWorkingSet)
}

// Descriptors returns how many files and connections this process may have open. Windows has
// no limit that a crawl comes near: 16 million handles.
func Descriptors() int { return 1 << 20 }
