package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"crawler/internal/crawltest"
	"crawler/report"
)

// What a side may take.
const (
	millionCPU    = 2 * time.Second
	millionMemory = 128 << 20
)

// A million URLs a side, with few and with many differences: bytes, processor time and memory
// of each side, which are processes of their own. It takes a minute and a gigabyte of disk
// (make diff-million). The bytes are those that find the differences: the URLs themselves, which
// every method has to send, come on top.
func TestDiffMillion(t *testing.T) {
	if os.Getenv("DIFF_MILLION") == "" {
		t.Skip("DIFF_MILLION is not set")
	}
	bin := shipped(t)
	for _, c := range []struct {
		differences, most int
		method            string
	}{{10, 1_000, "rateless"}, {1000, 25_000, "rateless"}, {100_000, 2_200_000, "rateless"}, {10, 0, "ranges"}, {1000, 0, "ranges"}, {100_000, 0, "ranges"}, {1000, 0, "merkle"}, {1000, 0, "bloom"}, {1000, 0, "digest"}} {
		const size = 1_000_000
		a, b, half := t.TempDir(), t.TempDir(), c.differences/2
		// Each has a million, and half that the other has not.
		writeMillion(t, a, half, 2*half, size+half)
		writeMillion(t, b, 0, half, size+half)
		m := measureDiff(t, bin, a, b, c.method)
		text := fmt.Sprintf("%s, %d differences: %d bytes, %d without the URLs, %d rounds; %d and %d found; CPU %v there, %v here; at most %d MiB",
			c.method, c.differences, m.Traffic.Sent+m.Traffic.Received, m.Traffic.Sent+m.Traffic.Received-m.Traffic.Texts, m.Traffic.Rounds,
			len(m.OnlyA), len(m.OnlyB), m.there.Round(time.Millisecond), m.here.Round(time.Millisecond), m.memory>>20)
		t.Log(text)
		switch {
		case c.most == 0:
		case len(m.OnlyA) != half || len(m.OnlyB) != half || !m.Complete:
			t.Errorf("not all were found: %s", text)
		case m.Traffic.Sent+m.Traffic.Received-m.Traffic.Texts > c.most:
			t.Errorf("more than %d bytes: %s", c.most, text)
		case m.here > millionCPU || m.there > millionCPU:
			t.Errorf("more than %v: %s", millionCPU, text)
		case m.memory > millionMemory:
			t.Errorf("more than %d MiB: %s", millionMemory>>20, text)
		}
		os.RemoveAll(a)
		os.RemoveAll(b)
	}
}

// writeMillion writes a crawl of the URLs 0 to to-1 without those from skip up to resume.
func writeMillion(t *testing.T, dir string, skip, resume, to int) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, report.PagesFile))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for i := range to {
		if i < skip || i >= resume {
			w.WriteString(pageLine(fmt.Sprintf("https://www%d.example.org/articles/%04d/%02d/a-page-with-a-title-%d.html", i%977, 1990+i%37, i%12+1, i), uint64(i)))
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

type diffCost struct {
	OnlyA    []string `json:"only_a"`
	OnlyB    []string `json:"only_b"`
	Complete bool     `json:"complete"`
	Traffic  struct{ Sent, Received, Rounds, Texts int }

	here, there time.Duration
	memory      int64 // of the larger side
}

// measureDiff compares a with b as on another machine.
func measureDiff(t *testing.T, bin, a, b, method string) (m diffCost) {
	t.Helper()
	dir := t.TempDir()
	ssh, times := filepath.Join(dir, "ssh"), filepath.Join(dir, "times")
	script := fmt.Sprintf("#!/bin/sh\nshift 2\nsh -c \"$*\"\ntimes >%s\n", times)
	if err := os.WriteFile(ssh, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := crawltest.Tie(exec.Command(bin, "diff", "--json", a, "there:"+b, "--ssh", ssh, "--crawler", bin, "--method", method))
	var out, errw bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errw
	cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 1 {
		t.Fatalf("exit code %d\n%s", code, errw.String())
	}
	if err := json.Unmarshal(out.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(times)
	if err != nil {
		t.Fatal(err)
	}
	// The second line has the user and system time of what the shell started, as 0m1.23s.
	for _, field := range strings.Fields(string(data))[2:] {
		d, err := time.ParseDuration(field)
		if err != nil {
			t.Fatal(err)
		}
		m.there += d
	}
	// This process has waited for both sides.
	m.here = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() - m.there
	m.memory = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	return m
}
