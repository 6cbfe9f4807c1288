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
// then this test binary, which runs program; others are further programs by their names.
//
// No such process outlives its tests, however these end: on Linux the kernel kills it with
// the test binary, and that with go test.
func Main(m *testing.M, program func(), others ...Program) {
	programs := map[string]func(){"crawler": program}
	for _, p := range others {
		programs[p.Name] = p.Run
	}
	if programs[filepath.Base(os.Args[0])] != nil {
		dieWithParent()
	} else {
		dieWithGoTest()
		restoreSignals()
	}
	testscript.Main(m, programs)
}

// Program is one that tests start as a process of its own: it is the test binary under that name.
type Program struct {
	Name string
	Run  func()
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
