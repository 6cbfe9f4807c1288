package fetch

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
)

// Names that share their addresses have one in common, whatever the order they come in.
func TestLocate(t *testing.T) {
	var asked atomic.Int64
	resolver := nameServer(t, func(name string) []string {
		asked.Add(1)
		switch name {
		case "one.test", "two.test":
			return []string{"192.0.2.9", "192.0.2.10"}
		case "turned.test":
			return []string{"192.0.2.10", "192.0.2.9"}
		}
		return nil
	})
	c := newClient(t, Config{Guard: &outsideOnly, Resolver: resolver, Resolve: map[string]string{"set.test:80": "192.0.2.77:8080"}})
	for raw, want := range map[string]string{
		"http://one.test/":           "192.0.2.9",
		"https://two.test:8443/x":    "192.0.2.9",
		"http://turned.test/":        "192.0.2.9",
		"http://192.0.2.33:8080/":    "192.0.2.33",
		"http://[2001:db8::1]/":      "2001:db8::1",
		"http://[::ffff:192.0.2.3]/": "192.0.2.3",
		"http://set.test/":           "192.0.2.77",
		"http://127.0.0.1/":          "127.0.0.1", // connecting to it is another question
		"http://gone.test/":          "",
	} {
		ip, ok := c.Locate(t.Context(), mustURL(t, raw))
		if got := ip.String(); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s, %v, not %q", raw, got, ok, want)
		}
	}
	before := asked.Load()
	if _, ok := c.Locate(t.Context(), mustURL(t, "http://one.test:25/")); ok || asked.Load() != before {
		t.Error("a name was looked up that may not be asked at that port")
	}
}

// What has addresses of both kinds is located at that of IPv4, which names share more often.
func TestPreferred(t *testing.T) {
	for _, c := range []struct {
		ips  []string
		want string
	}{
		{[]string{"2001:db8::1", "192.0.2.2", "192.0.2.1"}, "192.0.2.1"},
		{[]string{"2001:db8::2", "2001:db8::1"}, "2001:db8::1"},
		{[]string{"::1", "::ffff:192.0.2.5"}, "192.0.2.5"},
	} {
		var ips []netip.Addr
		for _, s := range c.ips {
			ips = append(ips, netip.MustParseAddr(s))
		}
		for range 2 {
			if got, ok := preferred(ips); !ok || got.String() != c.want {
				t.Errorf("%v: %v", c.ips, got)
			}
			slices.Reverse(ips)
		}
	}
}

// Behind a proxy or another dialer there is nothing to know, and nothing is looked up.
func TestNobodyLocatesBehindAProxy(t *testing.T) {
	resolver := nameServer(t, func(name string) []string {
		t.Errorf("%s was looked up", name)
		return nil
	})
	proxy := &url.URL{Scheme: "http", Host: "192.0.2.1:3128"}
	dial := (&net.Dialer{}).DialContext
	for _, cfg := range []Config{{Proxy: proxy, Resolver: resolver}, {DialContext: dial, Resolver: resolver}} {
		if ip, ok := newClient(t, cfg).Locate(t.Context(), mustURL(t, "http://a.test/")); ok {
			t.Errorf("located at %v", ip)
		}
	}
}

// A name that is not there is looked up once, not by Locate and again by the dial, and fails as it
// would have without Locate.
func TestFailedLookupStandsForTheDials(t *testing.T) {
	var asked atomic.Int64
	resolver := nameServer(t, func(string) []string { asked.Add(1); return nil })
	c := newClient(t, Config{Resolver: resolver})
	u := mustURL(t, "http://gone.test/")
	_, plain := c.Get(t.Context(), u)
	once := asked.Load()

	ctx, _ := CountRequests(t.Context())
	if _, ok := c.Locate(ctx, u); ok {
		t.Fatal("it was located")
	}
	_, err := c.Get(ctx, u)
	if asked.Load() != 2*once {
		t.Errorf("%d questions to the name server, not %d", asked.Load(), 2*once)
	}
	if reasonOf(t, err) != reasonOf(t, plain) || err.Error() != plain.Error() {
		t.Errorf("%v\nnot %v", err, plain)
	}
	c.Get(ctx, u)
	if asked.Load() != 3*once {
		t.Error("the next dial did not look it up again")
	}
	c.Locate(ctx, u)
	c.Get(ctx, mustURL(t, "http://other.test/"))
	if asked.Load() != 5*once {
		t.Error("a host that nobody has located failed as another one did")
	}
}
