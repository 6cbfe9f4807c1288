package gate_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/weburl"
)

// begin is a world after some events.
func begin(r row, m mode) *world {
	w := newWorld(&r, m)
	for line := range strings.Lines(r.script) {
		if f := strings.Fields(line); len(f) > 0 {
			w.event(f)
		}
	}
	return w
}

// What robots.txt says of a page comes with its next lease, whatever is leased before, and
// with no other page's.
func TestPermissionComesWithThePage(t *testing.T) {
	w := begin(row{seeds: "a/ https:a/ b/", script: "a/ leased\nb/ leased\nhttps:a/ leased"}, mode{})
	for i := range w.flight {
		task := &w.flight[i]
		says := gate.Permission{Robots: gate.Forbids, Detail: task.URL.String()}
		w.gate.RobotsFile(task, gate.RobotsFile{Permission: says}, w.now)
	}
	w.flight = nil
	for range 2 { // a page that is returned keeps it
		for w.next() {
		}
		if len(w.flight) != 3 {
			t.Fatalf("%d pages are leased, want 3", len(w.flight))
		}
		for _, task := range w.flight {
			if task.Permission == nil || task.Permission.Detail != task.URL.String() {
				t.Errorf("%s comes with %+v", task.URL, task.Permission)
			}
			w.gate.Return(&task, time.Time{})
		}
		w.flight = nil
	}
}

// A page that has its turn first takes no other's permission, and neither has one for its next
// try.
func TestPermissionIsOnePages(t *testing.T) {
	change := patient
	w := begin(row{seeds: "a/ a/1", change: change, script: "a/ leased\na/1 leased"}, mode{})
	w.gate.RobotsFile(&w.flight[0], gate.RobotsFile{}, w.now)
	w.gate.Return(&w.flight[1], time.Time{}) // stands before the other
	w.flight = nil
	if got := w.lease("a/1").Permission; got != nil {
		t.Errorf("a/1 comes with the permission of a/: %+v", got)
	}
	if w.lease("a/").Permission == nil {
		t.Error("a/ comes without its permission")
	}
	w.event(strings.Fields("a/ failed timeout"))
	if got := w.lease("a/").Permission; got != nil {
		t.Errorf("a/ comes again with the permission it had: %+v", got)
	}
}

// A host's permissions go with it when it is closed.
func TestPermissionGoesWithItsHost(t *testing.T) {
	w := begin(row{seeds: "a/ a/1", script: "a/ leased\na/1 leased"}, mode{})
	page, gone := w.flight[0], w.flight[1]
	w.gate.RobotsFile(&page, gate.RobotsFile{}, w.now)
	w.flight = []gate.Task{gone}
	w.event(strings.Fields(short(gone.URL.String()) + " gone"))
	w.finish()
	if n := w.gate.Permits(); n != 0 || len(w.skips) != 2 || w.skips[1].URL != page.URL.String() {
		t.Errorf("%d permissions, skips %v", n, w.skips)
	}
}

// A Crawl-delay holds for its host, but not for a crawl that ignores robots.
func TestCrawlDelay(t *testing.T) {
	for _, ignores := range []bool{false, true} {
		w := begin(row{seeds: "a/ a/1", change: func(c *gate.Config) { c.IgnoreRobots = ignores }, script: "a/ leased"}, mode{})
		w.gate.RobotsFile(&w.flight[0], gate.RobotsFile{Delay: 20 * time.Second}, w.now)
		w.now = w.now.Add(19 * time.Second)
		_, soon := w.gate.Next(w.now)
		_, later := w.gate.Next(w.now.Add(time.Second))
		if soon != ignores || !later {
			t.Errorf("ignoring robots %v: leased after 19 s: %v, after 20 s: %v", ignores, soon, later)
		}
	}
}

// A task has the least depth that is known of it, not the one it was queued with.
func TestTaskHasTheLeastDepth(t *testing.T) {
	w := begin(row{seeds: "a/ b/", change: depth(9), script: `
		a/ page a/1
		a/1 page c/ a/2
		a/2 leased
		b/ page a/2 a/3
		a/3 leased`}, mode{})
	w.event(strings.Fields("a/2 returned"))
	if got := w.lease("a/2").Depth; got != 1 {
		t.Errorf("a/2 has depth %d, want 1", got)
	}
}

