package dedup

import (
	"iter"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"crawler/weburl"
)

// crawlModel asks a Logged as a crawl does, and compares it with the truth. A keeper does
// one job at a time: between its beginning, when it reads the log, and its end, when the
// answer comes, the crawl continues.
type crawlModel struct {
	t    *testing.T
	r    *Logged
	rand *rand.Rand
	log  modelLog
	job  func() // the end of the keeper's job; nil: it is free

	state
	saved   state // as it was at the last commit
	account []byte

	rebuilt, parts, crashes int
}

// state is what a commit saves.
type state struct {
	admitted map[weburl.URL]bool
	asked    map[weburl.URL]bool
	open     map[uint64]Pending // questions that wait for the log
	wrong    int64              // first questions that the filter called maybe
	checked  int64              // answers of the log
	journal  modelLog
}

func (s state) clone() state {
	s.admitted, s.asked, s.open = maps.Clone(s.admitted), maps.Clone(s.asked), maps.Clone(s.open)
	s.journal = s.journal.clone()
	return s
}

// modelLog is a log: fingerprints of URLs, then of the prefixes of each layer.
type modelLog [][]uint64

func (l modelLog) clone() modelLog {
	l = slices.Clone(l)
	for i := range l {
		l[i] = slices.Clone(l[i])
	}
	return l
}

func (l modelLog) add(urls []uint64, prefixes [][]uint64) {
	l[0] = append(l[0], urls...)
	for i := range prefixes {
		l[i+1] = append(l[i+1], prefixes[i]...)
	}
}

func newModel(t *testing.T, cfg Config, r *rand.Rand) *crawlModel {
	m := &crawlModel{t: t, r: mustLogged(t, cfg), rand: r}
	m.log = make(modelLog, m.r.cfg.Layers+1)
	m.state = state{map[weburl.URL]bool{}, map[weburl.URL]bool{}, map[uint64]Pending{}, 0, 0, make(modelLog, m.r.cfg.Layers+1)}
	m.commit()
	return m
}

func mustLogged(t testing.TB, cfg Config) *Logged {
	t.Helper()
	s, err := NewDurable(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*Logged)
}

func (m *crawlModel) ask(u weburl.URL) {
	m.t.Helper()
	if first := !m.asked[u]; first {
		m.asked[u] = true
		if m.r.filter.Has(u) {
			m.wrong++
		}
	}
	peeked := answer(m.r.Peek(u))
	p, a := m.r.Admit(u)
	switch {
	case a != peeked || a == New && m.admitted[u], a == Seen && !m.admitted[u], a == Maybe && !m.r.spilled:
		m.t.Fatalf("Admit(%v) = %d, Peek %d", u, a, peeked)
	case a == Maybe:
		if p.URL() != u || p.Fingerprint() != m.r.hash.fingerprint(u) {
			m.t.Fatalf("%v is open for %v", p, u)
		}
		m.open[p.Fingerprint()] = p
	case a == New:
		m.admit(u)
	}
}

// admit notes that u was admitted.
func (m *crawlModel) admit(u weburl.URL) {
	m.admitted[u] = true
	if !knows(m.r, u) || m.r.admitted != int64(len(m.admitted)) {
		m.t.Fatalf("%v was just admitted: %d", u, answer(m.r.Peek(u)))
	}
}

// check begins to ask the log about what is open.
func (m *crawlModel) check() {
	found := map[uint64]bool{}
	var log Set
	for _, fp := range m.log[0] {
		log.Add(fp)
	}
	for fp := range m.open {
		found[fp] = log.Has(fp)
	}
	m.job = func() {
		for fp, found := range found {
			m.answered(fp, found)
		}
	}
}

func (m *crawlModel) answered(fp uint64, found bool) {
	p := m.open[fp]
	delete(m.open, fp)
	admitted := m.admitted[p.URL()]
	switch {
	case found:
		m.checked++
		m.r.Found(p)
	case m.r.NotFound(p) == admitted:
		m.t.Fatalf("NotFound(%v) = %v", p.URL(), !admitted)
	case !admitted:
		m.checked++
		m.admit(p.URL())
	}
	if !knows(m.r, p.URL()) {
		m.t.Fatalf("%v was just answered: %d", p.URL(), answer(m.r.Peek(p.URL())))
	}
}

// freeze begins to write the tail.
func (m *crawlModel) freeze() {
	m.commit() // the log is no newer than the commit
	part := m.r.Freeze()
	if part == nil {
		return
	}
	m.parts++
	if m.r.Freeze() != nil {
		m.t.Fatal("two parts are frozen")
	}
	m.job = func() {
		m.write(part)
		part.Written()
	}
}

