package parse

import (
	"slices"
	"strings"
	"testing"
)

// What images and fields of forms have instead of text is taken apart from the words, but not what
// nobody sees, or what is a link's.
func TestInstead(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{`<img src=a alt="Two cats, asleep">`, "two cats asleep"},
		{`<IMG ALT='R&eacute;sum&eacute;'>`, "résumé"},
		{`<input value="Ada"><input type=NUMBER value=7><input type=date value=2001-02-03>`, "ada 7 2001 02 03"},
		{`<img alt="日本語の長い説明がここにあります。猫が二匹眠っています">`, "日本語の長い説明がここにあります 猫が二匹眠っています"},
		{`<input type=hidden value=tok><input type=submit value=Go><input type=checkbox value=on><input type=search value=cat>`, ""},
		{`<a href=/x><img alt="the next page"></a> <img alt=map>`, "map"},
		{`<a href="#top"><img alt="top"></a>`, "top"},
		{`<template><img alt=unseen></template><img alt="">`, ""},
		{`<img alt="` + strings.Repeat("x", MaxWordRunes+1) + ` y">`, "y"},
	} {
		var page Page
		in := Input{URL: mustURL(t, "http://a.test/"), ContentType: "text/html; charset=utf-8", Body: []byte(tt.body + "<p>text")}
		told := 0
		if err := New(Options{OnWord: func([]byte) { told++ }}).Parse(in, &page); err != nil {
			t.Fatal(err)
		}
		var want []uint64
		for word := range strings.FieldsSeq(tt.want) {
			want = append(want, HashWord([]byte(word)))
		}
		if !slices.Equal(page.Instead, want) {
			t.Errorf("%s: %d words, want %q", tt.body, len(page.Instead), tt.want)
		}
		if len(page.Words) != 1 || told != 1 || len(page.Numerals) != 0 {
			t.Errorf("%s: %d words of text, %d of them numbers, %d told", tt.body, len(page.Words), len(page.Numerals), told)
		}
	}
	long := strings.Repeat(`<img alt="`+strings.Repeat("a b c d ", 32)+`">`, 64)
	var page Page
	in := Input{URL: mustURL(t, "http://a.test/"), ContentType: "text/html", Body: []byte(long)}
	if err := New(Options{}).Parse(in, &page); err != nil || len(page.Instead) != 512 {
		t.Errorf("%d words, %v", len(page.Instead), err)
	}
}
