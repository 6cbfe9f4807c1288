package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"crawler/weburl"
)

// The values a zero field of Config stands for.
const (
	DefaultUserAgent   = "crawler/0 (+no contact given)"
	DefaultTimeout     = 30 * time.Second
	DefaultDialTimeout = 10 * time.Second
	DefaultMaxBody     = 10 << 20
	DefaultMaxHeader   = 64 << 10
	DefaultMaxRatio    = 250
	DefaultMaxConns    = 256
	DefaultPerHost     = 64
)

const (
	maxMaxBody = 1 << 30
	// maxErrorBody is how much of a body is read when the status is not 2xx:
	// enough for an error page's links and words.
	maxErrorBody = 64 << 10
	// idleTimeout outlasts the usual politeness delay, and is in the range
	// after which servers drop idle connections themselves.
	idleTimeout = 60 * time.Second
	// keepAlive finds peers that vanished without closing.
	keepAlive = 30 * time.Second
	// writeBuffer is per connection; a request fits. net/http's read buffer of
	// 4 KiB holds a response header, and larger ones brought nothing.
	writeBuffer = 2 << 10
	// maxStreamWindow is how much an HTTP/2 server may send ahead of the reader.
	maxStreamWindow = 1 << 20
	// tlsSessions is how many TLS sessions are kept for a shorter handshake.
	tlsSessions = 1024
)

