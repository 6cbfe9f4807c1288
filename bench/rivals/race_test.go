package main

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
)

// TestMain lets the test's program stand in for the command where it starts itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "serve" || os.Args[1] == "bare") {
		if err := run(context.Background(), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestRace(t *testing.T) {
	o := options{rounds: 2, pages: 200, connections: 4, limit: time.Minute, only: "^bare$"}
	res, err := o.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := res.perfect(); err != nil {
		t.Error(err)
	}
	if len(res.Races) != 2 {
		t.Fatalf("%d races, want one for each kind of pages", len(res.Races))
	}
	for _, r := range res.Races {
		for _, name := range []string{"ours", "ours, not durable", "bare"} {
			e := r.find(name)
			if e == nil || len(e.Samples) != 2 {
				t.Fatalf("%s on %s pages did not run twice: %+v", name, r.Site, e)
			}
			for _, s := range e.Samples {
				if s.Distinct != 200 || s.Duplicates != 0 || s.CPU <= 0 || s.Took <= 0 || s.Took > s.Wall || s.Fault != "" {
					t.Errorf("%s on %s pages: %+v", name, r.Site, s)
				}
				if s.mebibytes() < 1 || s.mebibytes() > 500 {
					t.Errorf("%s on %s pages: a peak of %.1f MiB", name, r.Site, s.mebibytes())
				}
			}
		}
	}
}

func TestPerfect(t *testing.T) {
	for _, c := range []struct {
		ours bool
		s    sample
		want bool
	}{
		{true, sampleOf(10, 0, time.Second), true},
		{true, sampleOf(9, 0, time.Second), false},
		{true, sampleOf(10, 1, time.Second), false},
		{true, sample{Asked: sampleOf(10, 0, time.Second).Asked, Fault: "exit status 1"}, false},
		{false, sampleOf(9, 3, time.Second), true},
	} {
		e := &entry{contestant: contestant{ours: c.ours}, Samples: []sample{sampleOf(10, 0, time.Second), c.s}}
		res := results{Races: []*race{{Pages: 10, Entries: []*entry{e}}}}
		if err := res.perfect(); (err == nil) != c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A contestant that hangs is ended, with all it started, and reported.
func TestLimit(t *testing.T) {
	began := time.Now()
	s, err := measure(t.Context(), []string{"/bin/sh", "-c", "sleep 60 & sleep 60"}, t.TempDir(), 100*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); !s.Hung || s.Fault == "" || took > 4*time.Second {
		t.Errorf("after %v: %+v", took, s)
	}
}

func TestFault(t *testing.T) {
	s, err := measure(t.Context(), []string{"/bin/sh", "-c", "echo one >&2; echo two >&2; exit 3"}, t.TempDir(), time.Minute)
	if err != nil || s.Hung || s.Fault != "exit status 3 two" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := measure(t.Context(), []string{"/nowhere"}, t.TempDir(), time.Minute); err == nil {
		t.Error("a program that is not there runs")
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"x"}, {"-rounds", "0"}, {"-pages", "9"}, {"-c", "0"}, {"-limit", "0s"}} {
		if _, err := parseFlags(args); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
	if o, err := parseFlags([]string{"-quick"}); err != nil || o.pages != 2000 || o.rounds != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	for _, o := range []options{{only: "("}, {sites: "("}, {sites: "huge"}} {
		if _, err := o.plan(&kit{}); err == nil {
			t.Errorf("%+v is a plan", o)
		}
	}
}
