package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"crawler/weburl"
)

// unreached is a server that must not be asked, nor even connected to. Its port is
// open on 127.0.0.1 and, if the machine has one, on ::1.
func unreached(t *testing.T) (port string) {
	t.Helper()
	base := rawListener(t, func(c net.Conn) { t.Errorf("connected to by way of %s", c.LocalAddr()) })
	_, port, _ = net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	if six, err := net.Listen("tcp", "[::1]:"+port); err == nil {
		t.Cleanup(func() { six.Close() })
		go func() {
			if c, err := six.Accept(); err == nil {
				t.Errorf("connected to by way of %s", c.LocalAddr())
				c.Close()
			}
		}()
	}
	return port
}

// refused gets a URL that must be refused for reason, without a connection.
func refused(t *testing.T, c *Client, raw string, reason Reason) {
	t.Helper()
	_, err := c.Get(t.Context(), mustURL(t, raw))
	if got := reasonOf(t, err); got != reason {
		t.Errorf("%s: %q, want %q: %v", raw, got, reason, err)
	}
}

// All spellings of this machine that a link may have (RFC 3986, section 7.4, and the
// URL Standard's host parser).
func TestRFC3986_7_4_SpellingsOfThisMachine(t *testing.T) {
	port := unreached(t)
	c := newClient(t, Config{Guard: &Guard{}})
	for _, host := range []string{
		"127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0X7F.0.0.1", "017700000001", "0177.0.0.01", "127.0.0.1.",
		"%31%32%37.0.0.1", "127%2E0%2E0%2E1", "127。0。0。1", "①②⑦.0.0.1", "１２７.0.0.1", "127.255.255.254",
		"0.0.0.0", "0", "0x0", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:0:0]",
		"[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::1]", "[2001:0:7f00:1::1]", "[fe80::1]",
		"localhost", "LOCALHOST", "user:pass@localhost",
	} {
		refused(t, c, "http://"+host+":"+port+"/", ReasonAddress)
	}
}

// The networks about, and what clouds have in them. The guard is asked as the dialer
// asks it: were it broken, nothing would be sent to strangers.
func TestGuardRefusesPrivateHosts(t *testing.T) {
	g := newGuard(&Guard{})
	for _, host := range []string{
		"10.0.0.1", "0xa000001", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1", "169.254.0.1", "169.254.169.254", "2852039166",
		"100.100.100.200", "168.63.129.16", "192.0.0.192", "198.18.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255",
		"240.0.0.1", "255.255.255.255", "[fd00:ec2::254]", "[fc00::1]", "[fd12::1]", "[fe80::1]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]",
		"[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[4000::1]", "[::ffff:10.0.0.1]",
	} {
		addr := hostPort(mustURL(t, "http://"+host+"/"))
		if err := g.dialling(addr).control(t.Context(), "tcp", addr, nil); !errors.Is(err, ErrAddress) {
			t.Errorf("%s: %v", host, err)
		}
	}
	if err := g.dialling("a.test:80").control(t.Context(), "tcp", "8.8.8.8:80", nil); err != nil {
		t.Errorf("a public address: %v", err)
	}
	// What the dialer never says, and a zone.
	for _, odd := range []string{"", "x", "8.8.8.8", "[fe80::1%eth0]:80"} {
		if err := g.dialling("a.test:80").control(t.Context(), "tcp", odd, nil); !errors.Is(err, ErrAddress) {
			t.Errorf("%q: %v", odd, err)
		}
	}
}

func TestGuardSaysWhatItRefused(t *testing.T) {
	err := newGuard(&Guard{}).dialling("a.test:80").control(t.Context(), "tcp", "169.254.169.254:80", nil)
	for _, want := range []string{"169.254.169.254", "cloud metadata", "RFC 3927", "seed"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

// A seed's host and port may be connected to, and nothing else with it.
func TestSeedsAreAllowed(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, page) })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	other := unreached(t)
	for _, seed := range []string{base, "http://127.1:" + port + "/a?b", "https://127.0.0.1:" + port} {
		c := newClient(t, Config{Guard: &Guard{Seeds: []weburl.URL{mustURL(t, seed)}}})
		if res := get(t, c, base+"/x"); string(res.Body) != page {
			t.Errorf("seed %s: %q", seed, res.Body)
		}
		for _, host := range []string{"127.0.0.1:" + other, "localhost:" + other, "127.0.0.2:" + port, "[::1]:" + other} {
			refused(t, c, "http://"+host+"/", ReasonAddress)
		}
	}
	c := newClient(t, Config{Guard: &Guard{Seeds: []weburl.URL{mustURL(t, "http://localhost:"+port)}}})
	get(t, c, "http://localhost:"+port+"/")
	refused(t, c, "http://127.0.0.1:"+port+"/", ReasonAddress)
	refused(t, c, "http://localhost:"+other+"/", ReasonAddress)
}

