package shell

import (
	"fmt"
	"io"
)

// ProgressLine returns a function that shows on a terminal, in one line, what is being
// done; "" takes the line away.
func ProgressLine(w io.Writer) func(what string) {
	t := TerminalOf(w)
	if t == nil {
		return func(string) {}
	}
	return func(what string) {
		columns, _ := t.Size()
		fmt.Fprintf(t.file, "\r\x1b[K%s", Clip(what, min(columns-1, 78)))
	}
}
