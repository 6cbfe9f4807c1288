package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// A heap may grow to 8 MiB before its first collection, and by 30 % after it.
func TestCollectLate(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	collectLate()
	if got := heapGrowth(); got != gcPercentFirst {
		t.Fatalf("the heap may grow by %d %% before its first collection, not by %d", got, gcPercentFirst)
	}
	runtime.GC()
	for begun := time.Now(); heapGrowth() != gcPercent; time.Sleep(time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("the heap may grow by %d %% a minute after a collection, not by %d", heapGrowth(), gcPercent)
		}
	}
}

// heapGrowth is by how much the heap may grow before it is collected, in percent.
func heapGrowth() uint64 {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
