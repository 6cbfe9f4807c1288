package gate_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/parse"
	"crawler/weburl"
)

// row is a script for a Gate and what must come of it. URLs are short: a/x is
// http://a.test/x.
//
// A script has an event a line. Most begin with a URL, which is leased if it is not yet:
//
//	a/ page a/1 nofollow:a/2 declined:a/3 entry:a/4 sitemap:a/5
//	                    it is a page with these links
//	a/ same a/1         and has the text of all other such pages, where others have their own
//	a/ moved a/1        it redirects
//	a/ unwanted a/1     it redirects to where the hook does not want to go
//	a/ moved            it redirects nowhere
//	a/ robots a/s.xml   its robots.txt was read, which lists sitemaps; the page has its turn again
//	a/ forbidden        robots.txt forbids it
//	a/ failed timeout   it could not be fetched, and the host is well
//	a/ silent timeout   nor does the host answer
//	a/ refused          likewise, and takes no place in its host's budget
//	a/ gone             its host asks for more patience than there is, which closes it
//	a/ returned         it was not fetched after all
//	a/ leased           it is leased, and nothing more
//	add b/              one more seed
//	trust a/            nothing on the host is a trap's any more, from the next restart on
//	hold                the log answers no more
//	answer              and does again
//
// What was leased in the end is an empty page.
type row struct {
	name     string
	change   func(c *gate.Config)
	seeds    string
	script   string
	leased   string // what is fetched, in that order
	skips    string // what is reported, in any order: "a/x reason", then "via a/" and "from a/y"
	admitted int    // URLs, if not as many as are leased
	honest   int    // URLs that were refused as traps' and queued again
	same     bool   // what is fetched beyond the script says what others do
	modes    modes
}

// mode is how a script is run.
type mode struct {
	doubt   bool // every answer but for the latest URLs is "perhaps"
	restart int  // events after which another Gate is restored; it is committed after each
}

type modes []mode

var (
	all        modes = []mode{{}, {false, 1}, {doubt: true}, {true, 1}, {true, 3}}
	doubtfully modes = []mode{{doubt: true}, {true, 1}, {true, 3}} // it needs them
	steadily   modes = []mode{{}, {doubt: true}}                   // about what a restart ends
	answered   modes = []mode{{}, {false, 1}, {doubt: true}}       // before a restart
	restarts   modes = []mode{{false, 1}}                          // it needs one after each event
)

func (m mode) String() string {
	switch {
	case m == mode{}:
		return "memory"
	case m.restart == 0:
		return "doubt"
	}
	return fmt.Sprintf("doubt %v, restart every %d", m.doubt, m.restart)
}

// run runs the script in one mode and returns what is not as it should be.
func (r *row) run(m mode) []string {
	w := r.play(m)
	w.check()
	return w.errs
}

// play runs the script to its end.
func (r *row) play(m mode) *world {
	w := newWorld(r, m)
	for line := range strings.Lines(r.script) {
		if line = strings.TrimSpace(line); line != "" {
			w.event(strings.Fields(line))
		}
	}
	w.finish()
	return w
}

// world is what a Gate lives in.
type world struct {
	row     *row
	mode    mode
	gate    *gate.Gate
	cfg     gate.Config
	now     time.Time
	disk    *disk
	notes   []func(*disk)
	admits  dedup.Durable
	log     map[uint64]bool // the fingerprints of URLs on disk
	prefix  []uint64        // and of their hosts
	seq     uint64
	silent  bool     // the log answers no more
	asked   []uint64 // what it is asked about
	changes int      // that the Journal heard of
	changed int      // URLs among them
	flight  []gate.Task
	pages   map[string]int
	moved   map[string]int
	met     map[string]bool // all URLs
	leased  []string
	skips   []gate.Skip // as recorded
	cut     int         // of them, before the recorder's part of the next commit
	sampler *gate.Sampler
	words   uint64
	errs    []string
}