// Config sets how a Client requests pages. The zero value is usable: polite limits, no
// proxy, no cookies.
type Config struct {
	// UserAgent is sent with every request. Give the program's name and a
	// contact: a site's owner needs it to ask the crawler to stay away.
	UserAgent string
	// Header is sent with every request, over the defaults (Accept,
	// Accept-Encoding). New refuses names and values HTTP does not allow, line
	// breaks above all, and fields that the protocol sets.
	Header http.Header
	// OriginHeaders are sent with requests to their origins alone, over Header: never to where
	// a redirect leads, nor for another origin's robots.txt. Of two values for a field of one
	// origin the later one counts. New refuses what it refuses in Header.
	OriginHeaders []OriginHeader
	// Prepare, if not nil, is called for every request before it is sent, those for
	// robots.txt included, to set fields per host or to sign the request. An error keeps the
	// request from being sent: Get returns an *Error that wraps it, with ReasonRequest
	// unless the caller's context has ended.
	//
	// It may change the request's Header, which is a copy with the cookies in it, and
	// nothing else: if the method, URL, Host, body or framing has changed, Get fails in the
	// same way. So it does for the fields that Config.Header may not have, except that
	// User-Agent may be changed, but not left out; which group of robots.txt counts
	// still depends on Config.UserAgent. The request and its header must not be used after
	// Prepare has returned.
	//
	// The request's URL is spelled as net/url spells it. What it escapes and weburl does
	// not, such as "|" in a path, is sent as weburl spells it.
	//
	// Prepare is called from many goroutines at once, and its time counts towards Timeout.
	// With HTTP2 or a Proxy the same header may be sent up to three times, when an idle
	// connection turns out to be dead. CONNECT requests to a proxy are not prepared. The
	// cost is 5 allocations and 900 bytes a request, besides its own.
	Prepare func(*http.Request) error
	// Trace also finds out the remote address and the exact time of the first byte of
	// each response (Response.Remote and FirstByte).
	Trace bool
	// KeepWire keeps the bytes of each exchange as they went over the connection, inside TLS
	// if there is any (Response.WireRequest and WireResponse). It costs a copy of them. With
	// HTTP2 or a Proxy none are kept.
	KeepWire bool

	// HTTP2 offers HTTP/2 to servers of https URLs and speaks it to those that take it. The
	// zero value speaks HTTP/1.1 alone, over connections that cost no goroutine, and sends a
	// request once and no more. With HTTP2 or a Proxy, net/http is the client: it may
	// repeat a request whose idle connection turned out to be dead, at most twice.
	HTTP2 bool

	Timeout       time.Duration // for the whole page, dial to last byte; 30 s
	DialTimeout   time.Duration // for DNS and the TCP connection; 10 s
	HeaderTimeout time.Duration // from the request's end to the header's; 0: Timeout alone
	// MinRate is how many bytes a second of the body have to come over the wire,
	// on average since the header, from its 10th second on; 0: Timeout alone.
	// DefaultMinRate is a usual one.
	MinRate int64

	MaxHeader int64 // bytes of response header; 64 KiB
	// MaxBody is the most bytes of a body that are kept, after decoding, and
	// also the most that are read from the wire; 10 MiB, at most 1 GiB. Bodies of responses
	// other than 2xx are cut at 64 KiB.
	MaxBody int64
	// MaxRatio is how many times larger than on the wire a body over 1 MiB may
	// get in decoding; 250. HTML rarely exceeds 50.
	MaxRatio int
	// BodyLimit, if not nil, may lower MaxBody by media type, to 0 for media
	// types whose body is of no use. Cutting a body of more than a few KiB
	// costs an HTTP/1.1 connection.
	BodyLimit func(mediaType string) int64

	MaxConns int // idle connections kept in all; 256
	PerHost  int // idle connections kept per origin; 64. Get opens as many as are asked for
	// MaxOpen is how many connections may be open, idle ones and those that are being dialled
	// included. At that number an idle one is closed for a new one, or Get waits; if it waits for
	// its whole Timeout, the Reason is "local". 0 is no limit, and with HTTP2 or a Proxy
	// there is none.
	MaxOpen int

	// Guard says which addresses and ports may be connected to; nil: all. Set
	// one, if only the zero Guard, where URLs come from other people's pages.
	Guard *Guard
	// Resolver looks names up; nil: the system's.
	Resolver *net.Resolver
	// DialContext replaces the dialer, and with it the Guard's check of
	// addresses. Its connections must obey deadlines, as net.Conn says. An error of it that
	// wraps ErrAddress means that the address is refused on purpose.
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)
	// Resolve maps "host:port" to the "address:port" to dial instead, as made
	// by ParseResolve. It comes before DialContext and DNS. The user has asked for
	// these addresses, so the Guard lets them pass.
	Resolve map[string]string
	// TLS is for servers and an https proxy; nil: any certificate must be valid.
	TLS *tls.Config
	// Proxy is asked instead of the server if it is set; its scheme is http,
	// https or socks5. DialContext and Resolve then see the proxy's address. The
	// Guard lets that pass, and cannot see where the proxy connects to: of the
	// URL's host it refuses what is an address itself, and localhost.
	Proxy *url.URL
	// Jar keeps cookies; nil: none are kept. LoadCookies makes one from a file. It is not given
	// cookies that break the promise of a name with __Secure- or __Host- (RFC 6265bis).
	Jar http.CookieJar
}

// Client fetches pages. It is safe for concurrent use.
type Client struct {
	cfg       Config
	own       *http1                   // nil: the transport is used
	transport *http.Transport          // nil: own is used
	guard     *guard                   // nil: none
	base      *http.Request            // what other requests share; never written to
	origins   map[string]*http.Request // of an origin's own
	absolute  bool                     // an HTTP proxy gets the requests for http URLs
	pools     pools
	closed    atomic.Bool
}

// Getter fetches pages as [Client.Get] does: one exchange, no redirect followed,
// from many goroutines at once. It returns a Response, or an error, or both when
// the body fails after the header, and never neither. An *Error gives the Reason;
// any other error has none that is known. The caller releases the Response.
type Getter interface {
	Get(ctx context.Context, u weburl.URL) (*Response, error)
}

