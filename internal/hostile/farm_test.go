package hostile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func open(t *testing.T, cfg Config) *Farm {
	t.Helper()
	f, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// patience is how long an answer may take; those that stall cost a test as much.
const patience = 3 * time.Second

// ask sends one request on a connection of its own and reads one answer, as far as it
// comes within the limit. What is no answer is returned as it is.
func (f *Farm) ask(t *testing.T, host, uri string) (raw string, res *http.Response) {
	t.Helper()
	c, err := net.Dial("tcp", f.plain.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", uri, host)
	var b bytes.Buffer
	in := bufio.NewReader(io.TeeReader(io.LimitReader(c, 1<<20), &b))
	for {
		res, err = http.ReadResponse(in, nil)
		if err != nil || res.StatusCode >= 200 {
			break
		}
	}
	if err == nil {
		if body, err := io.ReadAll(res.Body); err == nil {
			return string(body), res
		}
	}
	return b.String(), nil
}

// What All lists is there, on the hosts that are seeds.
func TestHonestPages(t *testing.T) {
	f := open(t, Config{Honest: 3, Dead: 1, Last: time.Second, Delay: 100 * time.Millisecond})
	n := 0
	for url, status := range f.All() {
		host, uri, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
		body, res := f.ask(t, host, "/"+uri)
		if n < 3 && !slices.Contains(f.Seeds(), url) {
			t.Errorf("%s is no seed", url)
		}
		if n++; status != 200 || res == nil || res.StatusCode != 200 || body != string(f.Body(url)) {
			t.Errorf("%s: %.100q", url, body)
		}
	}
	if n != 3*8 || f.Served() != n {
		t.Errorf("%d pages, %d served, want 24", n, f.Served())
	}
	for url, h := range f.Hits() {
		if h.Requests != 1 {
			t.Errorf("%s: %+v", url, h)
		}
	}
}

// What a farm does depends on the seed and on nothing else.
func TestSeed(t *testing.T) {
	of := func(seed uint64) (names string) {
		cfg := Config{Seed: seed}
		cfg.setDefaults()
		for _, c := range deal(cfg) {
			for _, a := range c {
				names += " " + a.name
			}
		}
		x := &exchange{rand: random(seed, "page")}
		return names + x.document(10)
	}
	one, again, other := of(1), of(1), of(2)
	if one != again || one == other {
		t.Error("two farms of one seed differ, or those of two do not")
	}
}

// Every act is dealt; those that answer do, and those that stall do not.
func TestActs(t *testing.T) {
	f := open(t, Config{Dead: 1, Links: 200})
	var met sync.WaitGroup
	defer met.Wait()
	tried := map[string]bool{}
	for i, c := range deal(f.cfg) {
		for n, a := range c {
			if tried[a.name] {
				continue
			}
			tried[a.name] = true
			met.Go(func() {
				raw, res := f.ask(t, f.at(fmt.Sprintf("chain-%02d", i)), fmt.Sprintf("/%s/%d", a.name, n))
				switch {
				case res != nil && res.StatusCode == 404, res != nil && a.cost == stalls:
					t.Errorf("%s answers %d: %.100q", a.name, res.StatusCode, raw)
				case res == nil && a.cost == answers && !strings.HasPrefix(a.name, "huge-"):
					t.Errorf("%s does not answer: %.100q", a.name, raw)
				}
			})
		}
	}
	for _, a := range acts() {
		if !tried[a.name] {
			t.Errorf("%s is in no chain", a.name)
		}
	}
}

// The dead refuse; requests from outside and for what robots.txt forbids are reported.
func TestViolations(t *testing.T) {
	f := open(t, Config{Dead: 1})
	dead := slices.IndexFunc(f.Seeds(), func(s string) bool { return strings.Contains(s, "//dead-0000.") })
	_, address, _ := net.SplitHostPort(strings.Trim(strings.TrimPrefix(f.Seeds()[dead], "http://"), "/"))
	if _, err := net.Dial("tcp", "127.0.0.1:"+address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("the dead: %v", err)
	}
	f.ask(t, f.at("chain-00"), "/")
	f.ask(t, f.at("robots-500"), "/robots.txt")
	if v := f.Violations(); len(v) > 0 {
		t.Errorf("before any: %q", v)
	}
	f.ask(t, f.at("chain-00"), "/private/0")
	f.ask(t, f.at("robots-500"), "/")
	f.ask(t, "stranger.test", "/")
	c, err := net.Dial("tcp", f.inside.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c.Read(make([]byte, 1)) // until it is closed
	if v := f.Violations(); len(v) != 4 {
		t.Errorf("four violations: %q", v)
	}
}

func TestBombs(t *testing.T) {
	all, err := newBombs()
	if err != nil {
		t.Fatal(err)
	}
	for coding, b := range all {
		if len(b) == 0 || len(b) > bombSize/300 {
			t.Errorf("%s: %d bytes", coding, len(b))
		}
	}
}
