package fetch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// A robotsCase holds the questions about one file. In urls, "+" or "-" before
// the path says allowed or not.
type robotsCase struct {
	name  string
	file  string
	token string
	urls  string
}

// The names begin with the section of RFC 9309 that decides.
var robotsCases = []robotsCase{
	{"2.1 empty file", "", "walker", "+/ +/a"},
	{"2.1 groups", `
disallow: /early

user-agent: walker
disallow: /
allow: /in/
user-agent: other
disallow: /
allow: /their/


allow: /late/
user-agent: third

user-agent: walker
allow: /again/
disallow: /
`, "walker", "+/in/x +/again/x -/their/x -/early -/late/x"},
	{"2.1 a group goes on over empty lines", "user-agent: other\ndisallow: /\n\n\nallow: /late/\nuser-agent: third\n", "other", "+/late/x -/x"},
	{"2.1 user-agent lines in a row share the rules", "user-agent: a\nuser-agent: walker\nuser-agent: b\ndisallow: /x\n", "walker", "-/x +/y"},
	{"2.1 rules before any group are ignored", "disallow: /\nuser-agent: walker\nallow: /x", "walker", "+/y"},
	{"2.2 keys in any case", "USER-AGENT: walker\nAlLoW: /x/\ndIsAlLoW: /\n", "walker", "+/x/y -/a"},
	{"2.2 blanks around everything", "  User-Agent\t:\twalker  \n\t disallow  :  /x \t\n", "walker", "-/x +/y"},
	{"2.2 line ends LF", "user-agent: walker\ndisallow: /x\n", "walker", "-/x +/y"},
	{"2.2 line ends CR LF", "user-agent: walker\r\ndisallow: /x\r\n", "walker", "-/x +/y"},
	{"2.2 line ends CR", "user-agent: walker\rdisallow: /x\r", "walker", "-/x +/y"},
	{"2.2 line ends mixed and none at the end", "user-agent: walker\n\r\n\ndisallow: /x\r\ndisallow: /y", "walker", "-/x -/y +/z"},
	{"2.2 byte order mark", "\xEF\xBB\xBFuser-agent: walker\ndisallow: /x", "walker", "-/x +/y"},
	{"2.2 half a byte order mark", "\xEF\xBBuser-agent: walker\ndisallow: /x", "walker", "-/x +/y"},
	{"2.2 byte order mark only at the beginning", "user-agent: walker\n\xEF\xBB\xBFdisallow: /x\ndisallow: /y", "walker", "+/x -/y"},
	{"2.2 other bytes spoil only their line", "\xEF\x11\xBFuser-agent: walker\ndisallow: /x\nuser-agent: *\ndisallow: /y", "walker", "+/x -/y"},
	{"2.2.1 product token in any case", "user-agent: WaLkEr\ndisallow: /x", "walker", "-/x"},
	{"2.2.1 own token in any case", "user-agent: walker\ndisallow: /x", "WALKER", "-/x"},
	{"2.2.1 version behind the token", "user-agent: walker/2.1\ndisallow: /x", "walker", "-/x"},
	{"2.2.1 words behind the token", "user-agent: walker the great\ndisallow: /x", "walker", "-/x"},
	{"2.2.1 another token that begins alike", "user-agent: walker-images\ndisallow: /x\nuser-agent: walker_two\ndisallow: /x\nuser-agent: walkers\ndisallow: /x", "walker", "+/x"},
	{"2.2.1 a token that is only a beginning", "user-agent: walk\ndisallow: /x", "walker", "+/x"},
	{"2.2.1 a longer own token", "user-agent: walker\ndisallow: /x\nuser-agent: walker-images\ndisallow: /y", "walker-images", "+/x -/y"},
	{"2.2.1 groups for one agent are one", "user-agent: walker\ndisallow: /a\nuser-agent: other\ndisallow: /b\nuser-agent: walker\ndisallow: /c", "walker", "-/a +/b -/c"},
	{"2.2.1 the own group, not the one for all", "user-agent: *\ndisallow: /x\nuser-agent: walker\ndisallow: /y", "walker", "+/x -/y"},
	{"2.2.1 the own group, even without rules", "user-agent: *\ndisallow: /\nuser-agent: walker\n", "walker", "+/x"},
	{"2.2.1 the group for all", "user-agent: *\ndisallow: /x\nuser-agent: other\nallow: /x", "walker", "-/x +/y"},
	{"2.2.1 groups for all are one", "user-agent: *\ndisallow: /a\nuser-agent: other\ndisallow: /b\nuser-agent: *\ndisallow: /c", "walker", "-/a +/b -/c"},
	{"2.2.1 no group", "user-agent: other\ndisallow: /", "walker", "+/x"},
	{"2.2.1 a star with words", "user-agent: * (all)\ndisallow: /x", "walker", "-/x"},
	{"2.2.1 a star and letters is nobody", "user-agent: *walker\ndisallow: /x", "walker", "+/x"},
	{"2.2.1 an empty agent is nobody", "user-agent:\ndisallow: /x", "walker", "+/x"},
	{"2.2.1 no token, only the group for all", "user-agent: walker\ndisallow: /x\nuser-agent: *\ndisallow: /y", "", "+/x -/y"},
	{"2.2.2 no matching rule", "user-agent: walker\ndisallow: /x", "walker", "+/y +/"},
	{"2.2.2 paths are case-sensitive", "user-agent: walker\ndisallow: /X/", "walker", "+/x/y -/X/y"},
	{"2.2.2 rules are prefixes", "user-agent: walker\ndisallow: /fish", "walker", "-/fish -/fish.html -/fish/salmon -/fishheads/x -/fish?id=1 +/Fish +/catfish +/?id=fish"},
	{"2.2.2 a slash at the end counts", "user-agent: walker\ndisallow: /fish/", "walker", "+/fish -/fish/ -/fish/x -/fish/?id=1 +/fish.html"},
	{"2.2.2 longest match, disallow", "user-agent: walker\nallow: /x/\ndisallow: /x/page.html", "walker", "-/x/page.html +/x/"},
	{"2.2.2 longest match, allow", "user-agent: walker\ndisallow: /x/\nallow: /x/page.html", "walker", "+/x/page.html -/x/"},
	{"2.2.2 order does not matter", "user-agent: walker\nallow: /p\ndisallow: /\nallow: /q", "walker", "+/page +/q -/x"},
	{"2.2.2 equal rules, allow wins", "user-agent: walker\ndisallow: /folder\nallow: /folder", "walker", "+/folder/page"},
	{"2.2.2 equally long rules, allow wins", "user-agent: walker\ndisallow: /*.htm\nallow: /ab*.h", "walker", "+/ab.htm -/b.htm"},
	{"2.2.2 a longer pattern counts, stars and all", "user-agent: walker\nallow: /page\ndisallow: /*.html", "walker", "-/page.html +/page"},
	{"2.2.2 a longer pattern counts, the other way", "user-agent: walker\nallow: /x/page.\ndisallow: /*.html", "walker", "+/x/page.html -/x/y.html"},
	{"2.2.2 the dollar counts", "user-agent: walker\nallow: /$\ndisallow: /", "walker", "+/ -/page"},
	{"2.2.2 an empty rule is none", "user-agent: walker\ndisallow:\n", "walker", "+/x"},
	{"2.2.2 an empty rule does not win", "user-agent: walker\ndisallow: /\nallow:\n", "walker", "-/x"},
	{"2.2.2 robots.txt is always allowed", "user-agent: *\ndisallow: /", "walker", "+/robots.txt -/robots.txt? -/robots.txts -/Robots.txt"},
	{"2.2.2 an empty path is the root", "user-agent: *\ndisallow: /$", "walker", "-"},
	{"2.2.2 queries", "user-agent: *\ndisallow: /a?b=c", "walker", "-/a?b=c -/a?b=cd +/a?b=d +/a"},
	{"2.2.2 plain URL in a query", "user-agent: *\ndisallow: /\nallow: /foo?qux=taz&baz=http://foo.bar?tar&par", "walker", "+/foo?qux=taz&baz=http://foo.bar?tar&par"},
	{"2.2.2 example 2, reserved characters in a query", "user-agent: *\ndisallow: /foo/bar?baz=https://foo.bar", "walker", "-/foo/bar?baz=https%3A%2F%2Ffoo.bar -/foo/bar?baz=https://foo.bar +/foo/bar?baz=https:%2F"},
	{"2.2.2 example 2, the other way", "user-agent: *\ndisallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar", "walker", "-/foo/bar?baz=https://foo.bar"},
	{"2.2.2 example 3, plain rule", "user-agent: *\ndisallow: /foo/bar/ツ", "walker", "-/foo/bar/%E3%83%84 -/foo/bar/ツ -/foo/bar/%e3%83%84 +/foo/bar/%E3%83%85"},
	{"2.2.2 example 4, encoded rule", "user-agent: *\ndisallow: /foo/bar/%e3%83%84", "walker", "-/foo/bar/%E3%83%84 -/foo/bar/ツ"},
	{"2.2.2 example 5, encoded letters", "user-agent: *\ndisallow: /foo/bar/%62%61%7A", "walker", "-/foo/bar/baz -/foo/bar/%62a%7a"},
	{"2.2.2 encoded letters in the URL", "user-agent: *\ndisallow: /foo/baz", "walker", "-/foo/%62%61%7A"},
	{"2.2.2 an encoded slash is no slash", "user-agent: *\ndisallow: /a%2Fb", "walker", "-/a%2fb +/a/b"},
	{"2.2.2 a slash is no encoded slash", "user-agent: *\ndisallow: /a/b", "walker", "+/a%2Fb -/a/b"},
	{"2.2.2 an encoded question mark begins no query", "user-agent: *\ndisallow: /a%3Fb", "walker", "-/a%3fb +/a?b"},
	{"2.2.2 an encoded ampersand is data", "user-agent: *\ndisallow: /?a=b%26c", "walker", "-/?a=b%26c +/?a=b&c"},
	{"2.2.2 an encoded plus is no blank", "user-agent: *\ndisallow: /?a=b+c", "walker", "-/?a=b+c +/?a=b%2Bc"},
	{"2.2.2 other delimiters are data", "user-agent: *\ndisallow: /a:b@c(d),e;f=g!", "walker", "-/a%3Ab%40c%28d%29%2Ce%3Bf%3Dg%21x"},
	{"2.2.2 a lone percent sign", "user-agent: *\ndisallow: /100%/x", "walker", "-/100%/x +/100%25/x +/100/x"},
	{"2.2.2 everything that is encoded", "user-agent: *\ndisallow: /*%", "walker", "-/a%20b -/%E3%83%84 +/a"},
	{"2.2.2 a blank in a rule", "user-agent: *\ndisallow: /a b", "walker", "-/a%20b +/a"},
	{"2.2.3 comments", "user-agent: walker # me\n# disallow: /\ndisallow: /quz#qux\n#\nallow: / # all", "walker", "+/x -/quz"},
	{"2.2.3 star in the middle", "user-agent: walker\ndisallow: /foo/*/qux", "walker", "-/foo/bar/qux -/foo//qux -/foo/a/b/qux/x +/foo/qux +/bar/foo/x/qux"},
	{"2.2.3 star at the end says nothing", "user-agent: walker\ndisallow: /fish*", "walker", "-/fish -/fishes +/fis"},
	{"2.2.3 star at the beginning", "user-agent: walker\ndisallow: *.gif", "walker", "-/a.gif -/a.gif?x +/a.png"},
	{"2.2.3 star alone", "user-agent: walker\ndisallow: *", "walker", "-/ -/x"},
	{"2.2.3 stars in a row", "user-agent: walker\ndisallow: /a***b", "walker", "-/ab -/axb +/a"},
	{"2.2.3 star takes slashes and queries", "user-agent: walker\ndisallow: /*.php", "walker", "-/f.php -/d/f.php?p -//d/any.php.file.html -/f.php/ -/i?f=f.php/ +/php/ +/i?php +/w.PHP"},
	{"2.2.3 pieces do not overlap", "user-agent: walker\ndisallow: /ab*ba", "walker", "+/aba -/abba"},
	{"2.2.3 pieces keep their order", "user-agent: walker\ndisallow: /*a*b*c", "walker", "-/xaybzc +/cba +/acb"},
	{"2.2.3 dollar", "user-agent: walker\ndisallow: /bar$", "walker", "-/bar +/bar/ +/bar? +/barx"},
	{"2.2.3 star and dollar", "user-agent: walker\ndisallow: /*.php$", "walker", "-/f.php -/d.php/f.php +/f.php?p +/f.php/ +/f.php5"},
	{"2.2.3 the last place counts at the end", "user-agent: walker\ndisallow: /*ab$", "walker", "-/abab -/ab +/aba"},
	{"2.2.3 dollar after star says nothing", "user-agent: walker\ndisallow: /a*$", "walker", "-/a -/ab"},
	{"2.2.3 dollar in the middle is itself", "user-agent: walker\ndisallow: /a$b", "walker", "-/a$b -/a%24bc +/a"},
	{"2.2.3 two dollars", "user-agent: walker\ndisallow: /a$$", "walker", "-/a$ +/a +/a$$"},
	{"2.2.3 encoded dollar at the end", "user-agent: walker\ndisallow: /foo-%24", "walker", "-/foo-$ -/foo-$x +/foo-"},
	{"2.2.3 encoded star", "user-agent: walker\ndisallow: /with-a-%2A.html", "walker", "-/with-a-*.html -/with-a-%2a.html +/with-a-b.html"},
	{"2.2.3 what follows a star in the query", "user-agent: walker\ndisallow: /*url=http%3A%2F%2F", "walker", "-/r?url=http://x -/r?url=http%3A%2F%2Fx +/rurl=http://x -/rurl=http:%2F%2Fx"},
	{"2.2.3 what follows a star in the path and behind", "user-agent: walker\ndisallow: /*b%2Fc?d=%2F", "walker", "-/ab%2Fc?d=/ -/ab%2Fc?d=%2F +/ab/c?d=/ -/a?b/c?d=/"},
	{"2.2.3 what follows a star at the end of the query", "user-agent: walker\ndisallow: /*b%26c$", "walker", "-/x?b%26c +/x?b&c -/xb&c -/xb%26c +/xb&c? +/x?b%26c&"},
	{"2.2.4 other lines do not part groups", "user-agent: walker\nsitemap: https://e.com/s\nuser-agent: *\ndisallow: /x", "walker", "-/x"},
	{"2.2.4 unknown lines do not part groups", "user-agent: walker\nnonsense: yes\nuser-agent: other\ndisallow: /x", "walker", "-/x"},
	{"2.2.4 Crawl-delay does not part groups", "user-agent: walker\ncrawl-delay: 5\nuser-agent: other\ndisallow: /x", "walker", "-/x"},
	{"2.2.4 unknown lines are skipped", "user-agent: walker\ndisallowed: /a\nnoindex: /b\nhost: /c\n: /d\n/e\ndisallow: /x", "walker", "+/a +/b +/c +/d +/e -/x"},
	{"2.3.1.5 binary lines are skipped", "\x00\x01\xFF\nuser-agent: walker\n\x00disallow: /x\n\xFE\ndisallow: /y\n", "walker", "+/x -/y"},
	{"2.3.1.5 a web page", "<html><body>user-agent: *<br>disallow: /</body></html>", "walker", "+/x"},
	{"2.3.1.5 rules that cannot match", "user-agent: walker\ndisallow: x\ndisallow: ?q\ndisallow: http://e.com/\ndisallow: $\ndisallow: %2F", "walker", "+/x +/?q +/"},
	{"beyond the RFC: no colon", "user-agent walker\ndisallow /x\ndisallow every page\n", "walker", "-/x +/every"},
	{"beyond the RFC: misspelt keys", "useragent: walker\ndisalow: /a\ndissallow: /b\ndissalow: /c\ndiasllow: /d\ndisallaw: /e\nuser agent: x\nallow: /", "walker", "-/a -/b -/c -/d -/e +/f"},
}

