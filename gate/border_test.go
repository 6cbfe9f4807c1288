package gate_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/parse"
	"crawler/weburl"
)

// ownsA is a Gate that owns a.test alone, with one seed there, which was leased.
func ownsA(t *testing.T, change func(*gate.Config)) (*gate.Gate, gate.Task) {
	t.Helper()
	cfg := gate.Config{Scope: gate.Scope{Mode: gate.ScopeAny}, Dedup: dedup.Config{Seed: 1}, FollowTraps: true, Mine: func(u weburl.URL) bool { return u.Hostname() == "a.test" }}
	cfg.Frontier.Delay, cfg.Frontier.PerHost = frontier.NoDelay, 9
	if change != nil {
		change(&cfg)
	}
	g, err := gate.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	g.Seeds([]weburl.URL{long("a/"), long("b/")})
	task, ok := g.Next(time.Unix(0, 0))
	if !ok || g.Queue().Queued() != 0 {
		t.Fatalf("leased %v, %d are queued: want the own seed alone", task.URL, g.Queue().Queued())
	}
	return g, task
}

// exports describes what leaves: URL, depth, and all that is not a plain link from a/.
func exports(g *gate.Gate) string {
	var list []string
	for _, o := range g.Border().TakeExports() {
		s := fmt.Sprintf("%s:%d", short(o.URL.String()), o.Depth)
		for _, is := range []struct {
			so   bool
			mark string
		}{{o.Nofollow, "nofollow"}, {o.Declined, "declined"}, {o.Nearer, "nearer"}, {o.Sitemap, "sitemap"}, {o.From != "", fmt.Sprint("from ", short(o.From), " hop ", o.Hops)}} {
			if is.so {
				s += " " + is.mark
			}
		}
		list = append(list, s)
	}
	return strings.Join(list, ", ")
}

func TestExports(t *testing.T) {
	link := func(url string, how ...string) parse.Link {
		l := parse.Link{URL: long(url)}
		for _, h := range how {
			l.NoFollow, l.Declined = l.NoFollow || h == "nofollow", l.Declined || h == "declined"
			if h == "entry" {
				l.Kind = parse.Entry
			}
		}
		return l
	}
	for _, c := range []struct {
		name   string
		change func(*gate.Config)
		links  []parse.Link
		want   string
	}{
		{name: "a link, once", links: []parse.Link{link("b/1"), link("a/1"), link("b/1")}, want: "b/1:1"},
		{name: "followed, and not", links: []parse.Link{link("b/1", "nofollow"), link("b/1"), link("b/1", "declined")}, want: "b/1:1 nofollow, b/1:1, b/1:1 declined"},
		{name: "whatever the scope", change: func(c *gate.Config) { c.Scope.Mode = gate.ScopeHost }, links: []parse.Link{link("c/1")}, want: "c/1:1"},
		{name: "an entry", links: []parse.Link{link("b/1", "entry"), link("b/1")}, want: "b/1:0, b/1:1"},
		{name: "with a limit", change: depth(1), links: []parse.Link{link("b/1"), link("b/1"), link("b/2", "nofollow")}, want: "b/1:1, b/2:1 nofollow"},
		{name: "beyond the limit", change: depth(gate.SeedsOnly), links: []parse.Link{link("b/1")}, want: "b/1:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, task := ownsA(t, c.change)
			g.Page(&gate.Page{Task: task, Links: c.links}, time.Unix(1, 0))
			if got := exports(g); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if n := len(g.Backlog()); n > 0 {
				t.Errorf("%d refusals: %v", n, g.Backlog())
			}
		})
	}
}

// A page that comes nearer brings what it leads to nearer, a redirect's target too.
func TestExportsComeNearer(t *testing.T) {
	g, seed := ownsA(t, depth(5))
	now := time.Unix(1, 0)
	g.Page(&gate.Page{Task: seed}, now)
	arrive := func(o gate.Offer) {
		t.Helper()
		if err := g.Border().Arrive([]gate.Offer{o}); err != nil {
			t.Fatal(err)
		}
	}
	arrive(gate.Offer{Item: frontier.Item{URL: long("a/1"), Via: long("b/9").String(), Depth: 4}})
	arrive(gate.Offer{Item: frontier.Item{URL: long("a/2"), Via: long("b/9").String(), Depth: 4, Attempt: 9, Rank: 5, NewAt: 1, Since: now}})
	for task, ok := g.Next(now); ok; task, ok = g.Next(now) {
		if task.Attempt != 0 || task.Rank != 0 || !task.Since.IsZero() {
			t.Errorf("another shard says when %s was attempted, or when it has its turn: %+v", task.URL, task.Item)
		}
		if task.URL == long("a/1") {
			g.Page(&gate.Page{Task: task, Links: []parse.Link{{URL: long("b/1")}, {URL: long("a/3")}}}, now)
		} else if task.URL == long("a/2") {
			g.Redirect(&gate.Redirect{Task: task, Target: long("b/2")}, now)
		} else {
			g.Page(&gate.Page{Task: task, Links: []parse.Link{{URL: long("b/3")}}}, now)
		}
	}
	if got, want := exports(g), "b/1:5, b/2:4 from a/2 hop 1, b/3:6"; got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	arrive(gate.Offer{Item: frontier.Item{URL: long("a/1"), Via: long("b/8").String(), Depth: 2}, Nearer: true})
	arrive(gate.Offer{Item: frontier.Item{URL: long("a/2"), Via: long("b/8").String(), Depth: 2}})
	if got, want := exports(g), "b/1:3 nearer, b/3:4 nearer, b/2:2 nearer"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	arrive(gate.Offer{Item: frontier.Item{URL: long("a/1"), Via: long("b/8").String(), Depth: 3}})
	if got := exports(g); got != "" || !g.Idle() {
		t.Errorf("a way that is no shorter brings %q", got)
	}
}