// An IPv6 address stands in brackets in a URL and nowhere else.
func TestSeedsOfIPv6(t *testing.T) {
	ln, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6:", err)
	}
	acceptRaw(t, ln, func(c net.Conn) {
		if readRequest(c) == nil {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	seed := mustURL(t, "http://"+ln.Addr().String())
	get(t, newClient(t, Config{Guard: &Guard{Seeds: []weburl.URL{seed}}}), seed.String())
	get(t, newClient(t, Config{Guard: &Guard{Nets: []netip.Prefix{cidr("::1/128")}}}), seed.String())
	refused(t, newClient(t, Config{Guard: &Guard{Seeds: []weburl.URL{mustURL(t, "http://[::1]/")}}}), seed.String(), ReasonAddress)
}

func TestAllowedNets(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, page) })
	for _, x := range []struct {
		guard   Guard
		allowed bool
	}{
		{Guard{}, false},
		{Guard{Nets: []netip.Prefix{cidr("127.0.0.1/32")}}, true},
		{Guard{Nets: []netip.Prefix{cidr("10.0.0.0/8"), cidr("127.0.0.0/8")}}, true},
		{Guard{Nets: []netip.Prefix{cidr("127.0.0.2/32"), cidr("10.0.0.0/8")}}, false},
		{Guard{Private: true}, true},
	} {
		_, err := newClient(t, Config{Guard: &x.guard}).Get(t.Context(), mustURL(t, base))
		if (err == nil) != x.allowed {
			t.Errorf("%+v: %v", x.guard, err)
		}
	}
	wrapped := netip.MustParseAddr("64:ff9b::10.1.2.3")
	for _, net := range []string{"64:ff9b::a00:0/104", "10.1.0.0/16"} {
		g := newGuard(&Guard{Nets: []netip.Prefix{cidr(net)}})
		if err := g.refuses(wrapped, nil); err != nil {
			t.Errorf("%s: %v", net, err)
		}
	}
}

// What the user wrote into --resolve was asked for.
func TestResolvedAddressesAreAllowed(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) })
	addr := strings.TrimPrefix(base, "http://")
	c := newClient(t, Config{Guard: &Guard{}, Resolve: map[string]string{"e.test:80": addr, "*:8080": addr}})
	get(t, c, "http://e.test/")
	get(t, c, "http://f.test:8080/")
	refused(t, c, base, ReasonAddress)
}

// nameServer resolves by a DNS server of ours: answers gives the addresses of each
// question in turn.
func nameServer(t *testing.T, answers func(name string) []string) *net.Resolver {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close() })
	go func() {
		buf := make([]byte, 512)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				for _, a := range answers(strings.TrimSuffix(q.Name.String(), ".")) {
					m.Answers = append(m.Answers, dnsmessage.Resource{
						Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
						Body:   &dnsmessage.AResource{A: netip.MustParseAddr(a).As4()},
					})
				}
			}
			if out, err := m.Pack(); err == nil {
				pc.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", pc.LocalAddr().String())
	}}
}

