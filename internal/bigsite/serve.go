package bigsite

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// Serve serves a site on a free port of loopback to one crawler after the other; site makes
// it for its authority. To out it writes the site's URL, and for every line of in an Asked as
// JSON, a line each: what was asked for since the one before. It returns when in ends, so
// that a server's process outlives nobody who holds the other end of its standard input.
func Serve(in io.Reader, out io.Writer, site func(authority string) (*Site, error)) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	authority := listener.Addr().String()
	s, err := site(authority)
	if err != nil {
		return err
	}
	counts := NewCounts(s)
	server := &http.Server{Handler: counts, ReadHeaderTimeout: 10 * time.Second}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(listener) })
	defer serving.Wait()
	defer server.Close()
	if _, err := fmt.Fprintf(out, "http://%s\n", authority); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		asked := counts.Asked()
		counts.Reset()
		if err := json.NewEncoder(out).Encode(asked); err != nil {
			return err
		}
	}
	return lines.Err()
}
