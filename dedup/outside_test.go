package dedup

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"crawler/weburl"
)

// crawlModel asks a Restarting with the log outside as a crawl does, and holds it
// against the truth. A keeper does one job at a time: between its beginning, when it
// reads the log, and its end, when the answer comes, the crawl goes on.
type crawlModel struct {
	t    *testing.T
	r    *Restarting
	rand *rand.Rand
	log  modelLog
	job  func() // the end of the keeper's job; nil: it is free

	state
	saved   state // as it was at the last commit
	account []byte

	restarts, parts, crashes int
}

// state is what a commit saves.
type state struct {
	admitted map[weburl.URL]bool
	asked    map[weburl.URL]bool
	open     map[uint64]weburl.URL // questions that wait for the log
	wrong    int64                 // first questions that the filter called maybe
	settled  int64                 // answers of the log
	journal  modelLog
}

func (s state) clone() state {
	s.admitted, s.asked, s.open = maps.Clone(s.admitted), maps.Clone(s.asked), maps.Clone(s.open)
	s.journal = s.journal.clone()
	return s
}

// modelLog is a log: names of URLs, then of the prefixes of each layer.
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
	m := &crawlModel{t: t, r: mustRestarting(t, cfg), rand: r}
	m.r.KeepFresh()
	m.log = make(modelLog, m.r.cfg.Layers+1)
	m.state = state{map[weburl.URL]bool{}, map[weburl.URL]bool{}, map[uint64]weburl.URL{}, 0, 0, make(modelLog, m.r.cfg.Layers+1)}
	m.commit()
	return m
}

func (m *crawlModel) ask(u weburl.URL) {
	m.t.Helper()
	if first := !m.asked[u]; first {
		m.asked[u] = true
		if m.r.filter.Has(u) {
			m.wrong++
		}
	}
	name, a := m.r.Ask(u)
	switch {
	case a == New && m.admitted[u], a == Seen && !m.admitted[u]:
		m.t.Fatalf("Ask(%v) = %d", u, a)
	case a == Maybe:
		m.open[name] = u
		return
	case a == New:
		m.admit(u)
	}
}

func (m *crawlModel) admit(u weburl.URL) {
	m.r.Remember(u)
	m.admitted[u] = true
	if _, a := m.r.Peek(u); a != Seen || m.r.Admitted() != int64(len(m.admitted)) {
		m.t.Fatalf("%v was just remembered: %d", u, a)
	}
}

// check begins to ask the log about what is open.
func (m *crawlModel) check() {
	found := map[uint64]bool{}
	var log Set
	for _, name := range m.log[0] {
		log.Add(name)
	}
	for name := range m.open {
		found[name] = log.Has(name)
	}
	m.job = func() {
		for name, found := range found {
			m.settle(name, found)
		}
	}
}

func (m *crawlModel) settle(name uint64, found bool) {
	u := m.open[name]
	delete(m.open, name)
	_, now := m.r.Peek(u)
	switch {
	case found:
		m.settled++
		m.r.Settle(name, true)
	case now != Seen:
		m.settled++
		m.r.Settle(name, false)
		m.admit(u)
	}
	if _, a := m.r.Peek(u); a != Seen {
		m.t.Fatalf("%v was just settled: %d", u, a)
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
		m.r.Drop()
	}
}

func (m *crawlModel) write(part *Part) {
	lists := [][]uint64{slices.Collect(part.URLs)}
	for i := range m.r.cfg.Layers {
		lists = append(lists, slices.Collect(part.Prefixes(i)))
	}
	for _, names := range lists {
		if !slices.IsSorted(names) {
			m.t.Fatal("a part is not sorted")
		}
	}
	if len(lists[0]) != part.Len() {
		m.t.Fatalf("%d names, Len is %d", len(lists[0]), part.Len())
	}
	m.log.add(lists[0], lists[1:])
}

// restart begins to fill the next filter.
func (m *crawlModel) restart() {
	b := m.r.Rebuild()
	if m.r.Due() || m.r.Freeze() != nil {
		m.t.Fatal("a restart is due, or a part to be frozen, while one is made")
	}
	for i, names := range m.log {
		b.Add(i-1, names)
	}
	m.job = func() { m.adopt(b) }
}