func newWorld(r *row, m mode) *world {
	w := &world{
		row: r, mode: m, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), disk: newDisk(), log: map[uint64]bool{},
		pages: map[string]int{}, moved: map[string]int{}, met: map[string]bool{},
	}
	w.cfg = gate.Config{
		FollowTraps: true,
		Dedup:       dedup.Config{ExpectURLs: 1000, Layers: 1, Seed: 7},
		Frontier:    frontier.Config{Delay: frontier.NoDelay, PerHost: 8, Patience: frontier.NoPatience},
	}
	if m.doubt {
		w.cfg.Dedup.ExpectURLs, w.cfg.Dedup.BitsPerURL = 1, 1
	}
	if r.change != nil {
		r.change(&w.cfg)
	}
	w.cfg.MoreSeeds = strings.Contains(r.script, "add ")
	w.sampler = w.cfg.NewSampler()
	var err error
	if m == (mode{}) {
		w.gate, err = gate.New(w.cfg)
	} else {
		w.cfg.Frontier.Disk = w.disk
		w.gate, w.admits, err = gate.NewDurable(w.cfg, w)
	}
	if err != nil {
		panic(err)
	}
	w.gate.Seeds(w.urls(strings.Fields(r.seeds)))
	if m != (mode{}) {
		w.commit()
		w.restart()
	}
	w.settle()
	return w
}

func long(s string) weburl.URL {
	scheme := "http"
	if rest, ok := strings.CutPrefix(s, "https:"); ok {
		scheme, s = "https", rest
	}
	host, path, _ := strings.Cut(s, "/")
	host, port, _ := strings.Cut(host, ":")
	u, err := weburl.Parse(scheme + "://" + strings.TrimSuffix(host+".test:"+port, ":") + "/" + path)
	if err != nil {
		panic(err)
	}
	return u
}

func short(s string) string {
	s = strings.Replace(strings.TrimPrefix(s, "http://"), "https://", "https:", 1)
	return strings.Replace(s, ".test", "", 1)
}

func (w *world) urls(list []string) (urls []weburl.URL) {
	for _, s := range list {
		w.met[s] = true
		urls = append(urls, long(s))
	}
	return urls
}

func (w *world) fail(format string, args ...any) {
	w.errs = append(w.errs, fmt.Sprintf(format, args...))
}

// event carries out one line.
func (w *world) event(f []string) {
	commits := w.mode.restart > 0
	if commits {
		w.record(true)
	}
	switch f[0] {
	case "hold":
		w.silent = true
	case "answer":
		w.silent = false
	case "trust":
		w.cfg.Traps.Trust = []string{long(f[1]).Host() + "/"}
	case "add":
		w.gate.Add(w.urls(f[1:])[0])
	default:
		if t := w.lease(f[0]); t != nil {
			w.answer(t, f[1], f[2:])
		}
	}
	if w.silent && w.asked == nil {
		w.asked = w.gate.Checks().Take() // a commit may meet checks that the log is asked about
	}
	if commits {
		if w.seq%2 == 0 {
			w.record(false)
		}
		w.commit()
	}
	if commits && w.seq%uint64(w.mode.restart) == 0 {
		w.restart()
	}
	w.settle()
}

// lease returns the task of a URL, "*" for any.
func (w *world) lease(url string) *gate.Task {
	for {
		if i := slices.IndexFunc(w.flight, func(t gate.Task) bool { return url == "*" || short(t.URL.String()) == url }); i >= 0 {
			return &w.flight[i]
		}
		if w.next() {
			continue
		}
		if w.silent || w.gate.Checks().Waiting() == 0 {
			w.fail("%s is not leased", url)
			return nil
		}
		w.settle()
	}
}

func (w *world) next() bool {
	w.now = w.now.Add(time.Hour)
	t, ok := w.gate.Next(w.now)
	// Next without a task may have refused as many as it does at a time.
	for n := 0; !ok && n < 100 && w.gate.Queue().Queued() > 0; n++ {
		w.record(false)
		t, ok = w.gate.Next(w.now)
	}
	if !ok {
		return false
	}
	w.flight = append(w.flight, t)
	if u := short(t.URL.String()); !slices.Contains(w.leased, u) {
		w.leased = append(w.leased, u)
	}
	return true
}

// end takes a task out of those in flight.
func (w *world) end(t gate.Task) {
	w.flight = slices.DeleteFunc(w.flight, func(x gate.Task) bool { return x.URL == t.URL })
}

