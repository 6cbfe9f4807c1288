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

// RobotsConfig sets how robots.txt files are fetched and kept.
type RobotsConfig struct {
	// Token is the product token that robots.txt groups name this crawler by.
	// Empty, it is the ProductToken of the Client's user agent. Of a Getter that is no
	// *Client the user agent is unknown: set Token, or it is "crawler".
	Token string
	TTL   time.Duration // how long rules are good for; 24 h, the most by RFC 9309
	// ErrorTTL is when to ask again after a failure; 10 min. Below 0 a failure is kept only
	// as long as its Retry-After says.
	ErrorTTL     time.Duration
	MaxBytes     int64 // how much of a file is read; 500 KiB, the least by RFC 9309
	MaxRedirects int   // 5, which RFC 9309 wants to be the least; negative: none
	// Delay is the least time between an answer and the next request to the same host, where
	// redirects lead from one to the other. What else asks a host meanwhile Turn knows.
	Delay time.Duration
	// Turn, if not nil, is asked before a redirect to another host is followed, and waits until
	// that may be asked; done is called when it was, or will not be. After an error the file is
	// unreachable.
	Turn       func(ctx context.Context, host string) (done func(asked bool), err error)
	MaxOrigins int   // how many origins are kept; 100,000
	MaxMemory  int64 // about how many bytes they may take together; 64 MiB
}

// Robots keeps the robots.txt rules of the origins met last, and fetches what
// is missing. It is safe for concurrent use.
type Robots struct {
	get func(context.Context, weburl.URL) (*Response, error)
	cfg RobotsConfig

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
	of    string        // see outcome
	done  chan struct{} // closed at the end
	rules *Rules        // readable then; nil if the fetch was canceled
	keep  bool          // whether the rules outlast the fetch
}

// NewRobots returns an empty cache that fetches with g. A *Client reads up to
// RobotsConfig.MaxBytes of a file, whatever its own limits on bodies are. Another
// Getter reads as much as it likes, and the first MaxBytes count.
func NewRobots(g Getter, cfg RobotsConfig) *Robots {
	cfg.MaxBytes = positive(cfg.MaxBytes, DefaultRobotsBytes)
	agent, get := DefaultUserAgent, g.Get
	if c, ok := g.(*Client); ok {
		agent = c.cfg.UserAgent
		get = func(ctx context.Context, u weburl.URL) (*Response, error) {
			return c.get(ctx, u, limits{body: cfg.MaxBytes})
		}
	}
	cfg.Token = cmp.Or(cfg.Token, ProductToken(agent))
	cfg.TTL = positive(cfg.TTL, DefaultRobotsTTL)
	cfg.ErrorTTL = min(cmp.Or(cfg.ErrorTTL, DefaultRobotsErrorTTL), cfg.TTL)
	cfg.MaxOrigins = positive(cfg.MaxOrigins, DefaultRobotsOrigins)
	cfg.MaxMemory = positive(cfg.MaxMemory, DefaultRobotsMemory)
	cfg.MaxRedirects = cmp.Or(cfg.MaxRedirects, DefaultRobotsRedirects)
	return &Robots{
		get: get, cfg: cfg,
		kept: make(map[string]*list.Element), used: list.New(),
		pending: make(map[string]*pendingRobots),
	}
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

// known is lookup for who does not hold mu.
func (r *Robots) known(name string) (*Rules, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lookup(name)
}

// EachExchange is called with everything that a Getter returned for a robots.txt file and
// each redirect on the way: what was asked for, the answer, and what went wrong. The Response
// is valid until the call returns, unless that says that it keeps the Response: then whoever
// keeps it must release it.
type EachExchange func(at weburl.URL, res *Response, err error) (keeps bool)

// Fetch returns the rules of an origin ("https://go.dev"), fetching its
// robots.txt if they are not at hand. Callers that ask for one origin at the
// same time share one fetch. Whatever the server does, there are rules: an error
// means that ctx has ended.
//
// each may be nil. Otherwise this goroutine calls it for the file and for each redirect on
// the way, in order; a failure because ctx has ended is included. It is not called when the
// rules are at hand or come from another caller's fetch; callers that share this one wait
// for it.
func (r *Robots) Fetch(ctx context.Context, origin string, each EachExchange) (*Rules, error) {
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
			return r.lead(ctx, origin, p, each)
		}
		select {
		case <-p.done:
			if p.rules != nil {
				return p.rules, nil
			}
			// The caller that fetched was canceled; that is no reason to fail here.
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// lead fetches for all callers that wait for p.
func (r *Robots) lead(ctx context.Context, name string, p *pendingRobots, each EachExchange) (*Rules, error) {
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.pending, name)
		if p.keep {
			r.keep(name, p.rules)
			if p.of != "" {
				r.keep(p.of, p.rules)
			}
		}
		close(p.done)
	}()
	a, err := r.fetch(ctx, name, each)
	if err != nil {
		return nil, err
	}
	if a.rules.expires.IsZero() { // else they are another origin's as well
		a.rules.expires = time.Now().Add(a.ttl)
	}
	p.rules, p.keep, p.of = a.rules, a.ttl > 0, a.of
	return a.rules, nil
}

