package parse

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func mustRule(t testing.TB, s string) Rule {
	t.Helper()
	r, err := ParseRule(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestExtract(t *testing.T) {
	const body = `<h1 id=x> A
 title </h1><p class="price">3 &euro;<p class="price old">4 &euro;</p><meta property="og:image" content=" /i.png ">
<a href="mailto:a@b.example" title=t>mail</a><a>none</a>`
	for rule, want := range map[string]string{
		"v=h1":                                "[A title]",
		"v=.price":                            "[3 € 4 €]",
		" v = p.price:not(.old) ":             "[3 €]",
		`v=meta[property="og:image"]@content`: "[/i.png]",
		`v=a@href`:                            "[mailto:a@b.example]",
		`v=a @ HREF`:                          "[a]",
		`v=a[href="mailto:a@b.example"]`:      "[mail]",
		`v=a[href*="@b"]@title`:               "[t]",
		"v=h1, a":                             "[A title mail none]",
		"v=.absent":                           "[]",
	} {
		r, err := ParseRule(rule)
		if strings.Contains(rule, " @ ") {
			if err == nil {
				t.Errorf("%q is a rule", rule)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", rule, err)
			continue
		}
		page := parsePage(t, Options{Rules: []Rule{r}}, "text/html; charset=utf-8", body)
		if got := fmt.Sprint(page.Fields["v"]); got != want || page.ExtractErr != nil {
			t.Errorf("%q: %s %v, want %s", rule, got, page.ExtractErr, want)
		}
	}
}

func TestParseRuleRefuses(t *testing.T) {
	for _, s := range []string{"", "x", "=h1", "x=", " = ", "x=h1[", "x=@href", "x=:nosuch"} {
		if r, err := ParseRule(s); err == nil {
			t.Errorf("%q: %+v", s, r)
		} else if !strings.Contains(err.Error(), fmt.Sprintf("%q", s)) {
			t.Errorf("%q: the error does not name it: %v", s, err)
		}
	}
}

func TestExtractReuse(t *testing.T) {
	p, page := New(Options{Rules: []Rule{mustRule(t, "v=h1"), mustRule(t, "v=h2"), mustRule(t, "w=h3")}}), new(Page)
	for _, c := range []struct{ body, want string }{
		{"<h2>b</h2><h1>a</h1>", "map[v:[a b]]"}, {"<h3>c</h3>", "map[w:[c]]"}, {"<p>", "map[]"},
	} {
		if err := p.Parse(Input{ContentType: "text/html", Body: []byte(c.body)}, page); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(page.Fields); got != c.want {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
	}
}

// TestExtractCharset: the tree is built from the decoded text.
func TestExtractCharset(t *testing.T) {
	page := parsePage(t, Options{Rules: []Rule{mustRule(t, "v=h1")}}, "text/html; charset=koi8-r", "<h1>\xf1</h1>")
	if got := fmt.Sprint(page.Fields["v"]); got != "[Я]" {
		t.Error(got)
	}
}

func TestExtractLimits(t *testing.T) {
	page := parsePage(t, Options{Rules: []Rule{mustRule(t, "v=p")}}, "text/html", strings.Repeat("<p>x", MaxFieldValues+5))
	if n := len(page.Fields["v"]); n != MaxFieldValues {
		t.Errorf("%d values", n)
	}
	page = parsePage(t, Options{Rules: []Rule{mustRule(t, "v=p")}}, "text/html; charset=utf-8", "<p>x"+strings.Repeat("é", MaxFieldBytes))
	if v := page.Fields["v"][0]; len(v) > MaxFieldBytes || len(v) < MaxFieldBytes-1 || strings.ContainsRune(v, '\ufffd') {
		t.Errorf("a value of %d bytes", len(v))
	}
}

// TestExtractTooDeep: the tree has a limit, which is told; links and words
// have none.
func TestExtractTooDeep(t *testing.T) {
	body := "<h1>x</h1>" + strings.Repeat("<div>", 600) + "<a href=/deep>word</a>"
	page := parsePage(t, Options{Rules: []Rule{mustRule(t, "v=h1")}}, "text/html", body)
	if !errors.Is(page.ExtractErr, ErrTooDeep) || len(page.Fields) != 0 {
		t.Errorf("%v, %v", page.ExtractErr, page.Fields)
	}
	if len(page.Links) != 1 || len(page.Words) != 2 {
		t.Errorf("%d links, %d words", len(page.Links), len(page.Words))
	}
	page = parsePage(t, Options{}, "text/html", body)
	if page.ExtractErr != nil {
		t.Errorf("without rules: %v", page.ExtractErr)
	}
}

// The text of a field is what a reader sees.
func TestExtractedText(t *testing.T) {
	for in, want := range map[string]string{
		`<p>one</p><p>two</p>`:                                       "one two",
		`a<br>b<br/>c`:                                               "a b c",
		`<ul><li>x<li>y</ul>z`:                                       "x y z",
		`<table><tr><td>1<td>2<tr><td>3</table>`:                     "1 2 3",
		`12<sup>.99</sup> <b>E</b>UR`:                                "12.99 EUR",
		`half<!-- a comment -->way`:                                  "halfway",
		`a<script>var x = "<p>"</script>b<style>p{}</style>c`:        "abc",
		`a<template><p>t</p></template><noscript>on</noscript>b`:     "ab",
		`<h2>Head</h2>text<div>in<div>deep</div>out</div>`:           "Head text in deep out",
		`<my-price>12<my-cents>.50</my-cents></my-price>`:            "12.50",
		`<dl><dt>t<dd>d</dl><select><option>o<option>p</select>q`:    "t d o p q",
		"  much \n\t  space\u00a0here ":                              "much space here",
		`<a href=x>link</a><span>, and</span> more`:                  "link, and more",
		`<svg><title>pic</title><text>in it</text></svg>after`:       "pic in it after",
		`<article><p>first<aside>side</aside>last</article><i>x</i>`: "first side last x",
	} {
		page := parsePage(t, Options{Rules: []Rule{mustRule(t, "v=#v")}}, "text/html; charset=utf-8", `<div id=v>`+in+`</div>`)
		if got := page.Fields["v"]; len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	page := parsePage(t, Options{Rules: []Rule{mustRule(t, "ld=script")}}, "text/html", `<script type="application/ld+json">{"a": 1}</script>`)
	if got := page.Fields["ld"]; len(got) != 1 || got[0] != `{"a": 1}` {
		t.Errorf("a script that itself matches: %q", got)
	}
}

// Selectors see what is in <noscript>, which is no text of what is around it. A <head> is what it
// is to browsers with scripts, whatever a <noscript> in it holds.
func TestExtractNoScript(t *testing.T) {
	const body = `<html><head><noscript><img src=/pixel>Turn on<link rel=next href=/2></noscript><meta name=d content=e><title>t</title></head>
<body id=b>a<noscript>Please <a class=x href=/n>turn on</a><table><tr><td>c</table><noscript>d</noscript></body>`
	for rule, want := range map[string]string{
		"v=noscript img@src":         "[/pixel]",
		"v=head > noscript > *@href": "[/2]",
		"v=head > meta@content":      "[e]",
		"v=head > title":             "[t]",
		"v=a.x@href":                 "[/n]",
		"v=a.x":                      "[turn on]",
		"v=noscript td":              "[c]",
		"v=body":                     "[a]",
		"v=html":                     "[t a]",
	} {
		page := parsePage(t, Options{Rules: []Rule{mustRule(t, rule)}}, "text/html; charset=utf-8", body)
		if got := fmt.Sprint(page.Fields["v"]); got != want || page.ExtractErr != nil {
			t.Errorf("%q: %s %v, want %s", rule, got, page.ExtractErr, want)
		}
	}
	page := parsePage(t, Options{Rules: []Rule{mustRule(t, "v=h1")}}, "text/html", "<noscript>"+strings.Repeat("<div>", 600))
	if !errors.Is(page.ExtractErr, ErrTooDeep) {
		t.Errorf("too deep in <noscript>: %v", page.ExtractErr)
	}
	for n, want := range map[int]int{maxNoScripts - 1: 1, maxNoScripts: 0} {
		page := parsePage(t, Options{Rules: []Rule{mustRule(t, "v=b")}}, "text/html", strings.Repeat("<noscript><i>x</i></noscript>", n)+"<noscript><b>y</b></noscript>")
		if got := len(page.Fields["v"]); got != want {
			t.Errorf("behind %d noscripts %d values, want %d", n, got, want)
		}
	}
}
