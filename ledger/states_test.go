package ledger

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// situations are the states, and in what a commit can be when its recorder or store fails.
var situations = []struct {
	name    string
	durable bool
	reach   func(t *testing.T, r *rig)
}{
	{"memory", false, func(*testing.T, *rig) {}},
	{"gathering", true, func(*testing.T, *rig) {}},
	{"cutting", true, func(_ *testing.T, r *rig) { r.CutSent() }},
	{"sealed", true, func(t *testing.T, r *rig) { r.seal(t) }},
	{"running", true, func(t *testing.T, r *rig) { r.seal(t); r.Work(rigChecks{r}) }},
	{"closed", true, func(_ *testing.T, r *rig) { r.Shut() }},
}

func (r *rig) seal(t *testing.T) {
	t.Helper()
	r.CutSent()
	r.sealCut(t)
}

var names = map[state]string{memory: "memory", gathering: "gathering", cutting: "cutting", sealed: "sealed", closed: "closed"}

// Every method does something definite in every state: what it answers, and the state then.
// A change is noted before.
func TestEveryMethodInEveryState(t *testing.T) {
	failure := errors.New("no more room")
	same := map[string]string{"memory": "memory", "gathering": "gathering", "cutting": "cutting", "sealed": "sealed", "running": "sealed", "closed": "closed"}
	shut := map[string]string{"memory": "memory", "gathering": "closed", "cutting": "closed", "sealed": "closed", "running": "closed", "closed": "closed"}
	type answers = map[string]string
	for _, m := range []struct {
		name  string
		call  func(r *rig) string
		wants answers // "" if not listed
		then  map[string]string
	}{
		{"WantsCut", func(r *rig) string { return yes(r.WantsCut(later())) }, answers{"gathering": "yes"}, same},
		{"CutSent", func(r *rig) string { r.CutSent(); return "" }, nil,
			map[string]string{"memory": "memory", "gathering": "cutting", "cutting": "cutting", "sealed": "sealed", "running": "sealed", "closed": "closed"}},
		{"Seal", func(r *rig) string { return fmt.Sprint(r.Seal(batch(r))) },
			answers{"memory": "<nil>", "gathering": "<nil>", "cutting": "<nil>", "sealed": "<nil>", "running": "<nil>", "closed": "<nil>"},
			map[string]string{"memory": "memory", "gathering": "gathering", "cutting": "sealed", "sealed": "sealed", "running": "sealed", "closed": "closed"}},
		{"Seal, refused by the owner", func(r *rig) string { r.refuses = failure; return yes(r.Seal(batch(r)) != nil) },
			answers{"cutting": "yes"},
			map[string]string{"memory": "memory", "gathering": "gathering", "cutting": "closed", "sealed": "sealed", "running": "sealed", "closed": "closed"}},
		{"Work", func(r *rig) string { r.Work(rigChecks{r}); return yes(r.running != nil) }, answers{"sealed": "yes", "running": "yes"}, same},
		{"Work with checks", func(r *rig) string {
			r.waiting = []uint64{1}
			r.Work(rigChecks{r})
			return yes(r.running != nil)
		}, answers{"gathering": "yes", "cutting": "yes", "sealed": "yes", "running": "yes"}, same},
		{"Take of a job", func(r *rig) string {
			did := false
			err := r.Ledger.Take(&Job{kind: checking, then: func() { did = true }})
			return yes(did && err == nil)
		}, answers{"memory": "yes", "gathering": "yes", "cutting": "yes", "sealed": "yes", "running": "yes", "closed": "yes"}, same},
		{"Take of a failed job", func(r *rig) string {
			did := false
			err := r.Ledger.Take(&Job{kind: checking, err: failure, then: func() { did = true }})
			return yes(!did && errors.Is(err, failure) && errors.Is(r.Err(), failure))
		}, answers{"memory": "yes", "gathering": "yes", "cutting": "yes", "sealed": "yes", "running": "yes", "closed": "yes"}, shut},
		{"Take of the commit", func(r *rig) string {
			if r.running == nil {
				return ""
			}
			return fmt.Sprint(r.Ledger.Take(<-r.Done()), r.landed)
		}, answers{"running": "<nil> 1"},
			map[string]string{"memory": "memory", "gathering": "gathering", "cutting": "cutting", "sealed": "sealed", "running": "gathering", "closed": "closed"}},
		{"Fail", func(r *rig) string { r.Fail(failure); r.Fail(errors.New("another")); return r.Err().Error() },
			answers{"memory": "no more room", "gathering": "no more room", "cutting": "no more room", "sealed": "no more room", "running": "no more room", "closed": "no more room"}, shut},
		{"Shut", func(r *rig) string { r.Shut(); return yes(r.Err() != nil) }, nil, shut},
		{"Closed", func(r *rig) string { return yes(r.Closed()) }, answers{"closed": "yes"}, same},
		{"Idle", func(r *rig) string { return yes(r.Idle()) }, answers{"memory": "yes", "gathering": "yes", "closed": "yes"}, same},
		{"Durable", func(r *rig) string { return yes(r.Durable()) },
			answers{"gathering": "yes", "cutting": "yes", "sealed": "yes", "running": "yes", "closed": "yes"}, same},
		{"Keeps before the first commit", func(r *rig) string { return yes(r.Keeps()) }, answers{"memory": "yes"}, same},
		{"Changed", func(r *rig) string {
			before := r.unsaved.urls
			r.Changed(3)
			return fmt.Sprint(r.unsaved.urls-before, r.due.IsZero())
		},
			answers{"memory": "0 true", "gathering": "3 false", "cutting": "3 false", "sealed": "3 false", "running": "3 false", "closed": "3 false"}, same},
		{"Settled", func(r *rig) string {
			before := r.unsaved.pages
			r.Settled()
			return fmt.Sprint(r.unsaved.pages - before)
		},
			answers{"memory": "0", "gathering": "1", "cutting": "1", "sealed": "1", "running": "1", "closed": "1"}, same},
		{"Note", func(r *rig) string {
			before := len(r.notes)
			r.Note([]byte("mx"), nil)
			return fmt.Sprint(len(r.notes) - before)
		},
			answers{"memory": "0", "gathering": "1", "cutting": "1", "sealed": "1", "running": "1", "closed": "1"}, same},
		{"LowDisk", func(r *rig) string { return yes(r.LowDisk()) }, nil, same},
	} {
		for _, s := range situations {
			r := newRig(t, nil, s.durable)
			r.Note([]byte("mbefore"), []byte("1"))
			s.reach(t, r)
			if got := m.call(r); got != m.wants[s.name] {
				t.Errorf("%s in %s: %q, want %q", m.name, s.name, got, m.wants[s.name])
			}
			if got := names[r.state]; got != m.then[s.name] {
				t.Errorf("%s in %s: %s then, want %s", m.name, s.name, got, m.then[s.name])
			}
			if r.running != nil { // the keeper must not be left with a job
				r.Ledger.Take(<-r.Done())
			}
		}
	}
}