// answer is what came of a task.
func (w *world) answer(at *gate.Task, what string, args []string) {
	if what == "leased" {
		return
	}
	t, o := *at, frontier.Outcome{}
	w.end(t)
	url := short(t.URL.String())
	skip := gate.Skip{URL: t.URL.String(), Via: t.Via}
	switch what {
	case "page", "same":
		w.pages[url]++
		w.gate.Page(&gate.Page{Task: t, Status: 200, Links: w.links(args), Sample: w.sample(&t, what)}, w.now)
	case "moved", "unwanted":
		w.moved[url]++
		o.NoPage = true
		r := gate.Redirect{Task: t, Outcome: o, Declined: what == "unwanted"}
		if len(args) > 0 {
			r.Target = w.urls(args)[0]
		}
		w.gate.Redirect(&r, w.now)
	case "robots":
		f := gate.RobotsFile{Sitemaps: w.urls(args)}
		w.gate.RobotsFile(&t, f, w.now)
	case "forbidden":
		skip.Reason, skip.Robots = gate.Disallowed, gate.Forbids
		w.gate.Refuse(&t, w.now, frontier.Outcome{Kind: frontier.Unasked, NoPage: true}, skip)
	case "refused":
		skip.Reason = "address"
		w.gate.Refuse(&t, w.now, frontier.Outcome{Kind: frontier.Unasked, NoPage: true}, skip)
	case "failed":
		skip.Reason = gate.Reason(args[0])
		w.gate.Refuse(&t, w.now, frontier.Outcome{Kind: frontier.Faulty, Retry: true}, skip)
	case "silent":
		skip.Reason = gate.Reason(args[0])
		w.gate.Refuse(&t, w.now, frontier.Outcome{Kind: frontier.Failed, Retry: true}, skip)
	case "gone":
		skip.Reason = gate.HostClosed
		w.gate.Refuse(&t, w.now, frontier.Outcome{Kind: frontier.Throttled, RetryAfter: 24 * time.Hour}, skip)
	case "returned":
		w.gate.Return(&t, time.Time{})
	default:
		panic("no event: " + what)
	}
}

// links reads a page's links.
func (w *world) links(list []string) (links []parse.Link) {
	for _, s := range list {
		var l parse.Link
		for more := true; more; {
			kind, rest, _ := strings.Cut(s, ":")
			switch kind {
			case "nofollow":
				l.NoFollow = true
			case "declined":
				l.Declined = true
			case "entry":
				l.Kind = parse.Entry
			case "sitemap":
				l.Kind = parse.Sitemap
			default:
				more, rest = false, s
			}
			s = rest
		}
		l.URL = long(s)
		w.met[s] = true
		links = append(links, l)
	}
	return links
}

// sample is a page's text: 40 words, which no other page has or all have.
func (w *world) sample(t *gate.Task, what string) gate.Sample {
	words, pictures := make([]uint64, 40), uint64(0)
	for i := range words {
		words[i] = uint64(i + 1)
		if what != "same" {
			w.words++
			words[i] = 1<<32 + w.words
			pictures = w.words % 3 // none, as often as any
		}
	}
	return w.sampler.Page(t, 200, gate.Text{Words: words, Pictures: pictures}, w.words, gate.Sample{})
}

// settle does what is done between any two events.
func (w *world) settle() {
	for n := 0; ; n++ {
		w.gate.Drain()
		w.record(false)
		if w.silent || w.asked == nil && w.gate.Checks().Waiting() == 0 {
			return
		}
		if n == 10 {
			w.fail("the log is asked for ever")
			return
		}
		w.ask()
	}
}

// ask has the log answer.
func (w *world) ask() {
	if w.asked == nil {
		w.asked = w.gate.Checks().Take()
	}
	found := make([]bool, len(w.asked))
	for i, fp := range w.asked {
		found[i] = w.log[fp]
	}
	w.asked = nil
	w.gate.Checks().Answer(found)
}

// record is the recorder: it is given what was refused, and asked for its part of a commit.
func (w *world) record(cut bool) {
	w.skips = append(w.skips, w.gate.Backlog()...)
	w.gate.Sent(cut)
	if cut {
		w.cut = len(w.skips)
	}
}

