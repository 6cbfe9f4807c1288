package fetch

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// understandings are what a server may send that net/http and we could understand differently.
var understandings = []string{
	"HTTP/1.0 200 OK\r\n\r\nuntil it is closed",
	"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
	"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + ok200 + "Content-Length: 2\r\n\r\nok",
	"HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\nhello" + ok200 + "\r\n",
	"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
	ok200 + "Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n",
	ok200 + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX" + strings.Repeat("y", 5000) + ": z\r\n\r\n",
	ok200 + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nno colon\r\n\r\n",
	ok200 + "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok",
	ok200 + "Content-Length: 2\r\n\r\nok" + "HTTP/1.1 404 Not Found\r\n\r\n",
	ok200 + "Content-Length: 0\r\n\r\njunk",
	ok200 + "Content-Length: 2, 2\r\n\r\nok",
	ok200 + "Content-Length: 2\r\nConnection: close\r\n\r\nok",
	ok200 + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok",
	"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
	"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n",
	"HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
	ok200 + "X: " + strings.Repeat("y", 4200) + "\r\nContent-Length: 2\r\n\r\nok",
	"\r\n\r\n" + ok200 + "\r\n",
}

// FuzzResponse sends the same bytes to net/http's client and to ours. What they make of them is the
// same, whether the server then hangs up or not, and so is whether they use the connection again.
func FuzzResponse(f *testing.F) {
	for _, s := range understandings {
		f.Add([]byte(s))
	}
	for _, x := range hostileAnswers {
		f.Add([]byte(x.sends))
	}
	for i := range 10 {
		f.Add([]byte(framed(i)))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		log.SetOutput(io.Discard) // net/http complains there
		for _, hangsUp := range []bool{true, false} {
			ours, theirs := understood(t, Config{}, answer, hangsUp), understood(t, Config{HTTP2: true}, answer, hangsUp)
			if ours != theirs {
				t.Errorf("%q, hangs up: %v\nwe understand %s\nnet/http      %s", answer, hangsUp, ours, theirs)
			}
		}
	})
}

// understood is what a client makes of an answer that it gets twice.
func understood(t *testing.T, cfg Config, answer []byte, hangsUp bool) (what string) {
	synctest.Test(t, func(t *testing.T) {
		dials := 0
		cfg.DialContext = func(context.Context, string, string) (net.Conn, error) {
			dials++
			ours, theirs := net.Pipe()
			go func() {
				defer theirs.Close()
				in := bufio.NewReader(theirs)
				for {
					if _, err := http.ReadRequest(in); err != nil {
						return
					}
					if _, err := theirs.Write(answer); err != nil || hangsUp {
						return
					}
				}
			}()
			return ours, nil
		}
		cfg.MaxHeader, cfg.MaxBody, cfg.Timeout = 8<<10, 4<<10, time.Second
		c, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			res, err := c.Get(t.Context(), mustURL(t, anywhere))
			what += fmt.Sprintf("%q", reasonOf(t, err))
			if res != nil {
				what += fmt.Sprintf(" %d %s %q %q %d %v %v", res.Status, res.Proto, res.Body, res.MediaType, res.WireBytes, res.Truncated, res.Header)
			}
			what += fmt.Sprintf(", %d dials\n", dials)
			res.Release()
			synctest.Wait() // net/http reads what nobody asked for
		}
		c.Close()
		synctest.Wait()
	})
	return what
}
