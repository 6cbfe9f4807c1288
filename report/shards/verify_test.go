package shards_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/memweb"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/report/shards"
	"crawler/store"
	"crawler/weburl"
)

// post is a broker without any fault but those that drop says.
type post struct {
	owner func(weburl.URL) int
	drop  func(crawl.Offer) bool

	mu     sync.Mutex // guards all below
	boxes  [][]crawl.Offer
	stands []crawl.Standing
	boxed  []chan struct{}
	over   []chan crawl.EndedBy
	ended  bool
}

func newPost(n int, owner func(weburl.URL) int, drop func(crawl.Offer) bool) *post {
	p := &post{owner: owner, drop: drop, boxes: make([][]crawl.Offer, n), stands: make([]crawl.Standing, n)}
	for range n {
		p.boxed = append(p.boxed, make(chan struct{}, 1))
		p.over = append(p.over, make(chan crawl.EndedBy, 1))
	}
	return p
}

// box is a shard's end of the post.
type box struct {
	*post
	i   int
	in  chan crawl.Inbound
	ctx context.Context
}

func (b *box) Mine(u weburl.URL) bool     { return b.owner(u) == b.i }
func (b *box) In() <-chan crawl.Inbound   { return b.in }
func (b *box) Over() <-chan crawl.EndedBy { return b.over[b.i] }
func (b *box) Woken() <-chan struct{}     { return nil }
func (b *box) Grant() int                 { return -1 }
func (b *box) MayFetch() bool             { return true }

func (b *box) Begin(pos uint64) error {
	go func() {
		for {
			b.mu.Lock()
			all := b.boxes[b.i]
			b.mu.Unlock()
			for ; pos < uint64(len(all)); pos++ {
				select {
				case b.in <- crawl.Inbound{Seq: pos + 1, Offers: all[pos : pos+1]}:
				case <-b.ctx.Done():
					return
				}
			}
			select {
			case <-b.boxed[b.i]:
			case <-b.ctx.Done():
				return
			}
		}
	}()
	return nil
}

func (b *box) Publish(_ context.Context, offers []crawl.Offer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range offers {
		if b.drop != nil && b.drop(o) {
			continue
		}
		to := b.owner(o.URL)
		b.boxes[to] = append(b.boxes[to], o)
		select {
		case b.boxed[to] <- struct{}{}:
		default:
		}
	}
	return nil
}

func (b *box) Committed(s crawl.Standing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stands[b.i] = s
	for i, s := range b.stands {
		if b.ended || !s.Idle || s.Position != uint64(len(b.boxes[i])) {
			return
		}
	}
	b.ended = true
	for _, over := range b.over {
		over <- crawl.Done
	}
}

// crossed is a web of five hosts whose pages link to each other, all of them within three links,
// with redirects and links that nobody may follow.
func crossed(w http.ResponseWriter, r *http.Request) {
	var n int
	if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil && r.URL.Path != "/" || n > 60 {
		http.NotFound(w, r)
		return
	}
	to := func(i int) string { return fmt.Sprintf("http://h%d.example/%d", i%5, i) }
	if n%7 == 6 {
		http.Redirect(w, r, to(n+11), http.StatusMovedPermanently)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, `<a href="%s">a</a><a href="%s">b</a><a href="%s" rel=nofollow>c</a><a href="http://out.example/%d">d</a>`,
		to(2*n+1), to(2*n+2), to(3*n+1), n)
}

// inShards crawls that web in three shards, and returns their directories.
func inShards(t *testing.T, owner func(weburl.URL) int, drop func(crawl.Offer) bool) (set shards.Set) {
	dirs := t.TempDir() // outlives the bubble
	synctest.Test(t, func(t *testing.T) {
		m := memweb.New(map[string]http.Handler{"*": http.HandlerFunc(crossed)})
		defer m.Close()
		p := newPost(3, owner, drop)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range 3 {
			dir := filepath.Join(dirs, fmt.Sprint(i))
			set.Shards = append(set.Shards, shards.Shard{Number: -1, Dir: dir})
			all.Go(func() { shard(t, m, dir, &box{post: p, i: i, in: make(chan crawl.Inbound), ctx: ctx}) })
		}
		all.Wait()
		cancel()
		synctest.Wait()
	})
	return set
}

func shard(t *testing.T, m *memweb.Web, path string, b *box) {
	dir, err := store.Create(store.Disk(), path, store.Meta{}, true)
	if err != nil {
		t.Error(err)
		return
	}
	defer dir.Close()
	rec, err := report.NewRecorder(report.Config{Dir: dir, Seed: 1})
	if err != nil {
		t.Error(err)
		return
	}
	cfg := crawl.Config{Seeds: []string{"http://h0.example/0"}, Recorder: rec, Store: disk.Of(dir), Shard: b, Workers: 4}
	cfg.Gate = gate.Config{FollowTraps: true, MaxDepth: 5, Dedup: dedup.Config{Seed: uint64(b.i) + 1}, Frontier: frontier.Config{Delay: frontier.NoDelay}}
	cfg.Gate.Scope.Mode = gate.ScopeAny
	cfg.Fetch.DialContext, cfg.Fetch.UserAgent = m.DialContext, "crawler/test"
	if res, err := crawl.Run(t.Context(), cfg); err != nil || res.EndedBy != crawl.Done {
		t.Errorf("shard %d ended by %s: %v", b.i, res.EndedBy, err)
	}
}

// What a broker has dropped is found, with the page that leads to it, and nothing else is.
func TestVerify(t *testing.T) {
	owner := func(u weburl.URL) int { return int(dedup.NewURLHash(1).Of(host(u)) % 3) }
	for _, c := range []struct {
		name    string
		dropped string
	}{
		{"nothing", ""}, {"a link", "http://h3.example/23"}, {"a redirect's target", "http://h4.example/24"}, {"refused", "http://out.example/3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dropped := 0
			set := inShards(t, owner, func(o crawl.Offer) bool {
				if o.URL.String() != c.dropped {
					return false
				}
				dropped++
				return true
			})
			var lost []string
			v, err := shards.Verify(t.Context(), set, owner, 99, func(l shards.Lost) error {
				if l.From == l.To || l.Via.IsZero() || owner(l.Via) != l.From || owner(l.URL) != l.To {
					t.Errorf("%+v", l)
				}
				lost = append(lost, l.URL.String())
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(lost)
			if lost = slices.Compact(lost); len(lost) != min(dropped, 1) || dropped > 0 && lost[0] != c.dropped || c.dropped != "" && dropped == 0 {
				t.Errorf("%d dropped, lost %v", dropped, lost)
			}
			if v.Links < 50 || v.Known < 60 || (v.Lost > 0) != (dropped > 0) {
				t.Errorf("%+v", v)
			}
		})
	}
}

// host is the root of a URL's host.
func host(u weburl.URL) weburl.URL {
	root, err := u.Resolve("/")
	if err != nil {
		panic(err)
	}
	return root
}
