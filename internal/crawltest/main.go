package crawltest

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Main is TestMain for tests that start the crawler as a process of its own. "crawler" is
// then this test binary, which runs program.
//
// No such process outlives its tests, however these end: on Linux the kernel kills it with
// the test binary, and that with go test.
func Main(m *testing.M, program func()) {
	if filepath.Base(os.Args[0]) == "crawler" {
		dieWithParent()
	} else {
		dieWithGoTest()
		restoreSignals()
	}
	testscript.Main(m, map[string]func(){"crawler": program})
}

// restoreSignals lets children begin with the default for SIGHUP and SIGINT. Under nohup, or
// in the background of a script, tests are started with these ignored, which is inherited, and
// a crawler that ignores a signal cannot be stopped by it. What has a handler is not inherited.
func restoreSignals() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			// Nobody reads it: this process ignores it still.
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}
