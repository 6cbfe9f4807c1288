package gate_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"crawler/frontier"
	"crawler/gate"
	"crawler/trap"
)

// guardForm is the full form of the guard against traps, as the last commit has it.
func (w *world) guardForm() []byte {
	w.seq++
	if err := w.gate.Commit(gate.Commit{Records: w.disk, Queue: w.disk, Seq: w.seq, Last: true}); err != nil {
		panic(err)
	}
	form, _ := w.disk.Get([]byte("mtraps"))
	return form
}

// The guard of a crawl that is killed after each event knows what the guard of an unbroken one
// knows, bit by bit: also pages that wait for the log to know whether their links are new, and a
// probe that was not fetched after all.
func TestGuardSurvives(t *testing.T) {
	for name, script := range map[string]string{
		"calendar": calendar + "\na/2026-01-10 same " + days(1, 21),
		"pages that wait": `
			a/ page a/1 b/9
			hold
			b/ page b/1 a/1 a/2
			c/ same c/3 a/2 nofollow:a/13
			d/ same d/14 b/1 c/3
			answer
			a/1 page b/1 a/9
			b/9 same b/8`,
		"given back": `
			a/ page a/1 a/2 a/3
			a/1 robots
			a/1 same a/4 a/5
			a/2 returned
			a/2 moved a/6
			a/3 failed timeout
			a/6 same a/7`,
		"errors": "a/ page a/1 a/2/3 c/\nc/ page a/2/3 a/4/5\na/1 forbidden\na/2/3 page",
	} {
		t.Run(name, func(t *testing.T) {
			var want []byte
			for _, m := range []mode{{doubt: true}, {true, 1}, {true, 2}, {true, 3}} {
				w := begin(row{seeds: "a/ b/ c/ d/", change: guarded, script: script}, m)
				w.silent = false
				w.settle()
				form := w.guardForm()
				if want == nil {
					want = form
				}
				if len(form) < 200 || !bytes.Equal(form, want) {
					t.Errorf("%s: a form of %d bytes differs from that of an unbroken crawl, of %d", m, len(form), len(want))
				}
				for _, e := range w.errs {
					t.Error(e)
				}
				if err := trap.New(trap.Config{}).UnmarshalBinary(form); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// The full form takes the place of the events since the last one when those are as many bytes.
func TestFullFormNowAndThen(t *testing.T) {
	w := begin(row{seeds: "a/", change: guarded, script: "a/ page " + many("a/%d", 0, 3500)}, mode{false, 1 << 30})
	events, full := 0, 0
	for i := range 3000 {
		w.event([]string{short(w.flight0().URL.String()), "page", "a/x/" + string(rune('a'+i%26))})
		n := 0
		for key := range w.disk.records {
			if len(key) > 7 && key[:7] == "mtraps/" {
				n++
			}
		}
		if n < events {
			full++
		}
		events = n
	}
	if form, _ := w.disk.Get([]byte("mtraps")); full == 0 || full > 5 || len(form) == 0 {
		t.Errorf("of 3,000 commits %d wrote the full form, of %d bytes", full, len(form))
	}
	w.restart() // both can be read
}

// flight0 is a task that is on its way.
func (w *world) flight0() *gate.Task {
	for len(w.flight) == 0 && w.next() {
	}
	return &w.flight[0]
}

// URLs that were leased when the crawl was killed have the rank that they had.
func TestLeasedKeepTheirRanks(t *testing.T) {
	w := begin(row{seeds: "a/", change: guarded, script: calendar}, mode{doubt: true})
	task := *w.lease("a/2026-01-10")
	if task.Rank == 0 {
		t.Fatal("it has no rank")
	}
	w.record(true)
	w.commit()
	w.restart()
	if again := w.lease("a/2026-01-10"); again.Rank != task.Rank {
		t.Errorf("it had rank %d and has %d", task.Rank, again.Rank)
	}
	it, rest, err := frontier.DecodeItem(frontier.AppendItem(nil, task.Item))
	if err != nil || len(rest) > 0 || it.Rank != task.Rank {
		t.Errorf("its binary form: rank %d, %d bytes left, %v", it.Rank, len(rest), err)
	}
}

// A run without the guard forgets the pages that waited in one with it, in the state, too.
func TestRunWithoutGuardForgetsWhatWaited(t *testing.T) {
	for _, answered := range []bool{false, true} {
		w := begin(row{seeds: "a/ b/ c/", change: guarded, script: `
			a/ page a/1 b/9
			hold
			b/ page b/1 a/1 a/2 a/3`}, mode{doubt: true, restart: 1})
		if len(w.disk.records["mlessons"]) == 0 {
			t.Fatal("no page waits")
		}
		w.cfg.FollowTraps = true
		w.restart()
		if w.silent = !answered; !answered {
			w.event(strings.Fields("c/ page c/1")) // with a commit and a restart
		}
		w.silent = false
		w.settle()
		w.record(true)
		w.commit()
		w.cfg.FollowTraps = false
		w.restart() // panics if the state is damaged
		w.finish()
		for _, e := range w.errs {
			t.Error(e)
		}
	}
}

// However long links are, the pages that wait take 64 KiB each.
func TestPagesThatWaitAreBounded(t *testing.T) {
	w := begin(row{seeds: "a/", change: guarded, script: "a/ page " + many("a/%d", 0, 8) + "\nhold"}, mode{doubt: true})
	tail := strings.Repeat("x", 8000)
	for w.next() {
	}
	for i, task := range w.flight {
		var links []string
		for j := range 100 {
			links = append(links, fmt.Sprintf("a/%d/%d/%s", i, j, tail))
		}
		w.gate.Page(&gate.Page{Task: task, Status: 200, Links: w.links(links), Sample: w.sample(&task, "page")}, w.now)
	}
	w.seq++
	if err := w.gate.Commit(gate.Commit{Records: w.disk, Queue: w.disk, Seq: w.seq}); err != nil {
		t.Fatal(err)
	}
	pages := len(w.flight)
	if n := len(w.disk.records["mlessons"]); pages < 2 || n < pages*64<<10 || n > pages*80<<10 {
		t.Errorf("%d pages wait in %d bytes", pages, n)
	}
}

// URLs of a trap whose host has been closed are kept for another attempt as its others are.
func TestTrappedOnAClosedHostAreGivenUp(t *testing.T) {
	w := begin(row{seeds: "a/ b/", change: guarded, same: true, script: calendar + "\na/2026-01-10 same " + days(1, 21)}, mode{restart: 1 << 30})
	for w.next() || len(w.flight) > 1 {
		for _, task := range w.flight {
			if u := short(task.URL.String()); u != "b/" {
				w.event([]string{u, "same"})
				break
			}
		}
	}
	w.event(strings.Fields("b/ page a/last"))
	last := *w.lease("a/last")
	w.end(last)
	w.gate.Refuse(&last, w.now, frontier.Outcome{Kind: frontier.Throttled, RetryAfter: 24 * time.Hour, Retry: true},
		gate.Skip{URL: last.URL.String(), Reason: gate.HostClosed, GivenUp: true})
	w.finish()
	w.record(true)
	w.commit()
	closed := map[string]bool{}
	for _, s := range w.skips {
		if s.Reason == gate.HostClosed {
			closed[s.URL] = true
		}
	}
	list, err := gate.Requeue(w.disk, w.disk, func(g *gate.GivenUp) bool { return g.Reason == gate.HostClosed })
	if err != nil || len(closed) < 2 {
		t.Fatalf("%d are refused as their host is closed, %v", len(closed), err)
	}
	for _, g := range list {
		delete(closed, g.URL)
	}
	if len(closed) > 0 {
		t.Errorf("given up and not kept: %v", closed)
	}
}
