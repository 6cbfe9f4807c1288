package fetch

import (
	"net/http"
	"strings"
	"testing"
)

// anubisPage is what Anubis answers with, as far as it is recognised.
const anubisPage = `<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title>
<script id="anubis_challenge" type="application/json">{"rules":{"difficulty":4},"challenge":{"id":"x"}}</script></head><body></body></html>`

func TestChallenge(t *testing.T) {
	for _, c := range []struct {
		field, value, media, body, want string
	}{
		{"Cf-Mitigated", "challenge", "text/html", "<title>Just a moment...</title>", "cloudflare"},
		{"Cf-Mitigated", "", "text/html", "<title>Just a moment...</title>", ""},
		{"X-Amzn-Waf-Action", "challenge", "text/html", "", "aws-waf"},
		{"X-Amzn-Waf-Action", "captcha", "text/html", "", "aws-waf"},
		{"X-Amzn-Waf-Action", "block", "text/html", "", ""},
		{"Server", "cloudflare", "text/html", anubisPage, "anubis"},
		{"Server", "cloudflare", "text/plain", anubisPage, ""},
		{"Server", "cloudflare", "text/html", strings.Repeat(" ", 16<<10) + anubisPage, ""},
		{"Server", "cloudflare", "text/html", "<p>Pages about anubis_challenge are none", ""},
		{"Server", "cloudflare", "text/html", "", ""},
	} {
		res := &Response{Header: http.Header{c.field: {c.value}}, MediaType: c.media, Body: []byte(c.body)}
		if got := Challenge(res); got != c.want {
			t.Errorf("%s: %s, %.60q: %q, want %q", c.field, c.value, c.body, got, c.want)
		}
	}
}

// A page where robots.txt should be says nothing about the rules if it is a challenge, which keeps
// everybody out who cannot pass it; any other has none.
func TestRFC9309_2_3_1_RobotsThatArePages(t *testing.T) {
	const group = "\nuser-agent: *\ndisallow: /\n"
	var header http.Header
	body, status := "", 200
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for name := range header {
			w.Header().Set(name, header.Get(name))
		}
		w.WriteHeader(status)
		w.Write([]byte(body))
	})
	cloudflare := http.Header{"Cf-Mitigated": {"challenge"}, "Content-Type": {"text/html"}}
	html := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	plain := http.Header{"Content-Type": {"text/plain"}}
	for _, c := range []struct {
		name    string
		status  int
		header  http.Header
		body    string
		source  RobotsSource
		allowed bool
	}{
		{"Cloudflare", 200, cloudflare, "<!DOCTYPE html><title>Just a moment...</title>", RobotsChallenge, false},
		{"Cloudflare, and no type", 200, http.Header{"Cf-Mitigated": {"challenge"}}, "", RobotsChallenge, false},
		{"AWS WAF", 202, http.Header{"X-Amzn-Waf-Action": {"challenge"}}, "", RobotsChallenge, false},
		{"Anubis", 200, html, anubisPage, RobotsChallenge, false},
		{"Anubis, without a type", 200, nil, anubisPage, RobotsChallenge, false},
		{"a page", 200, html, "<!DOCTYPE html><title>Welcome</title>", RobotsPage, true},
		{"a page with what reads as rules", 200, html, "\xef\xbb\xbf\n<!-- home --> <HTML>" + group, RobotsPage, true},
		{"a page called text", 200, plain, "<html>" + group, RobotsPage, true},
		{"rules called HTML", 200, html, group, RobotsGroup, false},
		{"rules in a comment's company", 200, html, "<!-- rules -->" + group, RobotsGroup, false},
		{"rules in a paragraph", 200, html, "<p>" + group, RobotsGroup, false},
		{"nothing, called HTML", 200, html, "", RobotsNoGroup, true},
		{"a challenge that says that the file is unavailable", 403, cloudflare, "", RobotsMissing, true},
		{"a challenge of a server in trouble", 503, cloudflare, "", RobotsUnreachable, false},
	} {
		header, body, status = c.header, c.body, c.status
		rules := fetchRules(t, Config{}, RobotsConfig{}, base)
		if rules.Source() != c.source || rules.Allowed("/a") != c.allowed || rules.Unreachable() != (c.source == RobotsChallenge || c.source == RobotsUnreachable) {
			t.Errorf("%s: %s, %q", c.name, rules.Source(), rules.Status())
		}
	}
}
