package fetch

import (
	"context"
	"errors"
	"net"
	"net/url"
	"testing"
	"testing/synctest"
	"time"
)

// A first try ends sooner than Config.DialTimeout, with an error that says so; with a proxy, whose
// connection it would be, and where the time is longer, it changes nothing.
func TestTryBriefly(t *testing.T) {
	for _, c := range []struct {
		name   string
		most   time.Duration
		proxy  bool
		takes  time.Duration
		briefs bool
	}{
		{"less time", time.Second, false, time.Second, true},
		{"more time", time.Minute, false, 10 * time.Second, false},
		{"a proxy", time.Second, true, 10 * time.Second, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := Config{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}}
				if c.proxy {
					cfg.Proxy = &url.URL{Scheme: "http", Host: "proxy.example:3128"}
				}
				client := newClient(t, cfg)
				began := time.Now()
				_, err := client.Get(TryBriefly(t.Context(), c.most), mustURL(t, "http://host.example/"))
				if took := time.Since(began); err == nil || took != c.takes || errors.Is(err, ErrBriefly) != c.briefs {
					t.Errorf("after %v: %v", took, err)
				}
				rules, err := NewRobots(client, RobotsConfig{Token: "test"}).Fetch(TryBriefly(t.Context(), c.most), "http://host.example", nil)
				if errors.Is(err, ErrBriefly) != c.briefs || (rules == nil) != c.briefs {
					t.Errorf("robots.txt: %v, %v", rules, err)
				}
			})
		})
	}
}

// A look-up is part of a first try, and the Get after it says so.
func TestTryBrieflyToLocate(t *testing.T) {
	silent := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	client := newClient(t, Config{Resolver: silent, Guard: &outsideOnly})
	ctx, _ := CountRequests(TryBriefly(t.Context(), 20*time.Millisecond))
	if ip, ok := client.Locate(ctx, mustURL(t, "http://host.example/")); ok {
		t.Errorf("located at %v", ip)
	}
	if _, err := client.Get(ctx, mustURL(t, "http://host.example/")); !errors.Is(err, ErrBriefly) {
		t.Errorf("%v, not that the try was brief", err)
	}
}
