package fetch

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Rules are one origin's robots.txt as it concerns one crawler: the rules of
// the group that names it, or else of the group for "*" (RFC 9309, section
// 2.2.1). They do not change and are safe for concurrent use.
type Rules struct {
	verdict  verdict
	source   RobotsSource
	status   string
	rules    []rule // longest first, allow before disallow: the first that matches decides
	delay    time.Duration
	hasDelay bool
	sitemaps []string
	expires  time.Time     // set by Robots
	err      error         // why there was no answer
	patience time.Duration // Retry-After of an answer that was a failure
	size     int64         // about how many bytes of memory they hold
}

type verdict uint8

const (
	byRules verdict = iota
	allowAll
	disallowAll
)

// RobotsSource says what an answer of Rules is based on. The set is closed, and programs may
// write and compare its values.
type RobotsSource string

const (
	RobotsGroup       RobotsSource = "rules"       // a group for the crawler or for "*"
	RobotsNoGroup     RobotsSource = "no-group"    // the file has neither: all is allowed
	RobotsMissing     RobotsSource = "missing"     // 4xx except 429: all is allowed
	RobotsRedirects   RobotsSource = "redirects"   // too many, or without target: all is allowed
	RobotsPage        RobotsSource = "page"        // HTML: all is allowed
	RobotsUnreachable RobotsSource = "unreachable" // 429, 5xx, no answer: nothing is allowed
	RobotsChallenge   RobotsSource = "challenge"   // 2xx with a Challenge: the same
)

// Allowed reports whether the crawler may fetch a URL of this origin, given as
// path[?query]. The longest matching rule decides, and allow if two are equally
// long; with no match the URL is allowed, and /robots.txt always is (section
// 2.2.2).
//
// Its cost is bounded: rules with "*" are tried until they have searched 4 MiB of the URL, over
// and over. A URL that is still undecided then is not allowed, since a rule that was not tried may
// forbid it; Why says so. It allocates only when requestURI needs another spelling.
func (r *Rules) Allowed(requestURI string) bool {
	allowed, _ := r.decide(requestURI)
	return allowed
}

// Why is Allowed with a Status for this URL.
func (r *Rules) Why(requestURI string) (allowed bool, status string) {
	allowed, decided := r.decide(requestURI)
	if !decided {
		return allowed, r.status + ", too many rules with * for so long a URL"
	}
	return allowed, r.status
}

func (r *Rules) decide(requestURI string) (allowed, decided bool) {
	switch {
	case requestURI == robotsPath, r.verdict == allowAll:
		return true, true
	case r.verdict == disallowAll:
		return false, true
	case len(r.rules) == 0:
		return true, true
	}
	t := newTarget(requestURI)
	for i := range r.rules {
		switch {
		case r.rules[i].matches(&t):
			return r.rules[i].allow, true
		case t.work < 0:
			return false, false
		}
	}
	return true, true
}

// For returns the answer for one URL of this origin, as Rules that must be
// asked about no other: a fifth of a KiB, however large the file was. The rules of a
// hostile file take up to six times its size; a caller that waits for a page's turn keeps
// only the answer, and the rules stay in Robots, which bounds them together.
func (r *Rules) For(requestURI string) *Rules {
	v := allowAll
	allowed, status := r.Why(requestURI)
	if !allowed {
		v = disallowAll
	}
	return &Rules{
		verdict: v, source: r.source, status: status, err: r.err, patience: r.patience,
		expires: r.expires, size: rulesOverhead,
	}
}

// CrawlDelay returns how long to wait between two requests, if the file says
// so. It is not in RFC 9309, but widely meant and understood. Of several lines for
// this crawler the longest delay applies. It is at most 24 hours; a longer one, or one that
// is no decimal number of seconds, is ignored.
func (r *Rules) CrawlDelay() (time.Duration, bool) { return r.delay, r.hasDelay }

// Sitemaps returns the values of the Sitemap lines, in order and unparsed. They
// belong to no group.
func (r *Rules) Sitemaps() []string { return r.sitemaps }

// Source says where the answer comes from.
func (r *Rules) Source() RobotsSource { return r.source }

