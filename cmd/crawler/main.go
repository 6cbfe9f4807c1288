// Command crawler visits every page that can be reached from a few seeds, once,
// politely, and ends with a report.
//
// This package puts the verbs together and says what their exit codes mean; its tests run the
// program as users do. The verbs are in internal, a package for each family of them, over
// what they share: shell and settings. What a crawl does is in package crawl, what its report
// says in package report.
package main

import (
	"os"
	"runtime/debug"
)

func main() {
	// What lives in the heap is small and hardly grows, so to collect it more often costs
	// little: a hundredth of the CPU time for 8 MiB less (docs/figures.md).
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// gcPercent is how much the heap may grow before it is collected, in percent.
const gcPercent = 30
