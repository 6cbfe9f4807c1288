package mazes

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
)

// explored is what a walk of a site found.
type explored struct {
	*Tally
	broken int
}

// place is an address of a page.
type place struct{ host, uri string }

// to resolves a link as these sites write them: without dots and fragments.
func (p place) to(href string) place {
	if rest, ok := strings.CutPrefix(href, "http://"); ok {
		host, path, _ := strings.Cut(rest, "/")
		return place{host, "/" + path}
	}
	if !strings.HasPrefix(href, "/") {
		path, _, _ := strings.Cut(p.uri, "?")
		href = path[:strings.LastIndexByte(path, '/')+1] + href
	}
	return place{p.host, href}
}

// linked calls fn with all places that a page links.
func (p place) linked(body []byte, fn func(place)) {
	const begins = `<a href="`
	for {
		at := bytes.Index(body, []byte(begins))
		if at < 0 {
			return
		}
		body = body[at+len(begins):]
		end := bytes.IndexByte(body, '"')
		fn(p.to(string(body[:end])))
	}
}

// explore fetches the pages of a site, breadth-first and without a guard, until it has met most
// trap pages. If honestly, links of trap pages are not followed.
func explore(t *testing.T, s *Site, most int, honestly bool) explored {
	seed := place{}.to(s.Seed)
	queue, seen, e := []place{seed}, map[place]bool{seed: true}, explored{Tally: NewTally(s)}
	for n := 0; len(queue) > 0 && e.traps < most; n++ {
		p := queue[0]
		queue = queue[1:]
		a := e.Get(p.host, p.uri)
		if n%64 == 0 && !bytes.Equal(a.Body, s.Get(p.host, p.uri).Body) {
			t.Fatalf("%s: two answers for %v", s.Name, p)
		}
		if a.Status != 200 {
			e.broken++
			t.Logf("%s: broken: %v", s.Name, p)
		}
		if honestly && !e.asked[n].Honest {
			continue
		}
		p.linked(a.Body, func(to place) {
			if !seen[to] && s.Serves(to.host) {
				seen[to] = true
				queue = append(queue, to)
			}
		})
	}
	return e
}

// Honest sites have the pages that they say, and no more; traps have no end; and no honest page
// is only found through a trap.
func TestJudgedSitesAreWhatTheySay(t *testing.T) {
	const size, endless = 120, 400
	names, shapes := map[string]bool{}, map[Half]map[string]bool{Table: {}, Open: {}, Apart: {}, Newer: {}, Newest: {}, Later: {}}
	for _, s := range Judged(5, size) {
		if names[s.Name] {
			t.Errorf("two sites are called %s", s.Name)
		}
		names[s.Name] = true
		kind := " trap"
		if !s.Trap {
			kind = " honest"
		}
		shapes[s.Half][s.Shape+kind] = true
		if s.Trap {
			all := explore(t, s, endless, false)
			if all.Traps() < endless || all.broken > 0 {
				t.Errorf("%s: %d trap pages, %d broken links, want %d and none", s.Name, all.Traps(), all.broken, endless)
			}
		}
		honest := explore(t, s, 1<<20, true)
		if honest.Honest() != s.Pages || !s.Trap && (honest.broken > 0 || honest.Traps() > 0 || honest.Honest() > size) {
			t.Errorf("%s: %d honest pages of %d, %d trap pages, %d broken links", s.Name, honest.Honest(), s.Pages, honest.Traps(), honest.broken)
		}
		if got := honest.HonestAmong(1 << 20); got != honest.Honest() || len(honest.Requests()) < got {
			t.Errorf("%s: %d honest requests for %d honest pages", s.Name, got, honest.Honest())
		}
	}
	for half, want := range map[Half]int{Table: 26, Open: 32, Apart: 32, Newer: 3, Newest: 2, Later: 2} {
		if len(shapes[half]) < want {
			t.Errorf("%d shapes are %s, want %d", len(shapes[half]), half, want)
		}
	}
}

