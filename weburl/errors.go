package weburl

import (
	"errors"
	"fmt"
)

// The reasons a reference is refused, for errors.Is.
var (
	// ErrScheme: absolute, but neither http nor https (mailto:, javascript:, ...).
	ErrScheme = errors.New("neither http nor https")
	// ErrRelative: no scheme, and no base to resolve against.
	ErrRelative = errors.New("relative URL without a base")
	// ErrHost: the host is missing or is no valid domain or IP address.
	ErrHost = errors.New("invalid host")
	// ErrPort: the port is no number up to 65535.
	ErrPort = errors.New("invalid port")
	// ErrTooLong: longer than MaxLen in canonical form.
	ErrTooLong = errors.New("URL too long")
)

// maxShown bounds how much of a refused reference its error message repeats.
const maxShown = 80

// named adds the offending reference to a sentinel.
func named(err error, raw string) error {
	if len(raw) > maxShown {
		return fmt.Errorf("%w: %q (cut)", err, raw[:maxShown])
	}
	return fmt.Errorf("%w: %q", err, raw)
}
