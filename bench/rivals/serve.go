package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"

	"crawler/internal/bigsite"
)

// place is where a server listens: the site, and the control of its counts.
type place struct{ Site, Control string }

// serve is the verb of the server's process: it says its place on standard output, serves
// the site, and ends when its standard input does, so that it outlives nobody.
func serve(args []string) error {
	var cfg bigsite.Config
	f := flag.NewFlagSet("serve", flag.ContinueOnError)
	f.IntVar(&cfg.Pages, "pages", 0, "pages")
	f.IntVar(&cfg.Docs, "docs", 0, "bytes a page")
	f.IntVar(&cfg.Links, "links", 0, "links")
	if err := f.Parse(args); err != nil {
		return err
	}
	pages, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	control, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	cfg.Hosts = []string{pages.Addr().String()}
	site, err := bigsite.New(cfg)
	if err != nil {
		return err
	}
	counts := bigsite.NewCounts(site)
	ended := make(chan error, 3)
	go func() { ended <- http.Serve(pages, counts) }()
	go func() { ended <- http.Serve(control, controls(counts)) }()
	go func() {
		io.Copy(io.Discard, os.Stdin)
		ended <- nil
	}()
	if err := json.NewEncoder(os.Stdout).Encode(place{cfg.Hosts[0], control.Addr().String()}); err != nil {
		return err
	}
	return <-ended
}

// controls answers POST /reset, which forgets the counts, and GET /asked.
func controls(c *bigsite.Counts) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /reset", func(http.ResponseWriter, *http.Request) { c.Reset() })
	mux.HandleFunc("GET /asked", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(c.Asked())
	})
	return mux
}

// server is a server's process, seen from outside.
type server struct {
	place
	cfg   bigsite.Config
	input io.Closer
	cmd   *exec.Cmd
}

// startServer starts this program's serve. The caller stops it.
func startServer(self string, cfg bigsite.Config) (*server, error) {
	cmd := exec.Command(self, "serve", "-pages", strconv.Itoa(cfg.Pages), "-docs", strconv.Itoa(cfg.Docs), "-links", strconv.Itoa(cfg.Links))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{input: in, cmd: cmd}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &s.place)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the server says no place: %w", err), s.stop())
	}
	cfg.Hosts = []string{s.Site}
	s.cfg = cfg
	return s, nil
}

func (s *server) stop() error {
	s.input.Close()
	return s.cmd.Wait()
}

func (s *server) seed() string { return "http://" + s.Site + "/" }

func (s *server) reset() error {
	res, err := http.Post("http://"+s.Control+"/reset", "", nil)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

func (s *server) asked() (a bigsite.Asked, err error) {
	res, err := http.Get("http://" + s.Control + "/asked")
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	return a, json.NewDecoder(res.Body).Decode(&a)
}

// writeURLs writes the addresses of all pages into a file, one a line.
func (s *server) writeURLs(name string) error {
	site, err := bigsite.New(s.cfg)
	if err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for u := range site.All() {
		fmt.Fprintln(w, u)
	}
	return errors.Join(w.Flush(), f.Close())
}