func (m *crawlModel) write(part *Part) {
	lists := [][]uint64{slices.Collect(part.URLs)}
	for i := range m.r.cfg.Layers {
		lists = append(lists, slices.Collect(part.Prefixes(i)))
	}
	for _, fps := range lists {
		if !slices.IsSorted(fps) {
			m.t.Fatal("a part is not sorted")
		}
	}
	if len(lists[0]) != part.Len() {
		m.t.Fatalf("%d fingerprints, Len is %d", len(lists[0]), part.Len())
	}
	m.log.add(lists[0], lists[1:])
}

// restart begins to fill the next filter.
func (m *crawlModel) restart() {
	b := m.r.Rebuild()
	if m.r.Due() || m.r.Freeze() != nil || m.r.Rebuild() != nil {
		m.t.Fatal("a restart is due, or a part to be frozen, while one is made")
	}
	for i, fps := range m.log {
		b.Add(i-1, fps)
	}
	m.job = func() {
		b.Adopt(m.pending())
		m.complete()
	}
}

// pending are the open questions.
func (m *crawlModel) pending() iter.Seq[Pending] { return maps.Values(m.open) }

// complete checks that a rebuilt filter has everything.
func (m *crawlModel) complete() {
	m.rebuilt++
	for u := range m.admitted {
		if !m.r.filter.Has(u) {
			m.t.Fatalf("the rebuilt filter lost %v", u)
		}
	}
}

func (m *crawlModel) commit() {
	urls, prefixes := m.r.TakeNew()
	m.journal.add(urls, prefixes)
	m.saved, m.account = m.state.clone(), must(m.r.AppendAccount(nil))
}

// crash goes back to the last commit.
func (m *crawlModel) crash() {
	m.crashes++
	before := m.r.Stats()
	m.state, m.job = m.saved.clone(), nil
	m.log = m.journal.clone()
	r := must(Reopen(m.account))
	for fp, p := range m.open { // as they are saved: by their URLs
		if p = r.Pending(p.URL()); p.Fingerprint() != fp {
			m.t.Fatalf("%v was open under %x", p, fp)
		}
		m.open[fp] = p
	}
	for i, fps := range m.log {
		r.Add(i-1, fps)
	}
	m.r = r.Open(m.pending()).(*Logged)
	m.complete()
	if after := m.r.Stats(); after.Restarts > before.Restarts || m.r.Config() != r.Config() {
		m.t.Fatalf("%d restarts became %d", before.Restarts, after.Restarts)
	}
}

func (m *crawlModel) finish() {
	if job := m.job; job != nil {
		m.job = nil
		job()
	}
}

// step does something that a crawl may do at any moment.
func (m *crawlModel) step() {
	n := m.rand.IntN(400)
	switch {
	case n < 8:
		m.finish()
	case n == 8:
		m.commit()
	case n == 9 && m.rand.IntN(3) == 0:
		m.crash()
	case n == 20 && m.r.spilled: // as if others had come since
		m.r.recent = newRecent(m.r.cfg.Layers)
	case m.job != nil:
	case m.r.Due() || n == 10 && m.rand.IntN(4) == 0:
		m.restart()
	case n < 13:
		m.freeze()
	case n < 20:
		m.check()
	}
}

// end answers every open question.
func (m *crawlModel) end() Stats {
	m.finish()
	m.check()
	m.finish()
	return m.r.Stats()
}

// With the log on disk every URL is admitted once, and the counted errors are the
// true ones: whatever the filter's size, however many questions are open, and through
// restarts and crashes.
func TestLoggedIsExact(t *testing.T) {
	const n = 800
	wrong, rebuilt, crashes, parts := int64(0), 0, 0, 0
	for seed := range uint64(28) {
		w := newWeb(seed, 30)
		list := w.urls(n)
		cfg := Config{
			ExpectURLs:   1 + w.r.IntN(n),
			FPRate:       0.5 * w.r.Float64(),
			BitsPerURL:   []float64{0, 0, 2, 1e-300}[seed%4],
			RestartEvery: w.r.IntN(2) * (100 + w.r.IntN(n)),
			Layers:       1 + w.r.IntN(MaxLayers),
			Seed:         w.r.Uint64(),
		}
		m := newModel(t, cfg, w.r)
		for i := range list {
			for _, u := range []weburl.URL{list[i], list[w.r.IntN(i+1)], list[w.r.IntN(n)]} {
				m.ask(u)
				m.step()
			}
		}
		for _, u := range list { // what a crash took back
			m.ask(u)
		}
		s := m.end()
		if s.New != n || len(m.admitted) != n || m.r.admitted != n {
			t.Fatalf("seed %d: %d of %d admitted", seed, s.New, n)
		}
		if s.FalsePositives != m.wrong {
			t.Fatalf("seed %d, %+v: counted %d false positives, truly %d", seed, cfg, s.FalsePositives, m.wrong)
		}
		if s.Checked != m.checked || s.Asked < n || s.Seen != s.Asked-n || s.Rate != float64(m.wrong)/n {
			t.Fatalf("seed %d: %+v", seed, s)
		}
		wrong += m.wrong
		rebuilt, crashes, parts = rebuilt+m.rebuilt, crashes+m.crashes, parts+m.parts
	}
	if wrong < 2000 || rebuilt < 150 || crashes < 20 || parts < 100 {
		t.Errorf("only %d false positives, %d filters rebuilt, %d crashes, %d parts", wrong, rebuilt, crashes, parts)
	}
}

