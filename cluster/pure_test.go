package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/weburl"
)

func parsed(t testing.TB, s string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// The shard is the registrable domain's; a host without one is its own, without its port.
func TestOwners(t *testing.T) {
	o := NewOwners(1000)
	for host, domain := range map[string]string{
		"http://www.shop.co.uk/": "shop.co.uk", "https://shop.co.uk:444/x": "shop.co.uk", "http://a.b.example.com/": "example.com",
		"http://127.0.0.1:8080/": "127.0.0.1", "http://localhost:99/": "localhost", "http://[::1]:5/": "::1", "http://single/": "single",
	} {
		want := int(xxhash.Sum64String(domain) % 1000)
		for range 2 { // the second time from memory
			if got := o.Of(parsed(t, host)); got != want {
				t.Errorf("%s is in shard %d, want %d, that of %s", host, got, want, domain)
			}
		}
	}
	for i := range maxOwners + 10 {
		o.Of(parsed(t, fmt.Sprintf("http://h%d.test/", i)))
	}
	if len(o.of) > maxOwners {
		t.Errorf("%d hosts are remembered", len(o.of))
	}
}

func TestAssign(t *testing.T) {
	live := []Member{{Name: "a", Disk: "1", Machine: "m"}, {Name: "b", Disk: "2", Machine: "m"}, {Name: "c", Disk: "3", Machine: "n"}}
	claims := make([]Claim, 9)
	first := Assign(claims, live)
	count := map[string]int{}
	for s, n := range first {
		count[n]++
		claims[s] = Claim{Node: n, At: live[slices.IndexFunc(live, func(m Member) bool { return m.Name == n })]}
	}
	if count["a"] != 3 || count["b"] != 3 || count["c"] != 3 {
		t.Errorf("shares %v", count)
	}
	if again := Assign(claims, live); !slices.Equal(again, first) {
		t.Errorf("shards move without a reason: %v, then %v", first, again)
	}
	// b dies: what it had goes to a, on its machine, and the others stay.
	rest := []Member{live[0], live[2]}
	for s, n := range Assign(claims, rest) {
		if was := first[s]; was == "b" && n != "a" || was != "b" && n != was {
			t.Errorf("shard %d goes from %s to %s", s, was, n)
		}
	}
	// Another process on b's disk is preferred to its machine.
	rest = append(rest, Member{Name: "d", Disk: "2", Machine: "elsewhere"})
	for s, n := range Assign(claims, rest) {
		if first[s] == "b" && n != "d" {
			t.Errorf("shard %d goes to %s, not to its disk", s, n)
		}
	}
	// c dies, and nobody reaches its disk: all get a share, at most one more than another.
	count = map[string]int{}
	for s, n := range Assign(claims, live[:2]) {
		count[n]++
		if first[s] != "c" && n != first[s] {
			t.Errorf("shard %d moves from %s to %s", s, first[s], n)
		}
	}
	if count["a"]+count["b"] != 9 || count["a"]-count["b"] > 1 || count["b"]-count["a"] > 1 {
		t.Errorf("shares %v", count)
	}
	if none := Assign(claims, nil); none[0] != "" {
		t.Errorf("%q has a shard, and nobody lives", none[0])
	}
}

func TestMessages(t *testing.T) {
	p, err := newPacker()
	if err != nil {
		t.Fatal(err)
	}
	var raw []byte
	for i := range 100 {
		raw = crawl.AppendOffer(raw, crawl.Offer{Item: frontier.Item{URL: parsed(t, fmt.Sprintf("http://h%d.test/page/%d", i%7, i)), Via: "http://a.test/", Depth: 1}})
	}
	m := p.pack(raw)
	offers, err := p.unpack(m)
	if err != nil || len(offers) != 100 || offers[99].URL.String() != "http://h1.test/page/99" {
		t.Errorf("%d offers come back: %v", len(offers), err)
	}
	if per := float64(len(m)) / 100; per > 25 {
		t.Errorf("an offer takes %.1f bytes", per)
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	bomb := enc.EncodeAll(make([]byte, 64<<20), []byte{formVersion, 0x80, 0x80, 0x40})
	for name, bad := range map[string][]byte{
		"empty": {}, "no version": {0}, "cut off": m[:len(m)-3], "no length": m[:1], "too long": {formVersion, 0xff, 0xff, 0xff, 0x7f},
		"a bomb": bomb, "flipped": append(bytes.Clone(m[:len(m)/2]), bytes.Repeat([]byte{7}, 50)...), "no offers": p.pack([]byte("nonsense")),
	} {
		if _, err := p.unpack(bad); !errors.Is(err, errMessage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := p.unpack([]byte{formVersion + 1}); !errors.Is(err, ErrNewer) {
		t.Errorf("a newer version: %v", err)
	}
}

func FuzzUnpack(f *testing.F) {
	p, err := newPacker()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(p.pack(crawl.AppendOffer(nil, crawl.Offer{Item: frontier.Item{URL: parsed(f, "http://a.test/"), Via: "http://b.test/"}})))
	f.Add([]byte{formVersion, 3})
	f.Fuzz(func(t *testing.T, m []byte) {
		offers, err := p.unpack(m)
		if err == nil && len(offers) > maxRaw {
			t.Error("more offers than bytes")
		}
	})
}

// The end needs all shards idle, said by the runs that have them now, on nodes that live.
func TestIdle(t *testing.T) {
	all := func() ([]Status, []Claim, []uint64, map[string]bool) {
		return []Status{{Idle: true, Epoch: 3}, {Idle: true, Epoch: 9}}, []Claim{{Node: "a"}, {Node: "b"}}, []uint64{3, 9}, map[string]bool{"a": true, "b": true}
	}
	if s, c, r, l := all(); !idle(s, c, r, l) {
		t.Error("all are idle")
	}
	for name, spoil := range map[string]func([]Status, []Claim, []uint64, map[string]bool){
		"busy":          func(s []Status, _ []Claim, _ []uint64, _ map[string]bool) { s[1].Idle = false },
		"an older run":  func(s []Status, _ []Claim, _ []uint64, _ map[string]bool) { s[0].Epoch = 2 },
		"a dead owner":  func(_ []Status, _ []Claim, _ []uint64, l map[string]bool) { delete(l, "b") },
		"a newer claim": func(_ []Status, _ []Claim, r []uint64, _ map[string]bool) { r[1] = 10 },
	} {
		s, c, r, l := all()
		spoil(s, c, r, l)
		if idle(s, c, r, l) {
			t.Errorf("%s: taken for the end", name)
		}
	}
}

func TestLimits(t *testing.T) {
	now := State{Began: time.Now()}
	for _, c := range []struct {
		set  Settings
		all  []Status
		want crawl.EndedBy
	}{
		{Settings{MaxPages: 10}, []Status{{Pages: 4}, {Pages: 5}}, ""},
		{Settings{MaxPages: 10}, []Status{{Pages: 4}, {Pages: 6, Leased: 1}}, ""},
		{Settings{MaxPages: 10}, []Status{{Pages: 4}, {Pages: 6}}, crawl.ByMaxPages},
		{Settings{MaxBytes: 10}, []Status{{Bytes: 4}, {Bytes: 7}}, crawl.ByMaxBytes},
		{Settings{TimeLimit: time.Hour}, nil, ""},
		{Settings{TimeLimit: time.Nanosecond}, nil, crawl.ByTimeLimit},
		{Settings{}, []Status{{Pages: 1e6, Bytes: 1e9}}, ""},
	} {
		if got := limit(c.set, now, c.all); got != c.want {
			t.Errorf("%+v, %+v: %q, want %q", c.set, c.all, got, c.want)
		}
	}
}

// A broker that others could reach needs credentials, and is spoken to by TLS.
func TestBrokerPolicy(t *testing.T) {
	for url, open := range map[string]bool{
		"nats://127.0.0.1:4222": true, "nats://localhost:4222": true, "nats://[::1]:4222": true, "127.0.0.1:4222": true,
		"nats://127.0.0.1:4222,nats://127.0.0.1:4223": true,
		"nats://10.0.0.1:4222":                        false, "tls://nats.example:4222": false, "nats://127.0.0.1:1,nats://10.0.0.1:1": false,
		"nats://localhost.example.com:4222": false,
	} {
		b := Broker{URL: url}
		if err := b.Check(); errors.Is(err, ErrOpenBroker) == open {
			t.Errorf("%s without credentials: %v", url, err)
		}
		b.Open = true
		if err := b.Check(); err != nil {
			t.Errorf("%s, open: %v", url, err)
		}
	}
	for _, bad := range []string{"", "http://127.0.0.1:4222", "nats://user:secret@127.0.0.1:4222", "nats://"} {
		b := Broker{URL: bad}
		if err := b.Check(); err == nil || errors.Is(err, ErrOpenBroker) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestReadSecret(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]Secret{
		"s3cret\n": {Token: "s3cret"}, "me:pass:word": {User: "me", Password: "pass:word"},
		"-----BEGIN NATS USER JWT-----\nx\n": {Chained: true}, "": {}, "a\nb": {},
	} {
		name := filepath.Join(dir, "f")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadSecret(name)
		if got != want || (err != nil) != (want == Secret{}) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	if _, err := ReadSecret(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
