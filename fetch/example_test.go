package fetch_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"crawler/fetch"
	"crawler/weburl"
)

// site is a small web server for the examples.
func site() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<h1>Hello</h1>")
	})
	mux.HandleFunc("/old", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/", http.StatusMovedPermanently)
	})
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\nCrawl-delay: 2\n")
	})
	return httptest.NewServer(mux)
}

func ExampleClient_Get() {
	srv := site()
	defer srv.Close()
	client, err := fetch.New(fetch.Config{UserAgent: "walker/1.0 (+https://example.com/walker)"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	for _, path := range []string{"/", "/old"} {
		u, _ := weburl.Parse(srv.URL + path)
		page, err := client.Get(context.Background(), u)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d %s %q %q\n", page.Status, page.MediaType, page.Location, page.Body)
		page.Release()
	}
	// Output:
	// 200 text/html "" "<h1>Hello</h1>"
	// 301 text/html "/" "<a href=\"/\">Moved Permanently</a>.\n\n"
}

// Requests to one host are signed, those to others are not. robots.txt passes here,
// too.
func ExampleConfig_prepare() {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s: %q", r.Host, r.Header.Get("Authorization"))
	}))
	defer srv.Close()
	keys := map[string]string{"shop.example": "s3cret"}
	client, err := fetch.New(fetch.Config{
		Resolve: map[string]string{"*:80": srv.Listener.Addr().String()}, // stands in for DNS
		Prepare: func(r *http.Request) error {
			key, ok := keys[r.Host]
			if !ok {
				return nil
			}
			mac := hmac.New(sha256.New, []byte(key))
			fmt.Fprintf(mac, "%s %s%s", r.Method, r.Host, r.URL.RequestURI())
			r.Header.Set("Authorization", fmt.Sprintf("HMAC %x", mac.Sum(nil)[:4]))
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	for _, raw := range []string{"http://shop.example/list?page=2", "http://other.example/"} {
		u, _ := weburl.Parse(raw)
		page, err := client.Get(context.Background(), u)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n", page.Body)
		page.Release()
	}
	// Output:
	// shop.example: "HMAC 80a4b645"
	// other.example: ""
}

func ExampleError() {
	client, _ := fetch.New(fetch.Config{})
	defer client.Close()
	u, _ := weburl.Parse("http://127.0.0.1:1/")
	_, err := client.Get(context.Background(), u)
	if e, ok := errors.AsType[*fetch.Error](err); ok {
		fmt.Println(e.Reason, e.Reason.Temporary())
	}
	// Output: connect true
}

// Which failures may pass?
func ExampleReasons() {
	for _, r := range fetch.Reasons() {
		if r.Temporary() {
			fmt.Print(r, " ")
		}
	}
	// Output: dns connect proxy handshake timeout slow reset protocol body local
}

func ExampleRobots() {
	srv := site()
	defer srv.Close()
	client, _ := fetch.New(fetch.Config{UserAgent: "walker/1.0"})
	defer client.Close()

	robots := fetch.NewRobots(client, fetch.RobotsConfig{})
	rules, err := robots.Fetch(context.Background(), srv.URL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	delay, _ := rules.CrawlDelay()
	fmt.Println(rules.Source(), delay)
	fmt.Println(rules.Allowed("/public/"), rules.Allowed("/private/x"))
	// Output:
	// rules 2s
	// true false
}

func ExampleParseRobots() {
	rules := fetch.ParseRobots([]byte("User-agent: walker\nDisallow: /*?sort=\nAllow: /list?sort=name$\n"), "walker")
	fmt.Println(rules.Allowed("/list?sort=price"), rules.Allowed("/list?sort=name"))
	// Output: false true
}

func ExampleGuard() {
	seed, _ := weburl.Parse("http://127.0.0.1:1/")
	client, _ := fetch.New(fetch.Config{Guard: &fetch.Guard{Seeds: []weburl.URL{seed}}})
	defer client.Close()
	for _, raw := range []string{"http://127.0.0.1:1/", "http://127.0.0.1:2/", "http://[::1]:2/"} {
		u, _ := weburl.Parse(raw)
		_, err := client.Get(context.Background(), u)
		if e, ok := errors.AsType[*fetch.Error](err); ok {
			fmt.Println(raw, e.Reason)
		}
	}
	// Output:
	// http://127.0.0.1:1/ connect
	// http://127.0.0.1:2/ address
	// http://[::1]:2/ address
}