// Status says the same for people, in a few words that may change: "rules: group
// crawler", "rules: group *", "allow-all: no group", "allow-all: 404", "allow-all: a page",
// "allow-all: too many redirects", "disallow-all: 503", "disallow-all: challenge (anubis)",
// "disallow-all: unreachable (timeout)" and the like.
func (r *Rules) Status() string { return r.status }

// Unreachable reports whether everything is disallowed only because robots.txt
// could not be fetched: Source is RobotsUnreachable or RobotsChallenge. It is worth asking again
// after Expires.
func (r *Rules) Unreachable() bool { return isUnreachable(r.source) }

func isUnreachable(s RobotsSource) bool { return s == RobotsUnreachable || s == RobotsChallenge }

// Err returns the Getter's error if it got no answer, which is an *Error if it is a
// Client; nil if there was an answer of any status.
func (r *Rules) Err() error { return r.err }

// RetryAfter returns how long a server that answered with a failure asked to be
// left alone, 0 if it did not say.
func (r *Rules) RetryAfter() time.Duration { return r.patience }

// Expires returns when Robots will fetch the file again; zero for rules that
// come from ParseRobots.
func (r *Rules) Expires() time.Time { return r.expires }

const (
	robotsPath = "/robots.txt"
	anyAgent   = "*"
	maxDelay   = 24 * time.Hour
)

// uniform returns rules that are the same for every URL.
func uniform(source RobotsSource, status string) *Rules {
	v := allowAll
	if isUnreachable(source) {
		v = disallowAll
	}
	return &Rules{verdict: v, source: source, status: status, size: rulesOverhead}
}

// About how much memory the parts of Rules take, for the bound of the cache.
const (
	rulesOverhead = 512
	ruleOverhead  = 64
)

// ParseRobots reads a robots.txt for the crawler whose product token is given,
// such as "crawler". It takes every line it can read and skips the others, as
// section 2.3.1.5 asks, so it cannot fail.
func ParseRobots(body []byte, token string) *Rules {
	p := robotsParser{token: token}
	eachLine(body, func(_ int, line []byte) { p.line(line) })
	return p.rules()
}

// trimBOM cuts a UTF-8 byte order mark, or what is left of one.
func trimBOM(b []byte) []byte {
	for _, c := range []byte("\xEF\xBB\xBF") {
		if len(b) == 0 || b[0] != c {
			break
		}
		b = b[1:]
	}
	return b
}

// robotsParser collects what may concern one crawler. Two groups do: its own
// and that for "*"; which of them counts is known only at the end.
type robotsParser struct {
	token    string
	own, all group
	// A group begins with one or more user-agent lines; the rules end them, and
	// nothing else does: other lines in between must not interfere (section
	// 2.2.4).
	inOwn, inAll, afterRule bool
	sitemaps                []string
}

// group gathers the rules of all groups for one agent, which count as one
// (section 2.2.1).
type group struct {
	seen     bool
	patterns patterns
	delay    time.Duration
	hasDelay bool
}

func (p *robotsParser) line(line []byte) {
	key, value := splitLine(line)
	switch key {
	case keyAgent:
		p.agent(value)
	case keyAllow, keyDisallow:
		p.afterRule = true
		p.each(func(g *group) { g.patterns.add(value, key == keyAllow) })
	case keyDelay:
		if d, ok := parseDelay(value); ok {
			p.each(func(g *group) { g.delay, g.hasDelay = max(g.delay, d), true })
		}
	case keySitemap:
		if len(value) > 0 {
			p.sitemaps = append(p.sitemaps, string(value))
		}
	}
}

// each calls f for the groups the present lines belong to.
func (p *robotsParser) each(f func(*group)) {
	if p.inOwn {
		f(&p.own)
	}
	if p.inAll {
		f(&p.all)
	}
}

func (p *robotsParser) agent(value []byte) {
	if p.afterRule {
		p.inOwn, p.inAll, p.afterRule = false, false, false
	}
	if isAnyAgent(value) {
		p.inAll, p.all.seen = true, true
	}
	if isAgent(value, p.token) {
		p.inOwn, p.own.seen = true, true
	}
}