// A link is one deeper than its page, with a depth limit or without.
func TestLinksAreDeeper(t *testing.T) {
	for name, change := range map[string]func(*gate.Config){"limited": depth(9), "unlimited": nil} {
		w := begin(row{seeds: "a/", change: change, script: `
			a/ page a/1
			a/1 page a/2`}, mode{})
		if got := w.lease("a/2").Depth; got != 2 {
			t.Errorf("%s: the link of a link has depth %d, want 2", name, got)
		}
	}
}

// A page gives its part to the links that are followed, a redirect to its target.
func TestCredit(t *testing.T) {
	for _, c := range []struct {
		name, script string
		change       change
		want         string
	}{
		{"two pages give more than one", "a/ page a/1 a/2\na/1 page a/u a/v\na/2 page a/v a/w", bestFirst, "a/v"},
		{"a redirect gives all", "a/ page a/1 a/2\na/1 page a/u a/v\na/2 moved a/v", bestFirst, "a/v"},
		{"one that leads nowhere gives nothing", "a/ page a/1 a/2\na/1 page a/u a/v\na/2 moved", bestFirst, "a/u"},
		{"nofollow takes none", "a/ page a/1 a/x1 a/q\na/1 page nofollow:a/q a/y a/z", bestFirst, "a/x1"},
		{"nofollow that is followed", "a/ page a/1 a/x1 a/q\na/1 page nofollow:a/q a/y a/z", both(bestFirst, ignoring), "a/q"},
		{"breadth first nothing counts", "a/ page a/1 a/2\na/1 page a/u a/v\na/2 page a/v a/w", nil, "a/u"},
	} {
		w := begin(row{seeds: "a/", script: c.script, change: c.change}, mode{})
		w.next()
		if got := short(w.flight[len(w.flight)-1].URL.String()); got != c.want {
			t.Errorf("%s: %s is first, want %s", c.name, got, c.want)
		}
	}
}

// So many refusals that the recorder has to keep up: neither a closed host's queue nor traps
// make more of them until it has.
func TestCrowded(t *testing.T) {
	w := begin(row{seeds: "a/ " + many("b/%d", 0, 9), script: "a/ page " + many("a/%d", 0, 3000)}, mode{})
	task := w.lease("a/0")
	w.gate.Refuse(task, w.now, frontier.Outcome{Kind: frontier.Throttled, RetryAfter: time.Hour}, gate.Skip{URL: "x", Reason: gate.HostClosed})
	var sizes []int
	for more := true; more; more = len(w.gate.Backlog()) > 0 {
		w.gate.Drain()
		if task, ok := w.gate.Next(w.now.Add(time.Hour)); ok && w.gate.Crowded() {
			t.Errorf("%s is leased while the recorder does not keep up", task.URL)
		}
		w.gate.Drain()
		sizes = append(sizes, len(w.gate.Backlog()))
		w.gate.Sent(false)
		w.gate.Drain()
	}
	if !slices.Equal(sizes, []int{1025, 1024, 951}) { // the first is the page that closed the host
		t.Errorf("backlogs of %v", sizes)
	}
}

// Next refuses 64 URLs as traps' and then lets others have their turn.
func TestNextRefusesAFewAtATime(t *testing.T) {
	w := begin(row{seeds: "a/", change: guarded, script: "a/ page " + many("a/%d?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k", 0, 200)}, mode{})
	var sizes []int
	for w.gate.Queue().Queued() > 0 {
		if task, ok := w.gate.Next(w.now.Add(time.Hour)); ok {
			t.Fatalf("%s is leased", task.URL)
		}
		sizes = append(sizes, len(w.gate.Backlog()))
		w.gate.Sent(false)
	}
	if !slices.Equal(sizes, []int{64, 64, 64, 8}) {
		t.Errorf("refused %v at a time", sizes)
	}
}