// New returns a Client, or an error that names the unusable field of cfg.
func New(cfg Config) (*Client, error) {
	setDefaults(&cfg)
	header, err := requestHeader(&cfg)
	if err != nil {
		return nil, err
	}
	c := &Client{cfg: cfg, guard: newGuard(cfg.Guard)}
	c.base = &http.Request{Method: http.MethodGet, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header}
	if c.origins, err = originRequests(c.base, cfg.OriginHeaders); err != nil {
		return nil, err
	}
	if !cfg.HTTP2 && cfg.Proxy == nil {
		c.own = newHTTP1(c)
		return c, nil
	}
	if c.transport, err = newTransport(c); err != nil {
		return nil, err
	}
	return c, nil
}

func setDefaults(cfg *Config) {
	cfg.UserAgent = cmp.Or(cfg.UserAgent, DefaultUserAgent)
	cfg.Timeout = positive(cfg.Timeout, DefaultTimeout)
	cfg.DialTimeout = positive(cfg.DialTimeout, DefaultDialTimeout)
	cfg.HeaderTimeout = max(cfg.HeaderTimeout, 0)
	cfg.MaxBody = min(positive(cfg.MaxBody, DefaultMaxBody), maxMaxBody)
	cfg.MaxHeader = positive(cfg.MaxHeader, DefaultMaxHeader)
	cfg.MaxRatio = positive(cfg.MaxRatio, DefaultMaxRatio)
	cfg.MaxConns = positive(cfg.MaxConns, DefaultMaxConns)
	cfg.PerHost = positive(cfg.PerHost, DefaultPerHost)
}

func positive[T cmp.Ordered](v, otherwise T) T {
	var zero T
	if v > zero {
		return v
	}
	return otherwise
}

func newTransport(c *Client) (*http.Transport, error) {
	cfg := &c.cfg
	t := &http.Transport{
		DialContext:            c.dial,
		DisableCompression:     true, // we decode, so as to count and cap both sides
		Protocols:              new(http.Protocols),
		MaxIdleConns:           cfg.MaxConns,
		MaxIdleConnsPerHost:    cfg.PerHost,
		IdleConnTimeout:        idleTimeout,
		TLSHandshakeTimeout:    cfg.DialTimeout,
		ResponseHeaderTimeout:  cfg.HeaderTimeout,
		MaxResponseHeaderBytes: cfg.MaxHeader,
		WriteBufferSize:        writeBuffer,
		TLSClientConfig:        tlsConfig(cfg.TLS),
		HTTP2:                  &http.HTTP2Config{MaxReceiveBufferPerStream: maxStreamWindow, SendPingTimeout: keepAlive},
	}
	t.Protocols.SetHTTP1(true)
	t.Protocols.SetHTTP2(cfg.HTTP2)
	if cfg.Proxy == nil {
		return t, nil
	}
	switch cfg.Proxy.Scheme {
	case "http", "https", "socks5", "socks5h":
	default:
		return nil, fmt.Errorf("proxy %s: scheme must be http, https or socks5", cfg.Proxy.Redacted())
	}
	if cfg.Proxy.Host == "" {
		return nil, fmt.Errorf("proxy %s: no host", cfg.Proxy.Redacted())
	}
	t.Proxy = http.ProxyURL(cfg.Proxy)
	c.absolute = !strings.HasPrefix(cfg.Proxy.Scheme, "socks")
	t.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, res *http.Response) error {
		if res.StatusCode != http.StatusOK {
			return &proxyError{status: res.Status}
		}
		return nil
	}
	return t, nil
}

func tlsConfig(given *tls.Config) *tls.Config {
	cfg := given.Clone()
	if cfg == nil {
		cfg = &tls.Config{}
	}
	if cfg.ClientSessionCache == nil {
		cfg.ClientSessionCache = tls.NewLRUClientSessionCache(tlsSessions)
	}
	return cfg
}

// Close closes the idle connections and ends dials that no Get waits for. Call it when all Gets
// have returned; a Get after it fails.
func (c *Client) Close() {
	c.closed.Store(true)
	if c.own != nil {
		c.own.idle.close()
		return
	}
	c.transport.CloseIdleConnections()
}