// twoFaces serves on 127.0.0.1, which no guard below allows, and on the same port of
// 127.0.0.2, which they do: it stands for the public internet. It counts connections.
func twoFaces(t *testing.T) (port string, inside, outside *atomic.Int64) {
	t.Helper()
	inside, outside = new(atomic.Int64), new(atomic.Int64)
	count := func(n *atomic.Int64) func(net.Conn) {
		return func(c net.Conn) {
			n.Add(1)
			if readRequest(c) != nil {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
		}
	}
	for range 20 { // the port may be taken on the other address
		one, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ = net.SplitHostPort(one.Addr().String())
		two, err := net.Listen("tcp", "127.0.0.2:"+port)
		if err != nil {
			one.Close()
			continue
		}
		acceptRaw(t, one, count(inside))
		acceptRaw(t, two, count(outside))
		return port, inside, outside
	}
	t.Fatal("no port is free on 127.0.0.1 and 127.0.0.2")
	return "", nil, nil
}

var outsideOnly = Guard{Nets: []netip.Prefix{cidr("127.0.0.2/32")}}

// DNS rebinding: a name that was looked up, held against a list and found good leads
// elsewhere when it is looked up again.
func TestDNSRebinding(t *testing.T) {
	port, inside, outside := twoFaces(t)
	var asked atomic.Int64
	resolver := nameServer(t, func(string) []string {
		if asked.Add(1) == 1 {
			return []string{"127.0.0.2"}
		}
		return []string{"127.0.0.1"}
	})
	c := newClient(t, Config{Guard: &outsideOnly, Resolver: resolver})
	evil := "http://evil.test:" + port + "/"
	get(t, c, evil)
	for range 3 { // retries
		refused(t, c, evil, ReasonAddress)
	}
	if inside.Load() != 0 || outside.Load() != 1 {
		t.Errorf("%d connections inside, %d outside", inside.Load(), outside.Load())
	}
}

// Of a name with a private and a public address the public one is used, in whatever
// order they come (RFC 8305).
func TestRFC8305_OnlyAllowedAddressesAreTried(t *testing.T) {
	port, inside, outside := twoFaces(t)
	resolver := nameServer(t, func(name string) []string {
		if name == "ab.test" {
			return []string{"127.0.0.1", "127.0.0.2"}
		}
		return []string{"127.0.0.2", "127.0.0.1", "10.0.0.1"}
	})
	c := newClient(t, Config{Guard: &outsideOnly, Resolver: resolver})
	for range 3 {
		get(t, c, "http://ab.test:"+port+"/")
		get(t, c, "http://ba.test:"+port+"/")
	}
	if inside.Load() != 0 || outside.Load() != 6 {
		t.Errorf("%d connections inside, %d outside, want 0 and 6", inside.Load(), outside.Load())
	}
	// When the public address does not answer, that is what is wrong with the host.
	_, closed, _ := net.SplitHostPort(closedPort(t))
	refused(t, c, "http://ab.test:"+closed+"/", ReasonConnect)
}

// A seed's name is trusted with private addresses, not with a cloud's metadata, and
// no longer when it was seen to be public.
func TestWhatASeedsNameMayReach(t *testing.T) {
	seed := mustURL(t, "http://intranet.test/")
	literal := mustURL(t, "http://169.254.169.254/")
	g := newGuard(&Guard{Seeds: []weburl.URL{seed, literal}})
	judge := func(seed, addr string) bool {
		return g.refuses(netip.MustParseAddr(addr), g.seeds[seed]) == nil
	}
	for _, step := range []struct {
		seed, addr string
		allowed    bool
	}{
		{"intranet.test:80", "10.0.0.1", true},
		{"intranet.test:80", "127.0.0.1", true},
		{"intranet.test:80", "169.254.169.254", false},
		{"intranet.test:80", "fe80::1", false},
		{"intranet.test:80", "fd00:ec2::254", false},
		{"intranet.test:80", "100.100.100.200", false},
		{"intranet.test:443", "10.0.0.1", true}, // where a site sends its visitors
		{"intranet.test:8080", "10.0.0.1", false},
		{"169.254.169.254:80", "169.254.169.254", true},
		{"other.test:80", "10.0.0.1", false},
		{"other.test:80", "8.8.8.8", true},
		{"intranet.test:80", "10.0.0.1", true},
		{"intranet.test:80", "8.8.8.8", true}, // so it is public
		{"intranet.test:80", "10.0.0.1", false},
		{"intranet.test:443", "10.0.0.1", false},
		{"intranet.test:80", "8.8.4.4", true},
	} {
		if got := judge(step.seed, step.addr); got != step.allowed {
			t.Errorf("%s at %s: allowed=%v, want %v", step.seed, step.addr, got, step.allowed)
		}
	}
}

// A name that leads inside is refused, a seed's own is not.
func TestNamesAreJudgedByTheirAddresses(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, page) })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	resolver := nameServer(t, func(string) []string { return []string{"127.0.0.1"} })
	seed := "http://intranet.test:" + port + "/"
	c := newClient(t, Config{Guard: &Guard{Seeds: []weburl.URL{mustURL(t, seed)}}, Resolver: resolver})
	get(t, c, seed)
	refused(t, c, "http://evil.test:"+port+"/", ReasonAddress)
	refused(t, c, "http://www.intranet.test:"+port+"/", ReasonAddress)
}

