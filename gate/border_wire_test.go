package gate_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/parse"
	"crawler/weburl"
)

// TestOffersOnTheWire measures what the links of real documents take between shards: those of the
// HTML files below OFFERS_TREE, as if every URL were another host's, so that seven of eight links
// leave. A message has what a hundred pages send to one shard.
func TestOffersOnTheWire(t *testing.T) {
	dir := os.Getenv("OFFERS_TREE")
	if dir == "" {
		t.Skip("OFFERS_TREE names no directory of HTML files")
	}
	const shards, each = 8, 100
	owner := func(u weburl.URL) uint64 { return xxhash.Sum64String(u.String()) % shards }
	cfg := gate.Config{Scope: gate.Scope{Mode: gate.ScopeAny}, Dedup: dedup.Config{Seed: 1}, FollowTraps: true, Mine: func(u weburl.URL) bool { return owner(u) == 0 }}
	cfg.Frontier.Delay, cfg.Frontier.PerHost = frontier.NoDelay, 1<<20
	g, err := gate.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	pack, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10))
	if err != nil {
		t.Fatal(err)
	}
	var messages [shards][]byte
	links, offers, raw, packed := 0, 0, 0, 0
	send := func() {
		for i, m := range messages {
			if len(m) > 0 {
				raw += len(m)
				packed += len(pack.EncodeAll(m, nil))
				messages[i] = m[:0]
			}
		}
	}
	g.Seeds(nil)
	pages := documents(t, dir, func(u weburl.URL) bool { return owner(u) == 0 })
	for u := range pages {
		if err := g.Border().Arrive([]gate.Offer{{Item: frontier.Item{URL: u, Via: "https://index.example/", Depth: 1}}}); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Unix(0, 0)
	for n := 1; ; n++ {
		task, ok := g.Next(now)
		if !ok {
			break
		}
		links += len(pages[task.URL])
		g.Page(&gate.Page{Task: task, Links: pages[task.URL]}, now)
		for _, o := range g.Border().TakeExports() {
			to := owner(o.URL)
			messages[to] = gate.AppendOffer(messages[to], o)
			offers++
		}
		if n%each == 0 {
			send()
		}
	}
	send()
	if offers == 0 {
		t.Fatalf("%s has %d pages and no link that leaves", dir, len(pages))
	}
	t.Logf("%d pages, %d links, %d offers: %.1f bytes each, packed %.1f; %.1f a link",
		len(pages), links, offers, float64(raw)/float64(offers), float64(packed)/float64(offers), float64(packed)/float64(links))
	if packed > 25*offers {
		t.Errorf("an offer takes %.1f bytes, the goal is 25", float64(packed)/float64(offers))
	}
}

// documents returns the links of those HTML files below dir that are wanted.
func documents(t *testing.T, dir string, wanted func(weburl.URL) bool) map[weburl.URL][]parse.Link {
	pages, parser := map[weburl.URL][]parse.Link{}, parse.New(parse.Options{})
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".html") {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		u, err := weburl.Parse("https://docs.example/" + filepath.ToSlash(rel))
		if err != nil || !wanted(u) {
			return nil
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		page := &parse.Page{}
		if err := parser.Parse(parse.Input{URL: u, ContentType: "text/html; charset=utf-8", Body: body}, page); err != nil {
			return err
		}
		pages[u] = page.Links
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}
