package fetch

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

const bareHeader = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"

// every writes text each second, times over or until the client hangs up.
func every(c net.Conn, times int, text string) error {
	for range times {
		time.Sleep(time.Second) // virtual
		if _, err := io.WriteString(c, text); err != nil {
			return err
		}
	}
	return nil
}

// A body that comes too slowly ends the fetch as soon as that is sure, and what has
// come is kept.
func TestMinRate(t *testing.T) {
	kilobyte := strings.Repeat("x", 1<<10)
	for _, x := range []struct {
		name   string
		serve  func(net.Conn)
		reason Reason
		took   time.Duration
		bytes  int
	}{
		{"no body", func(c net.Conn) { io.WriteString(c, bareHeader); untilClosed(c) }, ReasonSlow, 10 * time.Second, 0},
		{"a byte a second", func(c net.Conn) { io.WriteString(c, bareHeader); every(c, 100, "x") }, ReasonSlow, 10 * time.Second, 9},
		{"a chunk of a byte a second, with an extension", func(c net.Conn) {
			io.WriteString(c, chunked(""))
			every(c, 100, "1;"+strings.Repeat("x", 1<<10)+"\r\nx\r\n")
		}, ReasonSlow, 10 * time.Second, 9},
		{"coded, and stalls", func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08")
			untilClosed(c)
		}, ReasonSlow, 10 * time.Second, 0},
		{"20 KiB, and stalls", func(c net.Conn) {
			io.WriteString(c, bareHeader+strings.Repeat(kilobyte, 20))
			untilClosed(c)
		}, ReasonSlow, 20 * time.Second, 20 << 10},
		{"fast for 5 s, then a byte a second", func(c net.Conn) {
			io.WriteString(c, bareHeader)
			if every(c, 5, kilobyte+kilobyte+kilobyte) == nil {
				every(c, 100, "x")
			}
		}, ReasonSlow, 15*time.Second + 9*time.Second/1024, 15<<10 + 10},
		{"slow, and done in time", func(c net.Conn) { io.WriteString(c, bareHeader); every(c, 9, "x") }, "", 9 * time.Second, 9},
		{"just fast enough", func(c net.Conn) { io.WriteString(c, bareHeader); every(c, 25, kilobyte+strings.Repeat("x", 200)) }, "", 25 * time.Second, 25 * (1<<10 + 200)},
		{"slow before the header only", func(c net.Conn) {
			time.Sleep(15 * time.Second) // virtual
			io.WriteString(c, bareHeader+"x")
		}, "", 15 * time.Second, 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				c := newClient(t, Config{MinRate: DefaultMinRate, DialContext: pipeDialer(x.serve)})
				started := time.Now()
				res, err := c.Get(t.Context(), mustURL(t, anywhere))
				if got := reasonOf(t, err); got != x.reason {
					t.Errorf("%q (%v), want %q", got, err, x.reason)
				}
				if d := time.Since(started); d < x.took || d > x.took+paceCheck {
					t.Errorf("took %v, want %v", d, x.took)
				}
				if n := len(res.Body); n < x.bytes-1 || n > x.bytes+1 || res.Truncated != (x.reason != "") || res.Status != 200 {
					t.Errorf("%d bytes, truncated=%v, status %d; want %d", n, res.Truncated, res.Status, x.bytes)
				}
				res.Release()
			})
		})
	}
}

func TestMinRateIsTold(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := newClient(t, Config{MinRate: 2000, DialContext: pipeDialer(func(c net.Conn) {
			io.WriteString(c, bareHeader+"abc")
			untilClosed(c)
		})})
		res, err := c.Get(t.Context(), mustURL(t, anywhere))
		if want := "3 bytes in 10 s, and at least 2000 a second"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
		res.Release()
	})
}

// robots.txt is held to the same pace: one that drips forbids everything for the time
// being (RFC 9309, section 2.3.1.4), and costs ten seconds.
func TestRFC9309_2_3_1_4_SlowRobots(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		cfg := Config{MinRate: DefaultMinRate, DialContext: pipeDialer(func(c net.Conn) { io.WriteString(c, bareHeader); every(c, 1000, "#") })}
		started := time.Now()
		r := fetchRules(t, cfg, RobotsConfig{}, "http://e.test")
		if r.Status() != "disallow-all: unreachable (slow)" || time.Since(started) != paceGrace {
			t.Errorf("%q after %v", r.Status(), time.Since(started))
		}
	})
}