func (m *crawlModel) adopt(b *Rebuild) {
	m.r.Adopt(b)
	for name := range m.open {
		m.r.Doubt(name)
	}
	m.restarts++
	for u := range m.admitted {
		if !m.r.filter.Has(u) {
			m.t.Fatalf("the rebuilt filter lost %v", u)
		}
	}
}

func (m *crawlModel) commit() {
	urls, prefixes := m.r.TakeFresh()
	m.journal.add(urls, prefixes)
	m.saved, m.account = m.state.clone(), must(m.r.AppendAccount(nil))
}

// crash goes back to the last commit.
func (m *crawlModel) crash() {
	m.crashes++
	before := m.r.Stats()
	m.state, m.job = m.saved.clone(), nil
	m.log = m.journal.clone()
	m.r = must(Reopen(m.account))
	m.r.KeepFresh()
	if !m.r.Due() {
		m.t.Fatal("there is no filter, and no restart due")
	}
	for u := range m.asked {
		if name, a := m.r.Peek(u); a != Maybe || m.r.Has(u) || m.r.LayerOf(u) != 0 {
			m.t.Fatalf("%v: %d without filter and log, name %x", u, a, name)
		}
		break
	}
	m.restart()
	m.finish()
	if after := m.r.Stats(); after.Restarts > before.Restarts {
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
	case n == 20 && m.r.out != nil: // as if other names had come since
		clear(m.r.out.names[:])
		clear(m.r.out.logged)
	case m.job != nil:
	case m.r.Due() || n == 10 && m.rand.IntN(4) == 0:
		m.restart()
	case n < 13:
		m.freeze()
	case n < 20:
		m.check()
	}
}

// end settles everything.
func (m *crawlModel) end() Stats {
	m.finish()
	m.check()
	m.finish()
	return m.r.Stats()
}

// With the log outside every URL is admitted once, and the counted errors are the
// true ones: whatever the filter's size, however many questions are open, and through
// restarts and crashes.
func TestOutsideIsExact(t *testing.T) {
	const n = 800
	wrong, restarts, crashes, parts := int64(0), 0, 0, 0
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
		if s.New != n || len(m.admitted) != n || m.r.Admitted() != n {
			t.Fatalf("seed %d: %d of %d admitted", seed, s.New, n)
		}
		if s.FalsePositives != m.wrong {
			t.Fatalf("seed %d, %+v: counted %d false positives, truly %d", seed, cfg, s.FalsePositives, m.wrong)
		}
		if s.Settled != m.settled || s.Asked < n || s.Seen != s.Asked-n || s.Rate != float64(m.wrong)/n {
			t.Fatalf("seed %d: %+v", seed, s)
		}
		wrong += m.wrong
		restarts, crashes, parts = restarts+m.restarts, crashes+m.crashes, parts+m.parts
	}
	if wrong < 2000 || restarts < 150 || crashes < 20 || parts < 100 {
		t.Errorf("only %d false positives, %d restarts, %d crashes, %d parts", wrong, restarts, crashes, parts)
	}
}

// outsideWith returns a Restarting whose log is outside and has the URLs.
func outsideWith(t testing.TB, cfg Config, list []weburl.URL) (*Restarting, *Part) {
	r := mustRestarting(t, cfg)
	for _, u := range list {
		r.Ask(u)
		r.Remember(u)
	}
	part := r.Freeze()
	if part == nil || part.Len() != len(list) || r.TailLen() != 0 {
		t.Fatalf("a part of %d URLs, %d in the tail", part.Len(), r.TailLen())
	}
	return r, part
}

