package parse_test

import (
	"fmt"

	"crawler/parse"
	"crawler/weburl"
)

func ExampleParser() {
	u, err := weburl.Parse("http://example.com/docs/index.html")
	if err != nil {
		fmt.Println(err)
		return
	}
	var words []string
	p := parse.New(parse.Options{OnWord: func(w []byte) { words = append(words, string(w)) }})
	var page parse.Page // reused from document to document
	err = p.Parse(parse.Input{
		URL:         u,
		ContentType: "text/html; charset=utf-8",
		Body: []byte(`<!DOCTYPE html><html lang="en"><title>The Ring</title>
<p>One <a href="ring.html#top">coordinator</a>, <a href="/w" rel=nofollow>n workers</a>.`),
	}, &page)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(words)
	fmt.Println(page.Title, page.Lang, len(page.Words))
	for _, l := range page.Links {
		fmt.Println(l.Kind, l.URL, l.NoFollow)
	}
	// Output:
	// [the ring one coordinator n workers]
	// The Ring en 6
	// anchor http://example.com/docs/ring.html false
	// anchor http://example.com/w true
}

func ExampleParseRule() {
	price, err := parse.ParseRule("price=.product .price")
	if err != nil {
		fmt.Println(err)
		return
	}
	image, err := parse.ParseRule(`image=meta[property="og:image"]@content`)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := parse.New(parse.Options{Rules: []parse.Rule{price, image}})
	var page parse.Page
	err = p.Parse(parse.Input{
		ContentType: "text/html",
		Body: []byte(`<meta property="og:image" content="/shoe.png">
<div class=product>A shoe, <b class=price>30
 EUR</b></div>`),
	}, &page)
	fmt.Println(page.Fields["price"], page.Fields["image"], err)
	// Output: [30 EUR] [/shoe.png] <nil>
}
