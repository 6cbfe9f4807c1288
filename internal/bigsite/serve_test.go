package bigsite

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Serve says where it serves, each time what was asked for since the last, and ends when its
// input does.
func TestServe(t *testing.T) {
	in, commands := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	var authority string
	go func() {
		ended <- Serve(in, out, func(a string) (*Site, error) {
			authority = a
			return New(Config{Pages: 3, Docs: 2000, Hosts: []string{a}})
		})
	}()
	lines := bufio.NewReader(answers)
	url, err := lines.ReadString('\n')
	if err != nil || url != "http://"+authority+"\n" {
		t.Fatalf("it serves at %q (%v), the site is for %q", url, err, authority)
	}
	for _, c := range []struct {
		paths string
		want  Asked
	}{
		{"/ /s0/p1 /s0/p1 /robots.txt", Asked{Distinct: 2, Duplicates: 1, Others: 1}},
		{"", Asked{}},
		{"/s0/p2", Asked{Distinct: 1}},
	} {
		for _, path := range strings.Fields(c.paths) {
			res, err := http.Get(strings.TrimSpace(url) + path)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
		}
		io.WriteString(commands, "\n")
		line, err := lines.ReadBytes('\n')
		var got Asked
		if err == nil {
			err = json.Unmarshal(line, &got)
		}
		got.Took = 0
		if err != nil || got != c.want {
			t.Errorf("after %q it was asked for %+v (%v), want %+v", c.paths, got, err, c.want)
		}
	}
	commands.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := http.Get(strings.TrimSpace(url)); err == nil {
		t.Error("it still serves")
	}
}

// By https it has a certificate of its own, HTTP/1.1, and absolute links of that scheme.
func TestServeTLS(t *testing.T) {
	in, commands := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(in, out, func(a string) (*Site, error) {
			return New(Config{Pages: 40, Docs: 2000, Links: 9, TLS: true, Hosts: []string{a, "other.example:1"}})
		})
	}()
	url, err := bufio.NewReader(answers).ReadString('\n')
	if err != nil || !strings.HasPrefix(url, "https://127.0.0.1:") {
		t.Fatalf("it serves at %q (%v)", url, err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Get(strings.TrimSpace(url))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	if err != nil || res.ProtoMajor != 1 || !strings.Contains(string(body), `"https://other.example:1/`) || strings.Contains(string(body), "http://") {
		t.Errorf("%v, %s:\n%s", err, res.Proto, body)
	}
	commands.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
