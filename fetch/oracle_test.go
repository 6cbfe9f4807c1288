package fetch

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/temoto/robotstxt"
)

// oracleAllowed decides as RFC 9309 is worded, with no thought of speed: every
// rule is tried, and a rule is matched by keeping the set of all places its
// beginning may have reached. It reads each character of a rule by where in the
// URL it lies.
func oracleAllowed(rules []oracleRule, uri string) bool {
	if uri == "/robots.txt" {
		return true
	}
	best, allowed := -1, true
	for _, r := range rules {
		n := oracleLength(r.path)
		if n == 0 || !oracleMatches(r.path, uri) {
			continue
		}
		if n > best || n == best && r.allow {
			best, allowed = n, r.allow
		}
	}
	return allowed
}

type oracleRule struct {
	allow bool
	path  string
}

// octet is one character as spelt, and what it means in a path and in a query.
type octet struct{ spelt, inPath, inQuery string }

func octets(s string) (list []octet) {
	for i := 0; i < len(s); i++ {
		if part, err := url.PathUnescape(s[i:min(i+3, len(s))]); err == nil && s[i] == '%' {
			c := part[0]
			o := octet{s[i : i+3], fmt.Sprintf("%%%02X", c), fmt.Sprintf("%%%02X", c)}
			if isOneOf(c, "-._~") || isLetterOrDigit(c) || isOneOf(c, ":[]@!$&'()*+,;=") {
				o.inPath = string(c)
			}
			if isOneOf(c, "-._~") || isLetterOrDigit(c) || isOneOf(c, "/?:[]@!$'()*,;") {
				o.inQuery = string(c)
			}
			list = append(list, o)
			i += 2
			continue
		}
		c := s[i]
		m := string(c)
		if !isLetterOrDigit(c) && !isOneOf(c, "-._~:/?#[]@!$&'()*+,;=%") {
			m = fmt.Sprintf("%%%02X", c)
		}
		list = append(list, octet{s[i : i+1], m, m})
	}
	return list
}

func isOneOf(c byte, set string) bool { return strings.IndexByte(set, c) >= 0 }

func isLetterOrDigit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// oracleLength counts a rule's octets: unreserved characters decoded, what is
// outside ASCII encoded.
func oracleLength(path string) (n int) {
	for _, o := range octets(path) {
		switch {
		case len(o.spelt) == 3 && len(o.inPath) == 1 && (isLetterOrDigit(o.inPath[0]) || isOneOf(o.inPath[0], "-._~")):
			n++
		case len(o.spelt) == 1 && o.spelt[0] >= 0x80:
			n += 3
		default:
			n += len(o.spelt)
		}
	}
	return n
}

func oracleMatches(path, uri string) bool {
	text, query := oracleText(uri)
	reached := map[int]bool{0: true}
	list := octets(path)
	for k, o := range list {
		if o.spelt == "$" && k == len(list)-1 {
			return reached[len(text)]
		}
		next := map[int]bool{}
		for at := range reached {
			if o.spelt == "*" {
				for ; at <= len(text); at++ {
					next[at] = true
				}
				continue
			}
			meant := o.inPath
			if at > query {
				meant = o.inQuery
			}
			if strings.HasPrefix(text[at:], meant) {
				next[at+len(meant)] = true
			}
		}
		reached = next
	}
	return len(reached) > 0
}

// oracleText respells a URI and says where the query begins, or the end is.
func oracleText(uri string) (text string, query int) {
	query = -1
	for _, o := range octets(uri) {
		switch {
		case query >= 0:
			text += o.inQuery
		case o.spelt == "?":
			query = len(text)
			text += "?"
		default:
			text += o.inPath
		}
	}
	if query < 0 {
		query = len(text)
	}
	return text, query
}

// randomPath is made of few different parts, so that rules match often.
func randomPath(rnd *rand.Rand, parts []string, n int) string {
	var b strings.Builder
	b.WriteByte('/')
	for range rnd.IntN(n) {
		b.WriteString(parts[rnd.IntN(len(parts))])
	}
	return b.String()
}

// The fast matcher must decide as the slow one, on many small random files.
func TestRulesAgainstOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	uriParts := []string{"a", "b", "/", "?", "&", "%2F", "%2f", "%26", "%3F", "%61", "%2A", "*", "$", "ü", "%C3%BC", "%", ":", "%3A"}
	ruleParts := append([]string{"*", "*", "*", "$"}, uriParts...)
	matched := 0
	for range 15_000 {
		var rules []oracleRule
		file := "user-agent: *\n"
		for range 1 + rnd.IntN(3) {
			r := oracleRule{rnd.IntN(3) == 0, randomPath(rnd, ruleParts, 6)}
			if rnd.IntN(4) == 0 {
				r.path = r.path[1:]
			}
			if r.path == "" || r.path[0] != '/' && r.path[0] != '*' {
				continue
			}
			rules = append(rules, r)
			file += map[bool]string{true: "allow: ", false: "disallow: "}[r.allow] + r.path + "\n"
		}
		parsed := ParseRobots([]byte(file), "walker")
		for range 3 {
			uri := randomPath(rnd, uriParts, 8)
			want := oracleAllowed(rules, uri)
			if got := parsed.Allowed(uri); got != want {
				t.Fatalf("seed %d: Allowed(%q) = %v, the oracle says %v, of\n%s", seed, uri, got, want, file)
			}
			if !want {
				matched++
			}
		}
	}
	if matched < 5_000 {
		t.Errorf("only %d URLs were forbidden: the test tests little", matched)
	}
}