// A pattern that proves honest by the pages that are let through before the end is fetched whole,
// with what it had refused.
func TestTrapProvesHonest(t *testing.T) {
	for _, m := range answered {
		r := row{seeds: "a/", change: guarded, script: calendar + "\na/2026-01-10 same " + many("a/%04d-02-03", 2000, 2400)}
		w := begin(r, m)
		w.exhaust()
		if len(w.leased) != 11 {
			t.Errorf("%s: %d pages before a look, want 11", m, len(w.leased))
		}
		w.finish()
		w.checkFates()
		w.checkCounts()
		if n := w.gate.Counts(); len(w.leased) != 411 || len(w.skips) != 0 || n.Admitted != 411 || len(n.Traps) != 1 || n.Traps[0].Refused != 0 {
			t.Errorf("%s: %d pages, %d skips, %d admitted, traps %v", m, len(w.leased), len(w.skips), n.Admitted, n.Traps)
		}
		for _, e := range w.errs {
			t.Errorf("%s: %.300s", m, e)
		}
	}
}

// A host waits for the answers of a new pattern's first URLs before more of it are leased.
func TestNewPatternsAreAskedLittleAtFirst(t *testing.T) {
	w := begin(row{seeds: "a/", change: guarded, script: "a/ page " + days(1, 10)}, mode{})
	for w.next() {
	}
	if got := len(w.flight); got != 1 {
		t.Fatalf("%d URLs are leased at a time, want 1", got)
	}
	for i := 0; i < 9; i++ {
		w.answer(&w.flight[0], "page", nil)
		for w.next() {
		}
	}
	if len(w.leased) != 10 || len(w.flight) != 0 {
		t.Errorf("%d URLs were leased, and %d are on their way", len(w.leased), len(w.flight))
	}
}

// A URL that waits because of its pattern is judged in full when its turn comes: a login is then
// found to be less likely than the others, and waits for them.
func TestWhatWaitsIsJudgedInFull(t *testing.T) {
	patiently := func(c *gate.Config) { c.FollowTraps, c.Traps.Budget = false, 99 }
	w := begin(row{seeds: "a/", change: patiently, same: true, script: "a/ page a/list/oak a/list/elm a/list/ash a/list/bay a/list/may a/list/sal\n" +
		strings.Repeat("* same\n", 5) + "* same a/list/login a/list/fir a/list/yew a/list/box"}, mode{})
	w.finish()
	if last := w.leased[len(w.leased)-1]; len(w.leased) != 11 || last != "a/list/login" {
		t.Errorf("fetched in this order: %v", w.leased)
	}
}

// A page that is let through by a closed pattern stays so when it comes back from reading
// robots.txt: it is not judged again, and takes no second place of the eight.
func TestProbeIsJudgedOnce(t *testing.T) {
	w := begin(row{seeds: "a/", change: guarded, same: true, script: calendar + "\na/2026-01-10 same " + days(1, 41)}, mode{})
	w.exhaust()
	if !w.gate.Reconsider() {
		t.Fatal("there is nothing to look at")
	}
	task := w.lease("a/2026-02-01")
	if !task.Probe {
		t.Fatal("the first is no probe")
	}
	w.gate.RobotsFile(task, gate.RobotsFile{}, w.now)
	w.flight = nil
	again := w.lease("a/2026-02-01")
	if again == nil || !again.Probe || again.Permission == nil {
		t.Fatalf("it comes back as %+v", again)
	}
	w.finish()
	if len(w.leased) != 19 || len(w.skips) != 32 {
		t.Errorf("%d pages and %d refusals, want 19 and 32", len(w.leased), len(w.skips))
	}
}

// Account names the traps and how many pages were fetched of them.
func TestAccount(t *testing.T) {
	w := begin(row{seeds: "a/", change: guarded, same: true, script: calendar + "\na/2026-01-10 same a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k a/y?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k " + days(1, 41)}, mode{})
	w.finish()
	_, list := w.gate.Account()
	slices.SortFunc(list, func(a, b gate.Trap) int { return cmp.Compare(a.Kind, b.Kind) })
	if len(list) != 2 || list[0].Pattern != "a.test/#" || list[0].Fetched != 18 || list[0].Refused != 32 || list[1].ID != 0 || list[1].Refused != 2 {
		t.Errorf("traps %+v", list)
	}
}

