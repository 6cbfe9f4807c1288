package crawl_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/frontier"
	"crawler/internal/memweb"
	"crawler/ledger/disk"
	"crawler/weburl"
)

// half is a Shard that owns a.example, without a broker.
type half struct {
	begin   error
	publish func([]crawl.Offer) error
	in      chan crawl.Inbound
	over    chan crawl.EndedBy
	woken   chan struct{}
	grant   int
	barred  atomic.Bool
	stands  []crawl.Standing
}

func newHalf() *half {
	return &half{in: make(chan crawl.Inbound, 1), over: make(chan crawl.EndedBy, 1), woken: make(chan struct{}, 1), grant: -1}
}

func (h *half) Mine(u weburl.URL) bool     { return u.Hostname() == "a.example" }
func (h *half) Begin(uint64) error         { return h.begin }
func (h *half) In() <-chan crawl.Inbound   { return h.in }
func (h *half) Over() <-chan crawl.EndedBy { return h.over }
func (h *half) Woken() <-chan struct{}     { return h.woken }
func (h *half) Grant() int                 { return h.grant }
func (h *half) MayFetch() bool             { return !h.barred.Load() }

func (h *half) Publish(_ context.Context, offers []crawl.Offer) error {
	if h.publish == nil {
		return nil
	}
	return h.publish(offers)
}

// Committed ends the crawl when this half is idle.
func (h *half) Committed(s crawl.Standing) {
	h.stands = append(h.stands, s)
	if s.Idle && len(h.over) == 0 {
		h.over <- crawl.Done
	}
}

// runHalf crawls three pages of a.example, each of which leads to another host.
func runHalf(t *testing.T, mem *vfs.MemFS, h *half, asked func()) (*durable, crawl.Result, error) {
	s := newSite(map[string]*page{
		"a.example/":  {links: []string{"/1", "/2", "http://b.example/0"}},
		"a.example/1": {links: []string{"http://b.example/1"}}, "a.example/2": {links: []string{"http://b.example/2"}},
	})
	s.asked = asked
	web := memweb.New(s.hosts())
	defer web.Close()
	d := &durable{t: t, mem: mem, site: s, web: web, seed: "http://a.example/", cfg: func(c *crawl.Config) {
		c.Shard, c.Workers, c.Grace = h, 1, -1
		c.Gate.Dedup = dedup.Config{Seed: 1}
	}}
	res, _, err := d.run(t.Context())
	return d, res, err
}

// outboxOf returns the URLs that a crawl has not sent yet.
func outboxOf(t *testing.T, d *durable) (urls []string) {
	t.Helper()
	dir, err := d.open()
	if err != nil {
		t.Fatal(err)
	}
	err = crawl.Outbox(disk.Of(dir), func(o crawl.Offer) error {
		urls = append(urls, o.URL.String())
		return nil
	})
	if err := errors.Join(err, dir.Close()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(urls)
	return urls
}

// A broker that refuses ends the run with its error, and the outbox keeps what it did not take,
// for the next run.
func TestPublishThatFailsKeepsTheOutbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem, refused := vfs.NewCrashableMem(), errors.New("the stream is full")
		h := newHalf()
		h.publish = func([]crawl.Offer) error { return refused }
		d, res, err := runHalf(t, mem, h, nil)
		if !errors.Is(err, refused) || res.EndedBy != crawl.ByShardError {
			t.Fatalf("ended by %s: %v", res.EndedBy, err)
		}
		kept := outboxOf(t, d)
		if len(kept) == 0 || kept[0] != "http://b.example/0" {
			t.Fatalf("the outbox has %v", kept)
		}
		var sent []string
		h = newHalf()
		h.publish = func(offers []crawl.Offer) error {
			for _, o := range offers {
				sent = append(sent, o.URL.String())
			}
			return nil
		}
		d, res, err = runHalf(t, mem, h, nil)
		if err != nil || res.EndedBy != crawl.Done || res.Fetched != 3 {
			t.Fatalf("ended by %s with %d pages: %v", res.EndedBy, res.Fetched, err)
		}
		slices.Sort(sent)
		if want := []string{"http://b.example/0", "http://b.example/1", "http://b.example/2"}; !slices.Equal(slices.Compact(sent), want) {
			t.Errorf("sent %v, want %v", sent, want)
		}
		if left := outboxOf(t, d); len(left) > 0 {
			t.Errorf("the outbox still has %v", left)
		}
		last := h.stands[len(h.stands)-1]
		if !last.Last || !last.Idle || last.Pages != 3 || last.Outbox != 0 {
			t.Errorf("the last word is %+v", last)
		}
	})
}

// A URL of another shard that arrives shows that the shards disagree, and ends the run.
func TestWrongArrivalsEndTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHalf()
		u, err := weburl.Parse("http://b.example/")
		if err != nil {
			t.Fatal(err)
		}
		h.in <- crawl.Inbound{Seq: 7, Offers: []crawl.Offer{{Item: frontier.Item{URL: u, Via: "http://c.example/", Depth: 1}}}}
		_, res, err := runHalf(t, vfs.NewCrashableMem(), h, nil)
		if err == nil || !strings.Contains(err.Error(), "message 7") || res.EndedBy != crawl.ByShardError {
			t.Errorf("ended by %s: %v", res.EndedBy, err)
		}
	})
}

// While the lease does not hold no page is asked for, one that waits for its turn neither; and no
// more pages are fetched than were granted.
func TestNothingIsFetchedWithoutLeaseOrGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, requests, began := newHalf(), 0, time.Now()
		h.grant = 2
		allowed := time.AfterFunc(time.Minute, func() {
			h.barred.Store(false)
			h.woken <- struct{}{}
		})
		defer allowed.Stop()
		h.barred.Store(true)
		time.AfterFunc(10*time.Minute, func() { h.over <- crawl.ByMaxPages })
		_, res, err := runHalf(t, vfs.NewCrashableMem(), h, func() {
			if requests++; time.Since(began) < time.Minute {
				t.Errorf("a request after %s", time.Since(began))
			}
		})
		const all = 3 // robots.txt, too
		if err != nil || res.EndedBy != crawl.ByMaxPages || res.Fetched != 2 || res.Queued != 1 || requests != all {
			t.Errorf("ended by %s with %d pages, %d queued, %d requests: %v", res.EndedBy, res.Fetched, res.Queued, requests, err)
		}
	})
}

func TestShardSettings(t *testing.T) {
	for name, change := range map[string]func(*crawl.Config){
		"Store":        func(c *crawl.Config) { c.Store = nil },
		"BreadthFirst": func(c *crawl.Config) { c.Gate.Frontier.Order = frontier.OPIC },
		"MaxPages":     func(c *crawl.Config) { c.MaxPages = 1 },
		"MaxBytes":     func(c *crawl.Config) { c.MaxBytes = 1 },
		"TimeLimit":    func(c *crawl.Config) { c.TimeLimit = 1 },
		"Inbox":        func(c *crawl.Config) { c.Inbox = crawl.NewInbox() },
	} {
		d := &durable{t: t, mem: vfs.NewCrashableMem(), web: memweb.New(nil), seed: "http://a.example/", cfg: func(c *crawl.Config) {
			c.Shard = newHalf()
			change(c)
		}}
		if _, _, err := d.run(t.Context()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		d.web.Close()
	}
	h := newHalf()
	h.begin = errors.New("no such stream")
	if _, _, err := runHalf(t, vfs.NewCrashableMem(), h, nil); !errors.Is(err, h.begin) {
		t.Errorf("Begin fails: %v", err)
	}
}
