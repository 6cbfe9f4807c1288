package crawl

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"syscall"
	"time"

	"github.com/cespare/xxhash/v2"

	"crawler/fetch"
	"crawler/frontier"
	"crawler/gate"
	"crawler/parse"
	"crawler/weburl"
)

// worker turns tasks into visits. It owns its present Visit, nothing else.
type worker struct {
	ring    *ring
	cfg     *Config
	sent    *fetch.Sent
	charged int64 // requests that visits account for
	now     *Visit
}

func newWorker(r *ring) *worker {
	return &worker{ring: r, cfg: &r.cfg}
}

func (w *worker) run(ctx context.Context) {
	ctx, w.sent = fetch.CountRequests(ctx)
	ctx = fetch.WithRoom(ctx, func(ctx context.Context, total int64) error {
		return w.ring.room.Grow(ctx, &w.now.stay, total)
	})
	for v := range w.ring.tasks {
		w.now = v
		v.stay.Waits = w.standAside
		w.visit(ctx, v)
		w.ring.prepareExchanges(v)
		w.ring.settleIn(ctx, v)
		w.charge(v)
		if w.ring.preparer != nil && v.End == Fetched && v.hookErr == nil && !v.Outcome.Heavy {
			w.ring.preparer.Prepare(v)
		}
		w.ring.hold(v)
		replaced := v.Lease.Away
		w.ring.visits <- v
		if replaced {
			return
		}
	}
}

// charge adds the requests that were sent since the last visit to this one. An answer
// is worth a request, whether that was counted yet or not: a Fetcher may not count at all.
func (w *worker) charge(v *Visit) {
	v.Requests = max(v.answers, int(w.sent.Count()-w.charged))
	w.charged += int64(v.Requests)
	if last := w.sent.Last(); !v.Outcome.Started.IsZero() && last.After(v.Outcome.Started) {
		v.Outcome.Sent = last
	}
}

// briefly is how long a connection may take where others wait to be tried (Lease.Brief): long
// enough for a packet that has to be sent twice.
const briefly = 2 * time.Second

func (w *worker) visit(ctx context.Context, v *Visit) {
	if v.Lease.Brief {
		ctx = fetch.TryBriefly(ctx, briefly)
	}
	if v.Lease.Outage {
		w.probe(ctx, v)
		return
	}
	if v.Lease.Locate && w.locate(ctx, v) {
		return
	}
	if !w.allowed(ctx, v) {
		return
	}
	v.Outcome.Started = time.Now()
	resp, err := w.cfg.Fetcher.Get(ctx, v.URL)
	kept := w.ring.exchange(v, Exchange{URL: v.URL, Response: resp, Err: err})
	if resp == nil {
		v.fail(ctx, err)
		return
	}
	v.answers++
	v.Outcome.Latency = w.latency(resp)
	w.read(ctx, v, resp, err)
	if v.Response = nil; v.End == Fetched {
		w.hook(v, resp)
	}
	switch {
	case v.End == Fetched && w.cfg.KeepResponse:
		v.Response = resp
	case !kept:
		resp.Release()
	}
}

// locate looks up the address of v's host, so that the hosts that share it are limited together.
// If the look-up fails, the visit goes on; the request itself then fails if the name is bad.
func (w *worker) locate(ctx context.Context, v *Visit) (found bool) {
	if w.ring.locator == nil {
		return false
	}
	if v.address, found = w.ring.locator.Locate(ctx, v.URL); found {
		v.End = Located
	}
	return found
}

// latency returns how long the first byte of an answer took, once the request was sent: neither
// the look-up of a name nor a handshake says how busy a server is.
func (w *worker) latency(resp *fetch.Response) time.Duration {
	took := resp.FirstByte
	if sent := w.sent.Last().Sub(resp.Started); sent > 0 {
		took -= sent
	}
	return max(took, 1)
}

