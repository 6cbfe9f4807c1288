package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"crawler/internal/bigsite"
)

// serve is the verb of the server's process: bigsite.Serve on its standard input and output.
func serve(args []string) error {
	var cfg bigsite.Config
	f := flag.NewFlagSet("serve", flag.ContinueOnError)
	f.IntVar(&cfg.Pages, "pages", 0, "pages")
	f.IntVar(&cfg.Docs, "docs", 0, "bytes a page")
	f.IntVar(&cfg.Links, "links", 0, "links")
	if err := f.Parse(args); err != nil {
		return err
	}
	return bigsite.Serve(os.Stdin, os.Stdout, func(authority string) (*bigsite.Site, error) {
		cfg.Hosts = []string{authority}
		return bigsite.New(cfg)
	})
}

// server is a server's process, seen from outside.
type server struct {
	cfg bigsite.Config
	url string
	in  io.WriteCloser
	out *bufio.Reader
	cmd *exec.Cmd
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
	s := &server{cfg: cfg, in: in, out: bufio.NewReader(out), cmd: cmd}
	line, err := s.out.ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the server did not write its address: %w", err), s.stop())
	}
	s.url = strings.TrimSpace(line)
	s.cfg.Hosts = []string{strings.TrimPrefix(s.url, "http://")}
	return s, nil
}

func (s *server) stop() error {
	s.in.Close()
	return s.cmd.Wait()
}

func (s *server) seed() string { return s.url + "/" }

// asked returns what the server was asked for since the last time.
func (s *server) asked() (a bigsite.Asked, err error) {
	if _, err := io.WriteString(s.in, "\n"); err != nil {
		return a, err
	}
	line, err := s.out.ReadSlice('\n')
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(line, &a)
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