// robots.txt may redirect over hosts (RFC 9309, section 2.3.1.2), but not inside.
func TestRFC9309_2_3_1_2_RobotsRedirectInside(t *testing.T) {
	port := unreached(t)
	for _, to := range []string{"http://127.0.0.1:" + port + "/robots.txt", "http://0x7f.1:" + port + "/x", "http://localhost:" + port + "/"} {
		base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
		c := newClient(t, Config{Guard: &Guard{Seeds: []weburl.URL{mustURL(t, base)}}})
		rules, err := NewRobots(c, RobotsConfig{}).Fetch(t.Context(), base, nil)
		if err != nil || rules.Status() != "disallow-all: unreachable (address)" || reasonOf(t, rules.Err()).Temporary() {
			t.Errorf("%s: %v, %q", to, err, rules.Status())
		}
	}
}

// The proxy is the user's choice. Of the hosts behind it those are refused that can be
// seen to be inside.
func TestGuardWithProxy(t *testing.T) {
	var asked atomic.Value
	base, conns := serve(t, func(w http.ResponseWriter, r *http.Request) { asked.Store(r.RequestURI) })
	c := newClient(t, Config{Proxy: mustProxy(t, base), Guard: &Guard{Seeds: []weburl.URL{mustURL(t, "http://10.0.0.7/")}}})
	for _, host := range []string{"e.test", "8.8.8.8", "10.0.0.7", "localhost.test"} {
		if get(t, c, "http://"+host+"/"); asked.Load() != "http://"+host+"/" {
			t.Errorf("the proxy was asked for %v, want %s", asked.Load(), host)
		}
	}
	before := conns.Load()
	for _, host := range []string{"127.0.0.1", "2130706433", "10.0.0.8", "10.0.0.7:81", "[::1]", "[::ffff:10.0.0.1]", "localhost", "LocalHost.", "a.localhost", "169.254.169.254"} {
		refused(t, c, "http://"+host+"/", ReasonAddress)
		refused(t, c, "https://"+host+"/", ReasonAddress)
	}
	if conns.Load() != before {
		t.Error("the proxy was connected to for a refused host")
	}
	allowing := newClient(t, Config{Proxy: mustProxy(t, base), Guard: &Guard{Private: true}})
	get(t, allowing, "http://10.0.0.8/")
}

func TestGuardWithSOCKSProxy(t *testing.T) {
	base := rawListener(t, func(c net.Conn) { t.Error("the proxy was connected to for a refused host") })
	p := &url.URL{Scheme: "socks5", Host: strings.TrimPrefix(base, "http://")}
	refused(t, newClient(t, Config{Proxy: p, Guard: &Guard{}}), "http://127.0.0.1/", ReasonAddress)
}

func TestPorts(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, page) })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(base, "http://"))
	private := func(ports string) Guard {
		p, err := ParsePorts(ports)
		if err != nil {
			t.Fatal(err)
		}
		return Guard{Private: true, Ports: p}
	}
	for _, x := range []struct {
		guard Guard
		url   string
		want  Reason
	}{
		{private(""), base, ""},
		{private("80,443"), base, ReasonPort},
		{private("80," + port), base, ""},
		{private("1-65535"), base, ""},
		{private("8080"), "http://127.0.0.1/", ReasonPort},
		{private("80"), "https://127.0.0.1/", ReasonPort},
		{private(""), "http://127.0.0.1:25/", ReasonPort},
		{private(""), "http://127.0.0.1:6667/", ReasonPort},
		{private(""), "https://127.0.0.1:22/", ReasonPort},
		{Guard{Ports: Ports{{80, 80}}, Seeds: []weburl.URL{mustURL(t, base)}}, base + "/x", ""},
		{Guard{Ports: Ports{{80, 80}}, Seeds: []weburl.URL{mustURL(t, base)}}, "http://127.0.0.1:81/", ReasonPort},
		{Guard{Ports: Ports{{80, 80}}, Seeds: []weburl.URL{mustURL(t, "http://127.0.0.1/")}}, "https://127.0.0.1/", ReasonPort},
	} {
		refused(t, newClient(t, Config{Guard: &x.guard}), x.url, x.want)
	}
	// Whoever dials, and whatever resolves.
	c := newClient(t, Config{Guard: &Guard{}, Resolve: map[string]string{"*:25": strings.TrimPrefix(base, "http://")}})
	refused(t, c, "http://e.test:25/", ReasonPort)
}

