package ledger

import (
	"errors"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/dedup"
	"crawler/store"
)

// jobs has the keeper work until there is nothing to do or most jobs are done, with checks
// waiting all the time, and returns what it did.
func (r *rig) jobs(t *testing.T, most int, checks bool) (kinds []kind) {
	for len(kinds) < most {
		if checks {
			r.waiting = []uint64{uint64(len(kinds))}
		}
		k, worked := r.work(t)
		if !worked {
			break
		}
		kinds = append(kinds, k)
	}
	r.waiting = nil
	return kinds
}

// The keeper's jobs, one at a time: a commit goes first, then a part of the log, then checks
// and the layers of a new filter in turns, so that neither waits for all of the other.
func TestTheKeepersTurns(t *testing.T) {
	r := newRig(t, nil, true)
	r.admit(t, 0, 3)
	r.seal(t)
	if got, want := r.jobs(t, 9, false), []kind{committing}; !slices.Equal(got, want) {
		t.Errorf("with less than a tail in memory: %v, want %v", got, want)
	}
	r.admit(t, 3, 1)
	r.seal(t)
	if got, want := r.jobs(t, 3, true), []kind{committing, moving, checking}; !slices.Equal(got, want) {
		t.Errorf("with a tail and checks: %v, want %v", got, want)
	}
	r.admit(t, 4, 12)
	r.seal(t)
	if got, want := r.jobs(t, 4, true), []kind{committing, moving, rebuilding, checking}; !slices.Equal(got, want) {
		t.Errorf("with a filter that is due: %v, want %v", got, want)
	}
	r.admit(t, 16, 5)
	r.seal(t)
	if r.log.part != nil {
		t.Error("a part of the log is on its way while the filter is rebuilt from that")
	}
	if got, want := r.jobs(t, 6, true), []kind{committing, rebuilding, checking, rebuilding, checking, checking}; !slices.Equal(got, want) {
		t.Errorf("and with another commit: %v, want %v", got, want)
	}
	if n := r.admits.Stats().Restarts; n != 1 || r.open != 1 {
		t.Errorf("%d restarts of the filter, the open checks were asked for %d times", n, r.open)
	}
	if s := r.Restarts(); s.Took <= 0 || s.Longest != s.Took || s.LongestPause <= 0 || s.LongestPause > s.Took {
		t.Errorf("they took %+v", s)
	}
	r.admit(t, 21, 12)
	r.seal(t)
	if got, want := r.jobs(t, 9, false), []kind{committing, moving, rebuilding, rebuilding, rebuilding}; !slices.Equal(got, want) {
		t.Errorf("a filter that is due without checks: %v, want %v", got, want)
	}
	if s := r.Restarts(); s.Took <= s.Longest {
		t.Errorf("two restarts took %+v", s)
	}
	for i := range 33 {
		if _, a := r.admits.Peek(rigURL(t, i)); a == dedup.New {
			t.Errorf("%s is new to the filter that was rebuilt", rigURL(t, i))
		}
	}
}

// Before a restart of the filter the log goes to disk, however little of it is in memory; the
// last commit moves nothing.
func TestTheLogIsMovedBeforeTheFilterRestarts(t *testing.T) {
	r := newRig(t, nil, true)
	r.admit(t, 0, 4)
	r.commit(t)
	r.admit(t, 4, 6)
	r.commit(t)
	r.admit(t, 10, 2)
	r.seal(t)
	if got, want := r.jobs(t, 3, false), []kind{committing, moving, rebuilding}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	r = newRig(t, nil, true)
	r.admit(t, 0, 9)
	if err := r.Last(OfDir(r.dir).NewBatch()); err != nil || r.log.part != nil || r.log.rebuild != nil {
		t.Errorf("after the last commit a part is to be moved: %v; %v", r.log.part != nil, err)
	}
}

// A commit makes durable what was recorded before its cut.
func TestCommitSyncsTheRecords(t *testing.T) {
	mem := vfs.NewCrashableMem()
	r := newRig(t, store.OnMem(mem), true)
	lines, err := r.dir.Lines("pages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := lines.Write("a page"); err != nil {
		t.Fatal(err)
	}
	b := OfDir(r.dir).NewBatch()
	if err := r.dir.Cut(b); err != nil {
		t.Fatal(err)
	}
	r.CutSent()
	if err := r.Seal(b); err != nil {
		t.Fatal(err)
	}
	r.work(t)
	clone := store.OnMem(mem.CrashClone(vfs.CrashCloneCfg{}))
	dir, err := store.Open(clone, "crawl")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if _, err := dir.Lines("pages.jsonl"); err != nil {
		t.Errorf("the records are not what was committed: %v", err)
	}
}

