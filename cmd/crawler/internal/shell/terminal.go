package shell

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Terminal is one that understands control sequences.
type Terminal struct {
	file *os.File
	// Colours says that they are wanted: NO_COLOR (no-color.org) is not set.
	Colours bool
}

// TerminalOf returns the terminal that w is, nil if it is none or, by TERM=dumb, one that prints
// control sequences as they come.
func TerminalOf(w io.Writer) *Terminal {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &Terminal{file: f, Colours: os.Getenv("NO_COLOR") == ""}
}

// Size returns columns and lines as they are now, 80 and 24 if nobody knows.
func (t *Terminal) Size() (columns, lines int) {
	columns, lines, err := term.GetSize(int(t.file.Fd()))
	if err != nil || columns <= 0 || lines <= 0 {
		return 80, 24
	}
	return columns, lines
}