func TestParsePorts(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " ": "", "80": "80", "80,443,8000-8999": "80,443,8000-8999", " 80 , 443 ": "80,443", "1-65535": "1-65535", "7-7": "7",
	} {
		if p, err := ParsePorts(in); err != nil || p.String() != want {
			t.Errorf("%q: %q, %v", in, p, err)
		}
	}
	for _, in := range []string{"0", "65536", "-1", "80-", "-80", "90-80", "http", "80,", "80;443", "80 443", "1-2-3", "+80"} {
		if p, err := ParsePorts(in); err == nil || !strings.Contains(err.Error(), "8000-8999") {
			t.Errorf("%q: %v, %v", in, p, err)
		}
	}
	p, _ := ParsePorts("80,8000-8999")
	for port, want := range map[uint16]bool{79: false, 80: true, 81: false, 7999: false, 8000: true, 8999: true, 9000: false} {
		if p.Has(port) != want {
			t.Errorf("port %d: %v", port, !want)
		}
	}
	for i := range badPorts {
		if i > 0 && badPorts[i-1] >= badPorts[i] {
			t.Errorf("the bad ports are not in order at %d", badPorts[i])
		}
		if Ports(nil).Has(badPorts[i]) {
			t.Errorf("port %d is allowed", badPorts[i])
		}
	}
	for _, port := range []uint16{80, 443, 8080, 8443, 3000, 65535} {
		if !Ports(nil).Has(port) {
			t.Errorf("port %d is refused", port)
		}
	}
}

// TestSpecialAddresses holds the table against its own ends and against what lies
// beside them.
func TestSpecialAddresses(t *testing.T) {
	for _, b := range blocks {
		for _, a := range []netip.Addr{b.net.Addr(), lastOf(b.net)} {
			if special(a) == nil {
				t.Errorf("%s of %s is let through", a, b.net)
			}
		}
		if b.what == "" || b.source == "" || b.net != b.net.Masked() {
			t.Errorf("%s: incomplete", b.net)
		}
	}
	for _, s := range []string{
		"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0",
		"172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
		"203.0.112.255", "203.0.114.0", "223.255.255.255", "8.8.8.8", "168.63.129.17", "2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::", "2001:db9::",
		"2003::1", "2606:4700::1111", "2a00:1450::1", "3ffe:ffff::", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
	} {
		if b := special(plainAddr(netip.MustParseAddr(s))); b != nil {
			t.Errorf("%s is refused as %s", s, b.what)
		}
	}
}

func lastOf(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for i := p.Bits(); i < 8*len(b); i++ {
		b[i/8] |= 1 << (7 - i%8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

// FuzzSpecial holds the table against the standard library's own notions, which are
// fewer: what it knows as special is never let through, in no wrapping.
func FuzzSpecial(f *testing.F) {
	for _, b := range blocks {
		f.Add(b.net.Addr().AsSlice())
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, ok := netip.AddrFromSlice(raw)
		if !ok {
			return
		}
		plain := plainAddr(a)
		known := plain.IsPrivate() || plain.IsLoopback() || plain.IsLinkLocalUnicast() || plain.IsMulticast() || plain.IsUnspecified() || !plain.IsGlobalUnicast()
		refused := special(plain) != nil
		if known && !refused {
			t.Errorf("%s is let through", a)
		}
		if !plain.Is4() {
			return
		}
		four := plain.As4()
		for _, prefix := range []string{"::ffff:0:0", "64:ff9b::"} {
			wrapped := netip.MustParseAddr(prefix).As16()
			copy(wrapped[12:], four[:])
			if again := special(plainAddr(netip.AddrFrom16(wrapped))) != nil; again != refused {
				t.Errorf("%s: refused=%v, in %s %v", plain, refused, prefix, again)
			}
		}
	})
}