// record admits u, which is new, whatever the filter says.
func record(l *Logged, u weburl.URL) {
	if p, a := l.Admit(u); a == Maybe {
		l.NotFound(p)
	}
}

// spilledWith returns a Logged that has admitted the URLs and frozen them.
func spilledWith(t testing.TB, cfg Config, list []weburl.URL) (*Logged, *Part) {
	r := mustLogged(t, cfg)
	for _, u := range list {
		r.Admit(u)
	}
	part := r.Freeze()
	if part == nil || part.Len() != len(list) || r.TailLen() != 0 {
		t.Fatalf("a part of %d URLs, %d in the tail", part.Len(), r.TailLen())
	}
	return r, part
}

// A part that is written while a filter is filled is in that filter, whether or not the
// log gave it.
func TestWrittenDuringRebuild(t *testing.T) {
	list := newWeb(1, 20).urls(500)
	r, part := spilledWith(t, Config{ExpectURLs: 1000}, list[:300])
	b := r.Rebuild()
	for _, u := range list[300:] {
		record(r, u)
	}
	part.Written()
	if r.Freeze() != nil {
		t.Error("a part is frozen while a filter is filled")
	}
	b.Adopt(nil)
	for _, u := range list {
		if !r.filter.Has(u) {
			t.Fatalf("%v lost", u)
		}
	}
	if !knows(r, list[499]) || r.TailLen() != 200 || r.Stats().Restarts != 1 {
		t.Errorf("answer %d, %+v", answer(r.Peek(list[499])), r.Stats())
	}
	if r.Freeze().Len() != 200 {
		t.Error("the tail cannot be frozen")
	}
}

// Until Written a frozen part is known, without the cache too, and the next filter has it.
func TestFrozenPartIsKnown(t *testing.T) {
	list := newWeb(4, 20).urls(300)
	r, part := spilledWith(t, Config{}, list)
	clear(r.recent.urls[:])
	for _, u := range list {
		if _, a := r.Admit(u); a != Seen {
			t.Fatalf("Admit(%v) = %d", u, a)
		}
	}
	r.Rebuild().Adopt(nil)
	for _, u := range list {
		if !r.filter.Has(u) {
			t.Fatalf("%v lost", u)
		}
	}
	part.Written()
	clear(r.recent.urls[:])
	if p, a := r.Admit(list[0]); a != Maybe || p.URL() != list[0] {
		t.Errorf("answer %d for %v, which only the log knows", a, p)
	}
	if s := r.Stats(); s.Hot != 0 || s.New != 300 || s.Seen != 301 {
		t.Errorf("%+v", s)
	}
}

// What is spent does nothing: a second Adopt, an Add or a Written that comes late.
func TestSpent(t *testing.T) {
	list := newWeb(4, 20).urls(300)
	r, part := spilledWith(t, Config{}, list[:100])
	b := r.Rebuild()
	b.Adopt(nil)
	part.Written()
	record(r, list[100])
	second := r.Freeze()
	part.Written()
	filter, before := *r.filter, r.Stats()
	b.Add(-1, []uint64{1, 2, 3})
	next := r.Rebuild()
	b.Adopt(nil)
	if after := r.Stats(); !reflect.DeepEqual(before, after) || r.frozen != second || r.next != next || r.filter.hash != filter.hash {
		t.Errorf("%+v became %+v", before, after)
	}
	next.Adopt(nil)
	if r.next != nil || r.Stats().Restarts != 2 {
		t.Errorf("%+v", r.Stats())
	}
}