// probe asks the host of v for robots.txt, to see whether the network is back: its pages may be
// some that never answer. What the answer is does not matter; nor does why there is none, since in
// an outage a name may be unknown, or lead to a private address.
func (w *worker) probe(ctx context.Context, v *Visit) {
	u, err := weburl.Parse(v.URL.Origin() + "/robots.txt")
	if err != nil {
		panic("crawl: origin of a URL: " + err.Error())
	}
	v.Outcome.Started = time.Now()
	v.AskedRobots = true
	resp, err := w.cfg.Fetcher.Get(ctx, u)
	if !w.ring.exchange(v, Exchange{URL: u, Robots: true, Response: resp, Err: err}) {
		resp.Release()
	}
	if resp != nil {
		v.answers++
		v.End = Heard
		return
	}
	switch v.fail(ctx, err); {
	case v.End == Aborted || v.Reason == gate.Reason(fetch.ReasonLocal):
	case v.Outcome.Kind == frontier.Answered || v.Outcome.Kind == frontier.Faulty:
		v.End = Heard
	default:
		v.Outcome.Kind, v.Outcome.Retry, v.Outcome.Robots = frontier.Failed, true, true
	}
}

// read handles an answer.
func (w *worker) read(ctx context.Context, v *Visit, resp *fetch.Response, err error) {
	v.answered(resp)
	switch {
	case isRedirect(resp):
		v.redirected(resp, w.cfg.Parse.URL)
		v.declined = !v.Target.IsZero() && !w.follows(v, &parse.Link{URL: v.Target, Kind: parse.Canonical})
	case throttled(resp.Status):
		v.Outcome.Kind, v.Outcome.RetryAfter = frontier.Throttled, resp.RetryAfter
		v.tryAgain(v.Lease.Last)
	case MayPass(resp.Status):
		v.Outcome.Kind = frontier.Faulty
		v.tryAgain(v.Lease.LastFaulty)
	case resp.Status >= 300:
	case err != nil && !w.stands(v, err):
		v.fail(ctx, err)
	default:
		w.ring.readers.with(len(resp.Body), func(r *reader) { r.read(v, resp) })
		w.filter(v)
		if err != nil {
			v.brokeOff(err)
		}
		// What leads to an error is worth a record, and so is what may be had later.
		v.LinksOnly = resp.Status < 300 && !v.CutOff && !v.Sitemap && w.cfg.Gate.Scope.LinksOnly(v.URL)
	}
}

// brokeOff notes that a page stands although its body broke off.
func (v *Visit) brokeOff(err error) {
	v.ParseErr, v.CutOff = err, true
	var fe *fetch.Error
	if errors.As(err, &fe) && fe.Reason == fetch.ReasonBody {
		v.Outcome.Kind, v.Outcome.Why = frontier.Faulty, string(fe.Reason)
	}
}

// filter marks the links of a page that Config.Follow declines.
func (w *worker) filter(v *Visit) {
	if w.cfg.Follow == nil {
		return
	}
	for i := range v.Page.Links {
		l := &v.Page.Links[i]
		l.Declined = !w.cfg.Follow(v, l)
	}
}

// follows reports whether Config.Follow allows a link.
func (w *worker) follows(v *Visit, l *parse.Link) bool {
	return w.cfg.Follow == nil || w.cfg.Follow(v, l)
}

// hook shows a page to Config.OnPage.
func (w *worker) hook(v *Visit, resp *fetch.Response) {
	if w.cfg.OnPage == nil {
		return
	}
	v.Response = resp
	v.hookErr = w.ring.unlessStopped(w.cfg.OnPage(v))
	v.Response = nil
}

// stands reports whether a page whose body broke off is accepted as it is: on the last
// attempt. A body that cannot be decoded is never accepted.
func (w *worker) stands(v *Visit, err error) bool {
	var fe *fetch.Error
	return v.Lease.LastFaulty && errors.As(err, &fe) && fe.Reason.Temporary()
}