// A part that is dropped while a filter is filled is in that filter, whether or not
// the log gave it.
func TestDropDuringRebuild(t *testing.T) {
	list := newWeb(1, 20).urls(500)
	r, _ := outsideWith(t, Config{ExpectURLs: 1000}, list[:300])
	b := r.Rebuild()
	for _, u := range list[300:] {
		r.Remember(u)
	}
	r.Drop()
	if r.Freeze() != nil {
		t.Error("a part is frozen while a filter is filled")
	}
	r.Adopt(b)
	for _, u := range list {
		if !r.filter.Has(u) {
			t.Fatalf("%v lost", u)
		}
	}
	if _, a := r.Peek(list[499]); a != Seen || r.TailLen() != 200 || r.Stats().Restarts != 1 {
		t.Errorf("answer %d, %+v", a, r.Stats())
	}
	if r.Freeze().Len() != 200 {
		t.Error("the tail cannot be frozen")
	}
}

// Until Drop a frozen part is known, without the cache too, and the next filter has it.
func TestFrozenPartIsKnown(t *testing.T) {
	list := newWeb(4, 20).urls(300)
	r, _ := outsideWith(t, Config{}, list)
	clear(r.out.names[:])
	for _, u := range list {
		if _, a := r.Ask(u); a != Seen {
			t.Fatalf("Ask(%v) = %d", u, a)
		}
	}
	r.Adopt(r.Rebuild())
	for _, u := range list {
		if !r.filter.Has(u) {
			t.Fatalf("%v lost", u)
		}
	}
	r.Drop()
	clear(r.out.names[:])
	if name, a := r.Ask(list[0]); a != Maybe {
		t.Errorf("answer %d for %x, which only the log knows", a, name)
	}
	if s := r.Stats(); s.Hot != 0 || s.New != 300 || s.Seen != 301 {
		t.Errorf("%+v", s)
	}
}

// A crawl with far more prefixes than usual outgrows its layers, and is told so; the
// rebuilt ones last twice as long each time.
func TestCrowdedLayersAreDue(t *testing.T) {
	const n = 20_000
	r, _ := outsideWith(t, Config{ExpectURLs: n}, newWeb(1, 20).urls(1))
	for i := range n - 1 {
		u := mustParse("http://" + name(uint64(i), 6) + ".org/" + name(uint64(i), 2))
		if _, a := r.Ask(u); a == New {
			r.Remember(u)
		}
		if r.Due() {
			r.Drop()
			b := r.Rebuild()
			r.Freeze()
			r.Adopt(b) // everything is in the tail
		}
	}
	s := r.Stats()
	if s.Restarts < 3 || s.Restarts > 6 || s.Expect != n {
		t.Errorf("%d restarts for %d URLs", s.Restarts, s.Expect)
	}
	truth := float64(r.prefixes[0].Len())
	if got := float64(s.Layers[0].Prefixes); got > truth+1 || got < 0.95*truth || s.Layers[0].Misses != s.Layers[0].Prefixes {
		t.Errorf("%v prefixes, truly %v, %d missed", got, truth, s.Layers[0].Misses)
	}
	if s.Layers[0].Fill > 0.7 {
		t.Errorf("the layer is full: %+v", s.Layers[0])
	}
}

// With the log outside RestartEvery counts from the last restart.
func TestRestartEveryOutside(t *testing.T) {
	list := newWeb(1, 20).urls(350)
	r, _ := outsideWith(t, Config{RestartEvery: 200}, list[:50])
	var at []int
	for i, u := range list[50:] {
		r.Remember(u)
		if r.Due() {
			at = append(at, i+51)
			r.Adopt(r.Rebuild()) // nothing was dropped
		}
	}
	if !slices.Equal(at, []int{200}) || r.Due() {
		t.Errorf("restarts at %v URLs", at)
	}
	list = newWeb(2, 20).urls(50)
	for _, u := range list {
		r.Remember(u)
	}
	if !r.Due() || r.Stats().Restarts != 1 {
		t.Errorf("none is due after 200 more: %+v", r.Stats())
	}
}