// restart continues with another Gate, from the last commit.
func (w *world) restart() {
	account, err := w.admits.AppendAccount(nil)
	if err != nil {
		panic(err)
	}
	log, err := dedup.Reopen(account)
	if err != nil {
		panic(err)
	}
	log.Add(-1, slices.Sorted(maps.Keys(w.log)))
	log.Add(0, w.prefix)
	if w.mode.doubt { // fill it until it takes everything for known
		random := rand.New(rand.NewPCG(1, 2))
		fps := make([]uint64, 1<<10)
		for i := range fps {
			fps[i] = random.Uint64()
		}
		log.Add(-1, fps)
		log.Add(0, fps)
	}
	n := w.gate.Counts()
	n.Skipped, n.Errors, n.Traps = maps.Clone(n.Skipped), maps.Clone(n.Errors), slices.Clone(n.Traps)
	w.gate, w.admits, err = gate.Restore(w.cfg, w, gate.State{Records: w.disk, Hosts: w.disk.each, Log: log, Counts: n, Now: w.now})
	if err != nil {
		panic(err)
	}
	if _, a := w.admits.Peek(long("never/met")); (a == dedup.Maybe) != w.mode.doubt {
		panic("the filter is not as the mode wants it")
	}
	w.flight, w.asked = nil, nil
	w.skips = w.skips[:w.cut]
}

func (w *world) commit() {
	w.now = w.now.Add(time.Hour)
	w.seq++
	err := w.gate.Commit(gate.Commit{Records: w.disk, Queue: w.disk, Seq: w.seq})
	if err != nil {
		panic(err)
	}
	urls, prefixes := w.admits.TakeNew()
	for _, fp := range urls {
		w.log[fp] = true
	}
	w.prefix = append(w.prefix, prefixes[0]...)
	for _, do := range w.notes {
		do(w.disk)
	}
	w.notes = nil
	w.gate.Queue().Landed()
}

// Note and Changed make w a gate.Journal.
func (w *world) Note(key, value []byte) {
	w.notes = append(w.notes, func(d *disk) {
		if value == nil {
			d.Delete(key)
		} else {
			d.Put(key, value)
		}
	})
}

func (w *world) Changed(urls int) {
	w.changes++
	w.changed += urls
}

// exhaust has everything fetched that is left.
func (w *world) exhaust() {
	what := "page"
	if w.row.same {
		what = "same"
	}
	w.silent = false
	w.settle()
	for n := 0; n < 10_000 && (len(w.flight) > 0 || w.next() || !w.gate.Idle()); n++ {
		for len(w.flight) > 0 {
			w.event([]string{short(w.flight[0].URL.String()), what})
		}
		w.settle()
	}
}

// finish is the end, where what remains is reported.
func (w *world) finish() {
	for w.exhaust(); w.gate.Reconsider(); w.exhaust() {
	}
	if !w.gate.Idle() {
		w.fail("%d URLs are still queued, %d wait for the log", w.gate.Queue().Queued(), w.gate.Checks().Waiting())
	}
	w.gate.Finish(false)
	w.settle()
}

// check compares what came of the script with what should have, and accounts for every URL.
func (w *world) check() {
	r := w.row
	leased, want := slices.Clone(w.leased), strings.Fields(r.leased)
	if w.mode != (mode{}) { // a restart takes the hosts by name, what was leased first of all
		slices.Sort(leased)
		slices.Sort(want)
	}
	if !slices.Equal(leased, want) {
		w.fail("leased %s, want %s", strings.Join(leased, " "), strings.Join(want, " "))
	}
	var skips, wanted []string
	for _, s := range w.skips {
		skips = append(skips, describe(s))
	}
	for line := range strings.Lines(r.skips) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			wanted = append(wanted, line)
		}
	}
	slices.Sort(skips)
	slices.Sort(wanted)
	if !slices.Equal(skips, wanted) {
		w.fail("skips\n\t%s\nwant\n\t%s", strings.Join(skips, "\n\t"), strings.Join(wanted, "\n\t"))
	}
	w.checkFates()
	w.checkCounts()
	n := w.gate.Counts()
	if want := cmp.Or(r.admitted, len(w.leased)); n.Admitted != want {
		w.fail("%d URLs were admitted, want %d", n.Admitted, want)
	}
	refused := r.honest
	for _, s := range w.skips {
		if s.Trap != "" {
			refused++
		}
	}
	if want := n.Admitted + refused; w.mode != (mode{}) && w.changed != want {
		w.fail("the Journal heard of %d URLs, want %d: those admitted, and those refused as traps'", w.changed, want)
	}
}

