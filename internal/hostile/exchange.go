package hostile

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"
)

// maxAnswer bounds an answer, and how long a connection may idle.
const maxAnswer = 2 * time.Minute

const robotsPath = "/robots.txt"

// accept hands every connection to its own goroutine until the listener is closed.
func (f *Farm) accept(l net.Listener, serve func(net.Conn)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		if !f.enter(c) {
			c.Close()
			return
		}
		f.serving.Go(func() {
			defer f.leave(c)
			serve(c)
		})
	}
}

func (f *Farm) enter(c net.Conn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.conns[c] = struct{}{}
	return true
}

func (f *Farm) leave(c net.Conn) {
	f.mu.Lock()
	delete(f.conns, c)
	f.mu.Unlock()
	c.Close()
}

// trespass notes a connection to the port that no seed names.
func (f *Farm) trespass(net.Conn) { f.violate("a connection to the port that only redirects name") }

// serve answers one request after the other on a connection.
func (f *Farm) serve(c net.Conn) {
	in := bufio.NewReader(c)
	for n := 0; ; n++ {
		c.SetDeadline(time.Now().Add(maxAnswer))
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		x := f.exchange(c, r)
		if h, ok := f.hosts[r.Host]; ok {
			h(x)
		} else {
			f.violate("a request for " + r.Host + ", which is no host of the farm")
		}
		f.answered(x, n > 0)
		if !x.keep {
			return
		}
	}
}

// exchange is one request and its answer, in the connection's goroutine.
type exchange struct {
	*http.Request
	farm     *Farm
	conn     net.Conn
	rand     *rand.Rand // of the URL and of nth
	nth      int        // requests for the URL before this one
	wrote    int
	keep     bool // the connection may take another request
	redirect bool // the answer is nothing but a redirect
}

func (f *Farm) exchange(c net.Conn, r *http.Request) *exchange {
	x := &exchange{Request: r, farm: f, conn: c}
	x.nth = f.asked(x)
	x.rand = f.random(fmt.Sprint(r.Host, r.RequestURI, " ", x.nth))
	return x
}

// address is the URL that was asked for.
func (x *exchange) address() string { return "http://" + x.Host + x.RequestURI }

// write sends some bytes; it reports false when the crawler has left or the farm closes.
func (x *exchange) write(s string) bool {
	n, err := x.conn.Write([]byte(s))
	x.wrote += n
	return err == nil
}

// flood sends a piece again and again, n times at most.
func (x *exchange) flood(piece string, n int) bool {
	for range n {
		if !x.write(piece) {
			return false
		}
	}
	return true
}

// drip sends one byte after the other, slowly.
func (x *exchange) drip(s string) {
	const pause = 100 * time.Millisecond
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for i := range len(s) {
		if !x.write(s[i : i+1]) {
			return
		}
		select {
		case <-tick.C:
		case <-x.farm.done:
			return
		}
	}
}

// stall waits until the crawler leaves.
func (x *exchange) stall() {
	var b [512]byte
	for {
		if _, err := x.conn.Read(b[:]); err != nil {
			return
		}
	}
}

// reset has the connection end with RST.
func (x *exchange) reset() {
	if c, ok := x.conn.(*net.TCPConn); ok {
		c.SetLinger(0)
	}
}

// answer sends a whole answer; header lines end in \r\n. The connection stays.
func (x *exchange) answer(status int, header, body string) {
	x.keep = x.write(head(status, header+"Content-Length: "+strconv.Itoa(len(body))+"\r\n") + body)
}

// head is everything before the body.
func head(status int, header string) string {
	return fmt.Sprintf("HTTP/1.1 %d %s\r\n%s\r\n", status, http.StatusText(status), header)
}

const html = "Content-Type: text/html; charset=utf-8\r\n"

// redirectTo sends nothing but a Location, or not even that.
func (x *exchange) redirectTo(location string) {
	header := ""
	if location != "" {
		header = "Location: " + location + "\r\n"
	}
	x.redirect = true
	x.answer(302, header, "")
}

// honestly answers with a page of the honest site.
func (f *Farm) honestly(x *exchange) {
	res := httptest.NewRecorder()
	f.honest.ServeHTTP(res, x.Request)
	if x.URL.Path != robotsPath {
		f.served.Add(1)
	}
	x.answer(res.Code, "Content-Type: "+res.Header().Get("Content-Type")+"\r\n", res.Body.String())
}

func (f *Farm) render(url string) []byte {
	res := httptest.NewRecorder()
	f.honest.ServeHTTP(res, httptest.NewRequest(http.MethodGet, url, nil))
	return res.Body.Bytes()
}

// document is a page of about the given words, some of them never seen before, and links.
func (x *exchange) document(words int, links ...string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!DOCTYPE html><html lang=en><head><title>%s</title></head><body><p>%s</p>\n", x.prose(3), x.prose(words))
	for _, l := range links {
		fmt.Fprintf(&b, "<a href=\"%s\">%s</a>\n", l, x.prose(2))
	}
	return b.String() + "</body></html>\n"
}

func (x *exchange) prose(words int) string {
	const letters = "bdfghklmnprstvzaeiou"
	var b strings.Builder
	for range words {
		for range 1 + x.rand.IntN(3) {
			b.WriteByte(letters[x.rand.IntN(15)])
			b.WriteByte(letters[15+x.rand.IntN(5)])
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func random(seed uint64, purpose string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(purpose))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
