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
	"runtime"
	"runtime/debug"
)

func main() {
	runtime.MemProfileRate = 0 // no verb makes a profile; the broker, which could, has it recorded
	if os.Getenv("GOGC") == "" {
		collectLate()
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// How much the heap may grow before it is collected, in percent. The runtime multiplies its
// least heap of 4 MiB by the same factor, so by gcPercent alone a heap of 1.2 MiB would be
// collected: half a dozen times before a crawl asks for its first page.
const (
	gcPercent      = 30  // what lives hardly grows, so this costs little (docs/figures.md)
	gcPercentFirst = 200 // up to the first collection, at 8 MiB
)

// collectLate leaves a heap below 8 MiB alone, which is all that commands and short crawls
// have, and from its first collection on keeps it small.
func collectLate() {
	debug.SetGCPercent(gcPercentFirst)
	first := new([]byte)
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, gcPercent)
}