func batch(r *rig) Batch {
	if !r.dir.Durable() {
		return nil
	}
	return OfDir(r.dir).NewBatch()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// Closed is for good, whatever is under way.
func TestClosedStaysClosed(t *testing.T) {
	for _, s := range situations[1:] {
		for name, fail := range map[string]func(r *rig){
			"the recorder fails": func(r *rig) { r.Shut() },
			"the store fails":    func(r *rig) { r.Fail(errors.New("no more room")) },
		} {
			r := newRig(t, nil, true)
			s.reach(t, r)
			fail(r)
			r.CutSent()
			r.Seal(OfDir(r.dir).NewBatch())
			if r.running != nil {
				r.Ledger.Take(<-r.Done())
			}
			r.Changed(1)
			r.Work(rigChecks{r})
			if !r.Closed() || r.WantsCut(later()) || !r.Idle() || r.running != nil {
				t.Errorf("%s when it is %s: %s then, wants a cut: %v, idle: %v", name, s.name, names[r.state], r.WantsCut(later()), r.Idle())
			}
			if len(r.commits) > 0 && s.name != "sealed" && s.name != "running" {
				t.Errorf("%s when it is %s: a commit was made", name, s.name)
			}
		}
	}
}

// A commit that the keeper has when the recorder fails is durable all the same, and counted.
func TestCommitUnderWayLandsWhenClosed(t *testing.T) {
	r := newRig(t, nil, true)
	r.Note([]byte("mx"), []byte("1"))
	r.seal(t)
	r.Work(rigChecks{r})
	r.Shut()
	if err := r.Ledger.Take(<-r.Done()); err != nil || r.landed != 1 || r.record(t, "mx") != "1" {
		t.Errorf("%v, landed %d times, record %q", err, r.landed, r.record(t, "mx"))
	}
}

// A change is in the commit that is sealed next, whenever it is noted: also while the recorder
// is asked for its part, and while the keeper has a commit. No change waits for another.
func TestNoChangeIsLost(t *testing.T) {
	note := func(r *rig, key string) { r.Note([]byte(key), []byte("1")) }
	r := newRig(t, nil, true)
	note(r, "mgathering")
	r.CutSent()
	note(r, "mcutting")
	r.sealCut(t)
	note(r, "msealed")
	r.Work(rigChecks{r})
	note(r, "mrunning")
	r.Ledger.Take(<-r.Done())
	note(r, "mlanded")
	r.expect(t, "after the first commit", map[string]string{"mgathering": "1", "mcutting": "1", "msealed": "", "mrunning": "", "mlanded": ""})
	if !r.WantsCut(later()) {
		t.Fatal("what was noted since is not due")
	}
	r.Note([]byte("mgathering"), nil)
	if err := r.commit(t); err != nil {
		t.Fatal(err)
	}
	r.expect(t, "after the second commit", map[string]string{"mgathering": "", "mcutting": "1", "msealed": "1", "mrunning": "1", "mlanded": "1"})
	if r.WantsCut(later()) || len(r.notes) > 0 {
		t.Errorf("a commit is due, though nothing has changed; %d notes", len(r.notes))
	}
	note(r, "mlast")
	if err := r.Last(OfDir(r.dir).NewBatch()); err != nil {
		t.Fatal(err)
	}
	r.expect(t, "after the last commit", map[string]string{"mlast": "1", "mlanded": "1"})
	if !slices.Equal(r.commits, []uint64{1, 2, 3}) {
		t.Errorf("commits %v", r.commits)
	}
}

func (r *rig) sealCut(t *testing.T) {
	t.Helper()
	if err := r.Seal(OfDir(r.dir).NewBatch()); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) expect(t *testing.T, when string, want map[string]string) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got := r.record(t, key); got != want[key] {
			t.Errorf("%s: %s is %q, want %q", when, key, got, want[key])
		}
	}
}