// keep remembers rules and forgets those of the origins not used for longest
// while there are too many or they are too large. The newest always stay.
func (r *Robots) keep(name string, rules *Rules) {
	if e, ok := r.kept[name]; ok {
		r.drop(e)
	}
	r.kept[name] = r.used.PushFront(&origin{name, rules})
	r.memory += rules.size
	for r.used.Len() > 1 && (r.used.Len() > r.cfg.MaxOrigins || r.memory > r.cfg.MaxMemory) {
		r.drop(r.used.Back())
	}
}

// leastRobots is how many bytes of rules Spare leaves: those of some thousand usual sites.
const leastRobots = 2 << 20

// Spare gives memory back: rules that were not used for longest are forgotten, until half is left
// or 2 MiB. They are asked for again when they are needed.
func (r *Robots) Spare() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for least := max(r.memory/2, leastRobots); r.memory > least && r.used.Len() > 1; {
		r.drop(r.used.Back())
	}
}

func (r *Robots) drop(e *list.Element) {
	o := r.used.Remove(e).(*origin)
	delete(r.kept, o.name)
	r.memory -= o.rules.size
}

// outcome is the result of an exchange: rules and how long they are good for, or
// the URL to request next.
type outcome struct {
	rules *Rules // nil: ask at next
	ttl   time.Duration
	next  weburl.URL
	of    string // the origin that redirects led to, if it is that one's robots.txt
}

// fetch gets robots.txt over redirects, which may lead to other hosts: the rules
// still are the first one's (section 2.3.1.2).
func (r *Robots) fetch(ctx context.Context, origin string, each EachExchange) (outcome, error) {
	at, err := weburl.Parse(origin + robotsPath)
	if err != nil {
		return outcome{rules: uniform(RobotsUnreachable, "disallow-all: not an origin"), ttl: r.cfg.TTL}, nil
	}
	first, answered := at.Host(), map[string]time.Time{}
	for range max(r.cfg.MaxRedirects, 0) + 1 {
		if last, ok := answered[at.Host()]; ok {
			if err := sleep(ctx, r.cfg.Delay-time.Since(last)); err != nil {
				return outcome{}, err
			}
		}
		elsewhere := at.Host() != first
		own := elsewhere && at.RequestURI() == robotsPath // of another origin
		if rules, ok := r.known(at.Origin()); ok && own {
			return outcome{rules: rules, ttl: r.cfg.TTL}, nil
		}
		done := func(bool) {}
		if elsewhere && r.cfg.Turn != nil {
			if done, err = r.cfg.Turn(ctx, at.Host()); err != nil {
				return r.failed(err), ctx.Err()
			}
		}
		if rules, ok := r.known(at.Origin()); ok && own { // another caller had its turn before
			done(false)
			return outcome{rules: rules, ttl: r.cfg.TTL}, nil
		}
		res, err := r.get(ctx, at)
		done(true)
		answered[at.Host()] = time.Now()
		a := r.read(at, res, err)
		if each == nil || !each(at, res, err) { // res may not be used from here on
			res.Release()
		}
		switch {
		case err != nil && ctx.Err() != nil:
			return outcome{}, ctx.Err()
		case errors.Is(err, ErrBriefly): // that says nothing about robots.txt
			return outcome{}, err
		case a.rules != nil:
			if own {
				a.of = at.Origin()
			}
			return a, nil
		}
		at = a.next
	}
	return r.astray("too many redirects"), nil
}