// A question that is open when a filter comes stays open, whatever that says, until it is
// answered; and the next filter forgets it.
func TestOpenQuestions(t *testing.T) {
	r, part := spilledWith(t, Config{ExpectURLs: 2, BitsPerURL: 1, Layers: 1}, newWeb(4, 5).urls(300))
	part.Written()
	var open []Pending
	for _, u := range newWeb(5, 20).urls(400) {
		if p, a := r.Peek(u); a == Maybe && len(open) < 3 {
			open = append(open, p)
		}
	}
	if len(open) < 3 {
		t.Fatalf("only %d open questions", len(open))
	}
	r.expect = 10_000 // so that the next filter knows better
	answers := func(want ...Answer) {
		t.Helper()
		for i, p := range open {
			if got := answer(r.Peek(p.URL())); got != want[i] {
				t.Errorf("question %d: %d, want %d", i, got, want[i])
			}
		}
	}
	r.Rebuild().Adopt(slices.Values(open))
	answers(Maybe, Maybe, Maybe)
	if before := r.Stats(); !r.NotFound(open[0]) || r.Stats().FalsePositives != before.FalsePositives+1 || r.NotFound(open[0]) {
		t.Errorf("%+v, %+v", before, r.Stats())
	}
	r.Found(open[1])
	answers(Seen, Seen, Maybe)
	clear(r.recent.urls[:])
	answers(Seen, New, Maybe) // there was no log that had it
	r.Rebuild().Adopt(nil)
	answers(Seen, New, New)
}

// A crawl with far more prefixes than usual outgrows its layers, and Due says so; the
// rebuilt ones last twice as long each time.
func TestCrowdedLayersAreDue(t *testing.T) {
	const n = 20_000
	r, part := spilledWith(t, Config{ExpectURLs: n}, newWeb(1, 20).urls(1))
	for i := range n - 1 {
		r.Admit(mustParse("http://" + name(uint64(i), 6) + ".org/" + name(uint64(i), 2)))
		if r.Due() {
			part.Written()
			r.Rebuild().Adopt(nil) // everything is in the tail
		}
	}
	s := r.Stats()
	if s.Restarts < 3 || s.Restarts > 6 || s.Expect != n {
		t.Errorf("%d restarts for %d URLs", s.Restarts, s.Expect)
	}
	truth := float64(r.tail.prefixes[0].Len())
	if got := float64(s.Layers[0].Prefixes); got > truth+1 || got < 0.95*truth || s.Layers[0].Misses != s.Layers[0].Prefixes {
		t.Errorf("%v prefixes, truly %v, %d missed", got, truth, s.Layers[0].Misses)
	}
	if s.Layers[0].Fill > 0.7 {
		t.Errorf("the layer is full: %+v", s.Layers[0])
	}
}

// RestartEvery counts from the last restart.
func TestRestartEveryOfLogged(t *testing.T) {
	list := newWeb(1, 20).urls(350)
	r, _ := spilledWith(t, Config{RestartEvery: 200}, list[:50])
	var at []int
	for i, u := range list[50:] {
		record(r, u)
		if r.Due() {
			at = append(at, i+51)
			r.Rebuild().Adopt(nil) // nothing was written
		}
	}
	if !slices.Equal(at, []int{200}) || r.Due() {
		t.Errorf("restarts at %v URLs", at)
	}
	list = newWeb(2, 20).urls(50)
	for _, u := range list {
		record(r, u)
	}
	if !r.Due() || r.Stats().Restarts != 1 {
		t.Errorf("none is due after 200 more: %+v", r.Stats())
	}
}

// Prefixes that the cache knows are logged once.
func TestPrefixesAreLoggedOnce(t *testing.T) {
	list := newWeb(3, 20).urls(3000)
	r, part := spilledWith(t, Config{}, list[:1500])
	r.TakeNew()
	for _, u := range list[1500:] {
		record(r, u)
	}
	part.Written()
	urls, prefixes := r.TakeNew()
	if len(urls) != 1500 {
		t.Errorf("%d of 1500 URLs are new", len(urls))
	}
	for i, list := range prefixes {
		for _, x := range list {
			if part.hasPrefix(i, x) {
				t.Fatalf("layer %d: %x is logged twice", i, x)
			}
		}
		if r.tail.prefixes[i].Len() != len(list) {
			t.Errorf("layer %d: %d prefixes, of which %d are new", i, r.tail.prefixes[i].Len(), len(list))
		}
	}
}