// A change between the cut and the seal is in that commit, but makes the next one due: the
// recorder may have more that belongs to it.
func TestAChangeBehindTheCutIsDueAgain(t *testing.T) {
	r := newRig(t, nil, true)
	r.CutSent()
	r.Changed(1)
	r.sealCut(t)
	r.work(t)
	if !r.WantsCut(later()) || r.WantsCut(time.Now().Add(-time.Second)) {
		t.Error("no commit is due, or one at once")
	}
}

// What is not committed is bounded: no page is asked for before the seeds are safe, nor when
// four commits' worth of pages or URLs are not. One commit's worth makes a commit due.
func TestUnsavedIsBounded(t *testing.T) {
	r := newRig(t, nil, true)
	if r.Keeps() {
		t.Error("a page may be asked for before the seeds are safe")
	}
	if err := r.commit(t); err != nil || !r.Keeps() {
		t.Fatalf("no page may be asked for: %v", err)
	}
	past := time.Now().Add(-time.Hour) // nothing is due by time
	for _, c := range []struct {
		name string
		add  func()
		n    int
	}{
		{"pages", r.Settled, commitPages},
		{"URLs", func() { r.Changed(1) }, commitURLs},
	} {
		for i := 1; i <= maxUnsaved*c.n; i++ {
			c.add()
			if got, want := r.WantsCut(past), i >= c.n; got != want {
				t.Fatalf("%d %s: wants a cut: %v", i, c.name, got)
			}
			if got, want := r.Keeps(), i < maxUnsaved*c.n; got != want {
				t.Fatalf("%d %s: a page may be asked for: %v", i, c.name, got)
			}
		}
		r.seal(t)
		c.add() // belongs to the next commit
		r.work(t)
		if !r.Keeps() || r.unsaved.pages+r.unsaved.urls != 1 {
			t.Errorf("%s: %+v is not committed, want one", c.name, r.unsaved)
		}
		if err := r.commit(t); err != nil {
			t.Fatal(err)
		}
	}
}

// A new crawl's seeds are due at once, a restored crawl has nothing to commit.
func TestBegin(t *testing.T) {
	for seq, want := range map[uint64]bool{0: true, 7: false} {
		r := newRig(t, nil, true)
		r.Ledger.due = time.Time{}
		r.Begin(r.admits, seq)
		if r.WantsCut(time.Now()) != want || r.Keeps() == want {
			t.Errorf("after commit %d: wants a cut: %v, keeps: %v", seq, r.WantsCut(time.Now()), r.Keeps())
		}
		r.commit(t)
		if want := []uint64{seq + 1}; !slices.Equal(r.commits, want) {
			t.Errorf("commits %v, want %v", r.commits, want)
		}
	}
}

// The alarm rings a second after the first change, and not for the later ones.
func TestAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil, true)
		if err := r.commit(t); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		r.Changed(1)
		rang := <-r.Alarm()
		if took := rang.Sub(start); took != commitEvery || !r.WantsCut(rang) || r.WantsCut(start) {
			t.Errorf("it rang after %s, wants a cut: %v", took, r.WantsCut(rang))
		}
		r.CutSent()
		r.Changed(1)
		if rang := (<-r.Alarm()).Sub(start); rang != 2*commitEvery {
			t.Errorf("for the change behind the cut it rang after %s", rang)
		}
	})
}

// A commit that fails closes the Ledger with the first error, whoever has it: the owner, when
// its part is added, or the disk.
func TestAFailingCommit(t *testing.T) {
	failure := errors.New("no more room")
	r := newRig(t, nil, true)
	r.Note([]byte("mx"), []byte("1"))
	r.refuses = failure
	if err := r.commit(t); !errors.Is(err, failure) || !r.Closed() || r.landed != 0 || r.Keeps() {
		t.Errorf("%v, closed: %v, landed %d times", err, r.Closed(), r.landed)
	}
	if r.record(t, "mx") != "" {
		t.Error("a part of it was committed")
	}
	if err := r.CheckNow(rigChecks{r}); !errors.Is(err, failure) {
		t.Errorf("the log is asked all the same: %v", err)
	}
}