func TestRFC9309(t *testing.T) {
	for _, c := range robotsCases {
		t.Run(c.name, func(t *testing.T) {
			rules := ParseRobots([]byte(c.file), c.token)
			for _, q := range strings.Fields(c.urls) {
				if got, want := rules.Allowed(q[1:]), q[0] == '+'; got != want {
					t.Errorf("Allowed(%q) = %v, want %v\n%s\n(%s)", q[1:], got, want, c.file, rules.Status())
				}
			}
		})
	}
}

func TestCrawlDelay(t *testing.T) {
	for _, c := range []struct {
		lines string
		want  time.Duration
		ok    bool
	}{
		{"crawl-delay: 5", 5 * time.Second, true},
		{"Crawl-Delay:0.25 # fast", 250 * time.Millisecond, true},
		{"crawldelay: .5", 500 * time.Millisecond, true},
		{"crawl-delay: 0", 0, true},
		{"crawl-delay: 86400", 24 * time.Hour, true},
		{"crawl-delay: 86401", 0, false},
		{"crawl-delay: 99999999999999999999", 0, false},
		{"crawl-delay: 000000000000000000000000000001", 0, false},
		{"crawl-delay: -1", 0, false},
		{"crawl-delay: NaN", 0, false},
		{"crawl-delay: inf", 0, false},
		{"crawl-delay: 1e3", 0, false},
		{"crawl-delay: 0x10", 0, false},
		{"crawl-delay: 1.2.3", 0, false},
		{"crawl-delay: .", 0, false},
		{"crawl-delay: 5s", 0, false},
		{"crawl-delay:", 0, false},
		{"crawl-delay: 3\ncrawl-delay: 2", 3 * time.Second, true},
		{"crawl-delay: 3\ncrawl-delay: never", 3 * time.Second, true},
		{"disallow: /\nuser-agent: other\ncrawl-delay: 9", 0, false},
		{"disallow: /\nuser-agent: *\ncrawl-delay: 9", 0, false}, // its own group does not say
		{"disallow: /\nuser-agent: other\ndisallow: /\nuser-agent: walker\ncrawl-delay: 4", 4 * time.Second, true},
	} {
		r := ParseRobots([]byte("user-agent: walker\n"+c.lines), "walker")
		if got, ok := r.CrawlDelay(); got != c.want || ok != c.ok {
			t.Errorf("%q: %v, %v; want %v, %v", c.lines, got, ok, c.want, c.ok)
		}
	}
	r := ParseRobots([]byte("user-agent: *\ncrawl-delay: 7"), "walker")
	if got, ok := r.CrawlDelay(); got != 7*time.Second || !ok {
		t.Errorf("group for all: %v, %v", got, ok)
	}
}

