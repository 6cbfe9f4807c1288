package crawl_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/PuerkitoBio/goquery"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/gate"
	"crawler/parse"
)

// shop is a site with a list of three products, each on a page of its own, and a page of
// terms.
func shop(handlers ...http.Handler) *httptest.Server {
	pages := map[string]string{
		"/":         `<a href="/lamp">Lamp</a> <a href="/wick">Wick</a> <a href="/oil">Oil</a> <a href="/terms">Terms</a>`,
		"/lamp":     `<h1>Lamp</h1> <p class="price">48.00</p>`,
		"/wick":     `<h1>Wick</h1> <p class="price">2.50</p>`,
		"/oil":      `<h1>Oil</h1> <p class="price">9.00</p>`,
		"/terms":    `<h1>Terms</h1> We sell lamps.`,
		"/members/": `<h1>Members</h1>`,
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		for _, h := range handlers {
			h.ServeHTTP(w, r)
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "<!doctype html><html>%s</html>", page)
	}))
}

// ownSite is the politeness for one's own site: no pause between requests.
var ownSite = gate.Config{Frontier: frontier.Config{Delay: frontier.NoDelay}}

// prices is a store of one's own. A Recorder is called by one goroutine, so it needs no
// lock.
type prices map[string]string

func (p prices) Page(v *crawl.Visit) error {
	if price := v.Page.Fields["price"]; len(price) > 0 {
		p[v.URL.Path()] = price[0]
	}
	return nil
}
func (prices) Redirect(*crawl.Visit) error { return nil }
func (prices) Skip(gate.Skip) error        { return nil }
func (prices) Flush() error                { return nil }

// The price from every product page into a store of one's own.
func ExampleRecorder() {
	site := shop()
	defer site.Close()
	rule, err := parse.ParseRule("price=.price")
	if err != nil {
		panic(err)
	}
	store := prices{}
	_, err = crawl.Run(context.Background(), crawl.Config{
		Seeds: []string{site.URL}, Gate: ownSite, Recorder: store, Parse: parse.Options{Rules: []parse.Rule{rule}},
	})
	for _, product := range slices.Sorted(maps.Keys(store)) {
		fmt.Println(product, store[product])
	}
	fmt.Println(err)
	// Output:
	// /lamp 48.00
	// /oil 9.00
	// /wick 2.50
	// <nil>
}

// goquery over the body of every page, in the workers, many at a time.
func ExampleConfig_onPage() {
	site := shop()
	defer site.Close()
	var mu sync.Mutex
	var titles []string
	_, err := crawl.Run(context.Background(), crawl.Config{
		Seeds: []string{site.URL}, Gate: ownSite,
		OnPage: func(page *crawl.Visit) error {
			doc, err := goquery.NewDocumentFromReader(bytes.NewReader(page.Response.Body))
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			titles = append(titles, doc.Find("h1").Text())
			return nil
		},
	})
	slices.Sort(titles)
	fmt.Println(strings.Join(titles, " "), err)
	// Output: Lamp Oil Terms Wick <nil>
}

// A header for one host.
func ExampleConfig_prepare() {
	site := shop(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			fmt.Println(r.URL.Path, r.Header.Get("Authorization"))
		}
	}))
	defer site.Close()
	cfg := crawl.Config{Seeds: []string{site.URL + "/members/"}, Gate: ownSite}
	cfg.Fetch.Prepare = func(r *http.Request) error {
		if "http://"+r.URL.Host == site.URL {
			r.Header.Set("Authorization", "Bearer s3cret")
		}
		return nil
	}
	_, err := crawl.Run(context.Background(), cfg)
	fmt.Println(err)
	// Output:
	// /members/ Bearer s3cret
	// <nil>
}

// Only some links are followed; the others are reported as excluded.
func ExampleConfig_follow() {
	site := shop()
	defer site.Close()
	res, err := crawl.Run(context.Background(), crawl.Config{
		Seeds: []string{site.URL}, Gate: ownSite,
		Follow: func(page *crawl.Visit, link *parse.Link) bool { return link.URL.Path() != "/terms" },
	})
	fmt.Println(res.Fetched, "pages,", res.Skipped[gate.Excluded], "excluded,", err)
	// Output: 4 pages, 1 excluded, <nil>
}

// The crawl stops when it has found what it looked for.
func ExampleErrStop() {
	site := shop()
	defer site.Close()
	res, err := crawl.Run(context.Background(), crawl.Config{
		Seeds: []string{site.URL}, Gate: ownSite, Workers: 1,
		OnPage: func(page *crawl.Visit) error {
			if bytes.Contains(page.Response.Body, []byte("2.50")) {
				fmt.Println("found on", page.URL.Path())
				return crawl.ErrStop
			}
			return nil
		},
	})
	fmt.Println(res.EndedBy, err)
	// Output:
	// found on /wick
	// stopped <nil>
}

// URLs that come while the crawl runs, from a queue, say.
func ExampleInbox() {
	site := shop()
	defer site.Close()
	in := crawl.NewInbox()
	go func() {
		defer in.Close()
		for _, path := range []string{"/lamp", "/oil", "/lamp", "not a URL"} {
			if err := in.Add(context.Background(), site.URL+path); err != nil {
				fmt.Println("not added:", path)
			}
		}
	}()
	cfg := crawl.Config{Inbox: in, Gate: ownSite}
	cfg.Fetch.Guard = &fetch.Guard{Private: true} // else what is added must have a public address
	res, err := crawl.Run(context.Background(), cfg)
	fmt.Println(res.Fetched, "pages,", err)
	// Output:
	// not added: not a URL
	// 2 pages, <nil>
}
