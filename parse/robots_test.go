package parse

import (
	"fmt"
	"strings"
	"testing"
)

func TestRobotsMeta(t *testing.T) {
	for _, c := range []struct {
		meta              string
		noIndex, noFollow bool
	}{
		{`<meta name="robots" content="noindex">`, true, false},
		{`<META NAME=ROBOTS CONTENT="NoFollow">`, false, true},
		{`<meta name=robots content=" noindex , nofollow ">`, true, true},
		{`<meta name=robots content="noindex nofollow">`, true, true},
		{`<meta name=robots content=none>`, true, true},
		{`<meta name=robots content="all, index, follow">`, false, false},
		{`<meta name=robots content="noindexing, xnofollow, none-">`, false, false},
		{`<meta name=crawler content=nofollow>`, false, true},
		{`<meta name=Crawler content=noindex>`, true, false},
		{`<meta name=otherbot content=none>`, false, false},
		{`<meta name=robots>`, false, false},
		{`<meta content=none>`, false, false},
		{`<meta name=robots content=index><meta name=robots content=noindex>`, true, false},
		{`<meta name="robots" content="no&#105;ndex">`, true, false},
		{`<p>text<meta name=robots content=noindex>`, true, false},
		{`<template><meta name=robots content=none></template>`, false, false},
		{`<!-- <meta name=robots content=none> -->`, false, false},
		{`<noscript><meta name=robots content=none></noscript>`, true, true},
	} {
		page := parsePage(t, Options{}, "text/html", `<a href=1>`+c.meta+`<a href=2 rel=nofollow>`)
		if page.NoIndex != c.noIndex || page.NoFollow != c.noFollow {
			t.Errorf("%s: noindex %t, nofollow %t", c.meta, page.NoIndex, page.NoFollow)
		}
		if page.Links[0].NoFollow != c.noFollow || !page.Links[1].NoFollow {
			t.Errorf("%s: %v", c.meta, page.Links)
		}
	}
	page := parsePage(t, Options{Robot: "acmebot"}, "text/html", `<meta name=crawler content=noindex><meta name=AcmeBot content=nofollow>`)
	if page.NoIndex || !page.NoFollow {
		t.Errorf("%+v", page)
	}
}

func TestRobotsTag(t *testing.T) {
	for _, c := range []struct {
		values            string // separated by "|"
		noIndex, noFollow bool
	}{
		{"", false, false},
		{"noindex", true, false},
		{"noindex|nofollow", true, true},
		{" NONE ", true, true},
		{"noarchive, nofollow", false, true},
		{"otherbot: none", false, false},
		{"otherbot: noindex, nofollow", false, false},
		{"otherbot: noindex, crawler: nofollow", false, true},
		{"Crawler: noindex, otherbot: nofollow", true, false},
		{"*: nofollow", false, true},
		{"unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", true, false},
		{"max-snippet: 5, nofollow", false, true},
		{"max-image-preview:large,noindex", true, false},
		{"otherbot: noindex|nofollow", false, true},
		{":,;: noindex,", false, false},
	} {
		page := new(Page)
		in := Input{URL: mustURL(t, "http://h.example/"), ContentType: "text/html", Body: []byte("<a href=x>"), RobotsTag: strings.Split(c.values, "|")}
		if err := New(Options{}).Parse(in, page); err != nil {
			t.Fatal(err)
		}
		if page.NoIndex != c.noIndex || page.NoFollow != c.noFollow || page.Links[0].NoFollow != c.noFollow {
			t.Errorf("%q: noindex %t, nofollow %t, link %v", c.values, page.NoIndex, page.NoFollow, page.Links[0])
		}
	}
}

// TestLinkHeaderRFC8288 reads Link headers (RFC 8288, section 3).
func TestLinkHeaderRFC8288(t *testing.T) {
	for value, want := range map[string]string{
		`</a>; rel="canonical"`:                            "[canonical false /a]",
		`</a>; rel=next, </b>;rel=prev`:                    "[next false /a prev false /b]",
		`</a,b>; title="x, <y>; rel=prev"; REL=NEXT`:       "[next false /a,b]",
		`</a>; rel="x next nofollow"`:                      "[next true /a]",
		`</a>; rel=next; rel=canonical`:                    "[next false /a]",
		`</a>; rel="alternate"; hreflang=de ; type="a\"b"`: "[alternate false /a]",
		`</a>; rel=stylesheet, </b>; rel=preload; as=font`: "[]",
		`</a>`:                      "[]",
		`</a>; rel`:                 "[]",
		`</a; rel=next`:             "[]",
		`nonsense, </a>; rel=next`:  "[next false /a]",
		`</a>;;; ; rel = next ;, ,`: "[next false /a]",
		`</a>; rel="next`:           "[next false /a]",
		``:                          "[]",
		`<rel>; rel=next`:           "[next false /p/rel]",
		`<mailto:x>; rel=next`:      "[]",
	} {
		page := new(Page)
		in := Input{URL: mustURL(t, "http://h.example/p/q"), ContentType: "text/html", Body: []byte("<base href=/d/>"), Link: []string{value}}
		if err := New(Options{}).Parse(in, page); err != nil {
			t.Fatal(err)
		}
		var got []any
		for _, l := range page.Links {
			got = append(got, l.Kind, l.NoFollow, l.URL.Path())
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", value, got, want)
		}
	}
}

func TestLinkHeaderAndBody(t *testing.T) {
	page := new(Page)
	in := Input{URL: mustURL(t, "http://h.example/p/q"), ContentType: "text/html", Link: []string{`<h>; rel=canonical, <mailto:x>; rel=next`},
		Body: []byte("<link rel=canonical href=c><a href=1>x</a><base href=/d/><a href=2>")}
	if err := New(Options{}).Parse(in, page); err != nil {
		t.Fatal(err)
	}
	if got, want := paths(page.Links), "/p/h /d/c /d/1 /d/2"; got != want || page.Canonical.Path() != "/p/h" || page.BadLinks != 1 || len(page.Words) != 1 {
		t.Errorf("%s, canonical %v, %d bad, %d words", got, page.Canonical, page.BadLinks, len(page.Words))
	}
}
