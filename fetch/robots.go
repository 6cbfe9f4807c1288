package fetch

import (
	"bytes"
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"crawler/weburl"
)

// The values a zero field of RobotsConfig stands for.
const (
	DefaultRobotsTTL       = 24 * time.Hour
	DefaultRobotsErrorTTL  = 10 * time.Minute
	DefaultRobotsBytes     = 500 << 10
	DefaultRobotsRedirects = 5
	DefaultRobotsOrigins   = 100_000
	DefaultRobotsMemory    = 64 << 20
)

// RobotsConfig says how robots.txt files are fetched and kept.
type RobotsConfig struct {
	// Token is the product token that robots.txt groups name this crawler by.
	// Empty, it is the beginning of the client's user agent: "crawler" of
	// "crawler/1.0 (+https://example.com)".
	Token        string
	TTL          time.Duration // how long rules are good for; 24 h, which RFC 9309 wants to be the most
	ErrorTTL     time.Duration // when to ask again after a failure; 10 min. Below 0 a failure is kept only as long as its Retry-After says
	MaxBytes     int64         // how much of a file is read; 500 KiB, which RFC 9309 wants to be the least
	MaxRedirects int           // 5, which RFC 9309 wants to be the least; negative: none
	MaxOrigins   int           // how many origins are kept; 100,000
	MaxMemory    int64         // about how many bytes they may take together; 64 MiB
}

// Robots keeps the robots.txt rules of the origins met last, and fetches what
// is missing. It is safe for concurrent use.
type Robots struct {
	client *Client
	cfg    RobotsConfig

	mu      sync.Mutex
	kept    map[string]*list.Element  // guarded by mu; of *origin
	used    *list.List                // guarded by mu; latest use first
	memory  int64                     // guarded by mu; the sum of the kept rules' sizes
	pending map[string]*pendingRobots // guarded by mu; origins that are being fetched
}

type origin struct {
	name  string
	rules *Rules
}

// pendingRobots is a fetch others may wait for.
type pendingRobots struct {
	done  chan struct{} // closed at the end
	rules *Rules        // readable then; nil if the fetch was canceled
	keep  bool          // whether the rules outlast the fetch
}

// NewRobots returns an empty cache that fetches with c.
func NewRobots(c *Client, cfg RobotsConfig) *Robots {
	cfg.Token = cmp.Or(cfg.Token, productToken(c.cfg.UserAgent))
	cfg.TTL = positive(cfg.TTL, DefaultRobotsTTL)
	cfg.ErrorTTL = min(cmp.Or(cfg.ErrorTTL, DefaultRobotsErrorTTL), cfg.TTL)
	cfg.MaxBytes = positive(cfg.MaxBytes, DefaultRobotsBytes)
	cfg.MaxOrigins = positive(cfg.MaxOrigins, DefaultRobotsOrigins)
	cfg.MaxMemory = positive(cfg.MaxMemory, DefaultRobotsMemory)
	cfg.MaxRedirects = cmp.Or(cfg.MaxRedirects, DefaultRobotsRedirects)
	return &Robots{
		client: c, cfg: cfg,
		kept: make(map[string]*list.Element), used: list.New(),
		pending: make(map[string]*pendingRobots),
	}
}

// productToken cuts the product token off the front of a user agent.
func productToken(userAgent string) string {
	for i := range len(userAgent) {
		if !isIdentifier(userAgent[i]) {
			return userAgent[:i]
		}
	}
	return userAgent
}

// Lookup returns the rules of an origin if they are at hand and fresh. It never
// waits for the network.
func (r *Robots) Lookup(origin string) (*Rules, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lookup(origin)
}

func (r *Robots) lookup(name string) (*Rules, bool) {
	e, ok := r.kept[name]
	if !ok {
		return nil, false
	}
	rules := e.Value.(*origin).rules
	if !time.Now().Before(rules.expires) {
		r.drop(e)
		return nil, false
	}
	r.used.MoveToFront(e)
	return rules, true
}