// A second job waits until the first was taken back.
func TestOneJobAtATime(t *testing.T) {
	r := newRig(t, nil, true)
	r.waiting = []uint64{1}
	r.Work(rigChecks{r})
	first := r.running
	r.waiting = []uint64{2}
	r.Work(rigChecks{r})
	if r.running != first || len(r.waiting) != 1 {
		t.Error("a second job was given to the keeper")
	}
	if r.Ledger.Take(<-r.Done()); r.running != nil || len(r.answered) != 1 {
		t.Errorf("%d answers", len(r.answered))
	}
}

// The log answers in the order of asking, whatever the fingerprints, and repeatedly about one.
func TestChecksAreAnsweredInTheirOrder(t *testing.T) {
	for _, now := range []bool{false, true} {
		r := newRig(t, nil, true)
		r.admit(t, 0, 9)
		if err := r.commit(t); err != nil {
			t.Fatal(err)
		}
		var want []bool
		for _, i := range []int{8, 100, 0, 101, 8, 3, 102, 100} {
			r.waiting = append(r.waiting, r.fingerprint(t, i))
			want = append(want, i < 9)
		}
		if now {
			if err := r.CheckNow(rigChecks{r}); err != nil {
				t.Fatal(err)
			}
		} else if k, _ := r.work(t); k != checking {
			t.Fatalf("the keeper did %d", k)
		}
		if len(r.answered) != 1 || !slices.Equal(r.answered[0], want) {
			t.Errorf("at once %v: answered %v, want %v", now, r.answered, want)
		}
		r.waiting = []uint64{r.fingerprint(t, 100), r.fingerprint(t, 101), r.fingerprint(t, 102)}
		if r.work(t); !slices.Equal(r.answered[1], []bool{false, false, false}) {
			t.Errorf("then, about others: answered %v", r.answered[1])
		}
	}
}

// What was committed is known after a restart: what is in the log's runs, and what is only
// journalled. What was not is not.
func TestReopenKnowsWhatWasCommitted(t *testing.T) {
	for _, filterOnly := range []bool{false, true} {
		r := newRig(t, nil, true)
		if filterOnly {
			r.begin(t, dedup.Config{ExpectURLs: 100, Layers: rigLayers, Seed: 1, FilterOnly: true})
		}
		for i := range 9 {
			r.admit(t, 3*i, 3)
			if err := r.commit(t); err != nil {
				t.Fatal(err)
			}
		}
		if n := r.Logged(); filterOnly == (n > 0) || n >= 27 {
			t.Errorf("filter only %v: the log has %d URLs", filterOnly, n)
		}
		r.admit(t, 27, 3) // lost
		for i := range 30 {
			if in, err := Admitted(OfDir(r.dir), rigURL(t, i)); !filterOnly && (err != nil || in != (i < 27)) {
				t.Errorf("%s was admitted: %v, %v", rigURL(t, i), in, err)
			}
		}
		log, err := r.Reopen()
		if err != nil {
			t.Fatal(err)
		}
		admits := log.Open(nil)
		known := 0
		for i := range 30 {
			_, a := admits.Peek(rigURL(t, i))
			if a != dedup.New {
				known++
			}
			if a == dedup.New && i < 27 {
				t.Errorf("filter only %v: %s is not known", filterOnly, rigURL(t, i))
			}
			r.waiting = append(r.waiting, r.fingerprint(t, i))
		}
		if err := r.CheckNow(rigChecks{r}); err != nil {
			t.Fatal(err)
		}
		for i, found := range r.answered[0] {
			if !filterOnly && found != (i < 27) {
				t.Errorf("the log has %s: %v", rigURL(t, i), found)
			}
		}
		if known == 30 || admits.Stats().New != 27 {
			t.Errorf("filter only %v: %d URLs are known, %d counted; 27 were committed", filterOnly, known, admits.Stats().New)
		}
	}
}

// Nothing was committed: nothing was admitted.
func TestNothingIsAdmittedBeforeTheFirstCommit(t *testing.T) {
	r := newRig(t, nil, true)
	if in, err := Admitted(OfDir(r.dir), rigURL(t, 1)); in || err != nil {
		t.Errorf("%v, %v", in, err)
	}
}

// An account that cannot be read is refused, and the error names it.
func TestDamagedAccount(t *testing.T) {
	r := newRig(t, nil, true)
	b := OfDir(r.dir).NewBatch()
	b.Put(accountKey(), []byte("no account"))
	if err := OfDir(r.dir).Commit(b); err != nil {
		t.Fatal(err)
	}
	_, reopened := r.Reopen()
	_, admitted := Admitted(OfDir(r.dir), rigURL(t, 1))
	for _, err := range []error{reopened, admitted} {
		if err == nil || errors.Unwrap(err) == nil || err.Error()[:len("the crawl's state is damaged: record account")] != "the crawl's state is damaged: record account" {
			t.Errorf("%v", err)
		}
	}
}