func TestSitemaps(t *testing.T) {
	r := ParseRobots([]byte("sitemap: https://e.com/1\nuser-agent: x\nSite-Map:https://e.com/2 # two\nsitemap:\nSITEMAP: /3?a:b\n"), "walker")
	want := []string{"https://e.com/1", "https://e.com/2", "/3?a:b"}
	if got := r.Sitemaps(); !slices.Equal(got, want) {
		t.Errorf("Sitemaps = %q, want %q", got, want)
	}
}

func TestRulesStatus(t *testing.T) {
	for file, want := range map[string]string{
		"":                                  "allow-all: no group",
		"user-agent: other\ndisallow: /":    "allow-all: no group",
		"user-agent: *\ndisallow: /":        "rules: group *",
		"user-agent: Walker/2\ndisallow: /": "rules: group walker",
	} {
		if got := ParseRobots([]byte(file), "walker").Status(); got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
}

// The file's memory must not be held: rules live for a day.
func TestRulesOwnTheirMemory(t *testing.T) {
	body := []byte("user-agent: *\ndisallow: /secret\nsitemap: https://e.com/s\n")
	r := ParseRobots(body, "walker")
	clear(body)
	if r.Allowed("/secret") || r.Sitemaps()[0] != "https://e.com/s" {
		t.Error("rules changed with the buffer they were parsed from")
	}
}

// The answer for one URL stands for the rules, and holds nothing of a large file.
func TestRulesFor(t *testing.T) {
	var file strings.Builder
	file.WriteString("user-agent: *\ncrawl-delay: 5\nsitemap: https://e.com/s\n")
	for i := range 30_000 {
		fmt.Fprintf(&file, "disallow: /%d\n", i)
	}
	rules := ParseRobots([]byte(file.String()), "walker")
	for uri, want := range map[string]bool{"/7": false, "/x": true, "/": true, "/robots.txt": true} {
		a := rules.For(uri)
		if a.Allowed(uri) != want || a.Unreachable() || a.Status() != rules.Status() {
			t.Errorf("%s: allowed=%v, unreachable=%v, %s", uri, a.Allowed(uri), a.Unreachable(), a.Status())
		}
		if a.rules != nil || a.sitemaps != nil || a.size > rulesOverhead {
			t.Errorf("%s: holds %d rules, %d bytes", uri, len(a.rules), a.size)
		}
	}
	gone := fetchRules(t, Config{}, RobotsConfig{}, "http://"+closedPort(t))
	if a := gone.For("/"); a.Allowed("/") || !a.Unreachable() || a.Err() == nil {
		t.Errorf("%+v", a)
	}
}

// hostileRobots makes files of about size bytes that are hard on a matcher.
func hostileRobots(size int) map[string]string {
	fill := func(line func(i int) string) string {
		var b strings.Builder
		b.WriteString("user-agent: *\n")
		for i := 0; b.Len() < size; i++ {
			b.WriteString(line(i))
		}
		return b.String()
	}
	return map[string]string{
		"many rules":         fill(func(i int) string { return fmt.Sprintf("disallow: /%d\n", i) }),
		"many star rules":    fill(func(i int) string { return fmt.Sprintf("disallow: *a%db\n", i) }),
		"many near matches":  fill(func(i int) string { return fmt.Sprintf("disallow: *aaaaaaa%d\n", i) }),
		"stars in one rule":  "user-agent: *\ndisallow: /" + strings.Repeat("*a", size/2) + "$\n",
		"stars, no end":      "user-agent: *\ndisallow: /" + strings.Repeat("*aa*ab", size/6) + "\n",
		"long stars":         fill(func(i int) string { return fmt.Sprintf("disallow: %s%d\n", strings.Repeat("/*aaaaaaaa", 40), i) }),
		"encoded pieces":     fill(func(i int) string { return fmt.Sprintf("disallow: *%%2F%%26%%2F%d\n", i) }),
		"equal rules":        fill(func(i int) string { return "allow: /x*y$\n" }),
		"agents":             fill(func(i int) string { return fmt.Sprintf("user-agent: a%d\n", i) }),
		"sitemaps":           fill(func(i int) string { return "sitemap: https://example.com/sitemap.xml\n" }),
		"one line":           "user-agent: *\ndisallow: /" + strings.Repeat("x", size),
		"no line end":        strings.Repeat("a", size),
		"empty lines":        "user-agent: *\n" + strings.Repeat("\r", size),
		"percent signs":      "user-agent: *\ndisallow: /" + strings.Repeat("%", size),
		"colons":             strings.Repeat(":", size),
		"blanks":             strings.Repeat(" ", size),
		"comment characters": strings.Repeat("#\n", size/2),
	}
}

// A decision searches maxWork bytes at most, and what it cannot decide with them is not allowed.
func TestWildcardWorkIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: there are no races")
	}
	stars := func(n int, tail string) *Rules {
		var b strings.Builder
		b.WriteString("user-agent: *\n")
		for i := range n {
			fmt.Fprintf(&b, "disallow: /*aaaab%d\n", i)
		}
		return ParseRobots([]byte(b.String()+tail), "walker")
	}
	long := "/" + strings.Repeat("aaaab", 1600)
	for _, c := range []struct {
		name             string
		rules            *Rules
		path             string
		allowed, decided bool
	}{
		{"25,000 rules, 8 KB", stars(25_000, ""), long, false, false},
		{"25,000 rules, 8 KB, allowed by a rule that is not reached", stars(25_000, "allow: /\n"), long, false, false},
		{"25,000 rules, 8 KB, allowed by the first", stars(25_000, "allow: /aaaabaaaabaaaabaaaab\n"), long, true, true},
		{"25,000 rules, 100 bytes", stars(25_000, ""), long[:100], true, true},
		{"25,000 rules, forbidden by the last", stars(25_000, "disallow: /\n"), "/a", false, true},
		{"400 rules, 8 KB", stars(400, ""), long, true, true},
		{"2,000 rules, 2 KB", stars(2000, ""), long[:2000], true, true},
		{"stars in one rule", ParseRobots([]byte("user-agent: *\ndisallow: /"+strings.Repeat("*a", 4000)), "walker"), "/" + strings.Repeat("a", 4000), false, true},
	} {
		allowed, decided := c.rules.decide(c.path)
		if allowed != c.allowed || decided != c.decided {
			t.Errorf("%s: allowed %v, decided %v", c.name, allowed, decided)
		}
		if ok, why := c.rules.Why(c.path); ok != allowed || strings.Contains(why, "too many rules") == decided {
			t.Errorf("%s: %v, %q", c.name, ok, why)
		}
		if one := c.rules.For(c.path); one.Allowed(c.path) != allowed || strings.Contains(one.Status(), "too many rules") == decided {
			t.Errorf("%s, kept for one URL: %q", c.name, one.Status())
		}
	}
	for name, file := range hostileRobots(100 << 10) {
		rules := ParseRobots([]byte(file), "walker")
		target := newTarget(long + "?" + strings.Repeat("a/", 500))
		for i := range rules.rules {
			rules.rules[i].matches(&target)
			if target.work < 0 {
				break
			}
		}
		if target.work < -2*len(target.text)-pieceWork {
			t.Errorf("%s: %d bytes beyond the bound", name, -target.work)
		}
	}
}

// A hostile file may cost time in proportion to its size, and its rules may not
// cost much more memory than it has bytes.
func TestHostileRobots(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	const size = 500 << 10
	path := "/" + strings.Repeat("a", 2000) + "?" + strings.Repeat("a/", 200)
	for name, file := range hostileRobots(size) {
		started := time.Now()
		r := ParseRobots([]byte(file), "walker")
		parsed := time.Since(started)
		r.Allowed(path)
		decided := time.Since(started) - parsed
		// Generous by a factor of ten or more, for slow machines and -race;
		// what is not linear misses it by another factor of ten.
		if parsed > 3*time.Second || decided > 3*time.Second {
			t.Errorf("%s: %v to parse, %v for one decision", name, parsed, decided)
		}
		if cap(r.rules) > len(r.rules) {
			t.Errorf("%s: room for %d rules is kept for %d", name, cap(r.rules), len(r.rules))
		}
		if r.size > 10*size {
			t.Errorf("%s: rules take %d bytes, the file %d", name, r.size, size)
		}
	}
}
