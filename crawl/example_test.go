package crawl_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
)

// A test of one's own site: every link leads somewhere. The crawl needs no more than
// seeds.
func ExampleRun() {
	site := httptest.NewServer(http.FileServer(http.Dir("../testdata/site")))
	defer site.Close()
	res, err := crawl.Run(context.Background(), crawl.Config{
		Seeds:    []string{site.URL},
		Recorder: brokenLinks{},
		// Our own site, so no pause.
		Gate: gate.Config{Frontier: frontier.Config{Delay: frontier.NoDelay}},
	})
	fmt.Println(res.Fetched, "pages,", res.Skipped["scope"], "link elsewhere,", err)
	// Output:
	// /missing.html is linked from / and answers 404
	// 7 pages, 1 link elsewhere, <nil>
}

// brokenLinks prints the pages that do not answer 200.
type brokenLinks struct{}

func (brokenLinks) Page(v *crawl.Visit) error {
	if v.Status != http.StatusOK {
		from, _ := v.URL.Resolve(v.Via)
		fmt.Printf("%s is linked from %s and answers %d\n", v.URL.Path(), from.Path(), v.Status)
	}
	return nil
}
func (brokenLinks) Skip(gate.Skip) error { return nil }
func (brokenLinks) Flush() error         { return nil }