// Of what no shard sends nothing is taken.
func TestArriveRefuses(t *testing.T) {
	via := long("b/").String()
	for name, o := range map[string]gate.Offer{
		"another shard's": {Item: frontier.Item{URL: long("b/1"), Via: via, Depth: 1}},
		"a seed":          {Item: frontier.Item{URL: long("a/1")}},
		"from no URL":     {Item: frontier.Item{URL: long("a/1"), Via: "b/", Depth: 1}},
	} {
		g, _ := ownsA(t, nil)
		if err := g.Border().Arrive([]gate.Offer{o}); err == nil || g.Queue().Queued() > 0 {
			t.Errorf("%s: %v, %d queued", name, err, g.Queue().Queued())
		}
	}
}

// sentOffers are one of each kind.
func sentOffers() []gate.Offer {
	via := long("b/page").String()
	return []gate.Offer{
		{Item: frontier.Item{URL: long("a/1"), Via: via, Depth: 3}},
		{Item: frontier.Item{URL: long("a/2"), Via: via, Depth: 1 << 30}, Nofollow: true, Declined: true},
		{Item: frontier.Item{URL: long("a/3"), Via: via, Depth: 3}, Nearer: true},
		{Item: frontier.Item{URL: long("a/4"), From: long("b/0").String(), Hops: 1}},
		{Item: frontier.Item{URL: long("a/5"), Via: via, From: long("b/0").String(), First: long("c/").String(), Depth: 2, Hops: 11}},
		{Item: frontier.Item{URL: long("a/map.xml"), Via: via, Depth: 1, Sitemap: true}},
	}
}

func TestDecodeOffers(t *testing.T) {
	var form []byte
	want := sentOffers()
	for _, o := range want {
		form = gate.AppendOffer(form, o)
	}
	if got, err := gate.DecodeOffers(form); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v (%v)", got, want, err)
	}
	good := 0
	for n := range len(form) {
		if list, err := gate.DecodeOffers(form[:n]); err == nil && len(list) == good {
			good++
		} else if err == nil || list != nil {
			t.Fatalf("%d of %d bytes are %d offers: %v", n, len(form), len(list), err)
		}
	}
	if good != len(want) {
		t.Errorf("%d beginnings are offers, want %d", good, len(want))
	}
	seed := gate.AppendOffer(nil, gate.Offer{Item: frontier.Item{URL: long("a/")}})
	if _, err := gate.DecodeOffers(seed); err == nil {
		t.Error("a seed is an offer")
	}
	if _, err := gate.DecodeOffers(append([]byte{8}, form[1:]...)); err == nil {
		t.Error("an unknown flag is accepted")
	}
}

// Whatever arrives is refused or is what AppendOffer writes, and a Gate survives it.
func FuzzDecodeOffers(f *testing.F) {
	var all []byte
	for _, o := range sentOffers() {
		f.Add(gate.AppendOffer(nil, o))
		all = gate.AppendOffer(all, o)
	}
	f.Add(all)
	f.Fuzz(func(t *testing.T, form []byte) {
		list, err := gate.DecodeOffers(form)
		if err != nil {
			return
		}
		var again []byte
		for _, o := range list {
			again = gate.AppendOffer(again, o)
		}
		back, err := gate.DecodeOffers(again)
		if err != nil || !reflect.DeepEqual(back, list) {
			t.Fatalf("%+v\nbecomes %+v (%v)", list, back, err)
		}
		cfg := gate.Config{Scope: gate.Scope{Mode: gate.ScopeAny}, Dedup: dedup.Config{Seed: 1}, MaxDepth: 3, Mine: func(weburl.URL) bool { return true }}
		g, err := gate.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		g.Seeds(nil)
		if err := g.Border().Arrive(list); err != nil {
			t.Fatal(err)
		}
		g.Finish(false)
	})
}