// A crawl that is stopped reports what it would report if it never continued, and leaves alone
// what waits for the log, which is committed.
func TestFinishProvisionally(t *testing.T) {
	w := begin(row{seeds: "a/", change: depth(1), script: `
		hold
		a/ page a/1 nofollow:a/2
		answer
		a/1 page a/3
		hold
		add a/4`}, mode{doubt: true})
	w.gate.Page(&gate.Page{Task: gate.Task{Item: frontier.Item{URL: long("a/")}}, Links: w.links([]string{"nofollow:a/5"})}, w.now)
	w.gate.Finish(true)
	w.silent, w.asked = false, nil
	w.settle()
	var got []string
	for _, s := range w.skips {
		got = append(got, describe(s))
	}
	slices.Sort(got)
	if want := []string{"a/2 nofollow via a/", "a/3 depth via a/1"}; !slices.Equal(got, want) {
		t.Errorf("reported %q, want %q", got, want)
	}
}

// A refusal whose reason cannot pass is reported at once, and takes no room until the end.
func TestWhatIsFinalAtOnce(t *testing.T) {
	for link, final := range map[string]bool{
		"b/1":                 true,
		"a/x":                 true,
		"declined:a/x":        true,
		"declined:a/1":        false,
		"nofollow:a/1":        false,
		"www.a/1":             false,
		"declined:www.a/1":    false,
		"a/1":                 false, // over budget
		"https:c/1":           true,  // on a host that is closed
		"declined:entry:c/1":  false,
		"sitemap:b/s.xml":     true,
		"nofollow:sitemap:b/": true,
	} {
		w := begin(row{seeds: "a/ c/", change: both(excluding("/x"), budget(1)), script: "c/ gone"}, mode{})
		before := len(w.skips)
		w.event([]string{"a/", "page", link})
		if got := len(w.skips) > before; got != final {
			t.Errorf("%s is reported at once: %v", link, got)
		}
		if w.finish(); len(w.skips) != before+1 {
			t.Errorf("%s is reported %d times", link, len(w.skips)-before)
		}
	}
}

// As many deferred refusals as there is room for; the others are final at once, and each is
// reported once.
func TestDeferralsAreBounded(t *testing.T) {
	const most = 1 << 16
	w := begin(row{seeds: "a/", script: "a/ page " + many("nofollow:a/%d", 0, most+9)}, mode{})
	if got := len(w.skips); got != 9 {
		t.Errorf("%d refusals are final at once, want 9", got)
	}
	w.finish()
	if got := len(w.skips); got != most+9 {
		t.Errorf("%d refusals in all, want %d", got, most+9)
	}
}

// What is deferred no longer makes room for others.
func TestDeferralsMakeRoom(t *testing.T) {
	const most = 1 << 16
	for name, r := range map[string]row{
		"scope":  {seeds: "b/ a/ b/1", script: "b/ page " + many("www.a/%d", 0, most) + "\na/ moved www.a/"},
		"budget": {seeds: "a/ b/1", change: budget(3), script: "a/ page a/x a/y " + many("a/%d", 0, most) + "\na/x forbidden\na/y forbidden"},
	} {
		w := begin(r, mode{})
		before := len(w.skips)
		w.event(strings.Fields("b/1 page nofollow:b/2 nofollow:b/3"))
		if len(w.skips) != before {
			t.Errorf("%s: a refusal is final at once, though %d were taken out", name, most)
		}
	}
}

// So many checks wait that pages must, too.
func TestSaturated(t *testing.T) {
	const most = 16 << 10
	w := newWorld(&row{seeds: "a/"}, mode{doubt: true})
	for _, links := range []string{many("a/%d", 0, most-1), "a/more"} {
		if w.gate.Saturated() {
			t.Fatal("saturated too early")
		}
		w.silent = true
		w.gate.Page(&gate.Page{Task: gate.Task{Item: frontier.Item{URL: long("a/")}}, Links: w.links(strings.Fields(links))}, w.now)
	}
	if !w.gate.Saturated() || w.gate.Checks().Waiting() != most {
		t.Errorf("%d checks wait, saturated: %v", w.gate.Checks().Waiting(), w.gate.Saturated())
	}
}