// describe is a Skip in a script's words.
func describe(s gate.Skip) string {
	text := short(s.URL) + " " + string(s.Reason)
	if s.Via != "" {
		text += " via " + short(s.Via)
	}
	if s.From != "" {
		text += " from " + short(s.From)
	}
	if kind, trapped := strings.CutPrefix(string(s.Reason), "trap:"); trapped != (s.Trap != "") || trapped && kind != string(s.Trap) {
		text += " as trap " + strconv.Quote(string(s.Trap))
	}
	if (s.Reason == gate.Disallowed) != (s.Robots != "") {
		text += " as robots " + strconv.Quote(string(s.Robots))
	}
	return text
}

// checkFates demands one fate of every URL that was met: it was a page, it redirects, or it was
// reported, and that once.
func (w *world) checkFates() {
	skipped := map[string]int{}
	for _, s := range w.skips {
		skipped[short(s.URL)]++
	}
	for _, u := range slices.Sorted(maps.Keys(w.met)) {
		if n := w.pages[u] + skipped[u] + w.moved[u]; n != 1 {
			w.fail("%s has %d fates: %d pages, %d skips, %d redirects", u, n, w.pages[u], skipped[u], w.moved[u])
		}
	}
}

// checkCounts compares the Gate's counts with what was recorded.
func (w *world) checkCounts() {
	n := w.gate.Counts()
	skipped, errors, trapped, listed := map[gate.Reason]int{}, map[gate.Reason]int{}, 0, 0
	for _, s := range w.skips {
		if s.Reason.Decision() {
			skipped[s.Reason]++
		} else {
			errors[s.Reason]++
		}
		if s.Trap != "" {
			trapped++
		}
	}
	if !maps.Equal(skipped, n.Skipped) || !maps.Equal(errors, n.Errors) {
		w.fail("recorded %v and %v, counted %v and %v", skipped, errors, n.Skipped, n.Errors)
	}
	for _, t := range n.Traps {
		listed += t.Refused
	}
	if trapped != listed {
		w.fail("%d URLs were refused as traps', the traps have %d", trapped, listed)
	}
}

// disk is what survives: records, blocks of queued URLs, and hosts.
type disk struct {
	records map[string][]byte
	blocks  map[string][]byte
	hosts   map[string][]byte
}

func newDisk() *disk {
	return &disk{records: map[string][]byte{}, blocks: map[string][]byte{}, hosts: map[string][]byte{}}
}

func (d *disk) Put(key, value []byte) { d.records[string(key)] = slices.Clone(value) }

func (d *disk) Delete(key []byte) { delete(d.records, string(key)) }

func (d *disk) DeleteRange(from, to []byte) {
	maps.DeleteFunc(d.records, func(key string, _ []byte) bool { return key >= string(from) && key < string(to) })
}

func (d *disk) Get(key []byte) ([]byte, error) { return d.records[string(key)], nil }

func (d *disk) Scan(prefix []byte, fn func(key, value []byte) error) error {
	for _, key := range slices.Sorted(maps.Keys(d.records)) {
		if strings.HasPrefix(key, string(prefix)) {
			if err := fn([]byte(key), d.records[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

func blockKey(host string, depth int, seq uint64) string {
	return fmt.Sprint(host, " ", depth, " ", seq)
}

func (d *disk) Block(host string, depth int, seq uint64) ([]byte, error) {
	return d.blocks[blockKey(host, depth, seq)], nil
}

func (d *disk) PutBlock(host string, depth int, seq uint64, block []byte) {
	d.blocks[blockKey(host, depth, seq)] = slices.Clone(block)
}

func (d *disk) DeleteBlocks(host string, depth int, from, to uint64) {
	for ; from < to; from++ {
		delete(d.blocks, blockKey(host, depth, from))
	}
}

func (d *disk) PutHost(host string, state []byte) { d.hosts[host] = slices.Clone(state) }

func (d *disk) each(fn func(host string, state []byte) error) error {
	for _, host := range slices.Sorted(maps.Keys(d.hosts)) {
		if err := fn(host, d.hosts[host]); err != nil {
			return err
		}
	}
	return nil
}

// runRows runs every row in each of its modes.
func runRows(t *testing.T, rows []row) {
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			modes := r.modes
			if modes == nil {
				modes = all
			}
			for _, m := range modes {
				for _, e := range r.run(m) {
					t.Error(m.String() + ": " + e)
				}
			}
		})
	}
}