// allowed asks robots.txt. If it must be read first, that is a request of its own on the
// host's clock: the visit then ends with RobotsRead and the page waits its turn. The visit
// carries the rules, so that robots.txt need not be read again if they are evicted
// meanwhile.
func (w *worker) allowed(ctx context.Context, v *Visit) bool {
	if w.ring.robots == nil {
		return true
	}
	p := v.Permission
	if p == nil {
		rules, known := w.ring.robots.Lookup(v.URL.Origin())
		if !known {
			w.readRobots(ctx, v)
			return false
		}
		answer := permission(rules, v.URL)
		p = &answer
	}
	switch {
	case w.cfg.Gate.IgnoreRobots || p.Robots == "":
		return true
	case p.Robots == gate.Unreachable: // another visit has just found that out
		v.End = Aborted
	default:
		v.End, v.Reason, v.Robots, v.Detail = Refused, gate.Disallowed, p.Robots, p.Detail
		v.Outcome.Kind, v.Outcome.NoPage = frontier.Unasked, true
	}
	return false
}

// permission returns the decision of rules about u.
func permission(rules *fetch.Rules, u weburl.URL) gate.Permission {
	if rules.Unreachable() {
		return gate.Permission{Robots: gate.Unreachable, Detail: rules.Status()}
	}
	if allowed, why := rules.Why(u.RequestURI()); !allowed {
		return gate.Permission{Robots: gate.Forbids, Detail: why}
	}
	return gate.Permission{}
}

func (w *worker) readRobots(ctx context.Context, v *Visit) {
	v.Outcome.Started = time.Now()
	v.AskedRobots = true
	rules, err := w.ring.robots.Fetch(ctx, v.URL.Origin(), func(at weburl.URL, resp *fetch.Response, err error) bool {
		if resp != nil {
			v.answers++
			v.Outcome.Latency = w.latency(resp)
		}
		return w.ring.exchange(v, Exchange{URL: at, Robots: true, Response: resp, Err: err})
	})
	if err != nil {
		v.fail(ctx, err)
		return
	}
	v.Outcome.Robots = true
	v.End, v.Rules = RobotsRead, rules
	if rules.Unreachable() && !w.cfg.Gate.IgnoreRobots {
		v.unreachable(ctx, rules)
	}
}

// unreachable ends a visit whose robots.txt could not be read. Until it can, RFC
// 9309 (2.3.1.4) forbids everything, so this counts as a failure of the host and is
// tried again like one; for a host that does not answer at all, that failure is reported.
// An answer that breaks off or trickles is one that the host cannot give now: were it the
// page's fault, no patience would end it.
func (v *Visit) unreachable(ctx context.Context, rules *fetch.Rules) {
	if err := rules.Err(); err != nil {
		if v.fail(ctx, err); v.Outcome.Retry && v.Outcome.Kind != frontier.Failed {
			v.Outcome.Kind = frontier.Throttled
		}
		return
	}
	v.End, v.Reason, v.Robots, v.Detail = Failed, gate.RobotsUnreachable, gate.Unreachable, rules.Status()
	if rules.Source() == fetch.RobotsChallenge {
		v.Robots = gate.Challenged
	}
	v.Outcome.Kind, v.Outcome.Retry, v.Outcome.Why = frontier.Throttled, true, "robots.txt: "+rules.Status()
	v.Outcome.RetryAfter = rules.RetryAfter()
}

func (v *Visit) answered(resp *fetch.Response) {
	v.End = Fetched
	v.Outcome.Started = resp.Started
	v.Status, v.Proto, v.MediaType = resp.Status, resp.Proto, resp.MediaType
	v.Server, v.ETag, v.LastModified = field(resp, "Server"), field(resp, "Etag"), field(resp, "Last-Modified")
	v.Started, v.FirstByte, v.Elapsed = resp.Started, resp.FirstByte, resp.Elapsed
	v.Bytes, v.WireBytes = int64(len(resp.Body)), resp.WireBytes
	v.Truncated, v.Challenge = resp.Truncated, fetch.Challenge(resp)
}

