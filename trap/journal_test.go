package trap_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"crawler/internal/binform"
	"crawler/internal/mazes"
	"crawler/trap"
	"crawler/weburl"
)

// saved is what a crawl keeps of a Guard: its full form at some time, and the events since.
type saved struct {
	full   []byte
	events [][]byte
}

// commit keeps what the Guard has learned, now and then as its full form.
func (s *saved) commit(t testing.TB, g *trap.Guard, full bool) {
	t.Helper()
	if events := g.TakeEvents(); events != nil {
		s.events = append(s.events, bytes.Clone(events))
	}
	if full {
		s.full, s.events = marshal(t, g), nil
	}
}

// restore returns a Guard that knows what was kept.
func (s *saved) restore(t testing.TB, cfg trap.Config) *trap.Guard {
	t.Helper()
	g := trap.New(cfg)
	if s.full != nil {
		if err := g.UnmarshalBinary(s.full); err != nil {
			t.Fatal(err)
		}
	}
	for _, events := range s.events {
		if err := g.Replay(events); err != nil {
			t.Fatal(err)
		}
	}
	g.KeepEvents()
	return g
}

// The Guard of a crawl that breaks off again and again, and continues with what was committed,
// knows on every labelled site what the Guard of an unbroken crawl knows, bit by bit.
func TestReplayGoesOn(t *testing.T) {
	closed := 0
	for _, s := range mazes.All(7, 200) {
		straight, broken := walkLabelled(s, trap.New(trap.Config{Budget: 40})), walkLabelled(s, trap.New(trap.Config{Budget: 40}))
		straight.ahead, broken.ahead = 1, 1 // what is on its way is lost with a crawl
		broken.guard.KeepEvents()
		random, keeps := rand.New(rand.NewPCG(1, 2)), saved{}
		for pages := 20; pages <= 600; pages += 20 {
			for _, w := range []labelled{straight, broken} {
				w.until(pages)
			}
			keeps.commit(t, broken.guard, random.IntN(5) == 0)
			broken.guard = keeps.restore(t, trap.Config{Budget: 40})
			if a, b := marshal(t, straight.guard), marshal(t, broken.guard); !bytes.Equal(a, b) {
				t.Fatalf("%s, after %d pages: forms of %d and %d bytes differ", s.Name, pages, len(a), len(b))
			}
		}
		closed += len(straight.guard.Closed())
	}
	if closed < 10 {
		t.Errorf("only %d patterns were closed", closed)
	}
}

// stream is a random crawl: everything that is asked of a Guard, in any sequence.
type stream struct {
	t      testing.TB
	random *rand.Rand
	leases []trap.Lease
	probed int
	opened int
}

// url is one of few forms, so that patterns are met again, and of many names.
func (s *stream) url() weburl.URL {
	n := s.random.IntN(300)
	forms := []string{
		"http://a.test/p/%d", "http://a.test/list?page=%d&sort=up", "http://a.test/f?a=%d&b=1&c=2", "http://www%d.wild.test/x",
		"http://a.test/2024/%d", "http://a.test/dir%d/x/y", "http://127.0.0.1:8080/%d/a/", "http://a.test/s?sid=%032x",
	}
	return mustParse(s.t, fmt.Sprintf(forms[s.random.IntN(len(forms))], n))
}

func (s *stream) step(g *trap.Guard) {
	u := s.url()
	switch v := g.Judge(u, ""); s.random.IntN(8) {
	case 0:
		if v.Kind == "" && len(s.leases) < 20 {
			s.leases = append(s.leases, g.Lease(u, v))
		}
	case 1:
		if n := len(s.leases); n > 0 {
			l := s.leases[n-1]
			s.leases = s.leases[:n-1]
			if s.random.IntN(2) == 0 {
				g.Probed(&l)
			}
			g.Ended(l)
		}
	case 2:
		for _, c := range g.Closed() {
			s.probed += g.Probe(c.ID, 8)
		}
	case 3:
		g.Moved(u, s.url(), s.random.IntN(3) > 0)
	default:
		s.learn(g, u)
	}
}

func (s *stream) learn(g *trap.Guard, u weburl.URL) {
	var sampler trap.Sampler
	if s.random.IntN(4) == 0 {
		if g.Skim(u, sampler.Skim(200, words(prose(s.random.IntN(50), 40)), 1)) {
			s.opened += len(g.Reopened())
		}
		return
	}
	via := weburl.URL{}
	if s.random.IntN(10) > 0 {
		via = s.url()
	}
	watched := g.Watch(u, via)
	for range s.random.IntN(6) {
		if known := s.random.IntN(3) == 0; watched || !known {
			g.Link(s.url(), known)
		}
	}
	text, status := "the same", 200
	if s.random.IntN(4) == 0 {
		text = prose(s.random.IntN(50), 40)
	}
	if s.random.IntN(20) == 0 {
		status = 404
	}
	page := sampler.Page(u, status, words(text), nil, nil, 0, 1)
	page.NoIndex = s.random.IntN(4) == 0
	if g.Learn(page) {
		s.opened += len(g.Reopened())
	}
}