// Prefixes that the cache knows are logged once.
func TestPrefixesAreLoggedOnce(t *testing.T) {
	list := newWeb(3, 20).urls(3000)
	r, part := outsideWith(t, Config{}, list[:1500])
	r.KeepFresh()
	for _, u := range list[1500:] {
		r.Remember(u)
	}
	r.Drop()
	urls, prefixes := r.TakeFresh()
	if len(urls) != 1500 {
		t.Errorf("%d of 1500 URLs are fresh", len(urls))
	}
	for i, list := range prefixes {
		for _, x := range list {
			if part.hasPrefix(i, x) {
				t.Fatalf("layer %d: %x is logged twice", i, x)
			}
		}
		if r.prefixes[i].Len() != len(list) {
			t.Errorf("layer %d: %d prefixes, of which %d are fresh", i, r.prefixes[i].Len(), len(list))
		}
	}
}

func TestFreshLists(t *testing.T) {
	r := mustRestarting(t, Config{Layers: 2})
	if urls, prefixes := r.TakeFresh(); urls != nil || prefixes != nil {
		t.Error("lists that nobody asked for")
	}
	r.KeepFresh()
	r.KeepFresh()
	u, v := mustParse("http://a/b/c/d"), mustParse("http://a/b/e")
	r.Admit(u)
	urls, prefixes := r.TakeFresh()
	name, a := r.Peek(u)
	if a != Seen || !slices.Equal(urls, []uint64{name}) || len(prefixes) != 2 || len(prefixes[0]) != 1 || len(prefixes[1]) != 1 {
		t.Errorf("%x, %x", urls, prefixes)
	}
	r.Ask(v)
	r.Remember(v)
	second, prefixes := r.TakeFresh()
	if len(urls) != 1 || urls[0] != name {
		t.Error("the second call changed what the first returned")
	}
	if name, _ = r.Peek(v); !slices.Equal(second, []uint64{name}) || len(prefixes[0])+len(prefixes[1]) != 0 {
		t.Errorf("%x, %x", second, prefixes)
	}
	if urls, _ = r.TakeFresh(); len(urls) != 0 {
		t.Errorf("%x again", urls)
	}
}

// A cached name is there, of a full set the one that was asked for longest ago makes
// room, and nothing else is ever there.
func TestHotNames(t *testing.T) {
	h := new(hotNames)
	name := func(i int) uint64 { return 5 + uint64(i)*hotSets }
	for i := range hotWays {
		if h.has(0) || h.has(name(i)) {
			t.Errorf("%d is there already", i)
		}
		h.put(name(i))
		h.put(name(0))
	}
	for i := range hotWays {
		if !h.has(name(i)) {
			t.Errorf("%d of %d is gone", i, hotWays)
		}
	}
	h.put(name(hotWays))
	for i := range hotWays + 1 {
		if h.has(name(i)) != (i != 0) {
			t.Errorf("%d: %v", i, i == 0)
		}
	}
	h.put(0)
	if h.has(0) {
		t.Error("0 is no name here")
	}
}

func TestAskAllocatesNothing(t *testing.T) {
	list := newWeb(1, 50).urls(4000)
	r, _ := outsideWith(t, Config{}, list[:1000])
	r.Drop()
	r.KeepFresh()
	i := 0
	if n := testing.AllocsPerRun(4000, func() {
		name, _ := r.Ask(list[i%4000])
		r.Settle(name, true)
		i++
	}); n != 0 {
		t.Errorf("Ask: %v allocations", n)
	}
	for _, u := range list { // the lists grow once
		r.Remember(u)
	}
	r.TakeFresh()
	for _, u := range list {
		r.Remember(u)
	}
	r.TakeFresh()
	if n := testing.AllocsPerRun(4000, func() {
		r.Remember(list[i%4000])
		i++
	}); n != 0 {
		t.Errorf("Remember: %v allocations", n)
	}
	r.TakeFresh()
	if n := testing.AllocsPerRun(10, func() { r.TakeFresh() }); n != 0 {
		t.Errorf("TakeFresh: %v allocations", n)
	}
}

// Admit cannot know what is outside.
func TestAdmitOutsidePanics(t *testing.T) {
	r, _ := outsideWith(t, Config{}, newWeb(1, 5).urls(3))
	defer func() {
		if recover() == nil {
			t.Error("it answered")
		}
	}()
	r.Admit(mustParse("http://a/"))
}
