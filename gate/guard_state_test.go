package gate_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"crawler/frontier"
	"crawler/gate"
	"crawler/trap"
)

// guardForm is the full form of the guard against traps.
func (w *world) guardForm() []byte {
	form, err := w.gate.GuardForm()
	if err != nil {
		panic(err)
	}
	return form
}

// forms counts the pieces of full forms on the disk, by form.
func (w *world) forms() map[string]int {
	n := map[string]int{}
	for key := range w.disk.records {
		if rest, ok := strings.CutPrefix(key, "mtrap-form/"); ok {
			n[rest[:8]]++
		}
	}
	return n
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
	guarded := func(cfg *gate.Config) { guarded(cfg); cfg.FormPieces(256<<10, 64<<10) }
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

// A full form comes to disk in pieces, and until all are there the one before it counts: a guard
// that is killed between any two of them knows what it knew, bit by bit. What a kill has left of a
// form is gone when the next one is complete, or with the last commit.
func TestFormInPieces(t *testing.T) {
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 2))
	guarded := func(cfg *gate.Config) { guarded(cfg); cfg.FormPieces(2000, 64<<10) }
	w := begin(row{seeds: "a/", change: guarded, script: "a/ page " + many("a/%d", 0, 100)}, mode{false, 1 << 30})
	underWay, completed, killed, last := 0, 0, 0, ""
	for i := 0; i < 12_000 && (completed < 2 || killed < 3); i++ {
		w.event([]string{short(w.flight0().URL.String()), "page", fmt.Sprintf("a/x/%d", i), fmt.Sprintf("a/y/%d", i)})
		head := string(w.disk.records["mtraps"])
		if head != last {
			completed, last = completed+1, head
			if n := len(w.forms()); n != 1 {
				t.Fatalf("commit %d completed a form, and there are pieces of %d", w.seq, n)
			}
		}
		forms := len(w.forms())
		if forms > 2 {
			t.Fatalf("behind commit %d there are pieces of %d forms", w.seq, forms)
		}
		between := forms > 1 || forms == 1 && head == ""
		if between {
			underWay++
		}
		if random.IntN(400) > 0 && !(between && random.IntN(40) == 0) {
			continue
		}
		if between {
			killed++
		}
		w.commit()
		want := w.guardForm()
		if w.restart(); !bytes.Equal(w.guardForm(), want) {
			t.Fatalf("seed %d: after a kill behind commit %d the guard knows something else", seed, w.seq)
		}
	}
	if underWay < 50 || completed < 2 || killed < 3 {
		t.Errorf("%d commits have a piece, %d a last one, %d kills came between: too few for a test", underWay, completed, killed)
	}
	for len(w.forms()) < 2 {
		w.event([]string{short(w.flight0().URL.String()), "page", fmt.Sprintf("a/z/%d", w.seq)})
	}
	w.seq++
	if err := w.gate.Commit(gate.Commit{Records: w.disk, Queue: w.disk, Seq: w.seq, Last: true}); err != nil {
		t.Fatal(err)
	}
	if n := len(w.forms()); n != 1 {
		t.Errorf("after the last commit there are pieces of %d forms", n)
	}
	want := w.guardForm()
	if w.restart(); !bytes.Equal(w.guardForm(), want) {
		t.Error("after the last commit the guard knows something else")
	}
}

// A form of which something is missing is refused, by the name of its record.
func TestFormWithAPieceMissing(t *testing.T) {
	guarded := func(cfg *gate.Config) { guarded(cfg); cfg.FormPieces(1000, 64<<10) }
	w := begin(row{seeds: "a/", change: guarded, script: "a/ page " + many("a/%d", 0, 3500)}, mode{false, 1 << 30})
	for w.disk.records["mtraps"] == nil {
		w.event([]string{short(w.flight0().URL.String()), "page"})
	}
	whole := w.disk.records
	var keys []string
	for key := range whole {
		if strings.HasPrefix(key, "mtrap-form/") {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	head, sound := whole["mtraps"], *w
	for name, change := range map[string]func(){
		"first piece":      func() { delete(w.disk.records, keys[0]) },
		"one between":      func() { delete(w.disk.records, keys[1]) },
		"last piece":       func() { delete(w.disk.records, keys[len(keys)-1]) },
		"all pieces":       func() { w.disk.DeleteRange([]byte(keys[0]), []byte(keys[len(keys)-1]+"x")) },
		"end of a piece":   func() { w.disk.records[keys[1]] = whole[keys[1]][:999] },
		"a bit":            func() { w.disk.records[keys[1]][17] ^= 1 },
		"a piece too much": func() { w.disk.records[keys[0][:len(keys[0])-1]+"\xff"] = []byte("x") },
		"nothing in it":    func() { w.disk.records["mtraps"] = []byte{} },
		"no size":          func() { w.disk.records["mtraps"] = head[:1] },
		"more than sizes":  func() { w.disk.records["mtraps"] = append(slices.Clone(head), 0) },
	} {
		w.disk.records = map[string][]byte{}
		for key, value := range whole {
			w.disk.records[key] = slices.Clone(value)
		}
		change()
		w.gate, w.admits = sound.gate, sound.admits
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, "damaged: record traps:") {
					t.Errorf("%s: %s", name, got)
				}
			}()
			w.restart()
		}()
	}
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
	w := begin(row{seeds: "a/", change: guarded, script: "a/ page " + many("a/x%d/1", 0, 8) + "\nhold"}, mode{doubt: true})
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
