//go:build !unix

package fetch

import "syscall"

// newTryer returns nil: without the calls of Unix, a socket that must not be waited for cannot
// be read. On Windows a socket of Go's is not in non-blocking mode.
func newTryer(syscall.RawConn) *tryer { return nil }

func (t *tryer) read([]byte) (int, error) { panic("fetch: no tryer was made") }