// The sites of the Table have as many pages as where they were seen.
func TestTableSizes(t *testing.T) {
	for _, s := range Judged(1, 5000) {
		want, ok := map[string]int{
			"months and days": 1 + 9*12 + 3287, "fixtures, season and round": 1 + 5434, "fixtures, numbered seasons": 1 + 5434, "tables by day": 1 + 2920, "tokens": 1 + 60,
		}[s.Shape]
		if most := want + 20; ok && (s.Pages < want || s.Pages > most) {
			t.Errorf("%s has %d pages, want %d to %d with its lists", s.Name, s.Pages, want, most)
		}
		if !s.Trap && s.Half != Table && (s.Pages > 5000 || s.Pages < 4700) {
			t.Errorf("%s has %d pages, want 4,700 to 5,000", s.Name, s.Pages)
		}
	}
}

// A Tally knows the order of what was asked for and the trap of each trap page; a page that is
// asked for again is neither honest once more nor a trap page.
func TestTallyOrder(t *testing.T) {
	at := slices.IndexFunc(Judged(5, 100), func(s *Site) bool { return s.Name == "three open traps" })
	tally := NewTally(Judged(5, 100)[at])
	host := tally.host
	post := ""
	place{host, "/"}.linked(tally.Get(host, "/").Body, func(to place) {
		if post == "" && tally.Site.Get(to.host, to.uri).Space == "" {
			post = to.uri
		}
	})
	for _, uri := range []string{"/library/x/", "/", post, add(post, "add-to-cart", "7"), "/feed?cursor=1", "/missing"} {
		tally.Get(host, uri)
	}
	want := []Request{{Honest: true}, {Trap: true, Space: "generated text"}, {}, {Honest: true}, {Trap: true, Space: "add to cart"}, {Trap: true, Space: "cursor"}, {}}
	if got := tally.Requests(); !slices.Equal(got, want) {
		t.Errorf("requests are %+v, want %+v", got, want)
	}
	if got := tally.HonestAmong(3); got != 1 {
		t.Errorf("%d honest pages among the first 3 requests, want 1", got)
	}
	if got, want := tally.BySpace(), map[string]int{"generated text": 1, "add to cart": 1, "cursor": 1}; !maps.Equal(got, want) {
		t.Errorf("trap pages are %v, want %v", got, want)
	}
}

// Addresses are read back as they were written, and no others are.
func TestAddresses(t *testing.T) {
	s := Judged(5, 100)[0]
	for _, p := range slices.Concat(openPlans(), apartPlans()) {
		for _, a := range []address{p.leaf, p.group} {
			if len(a.fields) == 0 {
				continue
			}
			for _, i := range []int{0, 1, 19, 99, 100, 4999} {
				uri := a.at(s, i)
				if got := a.index(s, uri); got != i && (got >= i || a.fields[0].radix == 0) {
					t.Errorf("%s: page %d is at %s, which is read as %d", p.name, i, uri, got)
				}
				for _, wrong := range []string{uri + "0", "/x" + uri, uri[:len(uri)-1]} {
					if got := a.index(s, wrong); got == i {
						t.Errorf("%s: %s is read as page %d", p.name, wrong, i)
					}
				}
			}
		}
	}
}

// A page takes at most 50 µs, over the sites of a half.
func BenchmarkJudged(b *testing.B) {
	type page struct {
		*Site
		place
	}
	halves := map[Half][]page{}
	for _, s := range Judged(1, 1000) {
		first := place{}.to(s.Seed)
		found, seen := []place{first}, map[place]bool{first: true}
		for i := 0; i < len(found) && len(found) < 1000; i++ {
			p := found[i]
			p.linked(s.Get(p.host, p.uri).Body, func(to place) {
				if !seen[to] {
					seen[to] = true
					found = append(found, to)
				}
			})
		}
		for _, p := range found {
			halves[s.Half] = append(halves[s.Half], page{s, p})
		}
	}
	for half, pages := range halves {
		b.Run(string(half), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				p := pages[i%len(pages)]
				p.Get(p.place.host, p.uri)
			}
		})
	}
}