// field is the first value of a header field, named in canonical form.
func field(resp *fetch.Response, name string) string {
	if values := resp.Header[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// throttled reports whether a status says that the host, or one behind it, cannot answer
// now; those from 520 on are Cloudflare's.
func throttled(status int) bool {
	switch status {
	case 429, 502, 503, 504, 520, 521, 522, 523, 524:
		return true
	}
	return false
}

// tryAgain defers the page if it has an attempt left; on the last one the answer stands.
func (v *Visit) tryAgain(last bool) {
	v.Outcome.Retry, v.Outcome.Why = true, "answered "+strconv.Itoa(v.Status)
	if !last {
		v.End = Deferred
	}
}

// fail notes a fetch that failed, and whose fault that was.
func (v *Visit) fail(ctx context.Context, err error) {
	if ctx.Err() != nil || errors.Is(err, fetch.ErrBriefly) {
		v.End = Aborted
		return
	}
	v.End, v.Reason, v.Detail = Failed, gate.Reason(fetch.ReasonProtocol), err.Error()
	v.Outcome.Kind, v.Outcome.Why = frontier.Failed, string(v.Reason)
	var fe *fetch.Error
	if !errors.As(err, &fe) {
		return
	}
	v.Reason, v.Detail, v.Outcome.Retry = gate.Reason(fe.Reason), fe.Err.Error(), fe.Reason.Temporary()
	v.Outcome.Why = string(v.Reason)
	switch fe.Reason {
	case fetch.ReasonNoHost:
		v.Outcome.Gone = true
	case fetch.ReasonDNS, fetch.ReasonProxy:
		v.Outcome.Offline = true
	case fetch.ReasonConnect:
		v.Outcome.Offline = errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.ENETDOWN)
	case fetch.ReasonBody:
		v.Outcome.Kind = frontier.Faulty
	case fetch.ReasonDecode, fetch.ReasonBomb, fetch.ReasonHeader, fetch.ReasonSlow:
		v.Outcome.Kind = frontier.Answered
	case fetch.ReasonAddress, fetch.ReasonPort:
		v.Outcome.Kind, v.Outcome.NoPage = frontier.Unasked, true
	case fetch.ReasonLocal, fetch.ReasonRequest:
		v.Outcome.Kind = frontier.Unasked
	}
}

// digest returns a hash that is equal for pages with the same text: the same words in the
// same sequence, whatever the markup. Without words it is a hash of the body. Words go into
// four lanes, since in one each would wait for the one before; the lanes begin with different
// values, else their words could be swapped.
func digest(words []uint64, body []byte) uint64 {
	if len(words) == 0 {
		return xxhash.Sum64(body)
	}
	a, b, c, d := uint64(1), uint64(2), uint64(3), uint64(4)
	for ; len(words) >= 4; words = words[4:] {
		a, b = digestWord(a, words[0]), digestWord(b, words[1])
		c, d = digestWord(c, words[2]), digestWord(d, words[3])
	}
	a = digestWord(digestWord(digestWord(a, b), c), d)
	for _, w := range words {
		a = digestWord(a, w)
	}
	return a
}

// digestWord is one-to-one in the word and in the hash before it.
func digestWord(h, word uint64) uint64 {
	return bits.RotateLeft64(h^word, 29) * 0x9e3779b97f4a7c15 // 2^64 / golden ratio
}

func isRedirect(r *fetch.Response) bool {
	switch r.Status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// redirected resolves the target against the URL that redirects (RFC 9110, 10.2.2).
func (v *Visit) redirected(resp *fetch.Response, opts weburl.Options) {
	v.End = Redirected
	v.Outcome.NoPage = true
	target, err := opts.Resolve(v.URL, resp.Location)
	switch {
	case resp.Location == "":
		v.Detail = fmt.Sprintf("status %d without a Location", resp.Status)
	case err != nil:
		v.Detail = err.Error()
	default:
		v.Target = target
	}
}