// Whatever happens, in whatever sequence: what was committed makes a Guard of the same form, to
// which URLs on their way do not belong, and of the same verdicts once they have ended.
func TestReplayIsExact(t *testing.T) {
	closed, probed, opened, seeds := 0, 0, 0, uint64(20)
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		cfg := trap.Config{Budget: 8, Patterns: 16 + int(seed%3)*40} // few: patterns are forgotten
		s := stream{t: t, random: rand.New(rand.NewPCG(seed, 1))}
		g, keeps := trap.New(cfg), saved{}
		g.KeepEvents()
		for range 60 {
			for range 1 + s.random.IntN(60) {
				s.step(g)
			}
			keeps.commit(t, g, s.random.IntN(8) == 0)
			again := keeps.restore(t, cfg)
			if a, b := marshal(t, g), marshal(t, again); !bytes.Equal(a, b) {
				t.Fatalf("seed %d: forms of %d and %d bytes differ", seed, len(a), len(b))
			}
			for _, l := range s.leases {
				g.Ended(l)
			}
			s.leases = nil
			for range 100 {
				u := s.url()
				if a, b := g.Judge(u, ""), again.Judge(u, ""); a != b {
					t.Fatalf("seed %d: %s: %+v, after a restart %+v", seed, u.String(), a, b)
				}
			}
			closed = max(closed, len(g.Closed()))
		}
		probed, opened = probed+s.probed, opened+s.opened
	}
	if closed < 3 || probed < 20 || opened < 5 {
		t.Errorf("%d patterns closed, %d probes, %d opened: the streams lack something", closed, probed, opened)
	}
}

// Whoever asks up to a rank learns the same of URLs up to it, and of the others that they are
// beyond, and what rank they have at least.
func TestJudgeUpTo(t *testing.T) {
	ranks, beyond, refused, least := map[uint8]int{}, 0, 0, false
	for seed := range uint64(6) {
		s := stream{t: t, random: rand.New(rand.NewPCG(seed, 2))}
		g := trap.New(trap.Config{Budget: 8})
		for range 2000 {
			s.step(g)
			u, most := s.url(), uint8(s.random.IntN(12))
			v := g.Judge(u, "")
			up, ok := g.JudgeUpTo(u, "", most)
			if ok != (v.Rank <= most) || ok && up != v || !ok && (up.Rank <= most || up.Rank > v.Rank) {
				t.Fatalf("seed %d, %s: %+v, up to %d %+v, %t", seed, u.String(), v, most, up, ok)
			}
			ranks[v.Rank]++
			if !ok {
				beyond++
				least = least || up.Rank < v.Rank
			} else if v.Kind != "" {
				refused++
			}
		}
	}
	if len(ranks) < 8 || beyond < 1000 || refused < 100 || !least {
		t.Errorf("%d ranks, %d beyond, %d refused: the streams lack something", len(ranks), beyond, refused)
	}
}

// A probe that was on its way when the crawl broke off is let through again; one that has come to
// something is not.
func TestProbesOnTheirWay(t *testing.T) {
	g, keeps := newGuard(), saved{}
	barren(t, g, 60)
	id := judge(t, g, page(99)).ID
	g.KeepEvents()
	keeps.commit(t, g, true)
	if n := g.Probe(id, 2); n != 2 {
		t.Fatalf("%d are let through", n)
	}
	one, two := g.Lease(mustParse(t, page(99)), judge(t, g, page(99))), g.Lease(mustParse(t, page(98)), judge(t, g, page(98)))
	if v := judge(t, g, page(97)); v.Kind == "" {
		t.Errorf("a third: %+v", v)
	}
	g.Probed(&one)
	keeps.commit(t, g, false)
	again := keeps.restore(t, trap.Config{Budget: budget})
	if v := judge(t, again, page(98)); !v.Probe {
		t.Errorf("the second, once more: %+v", v)
	}
	again.Probed(&trap.Lease{}) // of another URL
	l := again.Lease(mustParse(t, page(98)), judge(t, again, page(98)))
	if v := judge(t, again, page(97)); v.Kind == "" {
		t.Errorf("a third, later: %+v", v)
	}
	again.Ended(l) // it was given back
	g.Ended(two)
	for _, g := range []*trap.Guard{g, again} {
		if v := judge(t, g, page(97)); !v.Probe {
			t.Errorf("one that was given back makes no room: %+v", v)
		}
	}
}