func TestTakeNew(t *testing.T) {
	s, err := NewSeenTest(Config{FilterOnly: true})
	if err != nil || !admits(s, mustParse("http://a/b")) {
		t.Fatal(err)
	}
	if urls, prefixes := s.(*FilterOnly).TakeNew(); urls != nil || prefixes != nil {
		t.Error("lists that nobody will take")
	}
	u, v := mustParse("http://a/b/c/d"), mustParse("http://a/b/e")
	for _, cfg := range []Config{{Layers: 2}, {Layers: 2, FilterOnly: true}} {
		r := must(NewDurable(cfg))
		fp := newHasher(0).fingerprint
		r.Admit(u)
		urls, prefixes := r.TakeNew()
		if !slices.Equal(urls, []uint64{fp(u)}) || len(prefixes) != 2 || len(prefixes[0]) != 1 || len(prefixes[1]) != 1 {
			t.Errorf("%x, %x", urls, prefixes)
		}
		r.Admit(v)
		second, prefixes := r.TakeNew()
		if len(urls) != 1 || urls[0] != fp(u) {
			t.Error("the second call changed what the first returned")
		}
		if !slices.Equal(second, []uint64{fp(v)}) || len(prefixes[0])+len(prefixes[1]) != 0 {
			t.Errorf("%x, %x", second, prefixes)
		}
		if urls, _ = r.TakeNew(); len(urls) != 0 {
			t.Errorf("%x again", urls)
		}
	}
}

// A cached fingerprint is there, of a full set the one that was asked for longest ago
// makes room, and nothing else is ever there.
func TestRecentFingerprints(t *testing.T) {
	h := new(recentFingerprints)
	fp := func(i int) uint64 { return 5 + uint64(i)*recentSets }
	for i := range recentWays {
		if h.has(0) || h.has(fp(i)) {
			t.Errorf("%d is there already", i)
		}
		h.put(fp(i))
		h.put(fp(0))
	}
	for i := range recentWays {
		if !h.has(fp(i)) {
			t.Errorf("%d of %d is gone", i, recentWays)
		}
	}
	h.put(fp(recentWays))
	for i := range recentWays + 1 {
		if h.has(fp(i)) != (i != 0) {
			t.Errorf("%d: %v", i, i == 0)
		}
	}
	h.put(0)
	if h.has(0) {
		t.Error("0 is none here")
	}
}

func TestLoggedAllocatesNothing(t *testing.T) {
	list := newWeb(1, 50).urls(4000)
	r, part := spilledWith(t, Config{}, list[:1000])
	part.Written()
	i := 0
	if n := testing.AllocsPerRun(4000, func() {
		if p, a := r.Admit(list[i%1000]); a == Maybe {
			r.Found(p)
		}
		r.Peek(list[i%4000])
		i++
	}); n != 0 {
		t.Errorf("a question: %v allocations", n)
	}
	for range 2 { // the lists grow once each
		for _, u := range list {
			r.admit(u, r.hash.fingerprint(u))
		}
		r.TakeNew()
	}
	if n := testing.AllocsPerRun(4000, func() {
		r.admit(list[i%4000], r.hash.fingerprint(list[i%4000]))
		i++
	}); n != 0 {
		t.Errorf("an admission: %v allocations", n)
	}
	r.TakeNew()
	if n := testing.AllocsPerRun(10, func() { r.TakeNew() }); n != 0 {
		t.Errorf("TakeNew: %v allocations", n)
	}
}

// Until the first Freeze the log on disk is empty, so a Logged is an InMemory: the same
// answers, all of them certain, the same account and the same restarts, none of them Due.
func TestLoggedBeforeTheFirstFreeze(t *testing.T) {
	const n = 2000
	for seed := range uint64(6) {
		cfg := Config{ExpectURLs: 100, FPRate: 0.3, RestartEvery: int(seed%2) * 300, Layers: 3, Seed: seed}
		l, m := mustLogged(t, cfg), mustInMemory(t, cfg)
		for i, u := range newWeb(seed, 30).urls(n) {
			for range 2 {
				p, a := l.Admit(u)
				if want := answer(m.Admit(u)); a != want || p != (Pending{}) || l.Due() {
					t.Fatalf("seed %d, question %d: %d, an InMemory says %d; a restart is due: %v", seed, i, a, want, l.Due())
				}
			}
		}
		got, want := l.Stats(), m.Stats()
		if !reflect.DeepEqual(got, want) || got.New != n || got.Restarts == 0 || got.FalsePositives == 0 || l.TailLen() != n {
			t.Errorf("seed %d: %+v, of an InMemory %+v", seed, got, want)
		}
		if part := l.Freeze(); part.Len() != n || l.TailLen() != 0 || l.Stats().LogBytes < want.LogBytes+1<<20 {
			t.Errorf("seed %d: the caches are missing: %+v", seed, l.Stats())
		}
	}
}