// Where the standard leaves nothing to choose, temoto/robotstxt must agree:
// groups that are well formed, plain rules, all of different lengths, every
// group but one with rules.
func TestRulesAgainstTemoto(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	agents := []string{"walker", "Walker", "other", "*", "third-bot"}
	parts := []string{"a", "b", "cc", "/", "/d", "-", ".html", "=", "?x", "%20", "%C3%A4"}
	for range 4_000 {
		var file strings.Builder
		lengths := map[string]map[int]bool{}
		for range rnd.IntN(5) {
			agent := agents[rnd.IntN(len(agents))]
			key := strings.ToLower(agent)
			if lengths[key] == nil {
				lengths[key] = map[int]bool{}
			}
			fmt.Fprintf(&file, "User-agent: %s\n", agent)
			rules := 0
			for range 8 {
				path := randomPath(rnd, parts, 7)
				if lengths[key][len(path)] {
					continue // of equally long rules it takes the first
				}
				lengths[key][len(path)] = true
				fmt.Fprintf(&file, "%s: %s\n", []string{"Allow", "Disallow"}[rnd.IntN(2)], path)
				rules++
			}
			if rules == 0 {
				// An empty group: both agree, but the next one would join it.
				fmt.Fprintf(&file, "Disallow: /zzz%d\n", rnd.IntN(1000))
			}
			file.WriteString("\n")
		}
		theirs, err := robotstxt.FromString(file.String())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, file.String())
		}
		ours := ParseRobots([]byte(file.String()), "walker")
		for range 5 {
			uri := randomPath(rnd, parts, 9)
			if got, want := ours.Allowed(uri), theirs.TestAgent(uri, "walker"); got != want {
				t.Fatalf("seed %d: Allowed(%q) = %v, temoto/robotstxt says %v, of\n%s", seed, uri, got, want, file.String())
			}
		}
	}
}

// differences lists how temoto/robotstxt decides otherwise than RFC 9309, one
// case for each kind; docs/robots.md gives the list with its reasons. "error"
// means that it refuses the whole file, which leaves its caller to choose.
var differences = []struct {
	name, file, uri string
	ours            bool
	theirs          string
}{
	{"2.2.2 a rule before any group", "disallow: /\nuser-agent: *\nallow: /", "/x", true, "error"},
	{"2.2.2 equal rules, disallow first", "user-agent: *\ndisallow: /a\nallow: /a", "/a", true, "false"},
	{"2.2.2 allow and disallow the root", "user-agent: *\ndisallow: /\nallow: /", "/a", true, "false"},
	{"2.2.2 lengths of rules with stars", "user-agent: *\nallow: /xx.a.b\ndisallow: /*.a.b", "/xx.a.b", true, "false"},
	{"2.2.2 encoded letters in a rule", "user-agent: *\ndisallow: /%62az", "/baz", false, "true"},
	{"2.2.2 lower-case hexadecimals in a rule", "user-agent: *\ndisallow: /%c3%a4", "/%C3%A4", false, "true"},
	{"2.2.2 plain letters outside ASCII", "user-agent: *\ndisallow: /ä", "/%C3%A4", false, "true"},
	{"2.2.2 reserved characters", "user-agent: *\ndisallow: /?u=http://a", "/?u=http%3A%2F%2Fa", false, "true"},
	{"2.2.2 a blank in a rule", "user-agent: *\ndisallow: /a b", "/ax", true, "false"},
	{"2.2.2 no slash before a rule", "user-agent: *\ndisallow: a", "/a", true, "false"},
	{"2.2.2 patterns are not anchored", "user-agent: *\ndisallow: /a*b", "/x/a/b", true, "false"},
	{"2.2.2 robots.txt itself", "user-agent: *\ndisallow: /", "/robots.txt", true, "false"},
	{"2.2.1 a version behind the token", "user-agent: walker/2\ndisallow: /", "/a", false, "true"},
	{"2.2.1 a token that is only a beginning", "user-agent: walk\ndisallow: /", "/a", true, "false"},
	{"2.2.1 an own group without rules", "user-agent: *\ndisallow: /\nuser-agent: walker\ndisallow:", "/a", true, "false"},
	{"2.2.3 a dollar inside", "user-agent: *\ndisallow: /a$b", "/a$b", false, "true"},
	{"2.2.3 an encoded star", "user-agent: *\ndisallow: /%2A", "/*", false, "true"},
	{"2.2.4 Crawl-delay parts groups", "user-agent: walker\ncrawl-delay: 1\nuser-agent: x\ndisallow: /", "/a", false, "true"},
	{"2.2.4 a Crawl-delay that is no number", "user-agent: *\ncrawl-delay: soon\ndisallow: /", "/a", false, "error"},
	{"2.2.4 a Crawl-delay before any group", "crawl-delay: 1\nuser-agent: *\ndisallow: /", "/a", false, "error"},
	{"beyond the RFC: misspelt keys", "user-agent: *\ndisalow: /", "/a", false, "true"},
}

func TestTemotoDifferences(t *testing.T) {
	for _, d := range differences {
		t.Run(d.name, func(t *testing.T) {
			if got := ParseRobots([]byte(d.file), "walker").Allowed(d.uri); got != d.ours {
				t.Errorf("we say %v, want %v", got, d.ours)
			}
			theirs := "error"
			if data, err := robotstxt.FromString(d.file); err == nil {
				theirs = fmt.Sprint(data.TestAgent(d.uri, "walker"))
			}
			if theirs == fmt.Sprint(d.ours) {
				t.Errorf("no difference")
			}
			if theirs != d.theirs {
				t.Errorf("temoto/robotstxt says %v, the list %v: correct docs/robots.md", theirs, d.theirs)
			}
		})
	}
}