// events are those of a Guard with a closed pattern that has a look.
func events(t testing.TB) []byte {
	g := newGuard()
	g.KeepEvents()
	barren(t, g, 40)
	g.Probe(judge(t, g, page(99)).ID, 8)
	teach(t, g, "http://a.test/some/dir/?x=1&y=2", page(3), prose(1, 60), page(1), page(2))
	return g.TakeEvents()
}

func TestReplayRefusesDamage(t *testing.T) {
	good := events(t)
	g := newGuard()
	before := marshal(t, g)
	for i := 0; i < len(good); i += 1 + i/64 {
		bad := bytes.Clone(good)
		bad[i] ^= 0x10
		if err := g.Replay(bad); !errors.Is(err, binform.ErrFormat) {
			t.Fatalf("byte %d damaged: %v", i, err)
		}
		if err := g.Replay(good[:i]); !errors.Is(err, binform.ErrFormat) {
			t.Fatalf("cut to %d bytes: %v", i, err)
		}
	}
	if !bytes.Equal(marshal(t, g), before) {
		t.Error("refused events have changed the Guard")
	}
	if g.TakeEvents() != nil {
		t.Error("a Guard keeps events that was not told to")
	}
}

// Events of version 10 lack how the URL is spelt, 9 that a page names another URL and that its own
// has a session, 8 the head of the path and what it is in lower case, which follow from a path of
// one name in lower case, and the list; 7 what a URL adds, too, 6 pictures, 5 the end of the path,
// and 3 and 4 what breeds.
func TestReplayReadsOlderVersions(t *testing.T) {
	g := newGuard()
	g.KeepEvents()
	teach(t, g, "http://a.test/page", "", prose(1, 60))
	form := g.TakeEvents()
	unspelt := newGuard()
	if err := unspelt.Replay(form); err != nil {
		t.Fatal(err)
	}
	unspelt.ForgetSpellings()
	fields := form[16 : len(form)-8]
	end := bytes.LastIndex(fields, []byte("a.test/*")) + len("a.test/*") // of the names
	paths := end + 8
	more, spelt, kin, section, surplus, links := paths+16, paths+17, paths+27, paths+28, paths+29, paths+30
	pictures, rest, list := len(fields)-24, len(fields)-16, len(fields)-8
	for version := range uint16(16) {
		e := binform.Begin(nil, "TRPJ", version)
		if e.Raw(fields[:end]); version >= 6 {
			e.Raw(fields[end:paths])
		}
		if version >= 9 {
			e.Raw(fields[paths:more])
		}
		if version >= 10 {
			e.Raw(fields[more:spelt])
		}
		if version >= 11 {
			e.Raw(fields[spelt:kin])
		}
		if version >= 12 {
			e.Raw(fields[kin:section])
		}
		if version >= 13 {
			e.Raw(fields[section:surplus])
		}
		if version >= 14 {
			e.Raw(fields[surplus:links])
		}
		if e.Raw(fields[links : links+2]); version >= 5 {
			e.Raw(fields[links+2 : links+4])
		}
		if e.Raw(fields[links+4 : pictures]); version >= 7 {
			e.Raw(fields[pictures:rest])
		}
		if version >= 8 {
			e.Raw(fields[rest:list])
		}
		if version >= 9 {
			e.Raw(fields[list:])
		}
		old := newGuard()
		err := old.Replay(e.Close())
		if read := version >= 3 && version <= 14; (err == nil) != read {
			t.Errorf("version %d: %v", version, err)
		}
		want := g
		if version < 11 {
			want = unspelt
		}
		if err == nil && !bytes.Equal(marshal(t, old), marshal(t, want)) {
			t.Errorf("version %d: another Guard", version)
		}
	}
}

// FuzzReplay puts a good frame around any events: what is accepted leaves a Guard that can be
// saved and used.
func FuzzReplay(f *testing.F) {
	form := events(f)
	f.Add(form[16 : len(form)-8])
	f.Add([]byte{})
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, fields []byte) {
		e := binform.Begin(nil, "TRPJ", trap.JournalVersion)
		e.Raw(fields)
		g := trap.New(trap.Config{Patterns: 16})
		before := marshal(t, g)
		if g.Replay(e.Close()) != nil {
			if !bytes.Equal(marshal(t, g), before) {
				t.Fatal("refused events have changed the Guard")
			}
			return
		}
		if err := trap.New(trap.Config{}).UnmarshalBinary(marshal(t, g)); err != nil {
			t.Fatalf("its form: %v", err)
		}
		teach(t, g, page(99), page(1), "some words of a page", page(100))
		judge(t, g, page(99))
	})
}