// Spare gives memory back: it closes half of the idle connections, or with HTTP2 or a Proxy all.
func (c *Client) Spare() {
	if c.own != nil {
		c.own.idle.spare()
		return
	}
	c.transport.CloseIdleConnections()
}

// Get fetches one page and never follows a redirect. The error is an *Error.
//
// When the header has come and the body then fails, Get returns both the error
// and a Response with what could be read of the body, marked Truncated.
func (c *Client) Get(ctx context.Context, u weburl.URL) (*Response, error) {
	return c.get(ctx, u, limits{body: c.cfg.MaxBody, byType: c.cfg.BodyLimit})
}

// limits sets how much of a body to read, and how slowly it may come.
type limits struct {
	body   int64
	byType func(mediaType string) int64 // may be nil
	pace   *pace                        // may be nil
	room   Room                         // may be nil
	ctx    context.Context              // of the room
	raw    any                          // the body, whose time may be extended
}

func (c *Client) get(ctx context.Context, u weburl.URL, lim limits) (*Response, error) {
	started := time.Now()
	if err := c.refuse(u); err != nil {
		return nil, &Error{Reason: refusal(err), URL: u.String(), Err: err}
	}
	res := &Response{URL: u, Started: started, pools: &c.pools}
	raw, err := c.ask(ctx, res)
	if err != nil {
		res.Release() // of what KeepWire has kept
		return nil, &Error{Reason: classify(ctx, err), URL: u.String(), Err: explainTLS(err)}
	}
	defer raw.Body.Close()
	if lim.pace = newPace(c.cfg.MinRate); lim.pace != nil {
		raw.Body.(pacedBody).keepPace(lim.pace)
	}
	lim.ctx, lim.room, lim.raw = ctx, roomIn(ctx), raw.Body
	err = c.readBody(res, raw, lim)
	res.Elapsed = time.Since(started)
	if err != nil {
		res.Truncated = true
		err = lim.pace.cause(err)
		return res, &Error{Reason: classifyBody(ctx, err), URL: u.String(), Err: err}
	}
	return res, nil
}

// pacedBody is the body of an answer as ask returns it: once keepPace was called, reading it fails
// when it comes too slowly.
type pacedBody interface {
	io.ReadCloser
	keepPace(*pace)
}

// ask sends the request for res, and fills in what is known when the header has
// come. The body, a pacedBody, fails when the page's time is over.
func (c *Client) ask(ctx context.Context, res *Response) (*http.Response, error) {
	send := c.overHTTP1
	if c.own == nil {
		send = c.overTransport
	}
	raw, err := send(ctx, res)
	if err != nil {
		return nil, err
	}
	if raw.StatusCode < 200 {
		raw.Body.Close()
		return nil, errSwitch
	}
	if c.cfg.Jar != nil {
		c.keepCookies(res, raw.Cookies())
	}
	res.setHeader(raw)
	return raw, nil
}

// overHTTP1 asks over a connection of our own.
func (c *Client) overHTTP1(ctx context.Context, res *Response) (*http.Response, error) {
	deadline := res.Started.Add(c.cfg.Timeout)
	req := c.shared(res.URL)
	res.Request = req.Header
	if c.cfg.Jar != nil || c.cfg.Prepare != nil {
		pageCtx, cancel := context.WithDeadline(ctx, deadline)
		defer cancel()
		var err error
		if req, err = c.request(pageCtx, res); err != nil {
			return nil, err
		}
	}
	return c.own.roundTrip(ctx, deadline, req, res)
}

// refuse returns why u is not requested, nil if it may be.
func (c *Client) refuse(u weburl.URL) error {
	switch {
	case u.IsZero():
		return errZeroURL
	case c.closed.Load():
		return errClosed
	case c.guard == nil:
		return nil
	}
	if err := c.guard.refusesPort(u); err != nil || c.cfg.Proxy == nil {
		return err
	}
	return c.guard.refusesHost(u)
}
