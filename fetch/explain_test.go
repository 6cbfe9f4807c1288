package fetch

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The line that decides is named, with its number in the file.
func TestExplain(t *testing.T) {
	const file = "\ufeff# a comment\r\nUser-agent: *\r\nDisallow: /private/\r\nAllow: /private/open\r\nDisallow: /*.pdf$\r\n\r\nuser-agent: walker\nuser-agent: other\n disallow: /w  # ours\nAllow: /w/x\nDisallow: /w\n"
	for _, c := range []struct {
		token, uri string
		allowed    bool
		line       int
		rule       string
	}{
		{"crawler", "/private/x", false, 3, "Disallow: /private/"},
		{"crawler", "/private/open", true, 4, "Allow: /private/open"},
		{"crawler", "/a.pdf", false, 5, "Disallow: /*.pdf$"},
		{"crawler", "/a.pdf?x", true, 0, ""},
		{"crawler", "/", true, 0, ""},
		{"crawler", "/robots.txt", true, 0, ""},
		{"walker", "/private/x", true, 0, ""},
		{"walker", "/w/y", false, 9, "disallow: /w  # ours"},
		{"walker", "/w/x", true, 10, "Allow: /w/x"},
		{"WALKER", "/w", false, 9, "disallow: /w  # ours"},
	} {
		d := Explain([]byte(file), c.token, c.uri)
		if d.Allowed != c.allowed || d.Line != c.line || d.Rule != c.rule {
			t.Errorf("%s %s: %+v, want %v by line %d: %s", c.token, c.uri, d, c.allowed, c.line, c.rule)
		}
	}
}

// The decision is that of the rules, and the line alone makes it.
func TestExplainAgreesWithTheRules(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	parts := []string{"a", "b", "/", "*", "$", "%20", "ä", "?", "=", ".html"}
	named := 0
	for range 3_000 {
		var file strings.Builder
		for range rnd.IntN(12) {
			fmt.Fprintf(&file, "%s: %s\n", []string{"Allow", "Disallow", "User-agent", "Sitemap"}[rnd.IntN(4)],
				[]string{"", "*", "walker"}[rnd.IntN(3)]+randomPath(rnd, parts, 4))
		}
		for _, end := range []string{"", "\nUser-agent: *\nDisallow: /a\n"} {
			body, uri := []byte(file.String()+end), randomPath(rnd, parts, 6)
			d := Explain(body, "walker", uri)
			if want := ParseRobots(body, "walker").Allowed(uri); d.Allowed != want {
				t.Fatalf("seed %d: %q: %v, want %v, of\n%s", seed, uri, d.Allowed, want, body)
			}
			if d.Line == 0 {
				if !d.Allowed {
					t.Fatalf("seed %d: %q is forbidden by no line of\n%s", seed, uri, body)
				}
				continue
			}
			named++
			if line := strings.Split(string(body), "\n")[d.Line-1]; strings.TrimSpace(line) != d.Rule || ParseRobots([]byte("user-agent: *\n"+line), "walker").Allowed(uri) != d.Allowed {
				t.Fatalf("seed %d: %q: line %d is %q, not %q, or does not decide so", seed, uri, d.Line, line, d.Rule)
			}
		}
	}
	if named < 200 {
		t.Errorf("only %d lines were named", named)
	}
}