// The checks that a new filter must leave open are those of admissions that wait.
func TestOpenChecks(t *testing.T) {
	w := newWorld(&row{seeds: "a/ a/0"}, mode{doubt: true})
	w.answer(w.lease("a/"), "page", []string{"a/1", "nofollow:a/2", "a/1", "nofollow:a/1", "nofollow:a/2"})
	w.answer(w.lease("a/0"), "moved", []string{"a/3"})
	if n := w.gate.Checks().Waiting(); n != 3 {
		t.Errorf("%d checks wait, want one for each URL", n)
	}
	var open []string
	w.gate.Checks().Open(func(p dedup.Pending) bool {
		open = append(open, short(p.URL().String()))
		return true
	})
	if want := []string{"a/1", "a/3"}; !slices.Equal(open, want) {
		t.Errorf("open: %v, want %v", open, want)
	}
}

// Every record is needed: one that cannot be read is refused, and the error names it.
func TestDamagedRecords(t *testing.T) {
	r := row{seeds: "b/ a/", change: both(depth(3), guarded), script: `
		a/ moved www.a/
		add c/
		b/ page nofollow:b/1 b/2
		hold
		b/2 page b/3`}
	w := begin(r, mode{true, 1})
	restore := func(d *disk) error {
		account, err := w.admits.AppendAccount(nil)
		if err != nil {
			t.Fatal(err)
		}
		log, err := dedup.Reopen(account)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = gate.Restore(w.cfg, w, gate.State{Records: d, Hosts: d.each, Log: log, Now: w.now})
		return err
	}
	if err := restore(w.disk); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	w.disk.records["mtraps"] = nil // the full form is not there yet
	for key := range w.disk.records {
		name, _, numbered := strings.Cut(key[1:], "/")
		if numbered {
			name += "/"
		}
		names[name] = true
		d := *w.disk
		d.records = maps.Clone(d.records)
		d.records[key] = []byte("{\x01")
		if err := restore(&d); err == nil || !strings.Contains(err.Error(), "record "+name) {
			t.Errorf("%q: %v", key, err)
		}
	}
	if got := fmt.Sprint(slices.Sorted(maps.Keys(names))); got != "[added/ backlog deferred/ depths/ lessons moves/ next pending reported/ seeds traps traps/]" {
		t.Errorf("records %s", got)
	}
	clear(w.disk.hosts)
	w.disk.hosts["a.test"] = []byte{99}
	if err := restore(w.disk); err == nil {
		t.Error("a host's damaged state is taken")
	}
}

// The last commit has the refusals that the recorder has not been given, and no others: all
// that it was given before is in its own part, for which nobody asks in the way of the others.
func TestLastCommitRepeatsNoRefusal(t *testing.T) {
	w := begin(row{seeds: "a/ a/1 a/2 a/3", script: "a/ page b/"}, mode{false, 1})
	w.answer(w.lease("a/1"), "page", []string{"b/1"})
	w.record(true)
	w.commit()
	w.answer(w.lease("a/2"), "page", []string{"b/2"})
	w.record(false)
	w.answer(w.lease("a/3"), "failed", []string{"timeout"})
	w.commit()
	w.cut = len(w.skips)
	w.restart()
	var got []string
	for _, s := range w.gate.Backlog() {
		got = append(got, short(s.URL))
	}
	if !slices.Equal(got, []string{"a/3"}) {
		t.Errorf("the commit has %q beside the recorder's part, want a/3", got)
	}
}

// ReadSeeds returns what Seeds was given.
func TestReadSeeds(t *testing.T) {
	w := newWorld(&row{seeds: "b/ a/"}, mode{restart: 1})
	seeds, err := gate.ReadSeeds(w.disk)
	if err != nil || !slices.Equal(seeds, []weburl.URL{long("b/"), long("a/")}) {
		t.Errorf("%v, %v", seeds, err)
	}
}

// Mode says how sure the filter is.
func TestMode(t *testing.T) {
	for m, want := range map[mode]string{{}: "memory", {doubt: true}: "exact"} {
		w := newWorld(&row{seeds: "a/"}, m)
		if w.gate.Mode() != want {
			t.Errorf("%s: mode %q, not %q", m, w.gate.Mode(), want)
		}
	}
}

