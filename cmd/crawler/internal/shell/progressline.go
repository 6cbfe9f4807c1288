package shell

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// ProgressLine returns a function that shows on a terminal, in one line, what is being
// done; "" takes the line away.
func ProgressLine(w io.Writer) func(what string) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func(string) {}
	}
	return func(what string) { fmt.Fprintf(f, "\r\x1b[K%s", Clip(what, 78)) }
}
