package parse

import (
	"strings"
	"testing"
)

// Pages that JavaScript would fill, and pages that only have some. The cases were there before the
// rule.
func TestNeedsScript(t *testing.T) {
	for html, want := range map[string]bool{
		`<!doctype html><html lang=en><head><meta charset=utf-8><title>React App</title><link rel=icon href=/favicon.ico><script defer src=/static/js/main.js></script></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div></body>`: true,
		`<html><head><title>Vue</title></head><body><div id=app>Loading...</div><script type=module src=/assets/index.js></script></body></html>`:                                                                                                                                  true,
		`<title>A shop with a long title of more than three words</title><app-root></app-root><script src=runtime.js></script><script src=polyfills.js></script>`:                                                                                                                  true,
		`<body><div id=__next></div><script>window.__DATA__={"text":"many words in here that nobody sees"}</script>`:                                                                                                                                                               true,
		`<script>location.replace("/de/" + location.hash)</script>`:                                                                                                             true,
		`<title>No script</title><div id=root></div>`:                                                                                                                           false,
		`<title>Hello</title><p>This page has words of its own.</p><script src=analytics.js></script>`:                                                                          false,
		`<title>Links</title><a href=/a><img src=a.png></a><script src=analytics.js></script>`:                                                                                  false,
		`<frameset><frame src=left.html><frame src=right.html></frameset><script>x</script>`:                                                                                    false,
		`<meta http-equiv=refresh content="0; url=/next"><script>x</script>`:                                                                                                    false,
		`<script>x</script><div id=app></div><noscript><iframe src=//tags.example/ns.html></iframe>Scripts are off: <a href=//help.example/>how to turn them on</a></noscript>`: true,
		`<script>x</script><noscript>On</noscript><a href=/a>a</a>`:                                                                                                             false,
		``: false,
	} {
		if got := parsePage(t, Options{}, "text/html; charset=utf-8", html).NeedsScript(); got != want {
			t.Errorf("%v, want %v: %s", got, want, html)
		}
	}
	xhtml := `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>An app of five words</title><script src="a.js"/></head><body/></html>`
	for body, want := range map[string]bool{xhtml: true, strings.Replace(xhtml, "<body/>", "<body>and four more words</body>", 1): false} {
		if got := parsePage(t, Options{}, "application/xhtml+xml", body).NeedsScript(); got != want {
			t.Errorf("%v, want %v: %s", got, want, body)
		}
	}
	// A <base> behind a link has the page read twice.
	if parsePage(t, Options{}, "text/html", `<link rel=next href=x><base href=/b/><script></script><title>t</title>one two three four`).NeedsScript() {
		t.Error("what was counted in the first pass is counted")
	}
}