// sleep returns early, with an error, when ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// astray is the answer where redirects lead to no file: as if there were none
// (section 2.3.1.2).
func (r *Robots) astray(why string) outcome {
	return outcome{rules: uniform(RobotsRedirects, "allow-all: "+why), ttl: r.cfg.TTL}
}

// failed is the answer where the Getter had none: nothing is allowed (section
// 2.3.1.4).
func (r *Robots) failed(err error) outcome {
	status := "disallow-all: unreachable"
	if e, ok := errors.AsType[*Error](err); ok {
		status = fmt.Sprintf("%s (%s)", status, e.Reason)
	}
	rules := uniform(RobotsUnreachable, status)
	rules.err = err
	return outcome{rules: rules, ttl: r.cfg.ErrorTTL}
}

// read turns what the Getter returned for at into an answer. A 429 is an overloaded
// server rather than a missing file, whatever its first digit, and counts as 5xx
// does.
func (r *Robots) read(at weburl.URL, res *Response, err error) outcome {
	if err != nil {
		return r.failed(err)
	}
	status := strconv.Itoa(res.Status)
	switch {
	case res.Status < 300:
		return r.found(res)
	case res.Status < 400:
		next, err := at.Resolve(res.Location)
		if err != nil || res.Location == "" {
			return r.astray("redirect without a usable target")
		}
		return outcome{next: next}
	case res.Status < 500 && res.Status != 429:
		return outcome{rules: uniform(RobotsMissing, "allow-all: "+status), ttl: r.cfg.TTL}
	default:
		rules := uniform(RobotsUnreachable, "disallow-all: "+status)
		rules.patience = res.RetryAfter
		return outcome{rules: rules, ttl: min(max(r.cfg.ErrorTTL, res.RetryAfter), r.cfg.TTL)}
	}
}

// found is the answer where there is something at robots.txt, if only a page: one that wants a
// person to answer it stands before rules that nobody here can read (section 2.3.1.4), any
// other is what the site answers every URL with, and has no rules.
func (r *Robots) found(res *Response) outcome {
	file := r.file(res)
	if name := Challenge(res); name != "" {
		return outcome{rules: uniform(RobotsChallenge, "disallow-all: challenge ("+name+")"), ttl: r.cfg.ErrorTTL}
	}
	if isDocument(file) {
		return outcome{rules: uniform(RobotsPage, "allow-all: a page"), ttl: r.cfg.TTL}
	}
	return outcome{rules: ParseRobots(file, r.cfg.Token), ttl: r.cfg.TTL}
}

// file returns the part of a body that counts. The Response stays as it is: the Getter may
// have given it to others, too.
func (r *Robots) file(res *Response) []byte {
	body := res.Body[:min(int64(len(res.Body)), r.cfg.MaxBytes)]
	if res.Truncated || len(body) < len(res.Body) {
		body = wholeLines(body)
	}
	return body
}

// wholeLines cuts off a last line that may be cut itself: half a Disallow line
// forbids more than the whole one.
func wholeLines(body []byte) []byte {
	return body[:bytes.LastIndexAny(body, "\r\n")+1]
}