func (p *robotsParser) rules() *Rules {
	g, source, status := &p.own, RobotsGroup, "rules: group "+p.token
	if !g.seen {
		g, status = &p.all, "rules: group "+anyAgent
	}
	if !g.seen {
		source, status = RobotsNoGroup, "allow-all: no group"
	}
	r := &Rules{source: source, status: status, delay: g.delay, hasDelay: g.hasDelay, sitemaps: p.sitemaps}
	r.rules, r.size = g.patterns.compile()
	r.size += rulesOverhead
	for _, s := range r.sitemaps {
		r.size += int64(len(s)) + ruleOverhead/2
	}
	return r
}

// isAnyAgent accepts "*", also when words follow it.
func isAnyAgent(value []byte) bool {
	return len(value) > 0 && value[0] == '*' && (len(value) == 1 || isBlank(value[1]))
}

// The lines that mean something here.
type robotsKey uint8

const (
	keyOther robotsKey = iota
	keyAgent
	keyAllow
	keyDisallow
	keyDelay
	keySitemap
)

// maxKey is longer than any key below.
const maxKey = 16

// splitLine takes the comment, the blanks and the colon out of a line. Where
// the colon is missing a blank does, if exactly two words remain: nobody means
// anything else by "Disallow /".
func splitLine(line []byte) (robotsKey, []byte) {
	if i := bytes.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	line = trimBlank(line)
	i := bytes.IndexByte(line, ':')
	if i < 0 {
		i = bytes.IndexAny(line, " \t")
		if i < 0 || bytes.ContainsAny(trimBlank(line[i:]), " \t") {
			return keyOther, nil
		}
	}
	return keyOf(trimBlank(line[:i])), trimBlank(line[i+1:])
}

// keyOf names the key, misspelt as sites often misspell it.
func keyOf(name []byte) robotsKey {
	if len(name) > maxKey {
		return keyOther
	}
	var lower [maxKey]byte
	switch string(lower[:toLower(lower[:], name)]) {
	case "user-agent", "useragent", "user agent":
		return keyAgent
	case "allow":
		return keyAllow
	case "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
		return keyDisallow
	case "crawl-delay", "crawldelay", "crawl delay":
		return keyDelay
	case "sitemap", "site-map":
		return keySitemap
	default:
		return keyOther
	}
}

func toLower(dst, src []byte) int {
	for i, c := range src {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst[i] = c
	}
	return len(src)
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\v' || c == '\f' }

func trimBlank(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isBlank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// parseDelay reads a decimal number of seconds.
func parseDelay(value []byte) (time.Duration, bool) {
	const longest = 20
	if len(value) == 0 || len(value) > longest {
		return 0, false
	}
	for _, c := range value {
		if c != '.' && (c < '0' || c > '9') {
			return 0, false // no signs, exponents, hexadecimals, "inf", "nan"
		}
	}
	seconds, err := strconv.ParseFloat(string(value), 64)
	if err != nil || seconds > maxDelay.Seconds() {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// patterns collects the patterns of a group's rules, in one piece of memory
// that does not hold on to the file.
type patterns struct {
	text  []byte
	spans []span
}

// A span is a rule whose strings still are offsets into text.
type span struct {
	from, mid, to int // text[from:mid] is the pattern, text[mid:to] its other form
	length        int
	allow, ends   bool
}

// compile returns the rules in the order in which they are tried, without
// repetitions, and about how much memory they take.
func (p *patterns) compile() ([]rule, int64) {
	text := string(p.text)
	rules := make([]rule, 0, len(p.spans))
	for _, s := range p.spans {
		rules = append(rules, rule{
			pattern: text[s.from:s.mid], inQuery: text[s.mid:s.to],
			length: s.length, allow: s.allow, ends: s.ends,
		})
	}
	slices.SortFunc(rules, byPrecedence)
	if kept := slices.Compact(rules); len(kept) < len(rules) {
		rules = slices.Clone(kept)
	}
	return rules, int64(len(text) + ruleOverhead*len(rules))
}

// byPrecedence sorts as section 2.2.2 has it: the most octets first, and of
// rules with equally many the least strict. The rest only brings equal rules
// together.
func byPrecedence(a, b rule) int {
	if a.length != b.length {
		return b.length - a.length
	}
	if a.allow != b.allow {
		if a.allow {
			return -1
		}
		return 1
	}
	if a.ends != b.ends {
		if a.ends {
			return -1
		}
		return 1
	}
	return cmp.Or(strings.Compare(a.pattern, b.pattern), strings.Compare(a.inQuery, b.inQuery))
}
