package weburl_test

import (
	"errors"
	"fmt"

	"crawler/weburl"
)

func ExampleParse() {
	for _, raw := range []string{
		"HTTP://Shop.Test:80/a/../%7Ecaf%c3%a9#menu",
		"https://me:secret@bücher.test",
		"http://0x7f.1/",
		"shop.test",
		"mailto:me@shop.test",
	} {
		u, err := weburl.Parse(raw)
		switch {
		case errors.Is(err, weburl.ErrRelative):
			fmt.Println(err, "- is https:// missing?")
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println(u)
		}
	}
	// Output:
	// http://shop.test/~caf%C3%A9
	// https://xn--bcher-kva.test/
	// http://127.0.0.1/
	// relative URL without a base: "shop.test" - is https:// missing?
	// neither http nor https: "mailto:me@shop.test"
}

func ExampleURL_Resolve() {
	page, _ := weburl.Parse("https://shop.test/books/list.html?page=2")
	for _, href := range []string{"trial.html#buy", "../", "/cart", "?page=3", "//cdn.test/logo.svg", `\help me`} {
		u, _ := page.Resolve(href)
		fmt.Println(u)
	}
	// Output:
	// https://shop.test/books/trial.html
	// https://shop.test/
	// https://shop.test/cart
	// https://shop.test/books/list.html?page=3
	// https://cdn.test/logo.svg
	// https://shop.test/help%20me
}

func ExampleURL() {
	u, _ := weburl.Parse("https://shop.test:8443/books/trial?lang=de")
	fmt.Println(u.Scheme(), u.Host(), u.Hostname(), u.Port())
	fmt.Println(u.Origin(), u.RequestURI())
	for segment := range u.Segments {
		fmt.Printf("%q ", segment)
	}
	// Output:
	// https shop.test:8443 shop.test 8443
	// https://shop.test:8443 /books/trial?lang=de
	// "https://shop.test:8443" "books" "trial" "?lang=de"
}

// A worker keeps one Resolver and gives it page after page.
func ExampleResolver() {
	r := weburl.NewResolver(weburl.Options{DropParams: []string{"utm_*"}})
	page, _ := weburl.Parse("https://shop.test/books/")
	r.SetBase(page)
	for _, href := range [][]byte{[]byte("trial?utm_source=list&lang=de"), []byte("javascript:buy()"), []byte("/")} {
		u, err := r.Resolve(href)
		fmt.Println(u, err)
	}
	// Output:
	// https://shop.test/books/trial?lang=de <nil>
	//  neither http nor https
	// https://shop.test/ <nil>
}