// Fetch returns the rules of an origin ("https://go.dev"), fetching its
// robots.txt if they are not at hand. Callers that ask for one origin at the
// same time share one fetch. Whatever the server does, there are rules: an error
// means that ctx has ended.
func (r *Robots) Fetch(ctx context.Context, origin string) (*Rules, error) {
	for {
		r.mu.Lock()
		if rules, ok := r.lookup(origin); ok {
			r.mu.Unlock()
			return rules, nil
		}
		p, waiting := r.pending[origin]
		if !waiting {
			p = &pendingRobots{done: make(chan struct{})}
			r.pending[origin] = p
		}
		r.mu.Unlock()
		if !waiting {
			return r.lead(ctx, origin, p)
		}
		select {
		case <-p.done:
			if p.rules != nil {
				return p.rules, nil
			}
			// Who fetched was canceled; that is no reason to fail here.
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// lead fetches for everybody who waits for p.
func (r *Robots) lead(ctx context.Context, name string, p *pendingRobots) (*Rules, error) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.pending, name)
		if p.keep {
			r.keep(name, p.rules)
		}
		close(p.done)
	}()
	rules, ttl, err := r.fetch(ctx, name)
	if err != nil {
		return nil, err
	}
	rules.expires = time.Now().Add(ttl)
	p.rules, p.keep = rules, ttl > 0
	return rules, nil
}

// keep remembers rules and forgets those of the origins not used for longest
// while there are too many or they are too large. The newest always stay.
func (r *Robots) keep(name string, rules *Rules) {
	r.kept[name] = r.used.PushFront(&origin{name, rules})
	r.memory += rules.size
	for r.used.Len() > 1 && (r.used.Len() > r.cfg.MaxOrigins || r.memory > r.cfg.MaxMemory) {
		r.drop(r.used.Back())
	}
}

func (r *Robots) drop(e *list.Element) {
	o := r.used.Remove(e).(*origin)
	delete(r.kept, o.name)
	r.memory -= o.rules.size
}

// Redirects that lead nowhere count as no robots.txt, like those that do not end
// (RFC 9309, section 2.3.1.2).
var errNoTarget = errors.New("redirect without a usable target")

// fetch gets robots.txt over redirects, which may lead to other hosts: the rules
// still are the first one's (section 2.3.1.2). It returns the rules and how long
// they are good for.
func (r *Robots) fetch(ctx context.Context, origin string) (*Rules, time.Duration, error) {
	at, err := weburl.Parse(origin + robotsPath)
	if err != nil {
		return uniform(disallowAll, "disallow-all: not an origin"), r.cfg.TTL, nil
	}
	for range max(r.cfg.MaxRedirects, 0) + 1 {
		res, err := r.client.get(ctx, at, limits{body: r.cfg.MaxBytes})
		if err != nil {
			res.Release()
			return r.failed(ctx, err)
		}
		rules, ttl := r.read(res)
		if rules == nil {
			at, err = at.Resolve(res.Location)
		}
		located := res.Location != ""
		res.Release()
		if rules != nil {
			return rules, ttl, nil
		}
		if err != nil || !located {
			return uniform(allowAll, "allow-all: "+errNoTarget.Error()), r.cfg.TTL, nil
		}
	}
	return uniform(allowAll, "allow-all: too many redirects"), r.cfg.TTL, nil
}

// failed says what holds when there is no answer: nothing is allowed (section
// 2.3.1.4).
func (r *Robots) failed(ctx context.Context, err error) (*Rules, time.Duration, error) {
	if ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	reason := ReasonProtocol
	if e, ok := errors.AsType[*Error](err); ok {
		reason = e.Reason
	}
	rules := uniform(disallowAll, fmt.Sprintf("disallow-all: unreachable (%s)", reason))
	rules.err = err
	return rules, r.cfg.ErrorTTL, nil
}

// read turns an answer into rules; nil means that it is a redirect. A 429 is an
// overloaded server rather than a missing file, whatever its first digit, and
// counts as 5xx does.
func (r *Robots) read(res *Response) (*Rules, time.Duration) {
	status := strconv.Itoa(res.Status)
	switch {
	case res.Status < 300:
		body := res.Body
		if res.Truncated {
			body = wholeLines(body)
		}
		return ParseRobots(body, r.cfg.Token), r.cfg.TTL
	case res.Status < 400:
		return nil, 0
	case res.Status < 500 && res.Status != 429:
		return uniform(allowAll, "allow-all: "+status), r.cfg.TTL
	default:
		ttl := min(max(r.cfg.ErrorTTL, res.RetryAfter), r.cfg.TTL)
		rules := uniform(disallowAll, "disallow-all: "+status)
		rules.patience = res.RetryAfter
		return rules, ttl
	}
}

// wholeLines cuts off a last line that may be cut itself: half a Disallow line
// forbids more than the whole one.
func wholeLines(body []byte) []byte {
	return body[:bytes.LastIndexAny(body, "\r\n")+1]
}