// Whoever commits hears of everything that changes, and by how many URLs.
func TestJournalHearsOfChanges(t *testing.T) {
	for script, urls := range map[string]int{
		"a/0 returned":          0,
		"a/0 page":              0,
		"a/0 failed timeout":    0,
		"a/0 forbidden":         0,
		"a/0 moved":             0,
		"a/0 moved a/2":         1,
		"a/0 page a/2 a/3 a/0":  2,
		"a/0 page nofollow:a/2": 0,
		"a/0 page b/":           0,
		"a/0 page a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k": 2,
		"add a/2":                    1,
		"add a/0":                    0,
		"a/0 robots a/s.xml b/s.xml": 1,
	} {
		w := begin(row{seeds: "a/ a/0", change: guarded, script: "a/0 leased"}, mode{doubt: true})
		w.changes, w.changed = 0, 0
		w.event(strings.Fields(script))
		for w.next() {
		}
		// Whoever commits counts what was fetched.
		quiet := script == "a/0 page" || script == "a/0 moved"
		if w.changed != urls || (w.changes+len(w.notes) > 0) == quiet {
			t.Errorf("%q: the Journal heard of %d changes and %d URLs, want %d", script, w.changes, w.changed, urls)
		}
	}
}

// A question that was open over a restart stays open, though the filter is a better one by
// then: the log answers it, and the false positive is counted.
func TestOpenCheckStaysOpen(t *testing.T) {
	w := begin(row{seeds: "a/ a/0", script: "hold\na/ page a/1"}, mode{doubt: true})
	w.mode.doubt = false
	w.commit()
	w.restart()
	w.answer(w.lease("a/0"), "page", []string{"a/1", "a/2"})
	n := w.gate.Counts()
	w.finish()
	if stats, _ := w.gate.Account(); n.Maybe != 2 || n.Admitted != 3 || stats.FalsePositives != 1 || len(w.leased) != 4 {
		t.Errorf("%d waited, %d admitted, %d false positives, leased %v", n.Maybe, n.Admitted, stats.FalsePositives, w.leased)
	}
}

// What the log has found once is known from then on.
func TestFoundIsKnown(t *testing.T) {
	w := begin(row{seeds: "a/ a/0", script: "a/ page a/0\na/0 page a/0 a/0"}, mode{doubt: true})
	if n := w.gate.Counts().Maybe; n != 1 {
		t.Errorf("the log was asked %d times, want once", n)
	}
}

// A pattern whose pages are copies is a trap only if they lead to ever new URLs.
func TestTrapNeedsNewLinks(t *testing.T) {
	for _, fertile := range []bool{true, false} {
		var b strings.Builder
		fmt.Fprintln(&b, "a/ page", many("a/list/%d", 0, 60))
		for i := range 20 {
			link := "a/list/0"
			if fertile {
				link = fmt.Sprintf("a/list/%d", 100+i)
			}
			fmt.Fprintf(&b, "* same %s\n", link)
		}
		r := row{seeds: "a/", same: true, script: b.String()}
		for _, limit := range []int{0, 100} {
			r.change = both(guarded, depth(limit))
			w := r.play(mode{})
			if trapped := len(w.skips) > 0; trapped != fertile || len(w.errs) > 0 {
				t.Errorf("new links %v, depth limit %d: %d URLs refused as a trap's, errors %q", fertile, limit, len(w.skips), w.errs)
			}
		}
	}
}

// Beyond the limit of deferred URLs a refusal for a host's budget is reported at once, and stands:
// the URL does not become a page as well when its host gets room again.
func TestRefusedForGoodBeyondTheLimit(t *testing.T) {
	script := []byte("a/ page")
	for i := range 1<<16 + 1000 {
		script = fmt.Appendf(script, " a/%d", i)
	}
	script = append(script, " b/1\nb/ moved\nc/ page b/1 b/2"...)
	for _, m := range []mode{{}, {restart: 1}} {
		w := begin(row{seeds: "a/ b/ c/", change: budget(1), script: string(script)}, m)
		w.exhaust()
		if m.restart > 0 {
			w.restart()
		}
		w.finish()
		if !slices.Contains(w.leased, "b/2") {
			t.Errorf("%s: nothing takes the place of b/; leased were %v", m, w.leased)
		}
		if w.checkFates(); len(w.errs) > 0 {
			t.Errorf("%s: %s", m, w.errs[0])
		}
	}
}
